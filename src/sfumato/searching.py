"""From a search problem to its front or best node, and how the search went."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato import front as fronts
from sfumato import local, release
from sfumato.domains import Ladder, Lattice
from sfumato.errors import InfeasibleError, ParameterError, SpecError
from sfumato.measures import Direction, Measure
from sfumato.monitor import Keeper, Progress, load_arrays
from sfumato.notebooks import notebook_callback
from sfumato.preparing import (
    Prepared,
    asked_objectives,
    ladder_measure,
    local_bound,
    make_ladder,
    make_local_problem,
    make_problem,
    prepare,
)
from sfumato.results import Front
from sfumato.search import (
    METHODS,
    Callback,
    Monitor,
    Problem,
    Requirement,
    SearchResult,
    SearchSettings,
    Status,
    choose_method,
    compile_method,
    explain_infeasible,
    fingerprint,
    nearest_classes,
    unused_words,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sfumato._typing import FloatArray
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
    _refuse_unused(spec, method, why)
    settings = _settings(spec, threads, checkpoint)
    result = _search(method, problem, spec, settings, callback or notebook_callback())
    return result, _describe(prepared, problem, result, method, why)


def planned_method(problem: Problem, spec: Spec, warnings: list[str]) -> str:
    """Return the method that a run would use; where no front can be found, that of one best release."""
    try:
        method, why = choose_method(problem, spec.search.method)
        _refuse_unused(spec, method, why)
        return method
    except ParameterError as error:
        if spec.search.method != "auto" or not problem.objectives:
            raise SpecError(error.message, where=spec.where("search", "method")) from None
        warnings.append(f"explore cannot find this front: {error.message}")
        return choose_method(replace(problem, objectives=problem.objectives[-1:]), "auto")[0]


def _given(spec: Spec) -> dict[str, object]:
    """Return what the specification says about parameters of searches."""
    used = {name for method in METHODS.values() for name in method.used}
    said = {name: getattr(spec.search, name) for name in type(spec.search).model_fields if name in used}
    return {name: value for name, value in said.items() if value not in (None, {})}


def _refuse_unused(spec: Spec, method: str, why: str) -> None:
    """Refuse a setting that would do nothing."""
    unused = unused_words(method, _given(spec))
    if unused is not None:
        name, words = unused
        chosen = f" auto chose {method!r} ({why})." if spec.search.method == "auto" else ""
        advice = f"Remove {name}, or set method to one that uses it."
        raise SpecError(f"{words}{chosen} {advice}", where=spec.where("search", name))


def _settings(spec: Spec, threads: int | None, checkpoint: str | os.PathLike[str] | None) -> SearchSettings:
    """Collect the user's settings of the search."""
    if threads is not None and threads < 1:
        raise ParameterError(f"threads must be at least 1, or None for all cores; got {threads}.")
    path = None if checkpoint is None else Path(os.fspath(checkpoint))
    return SearchSettings(spec.search.seed, _given(spec), path, threads)


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
    lattice, nodes = release.trim_lattice(result.lattice, result.nodes)
    return replace(result, lattice=lattice, nodes=nodes)


def why_none(problem: Problem, result: SearchResult) -> str:
    """Say why a search found nothing, and what is nearest."""
    if result.status is Status.LIMIT_REACHED:
        return (
            f"no recoding that meets the requirements was found before the search ended ({result.stopped})."
        )
    return explain_infeasible(problem)


def why_empty(front: Front) -> str:
    """Say in one line why a front has no solution, and what nearest requirement can be met."""
    if front.source is None or not front.complete:
        return "no recoding that meets the requirements was found before the search ended."
    return explain_infeasible(front.source[1])


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
        "objectives": _names(problem),
        "versions": release.current_versions(),
    }
    if result.bound is not None:
        run |= _certificate(problem, result)
    if prepared.table.raised:
        run["raised"] = dict(prepared.table.raised)
    certificate = getattr(result, "certificate", None)
    if certificate:
        run["certificate"] = dict(certificate)
    if result.stopped:
        run["stopped"] = result.stopped
    return run


def _names(problem: Problem) -> dict[str, list[str]]:
    return {
        "maximize": [item.name for item in problem.objectives if item.direction.sign < 0],
        "minimize": [item.name for item in problem.objectives if item.direction.sign > 0],
    }


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


TRIED = 150
"""Moves tried for each distinct tuple, unless the specification says how many."""
SPEED = 300_000
"""Moves that are tried in a second, at least: where time is short for all of them, the clock decides."""
SEARCHING = 0.8
"""The share of the time limit after which the search ends and the rest goes into the bound."""
BOUNDING = 12
"""Linear programs that lift a bound."""
HURRIED = 0.1
"""Who asks for less than this share of the usual moves gets the bound that is found at once."""


