"""The public functions: each validates, then calls the rooms in the order data flows."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from sfumato import front as fronts
from sfumato import preparing, search
from sfumato.confidentiality import find_warnings
from sfumato.errors import InfeasibleError, ParameterError, SpecError
from sfumato.release import make_draft, make_local_draft, release_target
from sfumato.releases import Measures, Release
from sfumato.searching import explore_local, make_front, planned_method, run_search, search_local, why_none
from sfumato.spec import DataSpec, Spec
from sfumato.table import count_cube, open_source
from sfumato.table.keys import refuse_both

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from sfumato.assess.risk_results import Risk
    from sfumato.measures import Measure
    from sfumato.microaggregating import Microaggregated
    from sfumato.microaggregation.aggregating import Groups, Method
    from sfumato.monitor import Progress
    from sfumato.results import Front

Data: TypeAlias = "object | str | os.PathLike[str] | None"


def explore(
    data: Data,
    spec: Spec,
    *,
    threads: int | None = None,
    callback: search.Callback | None = None,
    measures: Sequence[Measure] = (),
    checkpoint: str | os.PathLike[str] | None = None,
) -> Front:
    """Find the front of a specification's objectives.

    With ``scope = "local"`` there is one solution for each of some requirements (``[recoding] ladder``), each
    with how far from the optimum it may be, and ``front.beside`` is the front of global recodings by levels
    where that is quickly found.

    Parameters
    ----------
    data
        A frame, a path, or None for the path that the specification names.
    spec
        The specification.
    threads
        Workers of the search; all cores if None. The result does not depend on it.
    callback
        Sees the progress some ten times a second and may stop the search by returning True.
    measures
        Custom measures (see `sfumato.measures.PropertyMeasure`), which objectives and requirements
        of the specification may name.
    checkpoint
        A file in which the search saves its progress; a search of the same run resumes from it.

    Returns
    -------
    Front
        The solutions, best first. ``front.complete`` says whether it is the whole front.
    """
    begin = time.perf_counter()
    maximize, minimize = preparing.asked_objectives(spec)
    if not maximize + minimize:
        raise SpecError("no objectives: list measures under [objectives] maximize or minimize.")
    prepared = preparing.load(data, spec, to_search=True)
    if spec.is_local:
        return explore_local(
            prepared, measures, begin, threads=threads, callback=callback, checkpoint=checkpoint
        )
    problem = preparing.make_problem(prepared, maximize, minimize, measures)
    result, run = run_search(prepared, problem, threads=threads, callback=callback, checkpoint=checkpoint)
    run["seconds_total"] = round(time.perf_counter() - begin, 6)
    return make_front(prepared, problem, result, run)


def anonymize(
    data: Data,
    spec: Spec | None = None,
    *,
    k: int | None = None,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    threads: int | None = None,
    callback: search.Callback | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Release:
    """Make the best release that meets ``[require]``, by the first entry of ``minimize``.

    Where ``sf`` and ``ql`` are to be maximized and nothing is minimized, the best one has the largest product
    of the two. Otherwise that entry is the only objective of the run, so ``auto`` suppresses what fails and
    nothing else. With ``[release] choice = "near-optimal"`` one of those within the tolerance of the best is
    drawn at random, and ``release.run["choice"]`` says, for you only, how many there were.

    Without a specification, name the columns to publish: hierarchies and weights are then suggested, 1 % of
    the rows may be suppressed, and ``release.spec`` is the resulting specification. **Columns that are not
    named are not published**; ``release.left_out`` lists them.

    Parameters
    ----------
    data
        A frame, a path, or None for the path that the specification names.
    spec
        The specification; None if the next three say what is asked for.
    k
        At least this many rows must look alike; 5 if not given.
    quasi_identifiers
        Columns that an outsider may know; they are generalized.
    sensitive
        Columns whose values must not be learnt; they are published unchanged.
    threads
        Workers of the search; all cores if None. The result does not depend on it.
    callback
        Sees the progress some ten times a second and may stop the search by returning True.
    checkpoint
        A file in which the search saves its progress; a search of the same run resumes from it.

    Returns
    -------
    Release
        Not written yet; ``release.run`` says how it was found.

    Raises
    ------
    InfeasibleError
        If no recoding meets the requirements; the message names the nearest.
    ParameterError
        If a specification is given together with what it says, or neither is given.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table(
    ...     {"name": ["A. Ash", "B. Birch"] * 9, "age": [*range(18)], "hiv": ["pos", "neg"] * 9}
    ... )
    >>> anonymize(people, k=3, quasi_identifiers=["age"], sensitive=["hiv"])
    <release of 18 rows, 0 suppressed; left out: name>
    """
    begin = time.perf_counter()
    if spec is None or k is not None or quasi_identifiers or sensitive:
        from sfumato.suggesting import specify

        spec = specify(data, k, quasi_identifiers, sensitive, spec)
    if not spec.objectives.minimize and set(preparing.asked_objectives(spec)[0]) == fronts.GRANULATION:
        front = explore(data, spec, threads=threads, callback=callback, checkpoint=checkpoint)
        return front.pick("product").release()
    if not spec.objectives.minimize:
        raise SpecError("nothing to minimize: list a measure under [objectives] minimize, such as 'loss'.")
    if not spec.require:
        raise SpecError("nothing is required: add [require] with, for example, k = 5.")
    prepared = preparing.load(data, spec, to_search=True)
    problem = preparing.make_problem(prepared, (), spec.objectives.minimize[:1])
    if spec.is_local:
        tuples, solution, run = search_local(
            prepared, problem, threads=threads, callback=callback, checkpoint=checkpoint
        )
        draft = make_local_draft(prepared, problem, tuples, solution)
        return Release(draft, {**run, "seconds_total": round(time.perf_counter() - begin, 6)})
    result, run = run_search(prepared, problem, threads=threads, callback=callback, checkpoint=checkpoint)
    if not len(result.nodes):
        raise InfeasibleError(why_none(problem, result))
    lattice, node = result.lattice, result.nodes[0]
    asked = spec.release
    if asked.choice == "near-optimal":
        watch = search.Monitor(spec.search.time_limit, callback)
        lattice, node, run["choice"] = search.draw_near(
            problem, (lattice, node), asked.tolerance, asked.seed, threads=threads, monitor=watch
        )
    release = Release(make_draft(prepared, problem, node, lattice), run)
    release.run["seconds_total"] = round(time.perf_counter() - begin, 6)
    return release


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
        Column that identifies persons, if a person has several rows.
    spec
        How a file is read (separator, encoding, missing), if not by the defaults, and which sensitive values
        are unknown.

    Returns
    -------
    dict
        ``rows``, ``classes``, then measure → number. Measures of lost detail are left
        out: a table alone does not show what it was before.
    """
    if not quasi_identifiers:
        raise ParameterError("name at least one quasi-identifier.")
    refuse_both(quasi_identifiers, sensitive)
    source = open_source(data, None if spec is None else spec.data)
    attributes = None if spec is None else spec.attributes
    cube = count_cube(source, tuple(quasi_identifiers), tuple(sensitive), person, attributes)
    return Measures(search.measure_cube(cube))


