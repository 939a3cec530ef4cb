"""What attackers would achieve: against any table, and against a release made from it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sfumato.assess.cells import Cells, CodedTable, Survey, count_rows, read_cells
from sfumato.assess.downcoding import attack_minimality
from sfumato.assess.linkage import MOST, link_classes, link_nearest, scan_subsets
from sfumato.assess.pairing import (
    RecodedCells,
    Released,
    find_branches,
    find_known,
    find_positions,
    label_values,
    open_release,
    recode_cells,
    share_codes,
)
from sfumato.assess.reidentification import Assumptions, assess, population_sizes
from sfumato.assess.risk_results import Risk, TableRisk
from sfumato.errors import DataError, ParameterError, nearest
from sfumato.hierarchies import ROOT, text_of
from sfumato.release.manifest import open_released
from sfumato.release.microaggregated import orders_of, read_both
from sfumato.spec import DataSpec, Spec
from sfumato.table import Source, open_source
from sfumato.table.keys import require_columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sfumato.release import Generalization

    Counted: TypeAlias = tuple[Source, CodedTable]
    People: TypeAlias = Counted | None  # the population, if there is one
    Meanings: TypeAlias = dict[str, tuple[Sequence[str | None], Sequence[str | None]]]
    """Attribute → what each code means in one table and in another."""


def find_risk(  # noqa: PLR0913 (the parameters of `sfumato.risk`)
    data: object,
    quasi_identifiers: Sequence[str] | None,
    sensitive: Sequence[str],
    *,
    release: object,
    population: object,
    fraction: float | None,
    survey: Survey,
    threshold: float,
    seed: int,
    subsets: bool,
    downcoding: bool,
    spec: Spec | DataSpec | None,
    assignment: object = None,
) -> Risk:
    """Measure what attackers achieve; see `sfumato.risk`."""
    whole = spec if isinstance(spec, Spec) else None
    how = spec.data if isinstance(spec, Spec) else spec
    if whole is not None:
        # What was not said is taken from the specification.
        data = whole.data_path if data is None else data
        if quasi_identifiers is None:
            quasi_identifiers = [name for name in whole.quasi_identifiers if name not in sensitive]
        sensitive = sensitive or [name for name in whole.sensitive if name not in quasi_identifiers]
    released = None if release is None else open_release(release)
    survey = survey_of(survey, how, released, is_weighted=population is None)
    _check(quasi_identifiers, sensitive, population, fraction, threshold, weight=survey.weight)
    source = open_source(data, reading_of(how, released))
    if released is not None and assignment is not None:
        released = released.assigned(source, assignment)
    names, notes = _choose_names(source, quasi_identifiers, (*sensitive, *survey.columns), released)
    table = read_original(source, names, sensitive, released, survey)
    people = None if population is None else _read_population(population, names, survey, how)
    return attack(
        (source, table),
        (names, sensitive),
        released,
        Assumptions(threshold, fraction),
        people,
        spec=whole,
        seed=seed,
        subsets=subsets,
        downcoding=downcoding,
        notes=notes,
    )


def read_original(
    source: Source, names: Sequence[str], sensitive: Sequence[str], released: Released | None, survey: Survey
) -> CodedTable:
    """Count the original once, by all columns that attackers and the release need."""
    needed = [*names, *sensitive, *(() if released is None else released.quasi_identifiers)]
    return read_cells(source, tuple(dict.fromkeys(needed)), survey)


def attack(  # noqa: PLR0913 (keywords alone from the sixth on, and no two that belong together)
    original: Counted,
    columns: tuple[Sequence[str], Sequence[str]],
    released: Released | None,
    assumed: Assumptions,
    people: People = None,
    *,
    spec: Spec | None = None,
    seed: int = 1,
    subsets: bool = True,
    downcoding: bool = False,
    notes: Sequence[str] = (),
) -> Risk:
    """Let attackers try a table that was counted, and a release made from it."""
    (source, table), (names, sensitive) = original, columns
    said = spec if spec is not None or released is None else released.recipe
    assumed = _assume(assumed, table, sensitive, spec, said)
    before, strangers = _assess_original(table, names, sensitive, assumed, people)
    linked = link_classes(table.cells, names, np.ones(len(table.cells.rows), dtype=bool), seed=seed)
    scan = scan_subsets(table.cells, names) if subsets else None
    threshold, told = float(assumed.threshold), (*notes, *strangers)
    found = Risk(tuple(names), tuple(sensitive), threshold, before, linked, scan, notes=told)
    if released is None:
        return found
    if released.recipe is None:
        return _against_microaggregated(found, source, released, assumed, spec, seed=seed)
    found = _against_generalized(found, original, released, assumed, people, seed=seed)
    if spec is None or not downcoding:
        return found
    tried, remarks = attack_minimality(source, spec, released, people, seed=seed)
    return replace(found, downcoding=tried, notes=(*found.notes, *remarks))


def survey_of(
    asked: Survey, how: DataSpec | None, released: Released | None, *, is_weighted: bool = True
) -> Survey:
    """Return the columns that say who a row is about: as named, or as the specification or release says."""
    recipe = None if released is None else released.recipe
    for known in (how, recipe):
        if known is not None and asked.unit is None:
            asked = replace(asked, person=known.person, household=known.household)
    weight = how.weight if how is not None and asked.weight is None and is_weighted else asked.weight
    return replace(asked, weight=weight)


def _assume(
    assumed: Assumptions,
    table: CodedTable,
    sensitive: Sequence[str],
    spec: Spec | None,
    said: Spec | Generalization | None,
) -> Assumptions:
    """Add which values are alike, how often each occurs, and which are known."""
    branches = find_branches(table, sensitive, spec)
    cells, positions = table.cells, find_positions(table, sensitive, branches)
    overall = {name: count_rows(cells.codes[name], cells.rows, cells.sizes[name]) for name in sensitive}
    known = find_known(table, sensitive, said)
    return replace(assumed, positions=positions, branches=branches, overall=overall, known=known)


def _check(
    names: Sequence[str] | None,
    sensitive: Sequence[str],
    population: object,
    fraction: float | None,
    threshold: float,
    *,
    weight: str | None,
) -> None:
    """Raise ParameterError if something is out of its range or contradicts something else."""
    if names is not None and not names:
        raise ParameterError("name at least one quasi-identifier.")
    both = set(names or ()) & set(sensitive)
    if both:
        raise ParameterError(
            f"column {sorted(both)[0]!r} is named both as quasi-identifier and as sensitive; name it once."
        )
    if population is not None and fraction is not None:
        raise ParameterError("pass a population or a fraction, not both.")
    if weight is not None and (population is not None or fraction is not None):
        other = "population" if fraction is None else "fraction"
        raise ParameterError(
            f"the weight {weight!r} and a {other} both say how large the population is. Pass one of them."
        )
    if fraction is not None and not 0.0 < fraction <= 1.0:
        raise ParameterError(f"the fraction must be above 0 and at most 1; got {fraction:g}.")
    if not 0.0 <= threshold < 1.0:
        raise ParameterError(f"the threshold must be from 0 to below 1; got {threshold:g}.")


def reading_of(how: DataSpec | None, released: Released | None) -> DataSpec:
    """Say how data are read; what was missing to a release is missing here too."""
    found = DataSpec() if how is None else how
    return found if released is None else found.model_copy(update={"missing": released.missing})


def _choose_names(
    source: Source, asked: Sequence[str] | None, others: Sequence[str | None], released: Released | None
) -> tuple[list[str], list[str]]:
    """Return the quasi-identifiers, and what to say about them."""
    require_columns([name for name in others if name is not None], source.columns)
    if asked is not None:
        require_columns(asked, source.columns)
        return list(asked), []
    if released is not None:
        names = [name for name in released.quasi_identifiers if name not in others]
        require_columns(names, source.columns)
        return names, ["No quasi-identifiers were named: those of the release are used."]
    names = [name for name in source.columns if name not in others]
    if not names:
        raise ParameterError("no column is left to use as quasi-identifier. Name one.")
    used = f"all {len(names)} columns are used, as if an outsider knew them."
    return names, [f"No quasi-identifiers were named: {used}"]


def _read_population(
    population: object, names: Sequence[str], survey: Survey, how: DataSpec | None
) -> Counted:
    """Read the population; a column that identifies persons or households is used if it is there."""
    source = open_source(population, how)
    for name in names:
        if name not in source.columns:
            why = f"the population has no column {name!r}. {nearest(name, source.columns)}"
            raise DataError(why, where=source.name)
    there = [name if name in source.columns else None for name in (survey.person, survey.household)]
    return source, read_cells(source, tuple(names), Survey(*there))


def _assess_original(
    table: CodedTable, names: Sequence[str], sensitive: Sequence[str], assumed: Assumptions, people: People
) -> tuple[TableRisk, list[str]]:
    """Return the risks of the data, and a remark where the population is not one."""
    if people is None:
        return assess(table.cells, names, sensitive, assumed), []
    cells, theirs = _align(table.cells, people[1].cells, _pair_texts(table, people[1], names))
    classes = cells.classes(names)
    fewer = int((population_sizes(cells, classes, names, theirs) < classes.records).sum())
    remark = (
        f"{fewer} of {len(classes.records)} classes have more members in the data than in the population, "
        "which is incomplete; for these classes the data are used."
    )
    return assess(cells, names, sensitive, assumed, population=theirs), [remark] if fewer else []


def _pair_texts(table: CodedTable, other: CodedTable, names: Sequence[str]) -> Meanings:
    """Return what each code of two tables means, so that 39, 39.0 and the text 39 are the same."""
    found: Meanings = {}
    for name in names:
        (one, values), (two, theirs) = table.typed(name), other.typed(name)
        found[name] = table.texts(name), other.texts(name)
        if one == two:
            # As a release writes them.
            ours, others = ([None if v is None else text_of(v) for v in side] for side in (values, theirs))
            found[name] = ours, others
    return found


def _align(cells: Cells, population: Cells, meanings: Meanings) -> tuple[Cells, Cells]:
    """Give the attributes of two tables common codes."""
    ours, theirs, sizes = dict(cells.codes), dict(population.codes), dict(cells.sizes)
    for name, (one, other) in meanings.items():
        here, there, shared = share_codes(one, other)
        ours[name], theirs[name] = here[ours[name]], there[theirs[name]]
        sizes[name] = len(shared)
    return replace(cells, codes=ours, sizes=sizes), replace(population, codes=theirs, sizes=sizes)


def _against_generalized(
    found: Risk, original: Counted, released: Released, assumed: Assumptions, people: People, *, seed: int
) -> Risk:
    """Attack a release whose values were generalized."""
    recipe, (source, table) = released.recipe, original
    assert recipe is not None
    if recipe.is_local and released.draft is None:
        return _against_local_file(found, released, assumed)
    recoded = recode_cells(table, source, released)
    names, sensitive, notes = _shown(found, recipe.released)
    if not names:
        raise ParameterError("the release holds none of the quasi-identifiers.")
    unchanged = [name for name in names if name not in recipe.quasi_identifiers]
    if unchanged:
        notes.append(f"{', '.join(unchanged)}: known to the attacker, and published unchanged.")
    cells, theirs = recoded.cells, None
    if people is not None and recipe.is_local:
        notes.append("A local release does not say what becomes of others: no journalist risk after.")
    elif people is not None:
        cells, theirs = _align(cells, people[1].cells, _pair_labels(recoded, table, recipe, people, names))
    return replace(
        found,
        after=assess(cells.keep(recoded.released), names, sensitive, assumed, population=theirs),
        linkage_after=link_classes(recoded.cells, names, recoded.released, seed=seed),
        release_kind="generalized",
        notes=(*found.notes, *notes),
    )


def _against_local_file(found: Risk, released: Released, assumed: Assumptions) -> Risk:
    """Attack what the file of a local release shows; it does not say which original row became which."""
    frame, recipe = open_released(released.frame), released.recipe
    assert recipe is not None
    names, sensitive, notes = _shown(found, frame.columns)
    if not names:
        raise ParameterError("the release holds none of the quasi-identifiers.")
    table = read_cells(frame, tuple(dict.fromkeys([*names, *sensitive])))
    shown = table.without_masked(names) if recipe.suppressed_output == "mask" else table.cells
    known = find_known(table, sensitive, recipe)
    after = replace(assumed, overall={}, known=known, positions={}, branches={})
    notes.append(
        "The file of a local release does not show which row became which: nobody was looked for in it, and "
        "its classes count rows. Pass its private assignment (--assignment) to look for everyone."
    )
    return replace(
        found,
        after=assess(shown, names, sensitive, after),
        release_kind="generalized",
        notes=(*found.notes, *notes),
    )


def _pair_labels(
    recoded: RecodedCells, table: CodedTable, recipe: Generalization, people: Counted, names: Sequence[str]
) -> Meanings:
    """Return what each code means in the release, and what the release makes of the population's values."""
    source, population = people
    for name in recipe.quasi_identifiers:
        if name not in source.columns:
            why = f"the population has no column {name!r}, which the release generalizes."
            raise DataError(why, where=source.name)
    maps = label_values(recipe, source)
    found = _pair_texts(table, population, [name for name in names if name not in recoded.labels])
    for name in names:
        if name in recoded.labels:
            theirs = [maps[name].get(text, ROOT) for text in population.texts(name)]
            found[name] = (recoded.labels[name], theirs)
    return found


