"""Proven optima over any mix of schemes: ``python -m benchmarks.optimal [--limit SECONDS]`` prints them all.

A proof runs on all cores; beside its seconds stand those of the processor, which do not depend on what
else the machine does.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import sfumato as sf
from benchmarks import memory, workloads
from sfumato.preparing import load, make_problem
from sfumato.search import Monitor, Run, search_optimal
from sfumato.search.branch_and_bound import compile_branch_and_bound, search_branch_and_bound

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sfumato.search import Problem

FOUR = ("age", "marital-status", "race", "sex")
KS = (2, 5, 10, 20, 50)
SEVEN_KS = (10, 25, 50)
COSTS = ("dm", "hdm", "loss")
MIXES = {"OPS": ("ordered", "ordered"), "OPS, sets": ("ordered", "sets")}
"""The schemes of the age and of the categories."""

PROOF_S = 10.0
LIMIT_S = float(os.environ.get("SFUMATO_LIMIT_S", "600"))
"""Seconds of one search over all seven attributes."""

FIRST_AGE, WIDTH, INTERVALS = 17, 5, 15


def _name(first: int, count: int) -> str:
    """Name an interval of ages by the number of its first part and how many parts it has."""
    last = min(first + count, INTERVALS)
    return f"{FIRST_AGE + WIDTH * first}-{FIRST_AGE + WIDTH * last - 1}"


def _tree(first: int, count: int) -> object:
    """Return the halves of an interval of ages, down to pairs of the finest ones."""
    parts = range(first, min(first + count, INTERVALS), count // 2)
    if count == 2:
        return [_name(part, 1) for part in parts]
    return {_name(part, count // 2): _tree(part, count // 2) for part in parts}


@cache
def people() -> Path:
    """Write the embedded table with fifteen intervals of five years for the age; return the file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = sf.datasets.adult()
    ages = pa.array([_name((age - FIRST_AGE) // WIDTH, 1) for age in table["age"].to_pylist()])
    path = workloads.scratch() / "census-intervals.parquet"
    pq.write_table(table.set_column(table.column_names.index("age"), "age", ages), path)
    return path


def spec_of(age: str, category: str, k: int, cost: str, names: tuple[str, ...] | None = None) -> sf.Spec:
    """Return a specification with one scheme for the age and one for the categories."""
    base = sf.Spec.load(sf.datasets.adult_spec_path("schemes"))
    tables = base.to_dict()
    written = cast("dict[str, dict[str, Any]]", tables["attributes"])
    for name, file in sf.datasets.hierarchies("schemes").items():
        written[name]["hierarchy"] = {"file": str(file)}
    written["age"] = {
        "role": "quasi-identifier",
        "kind": "category",
        "hierarchy": {"tree": _tree(0, 16)},
    }
    return sf.Spec.from_dict(
        {
            "data": {"path": str(people())},
            "attributes": {
                name: {**written[name], "scheme": age if name == "age" else category}
                for name in names or written
            },
            "suppression": {"limit": 1.0, "rule": "failing"},
            "require": {"k": k},
            "objectives": {"minimize": [cost]},
        }
    )


def problem_of(mix: str, k: int, cost: str, names: tuple[str, ...] | None = FOUR) -> Problem:
    """Return the problem of a mix of schemes."""
    prepared = load(None, spec_of(*MIXES[mix], k, cost, names))
    return replace(make_problem(prepared, (), (cost,)), schemes=prepared.schemes)


@dataclass(frozen=True)
class Proof:
    """How a proof went."""

    seconds: float
    processor_seconds: float
    nodes: int
    cost: float
    gap: float


def prove(problem: Problem, limit_s: float | None = None) -> Proof:
    """Search on all cores until the optimum is proven or the time is over."""
    begin, used = time.perf_counter(), time.process_time()
    result = search_branch_and_bound(problem, Run(Monitor(limit_s)))
    seconds, used = time.perf_counter() - begin, time.process_time() - used
    found = dict(result.certificate or {})
    gap = 0.0 if result.complete else 1.0 if found["gap"] is None else found["gap"]
    cost = float("inf") if found["cost"] is None else found["cost"]
    return Proof(seconds, used, int(str(found["nodes"])), float(str(cost)), float(str(gap)))


class FourAttributes:
    """Proofs over age, marital status, race and sex."""

    params = (list(MIXES), list(COSTS), list(KS))
    param_names = ("schemes", "minimize", "k")
    timeout = 300

    def setup(self, mix: str, cost: str, k: int) -> None:
        compile_branch_and_bound()
        self.problem = problem_of(mix, k, cost)

    def time_proof(self, mix: str, cost: str, k: int) -> None:
        search_branch_and_bound(self.problem)

    def track_processor_seconds(self, mix: str, cost: str, k: int) -> float:
        return prove(self.problem).processor_seconds

    def track_nodes(self, mix: str, cost: str, k: int) -> int:
        return prove(self.problem).nodes


@dataclass(frozen=True)
class Reached:
    """How far a search over all seven attributes came."""

    cost: float
    full_domain: float
    gap: float
    megabytes: float

    @property
    def over_full_domain(self) -> float:
        """Its cost over that of the best full-domain recoding; 1 at most."""
        return self.cost / self.full_domain


def reach(k: int, cost: str, limit_s: float) -> Reached:
    """Search all seven attributes under OPS in a process of its own, for so many seconds."""
    spec = workloads.scratch() / f"seven-{cost}-{k}.toml"
    out = workloads.scratch() / f"seven-{cost}-{k}"
    spec_of("ordered", "ordered", k, cost).save(spec)
    megabytes = memory.peak_memory_mb(
        *("-m", "sfumato", "explore", str(spec), "--out", str(out), "--force"),
        *("--time-limit", str(limit_s)),
    )
    run = json.loads((out / "run.json").read_text(encoding="utf-8"))
    levels = make_problem(load(None, spec_of("levels", "levels", k, cost)), (), (cost,))
    batch = levels.batch()
    best = levels.objectives[0].value(batch.evaluate(search_optimal(levels, Run(batch=batch)).nodes))[0]
    return Reached(run["certificate"]["cost"], float(best), run.get("gap", 1.0), megabytes)


class SevenAttributes:
    """All seven quasi-identifiers under OPS: how far a search comes."""

    params = (["dm", "hdm"], list(SEVEN_KS))
    param_names = ("minimize", "k")
    timeout = 3 * LIMIT_S + 300

    def setup(self, cost: str, k: int) -> None:
        compile_branch_and_bound()

    def track_gap(self, cost: str, k: int) -> float:
        return reach(k, cost, LIMIT_S).gap

    def track_cost_over_full_domain(self, cost: str, k: int) -> float:
        return reach(k, cost, LIMIT_S).over_full_domain

    def track_peak_memory(self, cost: str, k: int) -> float:
        return reach(k, cost, LIMIT_S).megabytes


def slowest_proof() -> tuple[str, Proof]:
    """Return the slowest of all proofs over four attributes, and what it proves."""
    compile_branch_and_bound()
    proofs = {
        f"{mix}, {cost}, k = {k}": prove(problem_of(mix, k, cost))
        for mix in MIXES
        for cost in COSTS
        for k in KS
    }
    return max(proofs.items(), key=lambda item: item[1].seconds)


def lines(limit_s: float) -> Iterator[str]:
    """Yield one line for each figure, as soon as it is there."""
    compile_branch_and_bound()
    head = ("seconds", "processor", "nodes")
    yield (
        f"{'schemes':10} {'cost':5} {'k':>3} " + " ".join(f"{word:>9}" for word in head) + f" {'optimum':>14}"
    )
    for mix in MIXES:
        for cost in COSTS:
            for k in KS:
                found = prove(problem_of(mix, k, cost), 30 * PROOF_S)
                yield (
                    f"{mix:10} {cost:5} {k:3} {found.seconds:9.2f} {found.processor_seconds:9.2f} "
                    f"{found.nodes:9,} {found.cost:14.6g} {found.gap:7.2%}"
                )
    yield f"all seven under OPS, {limit_s:g} s each: cost, over the best full-domain one, gap, peak memory"
    for cost in ("dm", "hdm"):
        for k in SEVEN_KS:
            reached = reach(k, cost, limit_s)
            yield (
                f"{cost:5} {k:3} {reached.cost:14.6g} {reached.over_full_domain:7.4f} {reached.gap:7.2%} "
                f"{reached.megabytes:7.0f} MB"
            )


def main() -> None:
    """Print all figures."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.optimal")
    options.add_argument("--limit", type=float, default=LIMIT_S, metavar="SECONDS")
    for line in lines(options.parse_args().limit):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