def microaggregate(  # noqa: PLR0913 (keywords alone from the fourth on, and no two that belong together)
    data: object,
    columns: Sequence[str],
    k: int = 5,
    *,
    groups: Groups = None,
    standardize: bool = True,
    method: Method = "mdav",
    within: str | None = None,
    centroid: Literal["mean", "median"] = "mean",
    orders: Mapping[str, Sequence[str]] | None = None,
    keep: Sequence[str] = (),
    sort: bool = False,
    drop: Sequence[str] | None = None,
    gain: float = 0.2,
    loss_weight: float = 0.5,
    steps: int = 300,
    seed: int = 1,
    threads: int | None = None,
    time_limit: float | None = None,
    callback: Callable[[Progress], bool | None] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    spec: Spec | None = None,
) -> Microaggregated:
    """Replace the values of columns by the centres of clusters of at least k similar rows.

    Parameters
    ----------
    data
        A frame or a path.
    columns
        Columns of numbers, dates, or texts with an order.
    k
        Smallest size of a cluster, from 2 to the number of rows.
    groups
        Lists of columns that are microaggregated together, each column in one; None for one group of all;
        ``auto`` to search for groups by GOMM and a descent after it; ``gomm`` and ``d-gomm`` to search as the
        paper prints them. With several groups k holds in each group separately, not over all columns.
    standardize
        Take distances between z-scores. Columns are released on their own scale either way.
    method
        ``mdav``; ``v-mdav``, whose clusters grow where rows are dense; ``univariate``, the optimum for each
        column by itself; ``annealing``, which begins as MDAV and regroups rows for much less error; or
        ``auto``, which begins as the better of the two, and is the optimum for a single column.
    within
        A column that clusters do not cross. Missing is a value of it like any other.
    centroid
        ``mean`` or ``median``, for columns of numbers. For dates and ordered texts the median is published,
        the lower one of two middle values.
    orders
        Column → its values, lowest first.
    keep
        Further columns that are published, unchanged. All others are left out, that of ``within`` too unless
        it is named here.
    sort
        Sort the published rows by all their columns, so that their order reveals nothing. Otherwise they
        keep the order of the input.
    drop
        Deprecated, without effect: what is not named in ``columns`` or ``keep`` is left out anyway.
    gain
        How readily clusters of V-MDAV grow; see `sfumato.microaggregation.v_mdav`.
    loss_weight
        What information loss counts against disclosure risk in the search for groups, from 0 to 1.
    steps
        How many steps annealing tries for each row.
    seed
        Seed of annealing and of the search for groups.
    threads
        Threads to use, all cores if None; the result does not depend on it.
    time_limit
        Seconds that the search for groups may take; no limit if None. Where groups are not searched for,
        annealing takes them in place of ``steps``, and the result depends on the machine.
    callback
        Sees the progress of searching and annealing, and may stop them by returning True.
    checkpoint
        A file in which both save their progress; the same call resumes from it.
    spec
        How a file is read (separator, encoding, missing), if not by the defaults.

    Returns
    -------
    Microaggregated
        With ``frame``, ``measures``, ``joint_k``, ``warnings``, ``verify()`` and ``write()``; its ``search``
        says how groups were found, with the ``front`` of il, id and dld and what each operator did.

    Raises
    ------
    DataError
        If columns are missing or hold other kinds of values, or a stratum has fewer than k rows.
    ParameterError
        If a parameter is out of its range, or groups do not name each column once.

    Notes
    -----
    Missing values stay missing and are not filled in: rows are only clustered with rows that have the
    same columns of a group missing. If there are fewer than k such rows, all their cells in the group are
    blanked.
    """
    if drop is not None:
        warnings.warn(
            "drop is deprecated and has no effect: columns that neither 'columns' nor 'keep' names are left "
            "out. List columns to publish in 'keep'.",
            DeprecationWarning,
            stacklevel=2,
        )
    from sfumato.microaggregating import Asked, aggregate

    kept = (keep,) if isinstance(keep, str) else tuple(dict.fromkeys(keep))
    asked = Asked(
        columns=columns,
        k=k,
        groups=groups,
        standardize=standardize,
        method=method,
        within=within,
        centroid=centroid,
        orders=orders or {},
        keep=kept,
        sort=sort,
        gain=gain,
        seed=seed,
        threads=threads,
        time_limit=time_limit,
        callback=callback,
        loss_weight=loss_weight,
        steps=steps,
        checkpoint=None if checkpoint is None else Path(checkpoint),
    )
    return aggregate(data, asked, None if spec is None else spec.data, drop or ())


