"""All most specific recodings that meet the requirements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import ParameterError, nearest
from sfumato.search.lattice_search.pruning import Pruning, Tester
from sfumato.search.lattice_search.space import LatticeSpace
from sfumato.search.ledger import Run
from sfumato.search.texts import TextOrder
from sfumato.spec.choices import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sfumato._typing import BoolArray, LongArray
    from sfumato.search.problem import Problem, SearchResult

HELD = 50_000_000
"""Recodings whose verdicts are held at most."""


def breadth_first(space: LatticeSpace, tester: Tester) -> LongArray:
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


def by_subsets(space: LatticeSpace, tester: Tester) -> tuple[LongArray, dict[str, int]]:
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


def one_by_one(space: LatticeSpace, tester: Tester) -> LongArray:
    """Test every recoding, and return those that pass and have nothing finer that passes."""
    _refuse_more(space)
    heights = space.heights(np.arange(space.size, dtype=np.int64))
    order = np.argsort(heights, kind="stable")
    verdict = tester.test(order, strictly=True)
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


def _refuse_more(space: LatticeSpace) -> None:
    if space.size > HELD:
        raise ParameterError(
            f"{space.size:,} recodings are too many for 'lattice' (at most {HELD:,}). Group values first, "
            "or use another method."
        )


def _groups(space: LatticeSpace, tops: tuple[int, ...]) -> Iterator[LongArray]:
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
    space: LatticeSpace, tops: tuple[int, ...], numbers: LongArray, fails: BoolArray
) -> BoolArray:
    """Tell which recodings fail because they do with one attribute less."""
    found = np.zeros(len(numbers), dtype=np.bool_)
    for a, top in enumerate(tops):
        found |= fails[numbers + (top - space.place(numbers, a)) * space.strides[a]]
    return found


@dataclass(frozen=True)
class LatticeParameters:
    """Parameters of the search for the most specific recodings."""

    variant: str = "incognito"

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise ParameterError(
                f"there is no variant {self.variant!r} of 'lattice'. {nearest(self.variant, VARIANTS)}"
            )


def search_lattice(problem: Problem, run: Run | None = None) -> SearchResult:
    """Find all recodings that meet the requirements and have no finer one that does."""
    run = run or Run()
    space = LatticeSpace.of(problem)
    variant = run.parameters_of(LatticeParameters).variant
    tester = Tester(problem, space, run, variant)
    numbers, certificate = _walk(space, tester, variant)
    tester.settle(0)
    tester.recall.save()
    nodes = _in_order(problem, space, tester.remaining(numbers))
    complete = not tester.stopped
    return run.result(space.lattice, nodes, tester.tests, complete=complete, certificate=certificate)


def _walk(space: LatticeSpace, tester: Tester, variant: str) -> tuple[LongArray, dict[str, object]]:
    """Find the numbers of the recodings, and say how."""
    decided: dict[str, int] = {}
    if tester.pruning.obstacle is not None:
        variant, numbers = "all", one_by_one(space, tester)
    elif variant == "breadth-first" or space.tops is None:
        variant, numbers = "breadth-first", breadth_first(space, tester)
    else:
        numbers, decided = by_subsets(space, tester)
    if variant == "breadth-first" and not tester.stopped:
        # What was never reached lies above something that was found.
        decided = {"by_generalization": space.size - tester.tests}
    return numbers, {"variant": variant, "tests": tester.tests, **decided}


def _in_order(problem: Problem, space: LatticeSpace, numbers: LongArray) -> LongArray:
    """Return the nodes of recodings, best first."""
    nodes = space.nodes(numbers)
    if not len(nodes):
        return nodes
    statistics = problem.batch(1, space.lattice).evaluate(nodes)
    costs = list(problem.costs(statistics).T) if problem.objectives else []
    text = TextOrder(space.lattice, problem.describe).keys(nodes)
    keys = [*costs, statistics.suppressed, *text]
    return nodes[np.lexsort(keys[::-1])]


def pruning_words(problem: Problem) -> str:
    """Say in words why some recodings need no test, or why all do."""
    obstacle = Pruning.of(problem).obstacle
    if obstacle is None:
        return "what a recoding meets, coarser ones meet too, so not all are tested"
    return f"every recoding is tested, because {obstacle}"
