"""A release beside the data that it was made from: what file and manifest alone do not determine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import SfumatoError
from sfumato.hierarchies import text_of
from sfumato.measures import make_measure
from sfumato.private import scratch_folder
from sfumato.release.centres import NOT_MADE, differing_columns, measure_centres, read_both
from sfumato.release.draft import make_draft
from sfumato.release.microaggregated import MicroRecipe
from sfumato.release.reapply import recipe_problem
from sfumato.release.recipe import Recipe
from sfumato.release.verify import Check, release_suffix
from sfumato.release.verify.bags import Columns, compare_bags
from sfumato.release.verify.checks import broken, held
from sfumato.table import open_source

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from sfumato.preparing import Prepared
    from sfumato.release.manifest import Manifest
    from sfumato.release.verify.bags import Difference
    from sfumato.spec import DataSpec
    from sfumato.table import Source

ROWS = "rows of the original"
_OF_SENTENCES = ("secure", "exposed", "sf")


@dataclass(frozen=True)
class Beside:
    """What the original adds to an audit.

    Parameters
    ----------
    checks
        What was checked; one of a name that is checked without the original takes its place.
    measures
        Measures that only the original determines.
    rows
        Rows of the original.
    """

    checks: tuple[Check, ...]
    measures: Mapping[str, float] = field(default_factory=dict)
    rows: int | None = None


def open_original(data: object, how: DataSpec | None, missing: tuple[str, ...]) -> Source:
    """Open the original as the release read it.

    Raises
    ------
    DataError
        If it cannot be read.
    """
    from sfumato.spec import DataSpec

    found = DataSpec() if how is None else how
    return open_source(data, found.model_copy(update={"missing": missing}))


def hold_generalized(path: Path, manifest: Manifest, original: Source, lacking: Collection[str]) -> Beside:
    """Do again what the recipe says, and compare.

    Parameters
    ----------
    path
        The release.
    manifest
        What stands beside it.
    original
        The data.
    lacking
        Measures that file and manifest do not determine.
    """
    recipe = Recipe.from_dict(manifest.recipe)
    # Which classes were suppressed is read from the file: whether it should have been is recounted there.
    lenient = replace(recipe, require={}, rule="none", limit=0.0, confidential=(), order="input")
    try:
        prepared, found = _recode(path, lenient, original)
    except SfumatoError as error:
        return Beside((broken(ROWS, f"{NOT_MADE}: {error.message}"),))
    checks = [
        _judge("rows in", manifest.rows["in"], found.rows),
        _judge("rows suppressed", manifest.rows["suppressed"], found.rows - found.kept),
        _judge_rows(found),
        *_judge_distributions(manifest, prepared),
    ]
    measures = _measure(path, recipe, manifest, original, lacking) if found.is_none else {}
    return Beside(tuple(checks), measures, found.rows)


def _recode(path: Path, recipe: Recipe, original: Source) -> tuple[Prepared, Difference]:
    """Apply a recipe to the original, and compare its rows with those of the file."""
    prepared, problem = recipe_problem(recipe, original, "*")
    draft = make_draft(prepared, problem, prepared.lattice.bottom, recipe=recipe)
    with scratch_folder() as folder:
        made = Path(folder) / f"made{release_suffix(path)}"
        draft.write_rows(made)
        return prepared, compare_bags(path, made, _columns(recipe))


def _columns(recipe: Recipe) -> Columns:
    """Say what is compared; spellings of numbers and dates may differ between formats of the original."""
    secret = tuple(name for name in recipe.sensitive if name in recipe.released)
    known = recipe.quasi_identifiers
    kinds = {name: recipe.attributes[name].kind for name in (*known, *secret)}
    return Columns(
        known,
        secret,
        tuple(name for name in recipe.released if name not in (*known, *secret)),
        frozenset(name for name, kind in kinds.items() if kind in ("category", "ordinal")),
        recipe.suppressed_output == "mask",
    )


def _judge(title: str, stated: int, counted: int) -> Check:
    found = f"{stated} stated, {counted} counted in the original."
    return held(title, found) if stated == counted else broken(title, f"{title}: {found}")


def _judge_rows(found: Difference) -> Check:
    if found.is_none:
        return held(ROWS, "the recipe makes exactly the released rows of them.")
    return broken(
        ROWS,
        f"{NOT_MADE}: {found.foreign} released rows are not what the recipe makes of them, and "
        f"{found.lacking} rows that it makes are not released.",
    )


def _judge_distributions(manifest: Manifest, prepared: Prepared) -> Iterator[Check]:
    """Count the distributions that are stated over all input rows."""
    stated = manifest.reference.get("distributions")
    cube = prepared.cube
    for place, name in enumerate(prepared.setting.sensitive):
        entry = stated.get(name) if isinstance(stated, Mapping) else None
        if not isinstance(entry, Mapping):
            continue
        domain = prepared.table.sensitive[name]
        counts = np.bincount(cube.sensitive_codes[:, place], weights=cube.rows, minlength=domain.size)
        title = f"distribution of {name!r} in the original"
        if _numbers(entry["values"], entry["counts"]) == _numbers(domain.values, counts.tolist()):
            yield held(title, "as stated.")
        else:
            yield broken(title, f"{title}: another one is stated.")


def _numbers(values: object, counts: object) -> dict[str | None, int]:
    assert isinstance(values, list | tuple)
    assert isinstance(counts, list)
    texts = [None if value is None else text_of(value) for value in values]
    return {text: int(count) for text, count in zip(texts, counts, strict=True) if count}


def _measure(
    path: Path, recipe: Recipe, manifest: Manifest, original: Source, lacking: Collection[str]
) -> dict[str, float]:
    """Compute measures of the release, if its suppression can be done again too.

    ``ql`` depends on values that neither release nor data need to have; and for whom sentences are
    confidential stands in no manifest.
    """
    listed = manifest.reference.get("sentences")
    everyone = isinstance(listed, list) and all(item.get("everyone") for item in listed)
    names = [name for name in lacking if name != "ql" and (everyone or name not in _OF_SENTENCES)]
    if not names:
        return {}
    try:
        prepared, problem = recipe_problem(recipe, original, "*")
        problem = replace(problem, extra=tuple(make_measure(name, prepared.setting) for name in names))
        draft = make_draft(prepared, problem, prepared.lattice.bottom, recipe=recipe)
        with scratch_folder() as folder:
            made = Path(folder) / f"made{release_suffix(path)}"
            draft.write_rows(made)
            if not compare_bags(path, made, _columns(recipe)).is_none:
                return {}
    except SfumatoError:
        return {}
    return {name: draft.measures[name] for name in names if name in draft.measures}


def hold_microaggregated(path: Path, manifest: Manifest, original: Source) -> Beside:
    """Hold a microaggregated file against the original: the same rows, centres in place of values.

    Parameters
    ----------
    path
        The release.
    manifest
        What stands beside it.
    original
        The data.
    """
    recipe, released = MicroRecipe.from_dict(manifest.recipe), open_source(path)
    try:
        sides = read_both(original, released, recipe)
        others = [name for name in recipe.columns if name not in recipe.names]
        changed = differing_columns(original, released, others)
    except SfumatoError as error:
        return Beside((broken(ROWS, error.message),))
    checks = [
        _judge("rows in", manifest.rows["in"], len(sides.before)),
        held(ROWS, "in every cluster their centre is the released value."),
    ]
    if changed:
        checks.append(broken("other columns", f"the column {changed[0]!r} is not as in the original."))
    elif others:
        checks.append(held("other columns", "as in the original, row by row."))
    measures = measure_centres(sides.before, sides.after, scaled=recipe.standardize)
    return Beside(tuple(checks), measures, len(sides.before))


__all__ = ["ROWS", "Beside", "hold_generalized", "hold_microaggregated", "open_original"]