def risk(  # noqa: PLR0913 (keywords alone from the third on, and no two that belong together)
    data: object,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] = (),
    *,
    release: object = None,
    population: object = None,
    fraction: float | None = None,
    weight: str | None = None,
    person: str | None = None,
    household: str | None = None,
    threshold: float = 0.2,
    seed: int = 1,
    subsets: bool = True,
    downcoding: bool = True,
    spec: Spec | DataSpec | None = None,
    assignment: str | os.PathLike[str] | None = None,
) -> Risk:
    """Measure what attackers achieve against a table, and against a release made from it.

    Parameters
    ----------
    data
        A frame or a path; None for the path that the specification names.
    quasi_identifiers
        Columns that an outsider may know. If None, those of the specification, else of the release;
        without either, all columns except the sensitive ones, the person, the household and the weight.
    sensitive
        Columns whose values must not be learnt; those of the specification if none are named.
    release
        A release of these data: the path of its file, with its ``FILE.json`` next to it, or a release,
        draft or microaggregated table that is not written yet.
    population
        A table of everyone who might be in the data, with the quasi-identifiers; for journalist risk.
    fraction
        Instead of a population, the share of it that is in the data, above 0 and at most 1.
    weight
        Instead of either, the column of survey weights: how many people of the population a row stands for.
        If None, that of the specification, unless a population is passed.
    person
        Column that identifies persons, if a person has several rows; if None, and no household is named,
        that of the specification or the release.
    household
        Column that identifies households: classes then count households, and the chance that at least one
        member of a household is found is estimated. If None, and no person is named, that of the
        specification or the release.
    threshold
        A chance above this counts as a risk, from 0 to below 1.
    seed
        Seed of the random choices of linkage attacks.
    subsets
        Whether to look for combinations of attributes that single out most people.
    downcoding
        Whether to try to undo a generalization by using that it is minimal; needs the specification,
        and also searches for the best release and for near-optimal ones.
    spec
        A specification: roles, how files are read, and hierarchies of sensitive attributes, by which their
        values are similar. Or only its part ``data``, which says how files are read.
    assignment
        Of the file of a local release, the private file that `Release.write_assignment` wrote. Without it
        nobody can be looked for in the file, since it does not show which row became which.

    Returns
    -------
    Risk
        Counts and rates, never a value; ``to_dict()`` gives plain JSON.

    Raises
    ------
    DataError
        If data cannot be read, a column is missing, or the release was not made from these data.
    ParameterError
        If a parameter is out of its range.
    """
    from sfumato.assess.attackers import find_risk
    from sfumato.assess.cells import Survey

    return find_risk(
        data,
        quasi_identifiers,
        sensitive,
        release=release,
        population=population,
        fraction=fraction,
        survey=Survey(person, household, weight),
        threshold=threshold,
        seed=seed,
        subsets=subsets,
        downcoding=downcoding,
        spec=spec,
        assignment=assignment,
    )


