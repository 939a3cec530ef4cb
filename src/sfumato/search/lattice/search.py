"""All most specific recodings that meet the requirements."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import ParameterError, nearest
from sfumato.monitor import Monitor
from sfumato.search.lattice.pruning import Pruning
from sfumato.search.lattice.space import Space
from sfumato.search.lattice.testing import Tester
from sfumato.search.lattice.walks import breadth_first, by_subsets, one_by_one
from sfumato.search.result import SearchResult, Status
from sfumato.search.texts import TextOrder
from sfumato.spec.choices import VARIANTS

if TYPE_CHECKING:
    from sfumato._typing import LongArray
    from sfumato.search.problem import Problem


def search_lattice(
    problem: Problem,
    monitor: Monitor | None = None,
    *,
    variant: str = "incognito",
    threads: int | None = None,
) -> SearchResult:
    """Find all recodings that meet the requirements and have no finer one that does."""
    if variant not in VARIANTS:
        raise ParameterError(f"there is no variant {variant!r} of 'lattice'. {nearest(variant, VARIANTS)}")
    watch = monitor or Monitor()
    space = Space.of(problem)
    tester = Tester(problem, space, watch, threads)
    numbers, certificate = _walk(space, tester, variant)
    tester.settle(0)
    numbers = tester.remaining(numbers)
    complete = not watch.stopped
    status = Status.LIMIT_REACHED if not complete else Status.OPTIMAL if len(numbers) else Status.INFEASIBLE
    return SearchResult(
        space.lattice,
        _in_order(problem, space, numbers),
        status,
        complete,
        tester.tests,
        watch.seconds,
        stopped=watch.reason,
        certificate=certificate,
    )


def _walk(space: Space, tester: Tester, variant: str) -> tuple[LongArray, dict[str, object]]:
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


def _in_order(problem: Problem, space: Space, numbers: LongArray) -> LongArray:
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
    """Say in words what allows to leave recodings untested, or why nothing does."""
    obstacle = Pruning.of(problem).obstacle
    if obstacle is None:
        return "what a recoding meets, coarser ones meet too, so not all are tested"
    return f"every recoding is tested, because {obstacle}"