class LocalCheckpoint:
    """The file of a local recoding: what it found for earlier requirements, and where the search is."""

    def __init__(
        self, prepared: Prepared, problem: Problem, path: str | os.PathLike[str] | None, steps: object = None
    ) -> None:
        self._held: dict[str, Any] = {}
        self._keeper = Keeper(None, "")
        if path is None:
            return
        tuples, asked = make_local_problem(prepared, problem), prepared.spec.search
        prices = (tuples.budget, tuples.suppressed_cost, tuples.cell, tuples.square, tuples.each)
        spaces = [part for space in tuples.spaces for part in (space.levels, space.costs, space.missing)]
        arrays = (tuples.weights, tuples.attribute_weights, prices, *spaces)
        kinds = [space.kind.value for space in tuples.spaces]
        mark = fingerprint(problem, ("local", kinds, steps, asked.iterations), asked.seed, arrays)
        self._keeper = Keeper(Path(os.fspath(path)), mark)
        self._held |= load_arrays(Path(os.fspath(path)), mark) or {}
        self._held.pop("fingerprint", None)

    def found(
        self, tuples: local.LocalProblem, place: int
    ) -> tuple[local.LocalSolution, dict[str, object]] | None:
        """Return what was found for a requirement, if its search and its bound were done."""
        if f"classes{place}" not in self._held:
            return None
        classes, run = self._held[f"classes{place}"], json.loads(str(self._held[f"run{place}"]))
        solution = local.make_solution(tuples, np.where(classes < 0, len(classes), classes).astype(np.int32))
        solution = solution.with_gap(run["gap"]) if "gap" in run else solution
        return replace(solution, certificate=run.get("certificate", {})), run

    def state(self, place: int) -> local.AnnealingState | None:
        """Return where the search for a requirement was."""
        if int(self._held.get("place", -1)) != place:
            return None
        (proposals, rounds), (gain, cost, least) = (self._held[name].tolist() for name in ("counts", "costs"))
        best = self._held["best"] if len(self._held["best"]) else None
        return local.AnnealingState(self._held["owner"], proposals, rounds, gain, cost, best, least)

    def save(self, place: int, now: local.AnnealingState) -> None:
        """Note where a search is, and write it from time to time."""
        self._held |= {
            "place": np.array(place),
            "owner": now.owner,
            "best": now.owner[:0] if now.best is None else now.best,
            "counts": np.array([now.proposals, now.rounds]),
            "costs": np.array([now.gain, now.cost, now.least]),
        }
        if self._keeper.is_due:
            self.write()

    def finish(self, place: int, solution: local.LocalSolution, run: dict[str, object]) -> None:
        """Note what was found for a requirement."""
        self._held |= {f"classes{place}": solution.classes, f"run{place}": np.array(json.dumps(run))}
        self.write()

    def write(self) -> None:
        """Write the file."""
        self._keeper.keep(self._held)


def search_local(
    prepared: Prepared,
    problem: Problem,
    *,
    threads: int | None,
    callback: Callback | None,
    checkpoint: LocalCheckpoint | str | os.PathLike[str] | None,
    limit: float | None = None,
    after: local.LocalSolution | None = None,
    place: int = 0,
) -> tuple[local.LocalProblem, local.LocalSolution, dict[str, object]]:
    """Search for classes of tuples, bound what any others cost, and say how it went.

    ``limit`` are seconds, if the time is shared with others; ``after`` is what to start from, unless the
    checkpoint has something for the requirement of this ``place``.
    """
    spec, tuples = prepared.spec, make_local_problem(prepared, problem)
    kept = checkpoint
    if not isinstance(kept, LocalCheckpoint):
        kept = LocalCheckpoint(prepared, problem, kept)
    known = kept.found(tuples, place)
    if known is not None:
        return tuples, *known
    local.compile_kernels(trees=local.has_trees(tuples))
    limit, asked = limit or spec.search.time_limit, spec.search.iterations
    usual = max(20_000, TRIED * len(tuples.codes))
    moves = usual if asked is None else max(asked, 1)
    rounds = BOUNDING if moves >= HURRIED * usual else 0
    # A limit that was not asked for only ends a search; one that was asked for is time to use.
    is_timed = "time_limit" in spec.search.model_fields_set or moves / SPEED > SEARCHING * limit
    is_timed = is_timed and asked is None
    callback = callback or notebook_callback()
    monitor = Monitor(SEARCHING * limit, callback)

    def ask(progress: Progress) -> bool | None:
        return callback and callback(replace(progress, fraction=1.0, evaluated=monitor.evaluated))

    whole = Monitor(limit, ask)
    try:
        solution = local.search_classes(
            tuples,
            seed=spec.search.seed,
            proposals=None if is_timed else moves,
            seconds=SEARCHING * limit if is_timed else None,
            threads=threads,
            monitor=monitor,
            state=kept.state(place) or after,
            save=lambda now: kept.save(place, now),
        )
    except InfeasibleError as error:
        raise InfeasibleError(_why_no_classes(problem, tuples) or error.message) from None
    kept.write()
    seconds = monitor.seconds
    if not monitor.halt[0]:
        whole.tick(1.0 - 1e-9, len(tuples.codes))
        # Where moves are counted, so are the steps of the bound: neither depends on the machine then.
        left = limit - seconds if asked is not None else min(limit - seconds, max(2.0, 2 * seconds))
        solution = local.bound_cost(
            tuples, solution, rounds=rounds, seconds=left, threads=threads, monitor=whole
        )
    reason = "stopped" if whole.halt[0] else monitor.reason
    run = _describe_local(prepared, problem, (tuples, solution), reason, (seconds, whole.seconds))
    return tuples, solution, run


