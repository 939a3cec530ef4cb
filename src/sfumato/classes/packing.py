"""From a cube and a request to the arrays that the kernels read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sfumato.classes.class_sentences import KINDS as OF_SENTENCES
from sfumato.classes.class_sentences import asks_for_sentences, make_sentences, sentence_bits
from sfumato.classes.properties import CellCosts, Property, PropertyKind, Request, make_details
from sfumato.kernels import histograms, layout, uniting
from sfumato.kernels import lattice_classes as kernel
from sfumato.kernels.diversity import DIVERSITY

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, IntArray, KeyArray, LongArray
    from sfumato.classes.statistics import Suppression
    from sfumato.domains import Cube

WORD_BITS = 64
KEPT_TABLES = 200
KEPT_BYTES = 48_000_000
"""How many tables of leading attributes a worker keeps at most, and their largest possible size."""

# What counts known values alone, and what counts votes of persons instead of rows. Votes add up when classes
# are united, as rows do, so that a requirement that classes meet is met by their union.
_OF_KNOWN = ("DISTINCT", "SQUARES", "SHARE", "ENTROPY", "RECURSIVE")
_OF_VOTES = ("SHARE", "ENTROPY", "RECURSIVE")
_FROM_CLASSES = {PropertyKind.SIZE: kernel.SIZE, PropertyKind.DIVERSITY: DIVERSITY}
_FROM_PAIRS = {
    PropertyKind.DISTINCT: kernel.DISTINCT_PAIRS,
    PropertyKind.SQUARES: kernel.SQUARES,
    PropertyKind.MAJORITY: kernel.MAJORITY,
    PropertyKind.SHARE: kernel.SHARE,
    PropertyKind.ENTROPY: histograms.ENTROPY,
    PropertyKind.RECURSIVE: histograms.RECURSIVE,
    PropertyKind.T_EQUAL: kernel.T_EQUAL,
    PropertyKind.T_ORDERED: histograms.T_ORDERED,
    PropertyKind.T_HIERARCHICAL: histograms.T_HIERARCHICAL,
}


def pack_fields(blocks: tuple[int, ...], word_bits: int = WORD_BITS) -> layout.KeyFields:
    """Place a field for each attribute into words, the first attribute in the highest bits.

    A field never straddles two words, so that one shift and one mask read it.
    Keys of one word then sort as the tuples do.
    """
    word, shift, mask, used = [], [], [], [0]
    for count in reversed(blocks):
        width = max(1, (max(count, 1) - 1).bit_length())
        if used[-1] + width > word_bits:
            used.append(0)
        word.append(len(used) - 1)
        shift.append(used[-1])
        mask.append((1 << width) - 1)
        used[-1] += width
    return layout.KeyFields(
        np.array(word[::-1], dtype=np.int64),
        np.array(shift[::-1], dtype=np.uint64),
        np.array(mask[::-1], dtype=np.uint64),
    )


def pack_keys(codes: IntArray, fields: layout.KeyFields) -> KeyArray:
    """Pack rows of codes into keys, shape (words, rows)."""
    words = int(fields.word.max()) + 1 if len(fields.word) else 1
    keys = np.zeros((words, len(codes)), dtype=np.uint64)
    for a in range(codes.shape[1]):
        keys[fields.word[a]] |= codes[:, a].astype(np.uint64) << fields.shift[a]
    return keys


def key_bits(fields: layout.KeyFields) -> int:
    """Return how many bits of a key of one word are used."""
    return int(sum(int(mask).bit_length() for mask in fields.mask))


def group_keys(keys: KeyArray) -> tuple[LongArray, LongArray]:
    """Number equal keys; return the first row of each group and the group of each row."""
    if len(keys) == 1 and (keys[0, 1:] >= keys[0, :-1]).all():
        # A cube is sorted, so at its own levels nothing has to be.
        start = starts(keys)
        return np.flatnonzero(start), np.cumsum(start) - 1
    order = np.argsort(keys[0], kind="stable") if len(keys) == 1 else np.lexsort(keys[::-1])
    start = starts(keys[:, order])
    group = np.empty(len(order), dtype=np.int64)
    group[order] = np.cumsum(start) - 1
    return order[start], group


class TupleGroups(NamedTuple):
    """Which cells of a cube belong together in the base table."""

    keys: KeyArray  # the key of each group, shape (words, groups)
    first: LongArray  # a cell of each group
    group: LongArray  # the group of each cell


def group_cells(codes: IntArray, fields: layout.KeyFields) -> TupleGroups:
    """Group cells by their codes, shape (cells, q)."""
    keys = pack_keys(codes, fields)
    first, group = group_keys(keys)
    return TupleGroups(np.ascontiguousarray(keys[:, first]), first, group)


def starts(ordered: KeyArray) -> BoolArray:
    """Mark the first of every run of equal keys."""
    start = np.ones(ordered.shape[1], dtype=bool)
    start[1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    return start


class _Counted(NamedTuple):
    """Which pairs or bits of a sensitive attribute a property counts."""

    attribute: int
    of_known: bool = False  # whether cells without a known value are left out
    of_votes: bool = False  # whether persons have one vote each, rather than one for every row


class Sources:
    """Which bit word or pair set serves each property of a request."""

    def __init__(self, cube: Cube, request: Request) -> None:
        wanted = [*request.properties, *(threshold.property for threshold in request.thresholds)]
        self.properties: tuple[Property, ...] = tuple(dict.fromkeys(wanted))
        self.limits = np.array([_tightest_limit(request, item) for item in self.properties], dtype=np.float64)
        self.bit_attributes: list[_Counted] = []
        self.pair_attributes: list[_Counted] = []
        served = [self._serve(cube, item) for item in self.properties]
        self.kinds = [kind for kind, _ in served]
        self.numbers = [number for _, number in served]
        self.person_set = len(self.pair_attributes) if cube.persons is not None else -1

    def _serve(self, cube: Cube, item: Property) -> tuple[int, int]:
        if item.kind in _FROM_CLASSES:
            return _FROM_CLASSES[item.kind], 0
        if item.kind in OF_SENTENCES:
            # Bits tell whether a class is secure, and persons who is exposed; the rest is counted in pairs.
            by_rows = item.kind is PropertyKind.EXPOSED and cube.persons is None
            in_pairs = item.kind is PropertyKind.RISK or by_rows
            number = _number_in(self.pair_attributes, _Counted(item.attribute)) if in_pairs else 0
            return OF_SENTENCES[item.kind], number
        asked = _Counted(
            item.attribute,
            item.kind.name in _OF_KNOWN and not cube.known(item.attribute).all(),
            item.kind.name in _OF_VOTES and cube.persons is not None,
        )
        if item.kind is PropertyKind.DISTINCT and cube.sensitive_sizes[item.attribute] <= WORD_BITS:
            return kernel.DISTINCT_BITS, _number_in(self.bit_attributes, asked)
        return _FROM_PAIRS[item.kind], _number_in(self.pair_attributes, asked)

    def make_plan(self, cube: Cube, suppression: Suppression, costs: CellCosts) -> layout.Plan:
        """Put the request into arrays."""
        sets = len(self.pair_attributes) + (self.person_set >= 0)
        widest = max((cube.sensitive_sizes[asked.attribute] for asked in self.pair_attributes), default=0)
        overall = np.zeros((sets, widest), dtype=np.int64)
        apart = np.zeros((sets, widest), dtype=np.bool_)
        sizes = np.ones(sets, dtype=np.int64)
        for number, (a, *_) in enumerate(self.pair_attributes):
            size = sizes[number] = cube.sensitive_sizes[a]
            apart[number, :size] = ~cube.known(a)
            count = np.bincount(cube.sensitive_codes[:, a], weights=cube.rows, minlength=size)
            overall[number, : len(count)] = count.astype(np.int64)
        if cube.persons is not None:
            sizes[self.person_set] = int(cube.persons.max()) + 1 if len(cube.persons) else 1
        sign = [1.0 if item.larger_is_better else -1.0 for item in self.properties]
        return layout.Plan(
            np.array(self.kinds, dtype=np.int64),
            np.array(self.numbers, dtype=np.int64),
            self.limits,
            np.array(sign, dtype=np.float64),
            overall,
            sizes,
            int(suppression.rule),
            suppression.budget,
            cube.row_count,
            self.person_set,
            0,
            0,
            make_details(self.properties, self.numbers, (overall, apart), sizes, costs),
            make_sentences(cube, self.properties, len(self.bit_attributes)),
        )


def _tightest_limit(request: Request, item: Property) -> float:
    found = [threshold.limit for threshold in request.thresholds if threshold.property == item]
    if not found:
        return math.nan
    return max(found) if item.larger_is_better else min(found)


def _number_in(attributes: list[_Counted], asked: _Counted) -> int:
    if asked not in attributes:
        attributes.append(asked)
    return attributes.index(asked)


def make_tables(cube: Cube, grouping: TupleGroups, sources: Sources) -> layout.Tables:
    """Unite the cells of a cube by their groups into tables of depth one."""
    group, groups = grouping.group, len(grouping.first)
    rows = np.bincount(group, weights=cube.rows, minlength=groups).astype(np.int64)
    bits = np.zeros((len(sources.bit_attributes), groups), dtype=np.uint64)
    for word, asked in enumerate(sources.bit_attributes):
        codes, cells = _cells_of(cube, asked)
        np.bitwise_or.at(bits[word], group[cells], np.uint64(1) << codes[cells].astype(np.uint64))
    if asks_for_sentences(sources.properties):
        bits = np.concatenate([bits, sentence_bits(cube, group, groups)])
    told = [_cells_of(cube, asked) for asked in sources.pair_attributes]
    votes = cube.votes() if any(asked.of_votes for asked in sources.pair_attributes) else cube.rows
    pairs = [
        _pairs(group[cells], codes[cells], (votes if asked.of_votes else cube.rows)[cells])
        for asked, (codes, cells) in zip(sources.pair_attributes, told, strict=True)
    ]
    if cube.persons is not None:
        pairs.append(_pairs(group, cube.persons, cube.rows))
    longest = max((len(item[0]) for item in pairs), default=0)
    pair_class = np.zeros((1, len(pairs), longest), dtype=np.int32)
    pair_value = np.zeros((1, len(pairs), longest), dtype=np.int32)
    pair_rows = np.zeros((1, len(pairs), longest), dtype=np.int64)
    count = np.array([[groups, *(len(item[0]) for item in pairs)]], dtype=np.int64)
    for number, (owner, value, amount) in enumerate(pairs):
        pair_class[0, number, : len(owner)] = owner
        pair_value[0, number, : len(owner)] = value
        pair_rows[0, number, : len(owner)] = amount
    return layout.Tables(
        grouping.keys[None], rows[None], bits[None], pair_class, pair_value, pair_rows, count
    )


def _cells_of(cube: Cube, asked: _Counted) -> tuple[IntArray, BoolArray | slice]:
    """Return the codes of a sensitive attribute, and which cells count."""
    codes = cube.sensitive_codes[:, asked.attribute]
    return codes, cube.known(asked.attribute)[codes] if asked.of_known else slice(None)


def _pairs(group: LongArray, value: IntArray, rows: LongArray) -> tuple[LongArray, LongArray, LongArray]:
    """Return the distinct (group, value) pairs with their rows."""
    width = int(value.max()) + 1 if len(value) else 1
    first, number = group_keys((group * width + value).astype(np.uint64)[None])
    amount = np.bincount(number, weights=rows, minlength=len(first)).astype(np.int64)
    return group[first], value[first].astype(np.int64), amount


def deepen(tables: layout.Tables, depths: int) -> layout.Tables:
    """Return tables with room for ``depths`` more nodes; depth 0 holds the given one."""
    room = layout.Tables(*(_with_room(array, depths) for array in tables))
    # No table is larger than the first one.
    room.counts[:] = room.counts[0]
    return room


def _with_room(array: Any, depths: int) -> Any:
    # Pages that no walk touches stay unused, so room for the worst case costs little.
    room = np.empty((depths + 1, *array.shape[1:]), dtype=array.dtype)
    room[0] = array[0]
    return room


def leading_counts(tables: layout.Tables, counts: tuple[int, ...]) -> tuple[int, ...]:
    """Return the levels of as many leading attributes as fit the memory for tables that are kept."""
    bytes_each = sum(array[0].nbytes for array in tables)
    chosen: tuple[int, ...] = ()
    slots, size = 0, 1
    for count in counts[:-1]:
        size *= count
        slots += size
        if size == 1 or slots > KEPT_TABLES or slots * bytes_each > KEPT_BYTES:
            break
        chosen = (*chosen, count)
    return chosen


def kept_tables(counts: tuple[int, ...]) -> int:
    """Return how many tables leading attributes have: one for each choice of the first levels.

    Examples
    --------
    >>> kept_tables((5, 3))
    20
    """
    return sum(math.prod(counts[: a + 1]) for a in range(len(counts)))


def make_scratch(
    tables: layout.Tables,
    plan: layout.Plan,
    ladders: layout.Ladders,
    counts: tuple[int, ...],
    key_bits: int = 0,
) -> layout.Scratch:
    """Allocate the working memory of one thread; classes are kept in order where there are ``key_bits``."""
    groups = tables.keys.shape[2]
    pairs = tables.pair_class.shape[2]
    slots = 1 << max(4, (2 * max(groups, pairs, 1) - 1).bit_length())
    properties, attributes = len(plan.kind), len(ladders.nested)
    in_order = bool(((plan.kind >= histograms.ENTROPY) & (plan.kind != DIVERSITY)).any())
    values = plan.overall.shape[1]
    # Where each class went is only noted if suppressed rows are counted by their original values.
    depths = len(tables.keys) if len(ladders.block_rows) else 0
    by_size = plan.rule in (kernel.SMALLEST, kernel.FAILING_THEN_SMALLEST)
    largest = min(plan.budget, plan.row_count) if by_size else 0
    return layout.Scratch(
        np.empty(slots, dtype=np.int32),
        np.empty(max(groups, 1), dtype=np.int32),
        np.empty(max(groups, 1), dtype=np.int64),
        np.empty((properties, groups), dtype=np.float64),
        np.empty((properties, groups), dtype=np.int64),
        np.empty(largest + 2, dtype=np.int64),
        np.empty(max(groups, 1), dtype=np.int32),
        np.full(max(attributes, 1), -1, dtype=np.int64),
        np.zeros(max(attributes, 1), dtype=np.int64),
        np.array(counts, dtype=np.int64),
        np.full(kept_tables(counts), -1, dtype=np.int64),
        np.empty((depths, max(groups, 1)), dtype=np.int32),
        np.zeros(depths, dtype=np.int64),
        np.empty(max(groups, 1) if depths else 0, dtype=np.int32),
        np.zeros(len(ladders.origin.counts) if depths else 0, dtype=np.int64),
        np.empty((2, pairs if in_order else 0), dtype=np.int32),
        np.empty(max(groups, values) if in_order else 0, dtype=np.int64),
        np.zeros(values if in_order else 0, dtype=np.int64),
        tables.keys[0].copy(),
        np.zeros(attributes, dtype=np.int64),
        np.zeros_like(tables.keys[0]),
        np.full(attributes, -1, dtype=np.int64),
        np.zeros(1, dtype=np.int32),
        np.empty((4, max(groups, values, 1)), dtype=np.float64),
        np.empty(max(groups, 1), dtype=np.int64),
        _make_ordering(tables, key_bits),
    )


def _make_ordering(tables: layout.Tables, key_bits: int) -> layout.Ordering:
    """Allocate what keeps classes in order; 0 ``key_bits`` where they are in none."""
    asked = key_bits > 0
    places = asked << uniting.NEAR_BITS
    return layout.Ordering(
        np.empty((2, asked * tables.keys.shape[2]), dtype=np.int32),
        np.empty(asked << uniting.DIGIT_BITS, dtype=np.int64),
        key_bits,
        np.zeros(places, dtype=np.int64),
        np.zeros(places, dtype=np.uint64),
        np.zeros(places >> 6, dtype=np.uint64),
        np.empty(places, dtype=np.int32),
    )
