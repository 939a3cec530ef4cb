"""Record linkage, run for real: the attacker knows people's values and looks for their rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sfumato.assess.cells import Cells, count_rows
from sfumato.assess.risk_results import Linkage
from sfumato.microaggregation.protection import distinct_rows, link_records, standard_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import BoolArray, FloatArray, LongArray

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
    cells: Cells, names: Sequence[str], released: BoolArray, *, seed: int = 1, draws: int = DRAWS
) -> tuple[Linkage, ...]:
    """Look for everyone among released rows by what these show of each."""
    # The attacker knows, of everyone, what the release makes of some attributes. The candidates are the
    # released rows that fit; one is drawn at random. The attempt succeeds if that row is of the person looked
    # for. Everyone is looked for once at each level of knowledge: with all attributes, and with one of some
    # sets of fewer, drawn by chance.
    random = np.random.default_rng(seed)
    found = []
    for known in knowledge_levels(len(names)):
        subsets = draw_subsets(names, known, draws, random)
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
    absent = attempts - int(cells.rows[released].sum())
    return make_linkage(
        levels, len(subsets), attempts, successes, expected=expected / len(subsets), absent=absent
    )


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
    original: FloatArray,
    protected: FloatArray,
    names: Sequence[str],
    *,
    seed: int = 1,
    draws: int = NEAREST_DRAWS,
) -> tuple[Linkage, ...]:
    """Look for everyone by the distance from what is known of them to what is released."""
    # Distances are Euclidean between values standardized by the original's means and deviations. Of several
    # nearest records one is drawn at random. The attempt succeeds if it is the person's own.
    random = np.random.default_rng(seed)
    before, after = standard_scores(original), standard_scores(protected, original)
    found = []
    for known in knowledge_levels(len(names)):
        subsets = draw_subsets(names, known, draws, random)
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
    levels = (len(subsets[0]), before.shape[1])
    return make_linkage(
        levels, len(subsets), len(people), successes, expected=float(expected) / len(subsets), absent=absent
    )


def own_chances(original: FloatArray, protected: FloatArray, people: LongArray) -> FloatArray:
    """Return for some records the chance that the nearest protected one, drawn among ties, is their own."""
    # Ties are those of `sfumato.microaggregation.protection.link_records`.
    from sfumato.kernels.linkage_tree import build_boxes, link_rows
    from sfumato.kernels.nearest_rows import settle_columns

    settled = protected.copy()
    settle_columns(settled)
    points, weights, first = distinct_rows(settled)
    boxes = build_boxes(points)
    return np.array(
        [
            link_rows(original, settled, points, weights, first, *boxes, person, person + 1)[0]
            for person in people.tolist()
        ],
        dtype=np.float64,
    )