def _why_no_classes(problem: Problem, tuples: local.LocalProblem) -> str | None:
    """Say what the most general labels do not meet, and what the nearest is; None if they meet everything."""
    ladders = []
    for space in tuples.spaces:
        levels = np.stack([np.arange(space.size), space.widest, np.zeros(space.size)]).astype(np.int32)
        ladders.append(Ladder(levels, 1, 1))
    said = nearest_classes(replace(problem, lattice=Lattice(tuple(ladders)), schemes=None))
    return said and f"no local recoding was found that meets {said}"


def _describe_local(
    prepared: Prepared,
    problem: Problem,
    found: tuple[local.LocalProblem, local.LocalSolution],
    stopped: str | None,
    seconds: tuple[float, float],
) -> dict[str, object]:
    tuples, solution = found
    run: dict[str, object] = {
        "method": "local",
        "why": 'scope = "local"',
        "status": "feasible",
        "seed": prepared.spec.search.seed,
        "complete": False,
        "seconds": round(seconds[0], 6),
        "seconds_bound": round(seconds[1] - seconds[0], 6),
        "rows": prepared.cube.row_count,
        "distinct": prepared.cube.distinct,
        "fingerprint": prepared.cube.fingerprint,
        "objectives": _names(problem),
        "versions": release.current_versions(),
        **({"weighted": True} if prepared.spec.recoding.weighted else {}),
    }
    if solution.bound is not None and solution.gap is not None:
        bound = local_bound(problem, tuples, solution.bound)
        run |= {"bound": bound, "gap": solution.gap, "certificate": dict(solution.certificate)}
    if stopped:
        run["stopped"] = stopped
    return run


def _objectives(problem: Problem) -> tuple[fronts.Objective, ...]:
    return tuple(fronts.Objective(item.name, item.direction.sign < 0) for item in problem.objectives)


def make_front(prepared: Prepared, problem: Problem, result: SearchResult, run: dict[str, object]) -> Front:
    """Make the front of the nodes that a search found."""
    statistics = problem.batch(threads=1, lattice=result.lattice).evaluate(result.nodes)
    values = {item.name: item.value(statistics) for item in problem.measures}
    solutions = tuple(
        fronts.PlainSolution(
            number + 1,
            {name: float(column[number]) for name, column in values.items()},
            int(statistics.suppressed[number]),
            release.write_recoding(prepared, result.lattice, result.nodes[number]),
        )
        for number in range(len(result.nodes))
    )
    objectives = _objectives(problem)
    return Front(solutions, objectives, run, source=(prepared, problem))


COMPARED = 4_000_000_000
"""Work (recodings × distinct tuples) up to which the global front is found beside a local one: seconds."""


