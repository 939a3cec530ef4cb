"""Record linkage against a microaggregated release: the nearest released record is taken for the own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.microaggregation.measures import distinct_rows, link_records
from sfumato.microaggregation.scales import standard_scores
from sfumato.risks.linkage import draw_subsets, knowledge_levels, make_linkage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import BoolArray, FloatArray, LongArray
    from sfumato.risks.result import Linkage

DRAWS = 5
"""Sets of columns that are drawn where not all are known."""
MOST = 20_000
"""People that are looked for at each level of knowledge; of larger tables a random sample."""


def link_nearest(
    original: FloatArray, protected: FloatArray, names: Sequence[str], *, seed: int = 1, draws: int = DRAWS
) -> tuple[Linkage, ...]:
    """Look for everyone by the distance from what is known of them to what is released.

    Distances are Euclidean between values standardized by the original's means and deviations. Of several
    nearest records one is drawn at random. The attempt succeeds if it is the person's own.
    """
    random = np.random.default_rng(seed)
    before, after = standard_scores(original), standard_scores(protected, original)
    found = []
    for known in knowledge_levels(len(names)):
        subsets = draw_subsets(names, known, draws, random)
        places = [[names.index(name) for name in subset] for subset in subsets]
        found.append(_link_level(before, after, places, random))
    return tuple(found)


def _link_level(
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
    """Return for some records the chance that one of the nearest protected ones, drawn at random, is the own.

    Ties are those of `sfumato.microaggregation.measures.link_records`.
    """
    from sfumato.kernels.linkage import settle_columns
    from sfumato.kernels.linkage_tree import build_boxes, link_rows

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
