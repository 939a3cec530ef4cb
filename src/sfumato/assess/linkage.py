"""Record linkage, run for real: who is found by known values, and which combinations single out most."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from sfumato._typing import BoolArray, FloatArray, LongArray
from sfumato.assess.cells import TABLE, Cells, compact, count_rows
from sfumato.assess.risk_results import Linkage, Subset, SubsetScan
from sfumato.microaggregation.protection import link_records, linker, standard_scores

DRAWS = 20  # sets of attributes that are drawn where not all are known
Z = 1.959963984540054  # the normal quantile of a 95 % interval


def wilson(successes: int, attempts: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a success rate by Wilson's score."""
    # Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of
    # the American Statistical Association 22, 209–212. https://doi.org/10.1080/01621459.1927.10502953
    if not attempts:
        return 0.0, 1.0
    share, square = successes / attempts, Z * Z / attempts
    middle = (share + square / 2) / (1 + square)
    half = Z / (1 + square) * math.sqrt(share * (1 - share) / attempts + square / (4 * attempts))
    low = 0.0 if not successes else max(0.0, middle - half)
    return low, 1.0 if successes == attempts else min(1.0, middle + half)


def knowledge_levels(attributes: int) -> list[int]:
    """Return of how many attributes attackers are tried: all, half of them, three."""
    return sorted({attributes, (attributes + 1) // 2, min(3, attributes)}, reverse=True)


def draw_subsets(
    names: Sequence[str], known: int, draws: int, random: np.random.Generator
) -> list[tuple[str, ...]]:
    """Draw different sets of attributes; all of them where there are no more than that."""
    wanted = min(draws, math.comb(len(names), known))
    found: dict[tuple[int, ...], None] = {}
    while len(found) < wanted:
        drawn = random.choice(len(names), size=known, replace=False)
        found[tuple(sorted(drawn.tolist()))] = None
    return [tuple(names[place] for place in drawn) for drawn in sorted(found)]


def link_classes(
    cells: Cells, names: Sequence[str], released: BoolArray, *, seed: int = 1
) -> tuple[Linkage, ...]:
    """Look for everyone among released rows by what these show of each."""
    # The attacker knows, of everyone, what the release makes of some attributes. The candidates are the
    # released rows that fit; one is drawn at random. The attempt succeeds if that row is of the person looked
    # for. Everyone is looked for once at each level of knowledge: with all attributes, and with one of some
    # sets of fewer, drawn by chance.
    random = np.random.default_rng(seed)
    found = []
    for known in knowledge_levels(len(names)):
        subsets = draw_subsets(names, known, DRAWS, random)
        found.append(_link_level(cells, subsets, released, random, (known, len(names))))
    return tuple(found)


def _link_level(
    cells: Cells,
    subsets: Sequence[tuple[str, ...]],
    released: BoolArray,
    random: np.random.Generator,
    levels: tuple[int, int],
) -> Linkage:
    """Look for everyone once, each by a set of attributes drawn from some."""
    attempts = cells.row_count
    target = np.repeat(np.arange(len(cells.rows)), cells.rows)
    turn = random.integers(len(subsets), size=attempts) if len(subsets) > 1 else np.zeros(attempts, np.int64)
    expected, successes = 0.0, 0
    for number, subset in enumerate(subsets):
        own, candidates = _fitting(cells, subset, released)
        chance = own / np.maximum(candidates, 1)
        expected += float((chance * cells.rows).sum())
        mine = target[turn == number]
        mine = mine[own[mine] > 0]
        # Rows are exchangeable: let the person's own be the first of those that fit.
        successes += int((random.integers(0, candidates[mine]) < own[mine]).sum())
    absent, expected = attempts - int(cells.rows[released].sum()), expected / len(subsets)
    return make_linkage(levels, len(subsets), attempts, successes, expected=expected, absent=absent)


def _fitting(cells: Cells, names: Sequence[str], released: BoolArray) -> tuple[LongArray, LongArray]:
    """Return for each cell how many released rows fit, and how many of these are of the same person."""
    classes = cells.classes(names)
    shown = np.where(released, cells.rows, 0)
    candidates = count_rows(classes.number, shown, len(classes.rows))[classes.number]
    if cells.persons is None:
        return np.where(released, 1, 0).astype(np.int64), candidates
    people = int(cells.persons.max(initial=0)) + 1
    pairs, place = np.unique(classes.number * people + cells.persons, return_inverse=True)
    place = place.reshape(-1)
    return count_rows(place, shown, len(pairs))[place], candidates


def make_linkage(
    levels: tuple[int, int], subsets: int, attempts: int, successes: int, *, expected: float, absent: int
) -> Linkage:
    """Return the result of attempts, with the confidence interval of their success."""
    low, high = wilson(successes, attempts)
    rate = successes / attempts if attempts else 0.0
    share = expected / attempts if attempts else 0.0
    return Linkage(*levels, subsets, attempts, successes, rate, low, high, share, absent)


NEAREST_DRAWS = 5  # sets of columns that are drawn where not all are known
MOST = 20_000  # people that are looked for at each level of knowledge; of larger tables a random sample


def link_nearest(
    original: FloatArray, protected: FloatArray, names: Sequence[str], *, seed: int = 1
) -> tuple[Linkage, ...]:
    """Look for everyone by the distance from what is known of them to what is released."""
    # Distances are Euclidean between values standardized by the original's means and deviations. Of several
    # nearest records one is drawn at random. The attempt succeeds if it is the person's own.
    random = np.random.default_rng(seed)
    before, after = standard_scores(original), standard_scores(protected, original)
    found = []
    for known in knowledge_levels(len(names)):
        subsets = draw_subsets(names, known, NEAREST_DRAWS, random)
        places = [[names.index(name) for name in subset] for subset in subsets]
        found.append(_link_nearest(before, after, places, random))
    return tuple(found)


def _link_nearest(
    before: FloatArray, after: FloatArray, subsets: Sequence[Sequence[int]], random: np.random.Generator
) -> Linkage:
    """Look for people once, each by a set of columns drawn from some."""
    rows = len(before)
    people = np.sort(random.choice(rows, size=min(rows, MOST), replace=False))
    turn = random.integers(len(subsets), size=len(people))
    expected, successes, absent = 0.0, 0, 0
    for number, places in enumerate(subsets):
        one = np.ascontiguousarray(before[:, places])
        other = np.ascontiguousarray(after[:, places])
        complete: BoolArray = np.asarray(np.isfinite(one + other).all(axis=1))
        mine = turn == number
        absent += int((~complete[people[mine]]).sum())
        if not complete.any():
            continue
        everyone = len(people) == rows
        # Everyone's chances together are counted faster than one by one; of a large table a sample has to do.
        asked = complete[people] & mine if everyone else complete[people]
        renumbered = np.cumsum(complete) - 1
        chances = np.zeros(len(people))
        chances[asked] = own_chances(one[complete], other[complete], renumbered[people[asked]])
        expected += link_records(one[complete], other[complete]).expected if everyone else chances.sum()
        successes += int((random.random(int((asked & mine).sum())) < chances[asked & mine]).sum())
    levels, expected = (len(subsets[0]), before.shape[1]), float(expected) / len(subsets)
    return make_linkage(levels, len(subsets), len(people), successes, expected=expected, absent=absent)


def own_chances(original: FloatArray, protected: FloatArray, people: LongArray) -> FloatArray:
    """Return for some records the chance that the nearest protected one, drawn among ties, is their own."""
    link = linker(original, protected)
    return np.array([link(person, person + 1)[0] for person in people.tolist()], np.float64)


LARGEST = 3  # attributes of the largest combinations
SHOWN = 5  # combinations that are reported of each size
NEARLY_ALL = 0.9
"""An attribute that alone singles out this share names people, and every combination with it does."""
WORK = 400_000_000  # cells that are visited at most: some ten seconds
MOST_COMBINATIONS = 12_000  # combinations that are counted at most


def scan_subsets(cells: Cells, names: Sequence[str]) -> SubsetScan:
    """Count whom each combination of up to three attributes singles out."""
    # All single attributes are counted, then pairs, then triples. Where there are too many, pairs and triples
    # are made of those that singled out most so far, and the scan is not complete.
    scan = _Scan(cells)
    total = max(scan.total, 1)
    alone: dict[tuple[str, ...], int] = {(name,): scan.count(scan.key((name,))) for name in names}
    identifying = tuple(name for name in names if alone[name,] >= NEARLY_ALL * total)
    combined = [name for name in names if name not in identifying]
    room = min(MOST_COMBINATIONS, WORK // max(len(cells.rows), 1))
    pairs = _grow(scan, alone, combined, room)
    triples = _grow(scan, pairs, combined, room - len(pairs)) if pairs else {}
    possible = sum(math.comb(len(combined), many) for many in range(2, LARGEST + 1)) + len(names)
    scanned = len(pairs) + len(triples) + len(names)
    best = tuple(
        Subset(found, count, count / total)
        for counted in (alone, pairs, triples)
        for found, count in _most(counted.items())[:SHOWN]
    )
    return SubsetScan(scanned, possible, scanned == possible, identifying, best, cells.unit)


def _most(counted: Iterable[tuple[tuple[str, ...], int]]) -> list[tuple[tuple[str, ...], int]]:
    """Return combinations, those that single out most first; ties stay in the order of the columns."""
    return sorted(counted, key=lambda item: -item[1])


def _grow(
    scan: _Scan, counted: dict[tuple[str, ...], int], names: Sequence[str], room: int
) -> dict[tuple[str, ...], int]:
    """Add an attribute to combinations, as far as there is room: to all, or to those that single out most."""
    place = {name: number for number, name in enumerate(names)}
    parents = [item for item in counted if all(name in place for name in item)]
    larger = math.comb(len(names), len(parents[0]) + 1) if parents else 0
    if larger > room:
        parents = [item for item, _ in _most((item, counted[item]) for item in parents)]
    found: dict[tuple[str, ...], int] = {}
    for parent in parents:
        key = None
        # Where all are counted, each comes from its first attributes alone.
        others = names if larger > room else names[place[parent[-1]] + 1 :]
        for name in others:
            child = tuple(sorted({*parent, name}, key=place.__getitem__))
            if len(child) == len(parent) or child in found:
                continue
            if len(found) >= room:
                return found
            key = scan.key(parent) if key is None else key
            found[child] = scan.count(scan.extend(key, name))
    return found


class _Scan:
    """Counts the records that combinations single out."""

    # The key of a combination is below its second part, the span.

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        persons = cells.persons
        # Without persons, a cell of several rows is of several people.
        self._is_alone = np.ones(len(cells.rows), dtype=bool) if persons is not None else cells.rows == 1
        self._who = np.arange(len(cells.rows)) if persons is None else persons
        self.total = cells.row_count if persons is None else len(np.unique(persons))

    def key(self, names: Sequence[str]) -> tuple[LongArray, int]:
        """Return a number for each cell, equal where the attributes are."""
        key = (np.zeros(len(self._cells.rows), dtype=np.int64), 1)
        for name in names:
            key = self.extend(key, name)
        found = compact(*key) if len(names) > 1 else key[0]
        return found, int(found.max(initial=0)) + 1

    def extend(self, key: tuple[LongArray, int], name: str) -> tuple[LongArray, int]:
        """Add an attribute to a key."""
        size = self._cells.sizes[name]
        return key[0] * size + self._cells.codes[name], key[1] * size

    def count(self, key: tuple[LongArray, int]) -> int:
        """Count those who are alone with their key."""
        number, span = key
        if span > max(TABLE, 4 * len(number)):
            number = compact(number, span)
            span = int(number.max(initial=0)) + 1
        last = np.empty(span, dtype=np.int64)
        last[number] = self._who
        shared = np.zeros(span, dtype=bool)
        shared[number[last[number] != self._who]] = True
        alone = ~shared[number] & self._is_alone
        return int(alone.sum()) if self._cells.persons is None else len(np.unique(self._who[alone]))