def check(data: Data | Spec, spec: Spec | None = None) -> dict[str, object]:
    """Read specification, data and hierarchies, and say how large the search space is.

    Parameters
    ----------
    data
        A frame, a path, or None for the path that the specification names; or only the specification.
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
    from sfumato.assess.exposure import expose_table
    from sfumato.assess.left_out import find_small_strata

    prepared = preparing.load(data, spec)
    warnings = [*prepared.table.warnings, *map(str, expose_table(prepared)), *find_small_strata(prepared)]
    if prepared.table.secrets is not None:
        warnings += find_warnings(prepared.table.secrets.statements, prepared.cube)
    maximize, minimize = preparing.asked_objectives(spec)
    problem = preparing.make_problem(prepared, maximize, minimize)
    if not maximize + minimize:
        warnings.append("no objectives: explore needs measures under [objectives].")
    if spec.is_local:
        preparing.make_local_problem(
            prepared, preparing.make_problem(prepared, (), minimize[:1] or ("loss",))
        )
    method = "local" if spec.is_local else planned_method(problem, spec, warnings)
    exact = method != "local" and (search.is_enumerable(problem) or method == "lattice")
    exact = exact or (method == "optimal" and prepared.is_full_domain)
    return {
        "ok": True,
        "rows": prepared.cube.row_count,
        "distinct": prepared.cube.distinct,
        "space": None if spec.is_local else fronts.whole_text(problem.space),
        "method": method,
        "exact": exact,
        "warnings": warnings,
        "left_out": list(prepared.table.left_out),
        "attributes": preparing.describe_attributes(prepared),
        "confidential": preparing.describe_sentences(prepared),
    }


def verify(
    path: str | os.PathLike[str],
    spec: Spec | None = None,
    data: Data = None,
    *,
    table: str | None = None,
    manifest: str | os.PathLike[str] | None = None,
) -> dict[str, object]:
    """Recount a released file, or a table of a database, from scratch.

    Parameters
    ----------
    path
        The file, or address of the database. Roles and promises come from ``FILE.json``, if it is there.
    spec
        Roles and requirements to check the file against too, or on their own if there is no ``FILE.json``.
        The names of these checks then begin with ``specification:``. With ``data`` it also says how these are
        read, what the domains are, and for whom sentences are confidential.
    data
        The data that the release was made from, a frame or a path, if you have them: the recipe must then
        make exactly the released rows from them, and every measure that is stated or required is computed
        from them if they determine it.
    table
        In a database, the table; ``manifest`` is its file then.
    manifest
        ``TABLE.json`` in the current folder if not given.

    Returns
    -------
    dict
        ``holds``, ``violations``, ``require``, ``stated``, ``measures``, ``not_recounted``, ``rows``,
        ``classes``, ``notes``, ``sha256`` and ``checks``: everything that was checked, each with ``name``,
        ``verdict`` (``holds``, ``broken`` or ``cannot be recounted``) and ``detail``. ``require`` and
        ``stated`` are those of ``FILE.json`` if there is one.

    Raises
    ------
    DataError
        If file, manifest or data cannot be read.
    VerificationError
        If the manifest contradicts itself so that nothing is left to recount; or, without a manifest, a
        column of the specification is missing.

    Notes
    -----
    A manifest carries a seal, a digest of everything else in it, so that any changed claim is noticed.
    It is not a signature: anyone who can rewrite the manifest can rewrite the seal, and then only the
    recount counts.

    Columns that are published unchanged are compared with the data to the last character. Numbers and
    dates in the other columns may be spelt differently, since a format may force that. The order of columns
    is not checked.
    """
    from sfumato.release.audit import audit_place

    return audit_place(release_target(path, table, manifest), data, spec).to_dict()


def warm_up() -> None:
    """Compile every kernel, so that the first search does not wait for it."""
    from sfumato import microaggregation
    from sfumato.local import compile_kernels

    search.warm_up_kernels()
    for trees in (True, False):
        compile_kernels(trees=trees)
    microaggregation.warm_up_kernels()
