"""From a problem to the arrays that the bounding kernels read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.classes import PropertyKind, Rule
from sfumato.kernels import bounding_layout as layout
from sfumato.kernels.scheme_elements import Decisions, Ends
from sfumato.measures import Union
from sfumato.schemes import Admissible, elements_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import IntArray, KeyArray, LongArray
    from sfumato.domains import Cube
    from sfumato.measures import RowPenalties
    from sfumato.schemes import Elements, Scheme
    from sfumato.search.problem import Problem

BITS = 64

BOXES = 3
"""Boxes with a price that there is room for, for each tuple."""


@dataclass(frozen=True, eq=False)
class BoundSpace:
    """The decisions that make the recodings of several schemes.

    Codes are the blocks of each scheme's finest member, so that no decision is about less.
    """

    schemes: tuple[Scheme, ...]  # one for each attribute
    decisions: Decisions  # their elements, for the kernels
    pairs: int  # how many pairs of codes have to be marked

    @classmethod
    def of(cls, schemes: tuple[Scheme, ...]) -> BoundSpace:
        """Number the elements of all schemes through."""
        parts = [_on_finest(elements_of(scheme), scheme) for scheme in schemes]
        sizes = [scheme.finest.count for scheme in schemes]
        code_start = _running(sizes)
        element_start = _running([part.count for part in parts])
        implied = [part.implied + element_start[a] for a, part in enumerate(parts)]
        implied_start = _running([n for part in parts for n in np.diff(part.implied_start).tolist()])
        edge_counts = [n for part in parts for n in np.bincount(part.owner, minlength=part.count).tolist()]
        has_pairs = [bool((part.group >= 0).any()) for part in parts]
        stamps = _running([size * size * has for size, has in zip(sizes, has_pairs, strict=True)])
        joined = _together(implied)
        implying_start, implying = _reverse(implied_start, joined, int(element_start[-1]))
        decisions = Decisions(
            code_start,
            element_start,
            _running(edge_counts),
            _together([part.edges + code_start[a] for a, part in enumerate(parts)], width=2),
            implied_start,
            joined,
            implying_start,
            implying,
            _together([part.group for part in parts]),
            np.array([_is_plain(part) for part in parts], dtype=np.int32),
            np.where(has_pairs, stamps[:-1], -1),
        )
        return cls(schemes, decisions, int(stamps[-1]))

    @property
    def elements(self) -> int:
        """Number of elements."""
        return int(self.decisions.element_start[-1])

    @property
    def codes(self) -> int:
        """Number of codes of all attributes."""
        return int(self.decisions.code_start[-1])

    @property
    def is_closed(self) -> bool:
        """Whether every fine end is a recoding of the space."""
        return not any(isinstance(scheme, Admissible) for scheme in self.schemes)

    def make_ends(self) -> Ends:
        """Allocate working memory for decisions."""
        q = len(self.schemes)
        return Ends(
            np.zeros(self.codes, dtype=np.int32),
            np.zeros(self.codes, dtype=np.int32),
            np.zeros(q, dtype=np.int64),
            np.zeros(q, dtype=np.int64),
            np.zeros(self.codes, dtype=np.int32),
            np.zeros(max(self.pairs, 1), dtype=np.int64),
            np.zeros(1, dtype=np.int64),
        )

    def blocks(self, block: IntArray) -> list[IntArray]:
        """Return for each attribute the block of every value, from blocks of the finest member's blocks."""
        start = self.decisions.code_start
        return [
            np.asarray(block[start[a] : start[a + 1]][scheme.finest.block])
            for a, scheme in enumerate(self.schemes)
        ]


def _on_finest(elements: Elements, scheme: Scheme) -> Elements:
    """Let edges connect the blocks of the finest member in place of values."""
    edges = scheme.finest.block[elements.edges] if len(elements.edges) else elements.edges
    return type(elements)(edges, elements.owner, elements.implied_start, elements.implied, elements.group)


def _is_plain(elements: Elements) -> bool:
    """Tell whether element i joins the codes i and i + 1 and nothing else."""
    codes = np.arange(elements.count)
    return (
        not len(elements.implied)
        and bool((elements.group < 0).all())
        and np.array_equal(elements.edges, np.column_stack((codes, codes + 1)))
    )


def _running(counts: Sequence[int]) -> LongArray:
    """Return where each of several lists of so many items begins, and where all end."""
    return np.concatenate(([0], np.cumsum(np.asarray(counts, dtype=np.int64)))).astype(np.int64)


def _together(lists: Sequence[IntArray], width: int = 0) -> IntArray:
    shape = (0, width) if width else (0,)
    return np.concatenate([np.zeros(shape, dtype=np.int32), *lists]).astype(np.int32)


