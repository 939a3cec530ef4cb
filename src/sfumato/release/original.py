"""A release next to the data that it was made from: what file and manifest alone do not determine."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import DataError, SfumatoError
from sfumato.preparing import Prepared, load
from sfumato.private import scratch_folder
from sfumato.release.assignment import chains_of
from sfumato.release.draft import make_draft
from sfumato.release.grouping import Grouping
from sfumato.release.json_files import load_json_object
from sfumato.release.manifest import Manifest, open_released
from sfumato.release.microaggregated import NOT_MADE, Microaggregation, measure_centres, read_both, remake
from sfumato.release.reapply import recipe_domains, recipe_problem, recipe_table
from sfumato.release.recipe import Generalization
from sfumato.release.remeasuring import Remeasured, Shown, judge_costs, remeasure
from sfumato.table import Leaving, Recode, Source, apply, leaving_kinds, open_source, write_table
from sfumato.table.sources import guess_source
from sfumato.table.values import read_codes, read_numbers, refuse_unknown
from sfumato.table.writing import replace_columns
from sfumato.verifier import Check, Recount, release_suffix
from sfumato.verifier.bags import ComparedColumns, Difference, compare_bags, differing_columns
from sfumato.verifier.checks import broken, held, judged, split_name, unknown
from sfumato.verifier.counting import larger_is_better
from sfumato.verifier.coverage import Covering, check_coverage

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from sfumato.spec import DataSpec, Spec

ROWS = "rows of the original"
_FLAT = "a column shows all values alike, so suppressed rows look like published ones"


@dataclass(frozen=True)
class Beside:
    """What the original adds to an audit."""

    # what was checked; one of a name that is checked without the original takes its place
    checks: tuple[Check, ...]
    measures: Mapping[str, float] = field(default_factory=dict)  # measures that only the original determines
    rows: int | None = None  # rows of the original
    # measure → why not even the original determines it
    reasons: Mapping[str, str] = field(default_factory=dict)


def open_original(
    data: object, how: DataSpec | None, missing: tuple[str, ...], *, in_order: bool = False
) -> Source:
    """Open the original as the release read it; ``in_order`` if rows are compared by their places."""
    from sfumato.spec import DataSpec

    found = DataSpec() if how is None else how
    source = open_source(data, found.model_copy(update={"missing": missing}), guess=True)
    if in_order and not source.has_order:
        raise DataError("a Spark frame has no order to compare rows by. Pass the path of the data instead.")
    return source


def open_next(
    data: object, how: DataSpec, recipe: str | Path, missing: tuple[str, ...]
) -> tuple[Source, tuple[str, ...]]:
    """Open data that a recipe is applied to, which may be spelt as its release; return also remarks."""
    stated = load_json_object(recipe).get("dialect")
    encoding = stated.get("encoding") if isinstance(stated, dict) else None
    source, _, notes = guess_source(
        data,
        how.model_copy(update={"missing": missing}),
        encoding=encoding if isinstance(encoding, str) else "utf-8",
    )
    return source, notes


def hold_generalized(
    path: Path, manifest: Manifest, original: Source, found: Recount, spec: Spec | None = None
) -> Beside:
    """Do again what the recipe says, compare, and compute every measure that the original determines."""
    recipe = Generalization.from_dict(manifest.recipe).without_pseudonyms()
    if recipe.is_local:
        return _hold_local(path, manifest, recipe, original, found)
    # Which classes were suppressed is read from the file: whether it should have been is recounted there.
    lenient = replace(recipe, require={}, rule="none", limit=0.0, confidential=(), order="input")
    try:
        prepared, difference = _recode(path, lenient, original, manifest, strict=True)
        is_applied = False
        if not difference.is_none:
            # A recipe that was found in other data takes more values than it lists.
            applied, other = _recode(path, lenient, original, manifest, strict=False)
            if other.is_none:
                prepared, difference, is_applied = applied, other, True
    except SfumatoError as error:
        return Beside((broken(ROWS, f"{NOT_MADE}: {error.message}"),))
    checks = [
        _judge("rows in", manifest.rows["in"], difference.rows),
        _judge("rows suppressed", manifest.rows["suppressed"], difference.rows - difference.kept),
        _judge_rows(difference),
    ]
    names = _names(manifest, found)
    if difference.is_none and not difference.blocks:
        measured = Remeasured(reasons=dict.fromkeys(names, _FLAT))
    elif difference.is_none:
        measured = _measure(
            manifest, prepared, difference, original, names=names, spec=spec, is_applied=is_applied
        )
    else:
        measured = Remeasured(reasons=dict.fromkeys(names, NOT_MADE))
    # Where the original leaves a measure open, what the file says about it counts.
    reasons = {name: why for name, why in measured.reasons.items() if name not in found.counted}
    checks += [*measured.checks, *_judge_open(manifest, measured, reasons)]
    return Beside(tuple(checks), measured.exact, difference.rows, reasons)


def _hold_local(
    path: Path, manifest: Manifest, recipe: Generalization, original: Source, found: Recount
) -> Beside:
    """See that every released row covers an original row of its own."""
    try:
        table = recipe_table(recipe, original)
        kept = [
            Recode(name, np.arange(item.size, dtype=np.int32), item.labels[0], keep=True)
            for name, item in table.hierarchies.items()
        ]
        covering = {
            name: Covering(recipe.attributes[name].to_dict(), chains_of(table.hierarchies[name]))
            for name in recipe.quasi_identifiers
        }
        with scratch_folder() as folder:
            made = Path(folder) / f"made{release_suffix(path)}"
            leaving = Leaving(leaving_kinds(table, kept, masked=False), "input", "keep", table.source.is_text)
            none = np.zeros((0, len(kept)), dtype=np.int32)
            write_table(apply(table, kept, none), made, leaving=leaving)
            columns = replace(_columns(recipe, original), quasi_identifiers=recipe.quasi_identifiers)
            secret = frozenset(recipe.sensitive) & columns.values
            columns = replace(columns, values=secret)
            hidden = manifest.rows["suppressed"]
            counted = check_coverage(path, made, columns, covering, dialect=manifest.dialect, masked=hidden)
    except SfumatoError as error:
        return Beside((broken(ROWS, f"{NOT_MADE}: {error.message}"),))
    told = f"{NOT_MADE}: {counted.foreign} released rows do not cover a row of the original that is left."
    covers = "every released row covers one of its own, and the other columns are the same."
    checks = (
        _judge("rows in", manifest.rows["in"], counted.rows),
        _judge("rows suppressed", manifest.rows["suppressed"], counted.rows - counted.kept),
        broken(ROWS, told) if counted.foreign else held(ROWS, covers),
    )
    why = "it is not computed from the original for a local recoding"
    reasons = {name: why for name in _names(manifest, found) if name not in found.counted}
    open_ones = _judge_open(manifest, Remeasured(reasons=reasons), reasons)
    return Beside((*checks, *open_ones), {}, counted.rows, reasons)


def _names(manifest: Manifest, found: Recount) -> list[str]:
    """Return the measures that the file does not show, or not exactly."""
    asked = dict.fromkeys((*manifest.require, *manifest.measures))
    return [name for name in asked if name in found.not_recounted or split_name(name)[0] == "t"]


def _recode(
    path: Path, recipe: Generalization, original: Source, manifest: Manifest, *, strict: bool
) -> tuple[Prepared, Difference]:
    """Apply a recipe to the original, and compare its rows with those of the file."""
    prepared, problem = recipe_problem(recipe, original, strict=strict)
    draft = make_draft(prepared, problem, prepared.lattice.bottom, recipe=recipe)
    # The same rows once more, so that the classes of the file are known by numbers too.
    numbered = [
        Recode(item.name, item.block, [str(number) for number in range(int(item.block.max()) + 1)])
        for item in draft.groupings
        if isinstance(item, Grouping)
    ]
    with scratch_folder() as folder:
        made, numbers = Path(folder) / f"made{release_suffix(path)}", Path(folder) / "numbers.parquet"
        draft.write_rows(made)
        none = np.zeros((0, len(numbered)), dtype=np.int32)
        write_table(apply(prepared.table, numbered, none), numbers)
        columns, dialect = _columns(recipe, original), manifest.dialect
        found = compare_bags(path, made, columns, numbers, dialect)
        # Where releases or rows are linked, some people of a class may be withheld.
        if not found.is_none and (_is_flat(recipe) or manifest.linking):
            found = compare_bags(path, made, replace(columns, is_whole=False), dialect=dialect)
        return prepared, found


def _columns(recipe: Generalization, original: Source) -> ComparedColumns:
    """Say what is compared; spellings of numbers and dates may differ between formats of the original."""
    secret = tuple(name for name in recipe.sensitive if name in recipe.released)
    known = recipe.quasi_identifiers
    kinds = {name: recipe.attributes[name].kind for name in (*known, *secret)}
    others = tuple(name for name in recipe.released if name not in (*known, *secret))
    return ComparedColumns(
        known,
        secret,
        others,
        frozenset(name for name, kind in kinds.items() if kind in ("number", "date")),
        recipe.suppressed_output == "mask",
        floats=frozenset(name for name in others if original.schema[name].is_float()),
    )


def _is_flat(recipe: Generalization) -> bool:
    """Tell whether a column may show values alike that were recoded apart in suppressed rows."""
    done = (recipe.attributes[name] for name in recipe.quasi_identifiers)
    return any(item.scheme not in (None, "levels") and "root" in (item.hierarchy or {}) for item in done)


def _judge(title: str, stated: int, counted: int) -> Check:
    found = f"{stated} stated, {counted} counted in the original."
    return judged(title, found, is_held=stated == counted)


def _judge_rows(found: Difference) -> Check:
    if found.is_none:
        return held(ROWS, "the recipe makes exactly the released rows from them.")
    return broken(
        ROWS,
        f"{NOT_MADE}: {found.foreign} released rows are not what the recipe makes from them, and "
        f"{found.lacking} rows that it makes are not released.",
    )


def _measure(
    manifest: Manifest,
    recoded: Prepared,
    difference: Difference,
    original: Source,
    *,
    names: Collection[str],
    spec: Spec | None,
    is_applied: bool,
) -> Remeasured:
    """Compute measures of the rows that the file shows, whatever its manifest requires."""
    recipe, specified = Generalization.from_dict(manifest.recipe).without_pseudonyms(), frozenset[str]()
    listed = manifest.reference.get("sentences")
    everyone = isinstance(listed, list) and all(item.get("everyone") for item in listed)
    if spec is not None and set(spec.quasi_identifiers) == set(recipe.quasi_identifiers):
        specified = frozenset(name for name in recipe.quasi_identifiers if spec.attributes[name].hierarchy)
        everyone = True
    else:
        spec = None
    try:
        lenient = replace(recipe, require={}, rule="none", limit=0.0)
        if spec is None:
            domains = recipe_domains(lenient, original)
        else:
            domains = load(original, spec.model_copy(update={"require": {}}))
        blocks = np.array(difference.blocks, dtype=np.int32).reshape(-1, len(recipe.quasi_identifiers))
        shown = Shown(recipe, recoded, domains, blocks, specified, is_applied)
        return replace(
            remeasure(shown, names, holders_known=everyone), checks=judge_costs(shown, manifest.reference)
        )
    except SfumatoError as error:
        why = f"applying the recipe again fails: {error.message.rstrip('.')}"
        return Remeasured(reasons=dict.fromkeys(names, why))


def _judge_open(manifest: Manifest, found: Remeasured, reasons: Mapping[str, str]) -> Iterator[Check]:
    """Judge by their best cases what not even the original determines, and say why it does not."""
    for name, why in reasons.items():
        stated, limit, best = manifest.measures.get(name), manifest.require.get(name), found.best.get(name)
        word, sign = ("at most", 1.0) if larger_is_better(name) else ("at least", -1.0)
        room = 0.0 if best is None else 1e-9 * max(abs(best), 1e-3)
        if limit is not None and best is not None and sign * (limit - best) > room:
            yield broken(
                f"require {name}", f"{name}: {limit:.12g} is required, and it is {word} {best:.12g} here."
            )
        elif limit is not None and stated is None:
            yield unknown(f"require {name}", f"{limit:.12g} is required: {why}.")
        if stated is not None and best is not None and sign * (stated - best) > room:
            yield broken(name, f"{name}: {stated:.12g} stated, and it is {word} {best:.12g} here.")
        elif stated is not None:
            yield unknown(name, f"{stated:.12g} stated: {why}.")


def hold_microaggregated(path: Path, manifest: Manifest, original: Source) -> Beside:
    """Compare a microaggregated file with the original: the same rows, centres in place of values."""
    recipe = Microaggregation.from_dict(manifest.recipe)
    try:
        sides = read_both(original, open_released(path), recipe)
    except SfumatoError as error:
        return Beside((broken(ROWS, error.message), *_judge_others(path, manifest, original)))
    checks = [
        _judge("rows in", manifest.rows["in"], len(sides.before)),
        held(ROWS, "in every cluster their centre is the released value."),
        *_judge_others(path, manifest, original),
    ]
    measures = measure_centres(sides.before, sides.after, scaled=recipe.standardize)
    return Beside(tuple(checks), measures, len(sides.before))


def _judge_others(path: Path, manifest: Manifest, original: Source) -> Iterator[Check]:
    """Compare the columns that are published unchanged, as texts of the format of the file."""
    recipe = Microaggregation.from_dict(manifest.recipe)
    title, others = "other columns", [name for name in recipe.columns if name not in recipe.names]
    if not others:
        return
    try:
        refuse_unknown(original, others)
        with scratch_folder() as folder:
            made = Path(folder) / f"made{release_suffix(path)}"
            if recipe.order == "sorted":
                columns = read_numbers(original, recipe.names, recipe.orders)
                strata = None if recipe.within is None else read_codes(original, recipe.within)
                found = remake(recipe, columns, strata)
                new = {column.name: column.restore(found[:, place]) for place, column in enumerate(columns)}
                write_table(replace_columns(original, new, recipe.columns, sort=True), made)
            else:
                write_table(replace_columns(original, {}, others), made)
            changed = differing_columns(path, made, others, manifest.dialect)
    except SfumatoError as error:
        yield broken(title, f"{title}: {error.message}")
        return
    if changed:
        yield broken(title, f"the column {changed[0]!r} differs from the original.")
    else:
        yield held(title, "the same as in the original, row by row.")
