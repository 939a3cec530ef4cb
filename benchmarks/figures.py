"""All figures that the README states, measured in one run: ``python -m benchmarks.figures``.

First come the searches, calls and commands of `benchmarks.calls`, in turns, in processor time with their
spread; all other times are medians on the clock of an otherwise idle machine, and memory is the peak of the
process. With the word ``quick`` what takes minutes is left out, so that one sees whether all still runs.
"""

from __future__ import annotations

import statistics
import sys
import time
from typing import TYPE_CHECKING

from benchmarks import calls, memory, optimal, pbg, processes, wide, workloads
from sfumato.search import Run, search_exhaustive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def seconds(function: Callable[[], object], repeat: int) -> float:
    """Return the median time of a call."""
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def nodes_per_second(threads: int | None) -> float:
    """Evaluate every node of the 12,960-node lattice."""
    problem = workloads.front_problem()
    batch = problem.batch(threads)
    batch.compile()
    search_exhaustive(problem, Run(batch=batch))
    return problem.lattice.size / seconds(lambda: search_exhaustive(problem, Run(batch=batch)), 5)


def figures(*, quick: bool) -> Iterator[tuple[str, str, str]]:
    """Yield what is measured, the aim, and the figure."""
    yield from calls.figures(quick=quick)
    yield "every node of 12,960, one thread", "", f"{nodes_per_second(1):,.0f} nodes/s"
    yield "every node of 12,960, all cores", ">= 100,000 nodes/s", f"{nodes_per_second(None):,.0f} nodes/s"
    start = processes.Start()
    yield "import sfumato (process)", "<= 0.25 s", f"{seconds(start.time_import, 7):.2f} s"
    yield "sfumato --help", "<= 0.4 s", f"{seconds(start.time_help, 7):.2f} s"
    if not quick:
        yield from long_figures()


def long_figures() -> Iterator[tuple[str, str, str]]:
    """Yield what takes minutes."""
    for make, aim in ((wide.sixteen, 1.0), (wide.twenty_four, 3.0)):
        (reached, _), (late, _) = wide.losses(make(), (aim, 60.0))
        name = f"loss of {len(make().cube.sizes)} attributes in {aim:g} s; aim: that of 60 s"
        yield name, f"<= {late:.6f}", f"{reached:.6f}"
    what, slowest = optimal.slowest_proof()
    yield f"slowest of 30 proofs over schemes: {what}", "<= 10 s", f"{slowest.seconds:.1f} s"
    yield "  its processor time", "", f"{slowest.processor_seconds:.1f} s"
    seven = optimal.reach(10, "dm", 60.0)
    yield "all seven attributes under OPS, k = 10: gap in 60 s", "", f"{seven.gap:.1%}"
    yield "  its cost over the best full-domain one", "<= 1", f"{seven.over_full_domain:.4f}"
    yield "  its memory", "< 2,000 MB", f"{seven.megabytes:.0f} MB"
    exact = pbg.ExactFront()
    exact.setup()
    slow = f"< {pbg.slow_budget_seconds():.1f} s"
    yield "exact front of 17,920; aim: 2,500 plain evaluations", slow, f"{seconds(exact.time_front, 3):.2f} s"
    huge = pbg.BeyondEnumeration()
    huge.setup()
    yield "PBG-EA on 1.98e9 nodes", "<= 30 s", f"{seconds(huge.time_search, 1):.1f} s"
    yield "  its hypervolume over that of chance", ">= 1", f"{huge.track_hypervolume_over_random():.3f}"
    million = processes.Measure()
    million.setup()
    yield "sfumato measure, a million rows", "<= 2 s", f"{seconds(million.time_measure, 3):.2f} s"
    yield (
        "sfumato demo, nothing compiled yet",
        "<= 15 s",
        f"{processes.demo_from_scratch(workloads.scratch()):.1f} s",
    )
    yield "sfumato demo, the second time", "<= 4 s", f"{processes.demo(workloads.scratch()):.1f} s"
    small = memory.Adult()
    small.setup()
    yield "memory, Adult", "< 400 MB", f"{small.track_peak_memory():.0f} MB"
    large = memory.TenMillionRows()
    large.setup()
    yield "memory, ten million rows", "< 3,000 MB", f"{large.track_peak_memory():.0f} MB"


def main() -> None:
    """Print one line a figure, as soon as it is there."""
    for name, aim, figure in figures(quick="quick" in sys.argv[1:]):
        sys.stdout.write(f"{name:60} {aim:>20} {figure:>28}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
