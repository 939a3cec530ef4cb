"""The public functions: each validates, then calls the rooms in the order data flows."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from sfumato import front as fronts
from sfumato.confidentiality import count_protected, find_warnings
from sfumato.errors import InfeasibleError, ParameterError, SpecError
from sfumato.preparing import asked_objectives, load, make_problem
from sfumato.release import (
    audit_against,
    audit_release,
    current_versions,
    make_draft,
    manifest_path,
    trim_lattice,
    write_recoding,
)
from sfumato.results import Front, Release
from sfumato.search import (
    METHODS,
    Monitor,
    SearchSettings,
    Status,
    choose_method,
    compile_method,
    draw_near,
    explain_infeasible,
    is_enumerable,
    measure_cube,
    warm_up_kernels,
)
from sfumato.spec import Spec
from sfumato.table import count_cube, open_source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.measures import Measure
    from sfumato.preparing import Prepared
    from sfumato.search import Callback, Problem, SearchResult

Data: TypeAlias = "object | str | os.PathLike[str] | None"


def explore(
    data: Data,
    spec: Spec,
    *,
    threads: int | None = None,
    callback: Callback | None = None,
    measures: Sequence[Measure] = (),
    checkpoint: str | os.PathLike[str] | None = None,
) -> Front:
    """Find the front of a specification's objectives.

    Parameters
    ----------
    data
        A frame, a path, or None for the path that the specification names.
    spec
        The specification.
    threads
        Workers of the search; all cores where None. The result does not depend on it.
    callback
        Sees the progress some ten times a second and may stop the search by returning True.
    measures
        Measures of your own (see `sfumato.measures.PropertyMeasure`), which objectives and requirements
        of the specification may name.
    checkpoint
        A file in which a search that can be resumed keeps how far it came; if it is there and fits the
        run, the search goes on from it.

    Returns
    -------
    Front
        The solutions, best first. ``front.complete`` tells whether it is the whole front.
    """
    begin = time.perf_counter()
    maximize, minimize = asked_objectives(spec)
    if not maximize + minimize:
        raise SpecError("no objectives: list measures under [objectives] maximize or minimize.")
    prepared = load(data, spec)
    problem = make_problem(prepared, maximize, minimize, measures)
    method, why = _choose_method(problem, spec)
    settings = _settings(spec, threads, checkpoint)
    result = _search(method, problem, spec, settings, callback)
    run = _run(prepared, problem, result, method, why)
    run["seconds_total"] = round(time.perf_counter() - begin, 6)
    return _front(prepared, problem, result, run)


def anonymize(
    data: Data,
    spec: Spec,
    *,
    threads: int | None = None,
    callback: Callback | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Release:
    """Make the best release that meets ``[require]``, by the first entry of ``minimize``.

    That entry is the only objective of the run, so ``auto`` suppresses what fails and nothing else. With
    ``[release] choice = "near-optimal"`` one of those within the tolerance of the best is drawn at random,
    and ``release.run["choice"]`` says, for you alone, how many there were.

    Parameters
    ----------
    data
        A frame, a path, or None for the path that the specification names.
    spec
        The specification.
    threads
        Workers of the search; all cores where None. The result does not depend on it.
    callback
        Sees the progress some ten times a second and may stop the search by returning True.
    checkpoint
        A file in which a search that can be resumed keeps how far it came; if it is there and fits the
        run, the search goes on from it.

    Returns
    -------
    Release
        Not written yet; ``release.run`` says how it was found.

    Raises
    ------
    InfeasibleError
        If no recoding meets the requirements; the message names the nearest.
    """
    begin = time.perf_counter()
    if not spec.objectives.minimize:
        raise SpecError("nothing to minimize: list a measure under [objectives] minimize, such as 'loss'.")
    if not spec.require:
        raise SpecError("nothing is required: add [require] with, for example, k = 5.")
    prepared = load(data, spec)
    problem = make_problem(prepared, (), spec.objectives.minimize[:1])
    method, why = _choose_method(problem, spec)
    settings = _settings(spec, threads, checkpoint)
    result = _search(method, problem, spec, settings, callback)
    if not len(result.nodes):
        raise InfeasibleError(_why_none(problem, result))
    run = _run(prepared, problem, result, method, why)
    lattice, node = result.lattice, result.nodes[0]
    asked = spec.release
    if asked.choice == "near-optimal":
        watch = Monitor(spec.search.time_limit, callback)
        lattice, node, run["choice"] = draw_near(
            problem, (lattice, node), asked.tolerance, asked.seed, threads=threads, monitor=watch
        )
    release = Release(make_draft(prepared, problem, node, lattice), run)
    release.run["seconds_total"] = round(time.perf_counter() - begin, 6)
    return release


def why_empty(front: Front) -> str:
    """Say in one line why a front has no solution, and what the nearest is that can be met."""
    if front.source is None or not front.complete:
        return "no recoding that meets the requirements was found before the search ended."
    return explain_infeasible(front.source[1])


def release_solution(data: Data, spec: Spec, front: Front, pick: str | int) -> Release:
    """Apply one solution of a front that was found earlier.

    Parameters
    ----------
    data
        A frame, a path, or None for the path that the specification names.
    spec
        The specification that the front was made with.
    front
        The front.
    pick
        A solution's number, ``knee``, or comparisons.

    Returns
    -------
    Release
        Not written yet.
    """
    chosen = front.pick(pick).number
    return front.attach(data, spec)[chosen - 1].release()


def measure(
    data: Data,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    *,
    person: str | None = None,
    spec: Spec | None = None,
) -> dict[str, float]:
    """Return all measures of any table, protected or not.

    Parameters
    ----------
    data
        A frame or a path.
    quasi_identifiers
        Columns that an outsider may know.
    sensitive
        Columns whose values must not be learnt.
    person
        Column that tells persons apart, where a person has several rows.
    spec
        How a file is read (separator, encoding, missing), if it needs saying.

    Returns
    -------
    dict
        ``rows``, ``classes``, then measure → number. Measures of lost detail are left
        out: a table alone does not tell what it was before.
    """
    if not quasi_identifiers:
        raise ParameterError("name at least one quasi-identifier.")
    both = set(quasi_identifiers) & set(sensitive)
    if both:
        raise ParameterError(
            f"column {sorted(both)[0]!r} is named both as quasi-identifier and as sensitive."
        )
    source = open_source(data, None if spec is None else spec.data)
    cube = count_cube(source, tuple(quasi_identifiers), tuple(sensitive), person)
    return measure_cube(cube)


def check(data: Data | Spec, spec: Spec | None = None) -> dict[str, object]:
    """Read specification, data and hierarchies, and say how large the search space is.

    Parameters
    ----------
    data
        A frame, a path, or None for the path that the specification names; or the specification alone.
    spec
        The specification.

    Returns
    -------
    dict
        ``ok``, ``rows``, ``distinct``, ``space``, ``method``, ``exact``, ``warnings``, ``attributes``,
        ``left_out``, the columns that the specification does not name, and ``confidential``, with how many
        people each sentence protects.
    """
    if isinstance(data, Spec):
        data, spec = None, data
    if spec is None:
        raise ParameterError("check needs a specification: sf.check(data, spec).")
    prepared = load(data, spec)
    warnings = list(prepared.table.warnings)
    if prepared.table.secrets is not None:
        warnings += find_warnings(prepared.table.secrets.statements, prepared.cube)
    maximize, minimize = asked_objectives(spec)
    problem = make_problem(prepared, maximize, minimize)
    if not maximize + minimize:
        warnings.append("no objectives: explore needs measures under [objectives].")
    method = _checked_method(problem, spec, warnings)
    exact = is_enumerable(problem) or method == "lattice"
    exact = exact or (method == "optimal" and prepared.is_full_domain)
    return {
        "ok": True,
        "rows": prepared.cube.row_count,
        "distinct": prepared.cube.distinct,
        "space": fronts.whole_text(problem.space),
        "method": method,
        "exact": exact,
        "warnings": warnings,
        "left_out": list(prepared.table.left_out),
        "attributes": _describe_attributes(prepared),
        "confidential": _describe_sentences(prepared),
    }


def _describe_sentences(prepared: Prepared) -> list[dict[str, object]]:
    """Say how many people each confidential sentence protects."""
    secrets = prepared.table.secrets
    if secrets is None:
        return []
    return [
        {
            "sentence": item.formatted,
            "for": item.holders_text or ("everyone" if item.record is None else f"record {item.record}"),
            "people": protected.people,
            "damage": item.damage,
        }
        for item, protected in zip(secrets.statements, count_protected(prepared.cube), strict=True)
    ]


def _describe_attributes(prepared: Prepared) -> list[dict[str, object]]:
    table, counts = (
        prepared.table,
        dict(zip(prepared.setting.quasi_identifiers, prepared.counts, strict=True)),
    )
    described: list[dict[str, object]] = []
    for name, asked in prepared.spec.attributes.items():
        hierarchy = table.hierarchies.get(name) or table.sensitive.get(name)
        described.append(
            {
                "name": name,
                "role": asked.role,
                "kind": hierarchy.kind if hierarchy else asked.kind,
                "scheme": asked.scheme if name in counts else None,
                "values": hierarchy.size if hierarchy else None,
                "levels": hierarchy.height + 1 if name in counts and hierarchy else None,
                "space": fronts.whole_text(counts[name]) if name in counts else None,
            }
        )
    return described


def verify(path: str | os.PathLike[str], spec: Spec | None = None, data: Data = None) -> dict[str, object]:
    """Recount a released file from scratch.

    Parameters
    ----------
    path
        The file. Roles and promises come from ``FILE.json``, where it stands beside the file.
    spec
        Roles and requirements to hold the file against as well; alone, where there is no ``FILE.json``. The
        names of these checks begin with ``specification:`` then. With ``data`` it also says how these are
        read, what the domains are, and for whom sentences are confidential.
    data
        The data that the release was made from, a frame or a path, where they are at hand: then it is also
        checked that the recipe makes exactly the released rows of them, and every measure that is stated or
        required is computed from them, wherever they determine it.

    Returns
    -------
    dict
        ``holds``, ``violations``, ``require``, ``stated``, ``measures``, ``not_recounted``, ``rows``,
        ``classes``, ``notes``, ``sha256`` and ``checks``: everything that was looked at, each with ``name``,
        ``verdict`` (``holds``, ``broken`` or ``cannot be recounted``) and ``detail``. ``require`` and
        ``stated`` are those of ``FILE.json`` where there is one.

    Raises
    ------
    DataError
        If file, manifest or data cannot be read.
    VerificationError
        If the manifest contradicts itself so that nothing is left to recount; or, without a manifest, a
        column of the specification is missing.

    Notes
    -----
    A manifest carries a seal, a digest of all else in it, so that any changed claim is seen. It is no
    signature: whoever can rewrite the manifest can rewrite the seal, and then the recount alone stands.

    Columns that leave unchanged are compared with the data to the last character. Numbers and dates among
    the other columns may be spelt in another way, since a format may force that. The order of columns is
    not looked at.
    """
    file = Path(path)
    if spec is None or data is not None or manifest_path(file).exists():
        return audit_release(file, data, spec).to_dict()
    return audit_against(file, spec).to_dict()


def warm_up() -> None:
    """Compile every kernel, so that the first search does not wait for it."""
    from sfumato import microaggregation

    warm_up_kernels()
    microaggregation.warm_up_kernels()


def _choose_method(problem: Problem, spec: Spec) -> tuple[str, str]:
    try:
        return choose_method(problem, spec.search.method)
    except ParameterError as error:
        raise SpecError(error.message, where=spec.where("search", "method")) from None


def _checked_method(problem: Problem, spec: Spec, warnings: list[str]) -> str:
    """Return the method that a run would use; where no front can be found, that of one best release."""
    try:
        return choose_method(problem, spec.search.method)[0]
    except ParameterError as error:
        if spec.search.method != "auto" or not problem.objectives:
            raise SpecError(error.message, where=spec.where("search", "method")) from None
        warnings.append(f"explore cannot find this front: {error.message}")
        return choose_method(replace(problem, objectives=problem.objectives[-1:]), "auto")[0]


def _settings(spec: Spec, threads: int | None, checkpoint: str | os.PathLike[str] | None) -> SearchSettings:
    """Collect what a user says about the search."""
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


def _why_none(problem: Problem, result: SearchResult) -> str:
    if result.status is Status.LIMIT_REACHED:
        return (
            f"no recoding that meets the requirements was found before the search ended ({result.stopped})."
        )
    return explain_infeasible(problem)


def _run(
    prepared: Prepared, problem: Problem, result: SearchResult, method: str, why: str
) -> dict[str, object]:
    """Say how a search went, as ``run.json`` does."""
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
    batch = problem.batch(threads=1, lattice=result.lattice)
    value = float(problem.objectives[0].value(batch.evaluate(result.nodes[:1]))[0])
    gap = 0.0 if result.complete else abs(value - result.bound) / max(abs(value), 1e-300)
    return {"bound": result.bound, "gap": gap}


def _front(prepared: Prepared, problem: Problem, result: SearchResult, run: dict[str, object]) -> Front:
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