def _reverse(start: LongArray, items: IntArray, count: int) -> tuple[LongArray, IntArray]:
    """Turn lists of items into lists of those that list an item."""
    owner = np.repeat(np.arange(count), np.diff(start))
    order = np.argsort(items, kind="stable")
    return _running(np.bincount(items, minlength=count).tolist()), owner[order].astype(np.int32)


def make_tuples(cube: Cube, space: BoundSpace, penalties: RowPenalties, bits: Sequence[int]) -> layout.Tuples:
    """Group a cube by the codes of a space."""
    columns = [scheme.finest.block[cube.codes[:, a]] for a, scheme in enumerate(space.schemes)]
    codes, group = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
    group = group.reshape(-1)
    count = len(codes)
    rows = np.bincount(group, weights=cube.rows, minlength=count).astype(np.int64)
    held: KeyArray = np.zeros((len(bits), count), dtype=np.uint64)
    for word, a in enumerate(bits):
        np.bitwise_or.at(held[word], group, _words_of_cells(cube, a))
    weights = np.zeros((0, count))
    if penalties.weights is not None:
        shares = [penalties.weights[a][cube.codes[:, a]] * cube.rows for a in range(len(cube.sizes))]
        weights = np.stack([np.bincount(group, weights=share, minlength=count) for share in shares])
    return layout.Tuples(
        np.array([count], dtype=np.int64),
        np.ascontiguousarray(codes.T, dtype=np.int32),
        rows,
        held,
        np.ascontiguousarray(weights),
    )


def _words_of_cells(cube: Cube, attribute: int) -> KeyArray:
    """Return for every cell the bit of its value; of the hidden attribute the bits of falsified sentences."""
    codes = cube.sensitive_codes[:, attribute]
    if cube.confidential is None or attribute != cube.hidden:
        return np.asarray(cube.known(attribute)[codes] * (np.uint64(1) << codes.astype(np.uint64)))
    places = np.arange(cube.confidential.count, dtype=np.uint64)
    bits = (~cube.confidential.truth).astype(np.uint64) << places
    return np.asarray(np.bitwise_or.reduce(bits, axis=1)[codes])


def counted_values(problem: Problem) -> dict[int, int]:
    """Return sensitive attribute → distinct values that every class needs, where words of bits count them.

    Where everyone holds every confidential sentence, a class is secure if each one is falsified in it: the
    hidden attribute then counts as one of so many values.
    """
    needed: dict[int, int] = {}
    secrets = problem.cube.confidential
    for measure, limit in problem.judged:
        kind, attribute = measure.judged.kind, measure.judged.attribute
        # Any union keeps `secure` only where everyone holds every sentence.
        is_logical = kind is PropertyKind.SECURE and measure.union is Union.ANY
        if is_logical and secrets is not None and secrets.count <= BITS:
            needed[problem.cube.hidden] = secrets.count if limit > 0 else 0
        if kind is PropertyKind.DISTINCT and problem.cube.sensitive_sizes[attribute] <= BITS:
            # A class has one value even where none is known, and then no bit.
            least = int(np.ceil(limit)) if limit > 1 else 0
            needed[attribute] = max(needed.get(attribute, 0), least)
    return needed


def make_model(problem: Problem, space: BoundSpace, penalties: RowPenalties) -> layout.BoundModel:
    """Write down what recodings cost and which requirements the kernel sees.

    What it does not see makes bounds lower, never wrong: then the cost of a fine end is not
    taken for that of a solution.
    """
    q = len(space.schemes)
    zeros = np.zeros(q)
    mass = np.zeros(space.codes)
    if not penalties.by_class:
        for a, scheme in enumerate(space.schemes):
            begin = space.decisions.code_start[a]
            np.add.at(mass, begin + scheme.finest.block, penalties.mass[a])
    rule = problem.suppression.rule
    budget = problem.cube.row_count if rule is Rule.BELOW_MEAN else problem.suppression.budget
    return layout.BoundModel(
        layout.SQUARES if penalties.by_class else layout.CELLS,
        mass,
        zeros if penalties.slope is None else penalties.slope,
        zeros if penalties.start is None else penalties.start,
        penalties.offset,
        penalties.out,
        _least_rows(problem),
        np.array(list(counted_values(problem).values()), dtype=np.int64),
        min(budget, problem.cube.row_count - 1),
        int(_inherits(problem)),
        int(_is_exact(problem, space)),
    )


def _least_rows(problem: Problem) -> int:
    sizes = [np.ceil(limit) for measure, limit in problem.judged if measure.judged.kind is PropertyKind.SIZE]
    return int(max([1, *sizes]))


