"""Three ways to the most specific recodings: breadth first, by subsets of attributes, and all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sfumato._typing import BoolArray, LongArray
    from sfumato.search.lattice.space import Space
    from sfumato.search.lattice.testing import Tester

HELD = 50_000_000
"""Recodings whose verdicts are held at most."""


def breadth_first(space: Space, tester: Tester) -> LongArray:
    """Climb from the most specific recodings, and prune above those that are found.

    A recoding is tested once all its direct predecessors failed; if one did not, there is
    something finer. Those with shorter chains below them come first, so that
    everything finer was decided before: by the number of steps alone, orders that are not graded
    would give wrong answers.

    Attribute-oriented granulation for privacy protection, Figure 5.
    """
    found = [np.zeros(0, dtype=np.int64)]
    waiting: dict[int, list[LongArray]] = {0: [space.minimal()]}
    while waiting:
        numbers, arrived = np.unique(np.concatenate(waiting.pop(min(waiting))), return_counts=True)
        below = space.predecessor_counts(numbers)
        ready = numbers[(arrived == below) | (below == 0)]
        verdict = tester.test(ready)
        tested = ready[: len(verdict)]
        found.append(tested[verdict])
        if tester.stopped:
            break
        above = space.successors(tested[~verdict])
        heights = space.heights(above)
        for height in np.unique(heights).tolist():
            waiting.setdefault(height, []).append(above[heights == height])
    return np.concatenate(found)


def by_subsets(space: Space, tester: Tester) -> tuple[LongArray, dict[str, int]]:
    """Find the same with fewer tests: recodings of few attributes decide on those of more.

    A recoding of some attributes is one that has all others at their coarsest. If it fails,
    so does every recoding that agrees with it on these attributes (subset property). If it passes,
    so does every coarser one (generalization property). What neither decides is tested, few
    attributes first, finer ones first; classes are rolled up from finer ones.

    LeFevre, K., DeWitt, D. J., Ramakrishnan, R. (2005), Incognito: efficient full-domain
    k-anonymity, doi:10.1145/1066157.1066164; attribute-oriented granulation for privacy protection,
    section 3.4.
    """
    tops = space.tops
    assert tops is not None
    _refuse_more(space)
    meets, fails = np.zeros((2, space.size), dtype=np.bool_)
    decided = {"by_subset": 0, "by_generalization": 0}
    for group in _groups(space, tops):
        is_out = _has_failing_restriction(space, tops, group, fails)
        rest = group[~is_out]
        # Predecessors with more attributes are not decided yet, so they do not count here.
        is_in = space.has_predecessor(rest, meets)
        fails[group[is_out]] = True
        meets[rest[is_in]] = True
        decided["by_subset"] += int(is_out.sum())
        decided["by_generalization"] += int(is_in.sum())
        tester.settle(int(is_out.sum() + is_in.sum()))
        open_ones = rest[~is_in]
        verdict = tester.test(open_ones)
        tested = open_ones[: len(verdict)]
        meets[tested], fails[tested] = verdict, ~verdict
        if tester.stopped:
            break
    found = np.flatnonzero(meets)
    return found[~space.has_predecessor(found, meets)], decided


def one_by_one(space: Space, tester: Tester) -> LongArray:
    """Test every recoding, and return those that pass and have nothing finer that passes."""
    _refuse_more(space)
    heights = space.heights(np.arange(space.size, dtype=np.int64))
    order = np.argsort(heights, kind="stable")
    verdict = tester.test_all(order)
    order = order[: len(verdict)]
    covered = np.zeros(space.size, dtype=np.bool_)
    found = [order[:0]]
    for group in np.split(order, np.flatnonzero(np.diff(heights[order])) + 1):
        above = space.has_predecessor(group, covered)
        passes = verdict[: len(group)]
        verdict = verdict[len(group) :]
        found.append(group[passes & ~above])
        covered[group[passes | above]] = True
    return np.concatenate(found)


def _refuse_more(space: Space) -> None:
    if space.size > HELD:
        raise ParameterError(
            f"{space.size:,} recodings are too many for 'lattice' (at most {HELD:,}). Group values first, "
            "or use another method."
        )


def _groups(space: Space, tops: tuple[int, ...]) -> Iterator[LongArray]:
    """Yield recodings by how many attributes they have, then by the longest chain below."""
    numbers = np.arange(space.size, dtype=np.int64)
    heights = space.heights(numbers).astype(np.int32)
    attributes = np.zeros(space.size, dtype=np.int32)
    for a, top in enumerate(tops):
        attributes += space.place(numbers, a) != top
    key = attributes * (heights.max(initial=0) + 1) + heights
    order = np.argsort(key, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(key[order])) + 1)


def _has_failing_restriction(
    space: Space, tops: tuple[int, ...], numbers: LongArray, fails: BoolArray
) -> BoolArray:
    """Tell which recodings fail because they do with one attribute less."""
    found = np.zeros(len(numbers), dtype=np.bool_)
    for a, top in enumerate(tops):
        found |= fails[numbers + (top - space.place(numbers, a)) * space.strides[a]]
    return found
