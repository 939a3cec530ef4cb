"""Searches, whole calls and whole commands in processor time: ``python -m benchmarks.calls``.

Every round measures each line once, one after the other, so that what else the machine does falls on all of
them alike. Printed are the median of the rounds and, in brackets, the smallest and the largest. Processor
time is that of all threads; what a command waits for is not in it. With the word ``quick`` there is one
round, without what takes minutes.
"""

from __future__ import annotations

import csv
import os
import statistics
import subprocess
import sys
import time
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.csv

import sfumato
from benchmarks import workloads
from sfumato.search import Run, search_exhaustive, search_optimal
from sfumato.spec import Spec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sfumato.search import Problem

ROUNDS = 7
TREES = {"a": (20_000, (5, 5, 4, 10)), "b": (20_000, (10, 10, 10)), "c": (12_000, (2, 2, 2, 5, 5, 10))}
TREES |= {"d": (300, (10, 5)), "e": (10, (2,)), "g": (2, ())}
"""Attribute → its leaves, and how many nodes of each level are one of the next; rows as many as below."""
TREE_ROWS = 63_441


@cache
def large_hierarchies() -> Path:
    """Write a table of six attributes, three of them with more than ten thousand leaves, and its trees."""
    folder, random = workloads.scratch() / "trees", np.random.default_rng(5)
    folder.mkdir(exist_ok=True)
    columns = {}
    for name, (leaves, fans) in TREES.items():
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            for leaf in range(leaves):
                nodes = [leaf // int(np.prod(fans[: level + 1])) for level in range(len(fans))]
                labels = [f"{name}-{level}-{node}" for level, node in enumerate(nodes)]
                file.write(";".join([f"{name}{leaf:05d}", *labels, "*"]) + "\n")
        drawn = random.integers(0, leaves, TREE_ROWS) * random.random(TREE_ROWS) ** 2
        columns[name] = [f"{name}{int(leaf):05d}" for leaf in drawn]
    path = folder / "rows.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def tree_spec(limit: float) -> Spec:
    """Return the specification of the table with large hierarchies."""
    path = large_hierarchies()
    hierarchies = {name: {"file": str(path.with_name(f"{name}.csv"))} for name in TREES}
    return Spec.from_dict(
        {
            "data": {"path": str(path)},
            "attributes": {
                name: {"role": "quasi-identifier", "hierarchy": given} for name, given in hierarchies.items()
            },
            "suppression": {"limit": limit},
            "require": {"k": 5},
            "objectives": {"minimize": ["loss"]},
        }
    )


@cache
def numbers() -> Path:
    """Write 50,000 rows of ten columns of random numbers."""
    path = workloads.scratch() / "numbers.csv"
    drawn = np.random.default_rng(1).normal(size=(50_000, 10))
    header = ",".join(f"c{number}" for number in range(10))
    np.savetxt(path, drawn, fmt="%.6g", delimiter=",", header=header, comments="")
    return path


def own_seconds(work: Callable[[], object]) -> float:
    """Return the processor time of a call, on all threads."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def command_seconds(*words: str) -> float:
    """Return the processor time of a command in a process of its own."""
    before = os.times()
    subprocess.run(
        [sys.executable, "-m", "sfumato", *words],
        check=True,
        capture_output=True,
        cwd=workloads.scratch(),
        env=workloads.environment(),
    )
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def proof(problem: Problem) -> Callable[[], float]:
    """Return the measurement of a proof of the optimum, kernels and tables being ready."""
    batch = problem.batch()
    batch.compile()
    return partial(own_seconds, lambda: search_optimal(problem, Run(batch=batch)))


def searches() -> Iterator[tuple[str, float, Callable[[], float]]]:
    """Yield the searches of Adult by what is required, each with its aim."""
    for limit, aim in ((0.0, 0.005), (0.01, 0.04), (0.1, 0.04), (1.0, 0.04)):
        yield f"k = 5, limit {limit:g}", aim, proof(workloads.optimum_problem(limit))
    for limit, aim in ((0.01, 0.03), (1.0, 0.04)):
        problem = workloads.occupation_problem(limit, "distinct_l(occupation)", 3)
        yield f"l = 3, limit {limit:g}", aim, proof(problem)
    for limit in (0.01, 1.0):
        yield f"t = 0.2, limit {limit:g}", 0.15, proof(workloads.occupation_problem(limit))
    every = workloads.front_problem()
    batch = every.batch()
    batch.compile()
    # 100,000 nodes a second on two threads.
    yield "all 12,960 nodes", 0.26, partial(own_seconds, lambda: search_exhaustive(every, Run(batch=batch)))


def lines(*, quick: bool) -> Iterator[tuple[str, float, Callable[[], float]]]:
    """Yield what is measured, the aim in seconds, and one measurement."""
    for name, aim, measure in searches():
        yield f"search, Adult, {name}", aim, measure
    adult = pyarrow.csv.read_csv(workloads.complete_adult())
    for limit, aim in ((0.0, 0.04), (0.01, 0.09), (0.1, 0.09), (1.0, 0.09)):
        call = partial(sfumato.anonymize, adult, workloads.adult_spec(limit, require={"k": 5}))
        yield f"whole call, Adult, k = 5, limit {limit:g}", aim, partial(own_seconds, call)
    table = pyarrow.csv.read_csv(large_hierarchies())
    for limit, aim in ((0.0, 0.15), (0.01, 0.5)):
        call = partial(sfumato.anonymize, table, tree_spec(limit))
        yield f"whole call, 52,000 leaves, limit {limit:g}", aim, partial(own_seconds, call)
    out = ("--out", "out.csv", "--force")
    spec = workloads.scratch() / "calls.toml"
    workloads.adult_spec(0.01, require={"k": 5}).save(spec)
    yield "command anonymize, Adult", 1.0, partial(command_seconds, "anonymize", str(spec), *out)
    columns = ",".join(f"c{number}" for number in range(10))
    words = ("microaggregate", str(numbers()), "--columns", columns, "--k", "5", *out)
    yield "command microaggregate, 50,000 x 10", 2.0, partial(command_seconds, *words)
    if quick:
        return
    large = workloads.scratch() / "ten-million.toml"
    workloads.synthetic_spec(workloads.synthetic(10_000_000)).save(large)
    words = ("anonymize", str(large), "--out", "out.parquet", "--force")
    yield "command anonymize, ten million rows", 9.0, partial(command_seconds, *words)


def figures(*, quick: bool = False) -> Iterator[tuple[str, str, str]]:
    """Yield what was measured, the aim, and the median with the spread."""
    rounds = 1 if quick else ROUNDS
    measured = [(name, aim, measure, list[float]()) for name, aim, measure in lines(quick=quick)]
    for number in range(rounds + 1):
        for _, aim, measure, found in measured:
            # The first round compiles what is to be compiled; the long lines need fewer rounds.
            if number <= (rounds if aim < 3 else 3):
                found.append(measure())
    for name, aim, _, found in measured:
        kept = found[1:]
        middle, least, most = statistics.median(kept), min(kept), max(kept)
        unit, factor = ("ms", 1000) if aim < 1 else ("s", 1)
        spread = f"{middle * factor:.3g} {unit} ({least * factor:.3g} to {most * factor:.3g})"
        yield f"{name}, processor time", f"<= {aim * factor:g} {unit}", spread


def main() -> None:
    """Print one line a figure."""
    for name, aim, figure in figures(quick="quick" in sys.argv[1:]):
        sys.stdout.write(f"{name:60} {aim:>12} {figure:>28}\n")


if __name__ == "__main__":
    main()