def _inherits(problem: Problem) -> bool:
    """Whether a row that fails at a recoding fails at all that refine it, as far as the kernel looks.

    It looks at class sizes and distinct values alone, and a class that has enough of
    them has enough united with any other. A row that fails must go under every rule.
    """
    looked_at = (PropertyKind.SIZE, PropertyKind.DISTINCT)
    return all(
        measure.union is Union.ANY for measure, _ in problem.judged if measure.judged.kind in looked_at
    )


def _is_exact(problem: Problem, space: BoundSpace) -> bool:
    """Whether the kernel sees all that is required."""
    seen = len(counted_values(problem))
    judged = {measure.judged for measure, _ in problem.judged}
    judged = {item for item in judged if item.kind is not PropertyKind.SIZE}
    known = (PropertyKind.DISTINCT, PropertyKind.SECURE)
    is_seen = all(item.kind in known for item in judged) and len(judged) == seen
    plain = problem.suppression.rule in (Rule.FAILING, Rule.NONE)
    return is_seen and not problem.of_table and plain and problem.cube.persons is None and space.is_closed


def make_work(tuples: layout.Tuples, space: BoundSpace, control: LongArray) -> layout.Work:
    """Allocate the working memory of one thread."""
    n, codes, elements = tuples.codes.shape[1], space.codes, space.elements
    return layout.Work(
        fine=_empty_like(tuples),
        shift=_longs(len(space.schemes)),
        keys=np.zeros(n, dtype=np.uint64),
        slots=_ints(1 << max(4, (2 * max(n, 1) - 1).bit_length())),
        first=_ints(n),
        group=_ints(n),
        coarse=_ints(n),
        coarse_rows=_longs(n),
        coarse_bits=np.zeros_like(tuples.bits),
        is_lost=_ints(n),
        cost=np.zeros(n),
        least=np.zeros(n),
        block_mass=np.zeros(codes),
        extra=np.zeros(codes),
        extra_of=np.zeros(n),
        rest=_ints(n),
        place=_longs(n),
        order=_ints(n),
        order_start=_longs(codes + 1),
        lead_code=_longs(codes),
        parts=_longs(codes),
        part_mass=np.zeros(codes),
        is_split=_longs(codes),
        sums=np.zeros(n),
        extra_sums=np.zeros(n),
        left_rows=_longs(n),
        left_least=np.zeros(n),
        coarse_least=np.zeros(n),
        part_rows=_longs(n),
        part_bits=np.zeros_like(tuples.bits),
        part_number=_longs(n),
        next_part=_longs(n),
        trial=_ints(elements),
        block=_ints(codes),
        joined_bound=np.zeros(elements),
        apart_bound=np.zeros(elements),
        merged=_longs(elements),
        prices=_make_prices(n, space),
        counters=_longs(len(layout.COUNTERS)),
        control=control,
    )


def _make_prices(n: int, space: BoundSpace) -> layout.Prices:
    q, codes, boxes = len(space.schemes), space.codes, BOXES * n
    most = int(np.diff(space.decisions.code_start).max(initial=0)) + 1
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(("amount",), (1,))
    shapes |= dict.fromkeys(("owner", "price", "best", "step"), (boxes,))
    shapes |= dict.fromkeys(("low", "high"), (q, boxes))
    shapes |= dict.fromkeys(("kin", "total", "share", "limit", "most", "rise"), (n,))
    shapes |= dict.fromkeys(("block", "order"), (q, n))
    shapes |= dict.fromkeys(("first", "last", "solid"), (codes,))
    shapes |= dict.fromkeys(("weight", "ahead", "after", "start"), (most,))
    shapes |= {"order_start": (q, most), "running": (codes + q,), "run": (2, codes)}
    shapes |= {"habit": (q, most, most), "table": (most, most), "is_shut": (2 * q,)}
    short = {"owner", "low", "high", "kin", "block", "order"}
    long = {"amount", "order_start", "first", "last", "run", "start", "is_shut"}
    kinds = {name: np.int32 if name in short else np.int64 if name in long else np.float64 for name in shapes}
    arrays: dict[str, Any] = {name: np.zeros(shape, kinds[name]) for name, shape in shapes.items()}
    return layout.Prices(**arrays)


def _empty_like(tuples: layout.Tuples) -> layout.Tuples:
    return layout.Tuples(*map(np.zeros_like, tuples))


def _ints(count: int) -> IntArray:
    return np.zeros(count, dtype=np.int32)


def _longs(count: int) -> LongArray:
    return np.zeros(count, dtype=np.int64)
