"""``sfumato apply``: the recipe of a release on new data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sfumato.cli.options import RELEASE, argument, option, reading
from sfumato.cli.output import Output, waiting
from sfumato.cli.release import tell_release
from sfumato.errors import ParameterError
from sfumato.words import count_words, list_words

if TYPE_CHECKING:
    from sfumato.results import Release

_TREATED = {"suppress": "these rows are suppressed", "generalize": "these values are published as *"}


def apply(
    *,
    recipe: str = argument("RELEASE.json", "The FILE.json of a release, or a saved recipe."),
    data: str = argument("NEXT", "The new data: csv, tsv, parquet, arrow or json lines."),
    out: str = RELEASE,
    unknown: Literal["suppress", "refuse", "generalize"] = option(
        "--unknown",
        "What to do with values that the recipe does not know: suppress their rows, refuse the data, or "
        "publish the values as *.",
        default="suppress",
    ),
    output: Output,
) -> dict[str, object]:
    """Recode new data as a release was, and check its requirements again.

    A recipe knows the values that some published row of its release had, all values of a declared
    hierarchy, and all that intervals, masks and dates take. Rows with other values are suppressed:
    in the release such rows were, and nothing then shows who has an unusual value. They count
    against the suppression limit of the recipe, together with classes that miss a requirement.
    With generalize they are published, and must meet the requirements as classes of their own.
    Status 1, and nothing written, if the requirements cannot be met. A microaggregation is not
    applied to new data.
    """
    from sfumato.release import check_release_target, manifest_path
    from sfumato.release.original import open_original
    from sfumato.results import Recipe

    options, path = output.options, Path(out)
    check_release_target(path, force=options.force)
    options.spare_inputs([path, manifest_path(path)], [recipe, data])
    stated = manifest_path(Path(recipe))
    if stated.exists():
        raise ParameterError(f"this is a released file; its recipe is in {stated.name}.", where=recipe)
    loaded = Recipe.load(recipe)
    with (
        waiting(options, "reading, recoding, writing and verifying"),
        reading(options, loaded.quasi_identifiers) as how,
    ):
        made = loaded.apply(open_original(data, how.data, loaded.missing), unknown=unknown)
        manifest = made.write(path, force=options.force)
    told = tell_release(made, manifest, path, output, unknown=_unknown_words(made, unknown))
    return {"recipe": recipe, **told, "unknown": made.unknown, "treated": unknown}


def _unknown_words(made: Release, treated: str) -> str:
    """Count what the recipe did not know, column by column."""
    counts = [
        f"{count_words(many['values'], 'value')} of {name!r} in {count_words(many['rows'], 'row')}"
        for name, many in made.unknown.items()
    ]
    return f"{list_words(counts)}; {_TREATED[treated]}" if counts else "no value"
