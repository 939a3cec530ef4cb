"""``sfumato apply``: the recipe of a release on new data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sfumato.cli.options import (
    AFTER,
    AFTER_DATA,
    ASSIGNMENT,
    LEDGER,
    PARTITION_BY,
    argument,
    option,
    reading,
)
from sfumato.cli.output import Output, waiting
from sfumato.cli.release import files_of, folders_of, tell_release
from sfumato.errors import ParameterError
from sfumato.words import count_words, list_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.release.recipe_sql import SqlDialect

_TREATED = {"suppress": "these rows are suppressed", "generalize": "these values are published as *"}


def apply(
    *,
    recipe: str = argument("RELEASE.json", "The FILE.json of a release, or a saved recipe."),
    data: str | None = argument("[NEXT]", "The new data: csv, tsv, parquet, arrow or json lines.", None),
    out: str | None = option(
        "--out", "The release; its suffix sets the format. With --sql, its file.", "FILE"
    ),
    unknown: Literal["suppress", "refuse", "generalize"] = option(
        "--unknown",
        "What to do with values that the recipe does not know: suppress their rows, refuse the data, or "
        "publish the values as *.",
        default="suppress",
    ),
    assignment: str | None = ASSIGNMENT,
    after: str | None = AFTER,
    after_data: str | None = AFTER_DATA,
    ledger: str | None = LEDGER,
    key: str | None = option("--key", "The key file of pseudonyms and ledger, if there are any.", "FILE"),
    sql: Literal["duckdb", "postgres", "spark", "bigquery", "snowflake"] | None = option(
        "--sql", "Instead of recoding data, print a statement that makes the released rows from --table."
    ),
    partition_by: list[str] | None = PARTITION_BY,
    table: str | None = option(
        "--table", "With --sql: the table that holds the original. Else as in 'anonymize'.", "NAME"
    ),
    kind: Literal["view", "table"] | None = option(
        "--as", "With --sql: what the statement makes, as --name."
    ),
    name: str | None = option("--name", "With --sql: the name of what the statement makes.", "NAME"),
    output: Output,
) -> dict[str, object]:
    """Recode new data as a release was, and check its requirements again.

    A recipe knows the values that some published row of its release had, all values of a declared
    hierarchy, and all that intervals, masks and dates take. Rows with other values are suppressed:
    in the release such rows were, and nothing then shows who has an unusual value. They count
    against the suppression limit of the recipe, together with classes that miss a requirement.
    With generalize they are published, and must meet the requirements as classes of their own.
    Status 1, and nothing written, if the requirements cannot be met. A microaggregation is not
    applied to new data. With --after or --ledger the release is safe together with earlier ones of the same
    people, or status 1.

    With --sql nothing is read but the recipe: a query (or with --as and --name a view or table) in
    the SQL of an engine is printed or written to --out, which makes the rows where the original is.
    """
    if sql is not None:
        of_data = {"--partition-by": partition_by, "--after": after, "--after-data": after_data}
        of_data |= {"--ledger": ledger, "--key": key, "new data": data}
        useless = [name for name, value in of_data.items() if value is not None]
        if useless:
            raise ParameterError(f"reads no data: leave out {list_words(useless)}.", where="--sql")
        return _write_sql(recipe, sql, (table, kind, name), assignment, out, output)
    if data is None or out is None or kind or name:
        raise ParameterError(
            "give the new data and --out; or --sql, with --table and perhaps --as and --name."
        )
    from sfumato.release import check_release_target, manifest_path, release_target
    from sfumato.release.manifest import open_next
    from sfumato.releases import Recipe

    options, path = output.options, release_target(out, table)
    folders = folders_of(partition_by, path)
    check_release_target(path, force=options.force)
    series = {"after": after, "after_data": after_data, "ledger": ledger}
    read = [name for name in (recipe, data, assignment, key, *series.values()) if name is not None]
    options.spare_inputs(files_of(path), read)
    stated = manifest_path(Path(recipe))
    if stated.exists():
        raise ParameterError(f"this is a released file; its recipe is in {stated.name}.", where=recipe)
    loaded = Recipe.load(recipe)
    with (
        waiting(options, "reading, recoding, writing and verifying"),
        reading(options, loaded.quasi_identifiers) as how,
    ):
        new, notes = open_next(data, how.data, recipe, loaded.missing)
        output.notes("note", notes)
        made = loaded.apply(new, unknown=unknown, assignment=assignment, key=key)
        made = made.in_series(**series, key=key)
        manifest = made.write(out, force=options.force, table=table, partition_by=folders)
    counts = [
        f"{count_words(many['values'], 'value')} of {name!r} in {count_words(many['rows'], 'row')}"
        for name, many in made.unknown.items()
    ]
    unknown_words = f"{list_words(counts)}; {_TREATED[unknown]}" if counts else "no value"
    told = tell_release(made, manifest, path, output, unknown=unknown_words)
    return {"recipe": recipe, **told, "unknown": made.unknown, "treated": unknown}


def _write_sql(
    recipe: str,
    sql: SqlDialect,
    made: Sequence[str | None],
    assignment: str | None,
    out: str | None,
    output: Output,
) -> dict[str, object]:
    """Print or write a recipe as SQL; what holds values of the original is for its owner alone."""
    from sfumato.release import atomic_text
    from sfumato.release.recipe_sql import recipe_sql
    from sfumato.releases import Recipe

    table, kind, name = made
    if table is None or (kind is None) != (name is None):
        raise ParameterError("needs --table; --as and --name go together.", where="--sql")
    what = None if kind is None or name is None else (kind, name)
    text = recipe_sql(Recipe.load(recipe), table, sql, made=what, assignment=assignment)
    if out is None:
        output.block(text.rstrip("\n"))
    else:
        output.options.spare_inputs([out], [recipe, *([] if assignment is None else [assignment])])
        atomic_text(out, text, force=output.options.force, private=assignment is not None)
    return {"recipe": recipe, "sql": text, "file": out}
