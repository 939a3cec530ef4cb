"""From a search problem to its front or best node, and how the search went."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato import front as fronts
from sfumato.errors import ParameterError, SpecError
from sfumato.notebooks import notebook_callback
from sfumato.release import current_versions, trim_lattice, write_recoding
from sfumato.results import Front
from sfumato.search import (
    METHODS,
    Monitor,
    SearchSettings,
    Status,
    choose_method,
    compile_method,
    explain_infeasible,
)

if TYPE_CHECKING:
    from sfumato.preparing import Prepared
    from sfumato.search import Callback, Problem, SearchResult
    from sfumato.spec import Spec


def run_search(
    prepared: Prepared,
    problem: Problem,
    *,
    threads: int | None,
    callback: Callback | None,
    checkpoint: str | os.PathLike[str] | None,
) -> tuple[SearchResult, dict[str, object]]:
    """Search by the method that the specification names, and say how it went, as ``run.json`` does."""
    spec = prepared.spec
    try:
        method, why = choose_method(problem, spec.search.method)
    except ParameterError as error:
        raise SpecError(error.message, where=spec.where("search", "method")) from None
    settings = _settings(spec, threads, checkpoint)
    result = _search(method, problem, spec, settings, callback or notebook_callback())
    return result, _describe(prepared, problem, result, method, why)


def planned_method(problem: Problem, spec: Spec, warnings: list[str]) -> str:
    """Return the method that a run would use; where no front can be found, that of one best release."""
    try:
        return choose_method(problem, spec.search.method)[0]
    except ParameterError as error:
        if spec.search.method != "auto" or not problem.objectives:
            raise SpecError(error.message, where=spec.where("search", "method")) from None
        warnings.append(f"explore cannot find this front: {error.message}")
        return choose_method(replace(problem, objectives=problem.objectives[-1:]), "auto")[0]


def _settings(spec: Spec, threads: int | None, checkpoint: str | os.PathLike[str] | None) -> SearchSettings:
    """Collect the user's settings of the search."""
    if threads is not None and threads < 1:
        raise ParameterError(f"threads must be at least 1, or None for all cores; got {threads}.")
    names = (
        *("variant", "population", "iterations", "crossover", "mutation", "constrained_mutation"),
        *("walk", "boxes", "seeding", "patience"),
    )
    given = {name: value for name in names if (value := getattr(spec.search, name)) not in (None, {})}
    path = None if checkpoint is None else Path(os.fspath(checkpoint))
    return SearchSettings(spec.search.seed, given, path, threads)


def _search(
    method: str, problem: Problem, spec: Spec, settings: SearchSettings, callback: Callback | None
) -> SearchResult:
    batch = problem.batch(settings.threads)
    compile_method(method, problem, batch)
    try:
        result = METHODS[method](problem, batch, Monitor(spec.search.time_limit, callback), settings)
    except ParameterError as error:
        if error.where is not None:
            raise
        raise SpecError(error.message, where=spec.where("search", "method")) from None
    lattice, nodes = trim_lattice(result.lattice, result.nodes)
    return replace(result, lattice=lattice, nodes=nodes)


def why_none(problem: Problem, result: SearchResult) -> str:
    """Say why a search found nothing, and what is nearest."""
    if result.status is Status.LIMIT_REACHED:
        return (
            f"no recoding that meets the requirements was found before the search ended ({result.stopped})."
        )
    return explain_infeasible(problem)


def _describe(
    prepared: Prepared, problem: Problem, result: SearchResult, method: str, why: str
) -> dict[str, object]:
    run: dict[str, object] = {
        "method": method,
        "why": why,
        "status": result.status.value,
        "seed": prepared.spec.search.seed,
        "space": fronts.whole_text(problem.space),
        "evaluated": result.evaluated,
        "complete": result.complete,
        "seconds": round(result.seconds, 6),
        "rows": prepared.cube.row_count,
        "distinct": prepared.cube.distinct,
        "fingerprint": prepared.cube.fingerprint,
        "schemes": dict(zip(prepared.setting.quasi_identifiers, prepared.scheme_names, strict=True)),
        "objectives": {
            "maximize": [item.name for item in problem.objectives if item.direction.sign < 0],
            "minimize": [item.name for item in problem.objectives if item.direction.sign > 0],
        },
        "versions": current_versions(),
    }
    if result.bound is not None:
        run |= _certificate(problem, result)
    certificate = getattr(result, "certificate", None)
    if certificate:
        run["certificate"] = dict(certificate)
    if result.stopped:
        run["stopped"] = result.stopped
    return run


def _certificate(problem: Problem, result: SearchResult) -> dict[str, object]:
    """State the bound and how far, relatively, the solution found may be from the optimum."""
    assert result.bound is not None
    if not len(result.nodes):
        return {"bound": result.bound}
    if result.complete:
        return {"bound": result.bound, "gap": 0.0}
    batch = problem.batch(threads=1, lattice=result.lattice)
    value = float(problem.objectives[0].value(batch.evaluate(result.nodes[:1]))[0])
    return {"bound": result.bound, "gap": abs(value - result.bound) / max(abs(value), 1e-300)}


def make_front(prepared: Prepared, problem: Problem, result: SearchResult, run: dict[str, object]) -> Front:
    """Make the front of the nodes that a search found."""
    statistics = problem.batch(threads=1, lattice=result.lattice).evaluate(result.nodes)
    values = {item.name: item.value(statistics) for item in problem.measures}
    solutions = tuple(
        fronts.PlainSolution(
            number + 1,
            {name: float(column[number]) for name, column in values.items()},
            int(statistics.suppressed[number]),
            write_recoding(prepared, result.lattice, result.nodes[number]),
        )
        for number in range(len(result.nodes))
    )
    objectives = tuple(fronts.Objective(item.name, item.direction.sign < 0) for item in problem.objectives)
    return Front(solutions, objectives, run, (prepared, problem))