def _shown(found: Risk, columns: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Return the quasi-identifiers and sensitive columns that a release shows, and a remark on the others."""
    names, sensitive = found.quasi_identifiers, found.sensitive
    absent = [name for name in (*names, *sensitive) if name not in columns]
    notes = [f"{', '.join(absent)}: not in the release, so it reveals nothing there."] if absent else []
    return [name for name in names if name in columns], [n for n in sensitive if n in columns], notes


def _against_microaggregated(
    found: Risk, source: Source, released: Released, assumed: Assumptions, spec: Spec | None, *, seed: int
) -> Risk:
    """Attack a release whose rows are in the order of the data, with centres in place of values."""
    assert released.micro is not None
    frame = open_released(released.frame)
    names, sensitive, lacking = _shown(found, frame.columns)
    known = [name for name in names if name in released.quasi_identifiers]
    if not known:
        raise ParameterError("the release microaggregates none of the quasi-identifiers.")
    sides = read_both(source, frame, released.micro, orders_of(spec)).only(known)
    table = read_cells(frame, tuple(dict.fromkeys([*names, *sensitive])))
    after = replace(_assume(assumed, table, sensitive, spec, spec), overall={})
    return replace(
        found,
        after=assess(table.cells, names, sensitive, after),
        linkage_after=link_nearest(sides.before, sides.after, known, seed=seed),
        release_kind="microaggregated",
        notes=(*found.notes, *lacking, *_limits(found, names, known, len(sides.before))),
    )


def _limits(found: Risk, names: Sequence[str], known: Sequence[str], rows: int) -> Iterator[str]:
    """Say where the attack on a microaggregated release is limited."""
    rest = [name for name in names if name not in known]
    if rest:
        yield f"{', '.join(rest)}: published unchanged, and not used to find the nearest record."
    basis = None if found.before.journalist is None else found.before.journalist.basis
    if basis == "population":
        yield "The release holds centres, which do not occur in a population: no journalist risk after."
    if basis == "weight":
        yield "The release does not show the weights of its rows: no journalist risk after."
    if rows > MOST:
        yield f"{MOST:,} of the {rows:,} people, drawn at random, were looked for in the release."
    if found.before.unit != "row":
        yield (
            "Classes of the release count rows: microaggregation does not know which belong to one "
            f"{found.before.unit}."
        )