def explore_local(
    prepared: Prepared,
    own: Iterable[Measure],
    since: float,
    *,
    threads: int | None,
    callback: Callback | None,
    checkpoint: str | os.PathLike[str] | None,
) -> Front:
    """Find a local recoding for each of some requirements, and the global front to compare them with.

    The strictest requirement comes first: its classes meet the next one too, whose search starts from them,
    so no solution is worse than one with a stricter requirement.
    """
    own, measure = tuple(own), ladder_measure(prepared, own)
    maximize, minimize = asked_objectives(prepared.spec)
    if measure.name not in maximize + minimize:
        up = measure.direction is Direction.MAXIMIZE
        maximize, minimize = (
            (*maximize, measure.name) if up else maximize,
            minimize if up else (*minimize, measure.name),
        )
    problem = make_problem(prepared, maximize, minimize, own)
    release.refuse_measures(prepared, problem)
    steps = make_ladder(prepared, measure)
    kept = LocalCheckpoint(prepared, problem, checkpoint, (measure.name, steps))
    shown = _part_of(callback, 0, 1, None, 0.0)
    beside = _global_front(prepared, (maximize, minimize), own, threads, shown)
    begin, limit = time.perf_counter(), prepared.spec.search.time_limit
    found: list[tuple[fronts.PlainSolution, dict[str, object]]] = []
    after, failed = None, None
    for place, step in enumerate(steps):
        required = (*(item for item in problem.requirements if item.measure.name != measure.name),)
        asked = replace(problem, requirements=(*required, Requirement(measure, step)))
        left = (limit - (time.perf_counter() - begin)) / (len(steps) - place)
        known = fronts.PlainFront(tuple(item for item, _ in found), _objectives(problem)).costs
        try:
            tuples, after, run = search_local(
                prepared,
                asked,
                threads=threads,
                callback=_part_of(callback, place, len(steps), known if found else None),
                checkpoint=kept,
                limit=max(left, 1e-3),
                after=after,
                place=place,
            )
        except InfeasibleError as error:
            failed = error
            continue
        found.append((_solve_step(prepared, problem, tuples, after), {"limit": step, **run}))
        if run.get("stopped") == "stopped":
            break
        kept.finish(place, after, run)
    if not found and failed:
        raise failed
    front = _make_local_front(prepared, problem, measure, found, beside)
    return replace(front, run={**front.run, "seconds_total": round(time.perf_counter() - since, 6)})


def _part_of(
    callback: Callback | None, place: int, count: int, costs: FloatArray | None, share: float = 1.0
) -> Callback | None:
    """Return a callback that sees one of several searches as part of the whole, with what others found."""
    told = callback or notebook_callback()
    if told is None:
        return None

    def tell(progress: Progress) -> bool | None:
        return told(replace(progress, fraction=(place + share * progress.fraction) / count, costs=costs))

    return tell


def _solve_step(
    prepared: Prepared, problem: Problem, tuples: local.LocalProblem, solution: local.LocalSolution
) -> fronts.PlainSolution:
    measures, _, shown = release.measure_solution(prepared, problem, tuples, solution)
    told = {item.name: measures[item.name] for item in problem.measures}
    return fronts.PlainSolution(0, told, int(measures["suppressed"]), shown, solution.gap, solution.classes)


def _make_local_front(
    prepared: Prepared,
    problem: Problem,
    measure: Measure,
    found: list[tuple[fronts.PlainSolution, dict[str, object]]],
    beside: Front | None,
) -> Front:
    """Keep the solutions that no other beats, and say how each was found."""
    objectives = _objectives(problem)
    costs = fronts.PlainFront(tuple(item for item, _ in found), objectives).costs
    kept = fronts.non_dominated(costs).tolist()
    solutions = tuple(replace(found[place][0], number=number + 1) for number, place in enumerate(kept))
    told = ("limit", "seconds", "seconds_bound", "bound", "gap", "stopped")
    steps = [{key: run[key] for key in told if key in run} for _, run in found]
    for number, place in enumerate(kept):
        steps[place]["solution"] = number + 1
    last = {key: item for key, item in found[-1][1].items() if key not in (*told, "certificate")}
    run = {
        **last,
        "scope": "local",
        "seconds": round(sum(float(str(step["seconds"])) for step in steps), 6),
        "seconds_bound": round(sum(float(str(step["seconds_bound"])) for step in steps), 6),
        "objectives": _names(problem),
        "ladder": {"measure": measure.name, "steps": steps},
    }
    if "stopped" in found[-1][1]:
        run["stopped"] = found[-1][1]["stopped"]
    if beside is not None:
        run["global"] = dict(beside.run)
    return Front(solutions, objectives, run, beside, source=(prepared, problem))


def _global_front(
    prepared: Prepared,
    wanted: tuple[tuple[str, ...], tuple[str, ...]],
    own: tuple[Measure, ...],
    threads: int | None,
    callback: Callback | None,
) -> Front | None:
    """Return the whole front of global recodings by levels; None where that takes long, or there is none."""
    spec = prepared.spec.to_global()
    around = prepare(replace(prepared.table, spec=spec))
    problem = make_problem(around, *wanted, own)
    if not around.is_full_domain or problem.space * problem.cube.distinct > COMPARED:
        return None
    result, run = run_search(around, problem, threads=threads, callback=callback, checkpoint=None)
    if not result.complete or not len(result.nodes):
        return None
    return make_front(around, problem, result, {**run, "scope": "global"})
