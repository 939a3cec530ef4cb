"""``sfumato anonymize`` and ``sfumato release``: the best release, or one that is picked from a front."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.cli import options as shared
from sfumato.cli.explore import LOCAL_FILES, print_raised
from sfumato.cli.options import REQUIRED, option, split_names
from sfumato.cli.output import Output, number, right, waiting, watching
from sfumato.errors import ParameterError, TooManyError
from sfumato.words import count_words, huge_words

if TYPE_CHECKING:
    from sfumato.release import DatabaseTable, Manifest
    from sfumato.releases import Release
    from sfumato.spec import Spec


def anonymize(
    *,
    spec: str = shared.SPEC,
    out: str = shared.RELEASE,
    suppress_cells: bool = option(
        "--suppress-cells", "Keep each value or replace it by *, row by row: local recoding.", default=False
    ),
    assignment: str | None = shared.NEW_ASSIGNMENT,
    after: str | None = shared.AFTER,
    after_data: str | None = shared.AFTER_DATA,
    ledger: str | None = shared.LEDGER,
    key: str | None = shared.KEY,
    table: str | None = shared.TABLE,
    manifest: str | None = shared.MANIFEST,
    partition_by: list[str] | None = shared.PARTITION_BY,
    output: Output,
) -> dict[str, object]:
    """Write the best release that meets [require].

    The best is the one with the smallest first entry of minimize. Ctrl-C ends the search with
    the best so far; a second one aborts. With --after or --ledger it is safe together with earlier releases
    of the same people; if it cannot be, status 1, and the message names the nearest recoding that can.
    """
    from sfumato import api
    from sfumato.release import check_release_target, release_target
    from sfumato.results import coarser_releases, follow

    options, path = output.options, release_target(out, table, manifest)
    check_release_target(path, force=options.force)
    loaded = options.load_keyed(spec, key)
    loaded = loaded.suppress_cells() if suppress_cells else loaded
    secret, folders = _check_assignment(assignment, loaded, output), folders_of(partition_by, path, loaded)
    series = {"after": after, "after_data": after_data, "ledger": ledger}
    options.spare_inputs([*files_of(path), *secret], [*loaded.inputs, *filter(None, series.values())])
    with watching(options) as watch:
        made = api.anonymize(
            None, loaded, threads=options.threads, callback=watch, checkpoint=options.checkpoint
        )
    with waiting(options, "writing and verifying"):
        made = follow(made, coarser_releases(made), series)
        stated = made.write(out, force=options.force, table=table, manifest=manifest, partition_by=folders)
        for private in secret:
            made.write_assignment(private, force=options.force)
    _print_certainty(made.run, output)
    return tell_release(made, stated, path, output)


def release(
    *,
    spec: str = shared.SPEC_OF_FRONT,
    front: str = shared.FRONT,
    pick: str = option("--pick", "A number, 'knee', 'flat', or conditions: 'k >= 10'.", "TEXT", REQUIRED),
    out: str = shared.RELEASE,
    assignment: str | None = shared.NEW_ASSIGNMENT,
    after: str | None = shared.AFTER,
    after_data: str | None = shared.AFTER_DATA,
    ledger: str | None = shared.LEDGER,
    key: str | None = shared.KEY,
    table: str | None = shared.TABLE,
    manifest: str | None = shared.MANIFEST,
    partition_by: list[str] | None = shared.PARTITION_BY,
    output: Output,
) -> dict[str, object]:
    """Write the release of one solution of a front.

    If several solutions match the pick, the best by the first entry of minimize is taken. With --after or
    --ledger it is safe together with earlier releases of the same people; if it cannot be, status 1, and the
    message names the best solution that can.
    """
    from sfumato import api
    from sfumato.release import check_release_target, release_target
    from sfumato.results import Front, follow, other_releases

    options, path = output.options, release_target(out, table, manifest)
    check_release_target(path, force=options.force)
    found = Front.load(front)
    chosen = found.pick(pick)
    loaded = options.load_keyed(spec, key)
    secret, folders = _check_assignment(assignment, loaded, output), folders_of(partition_by, path, loaded)
    series = {"after": after, "after_data": after_data, "ledger": ledger}
    read = [*loaded.inputs, *(Path(front) / name for name in LOCAL_FILES)]
    options.spare_inputs([*files_of(path), *secret], [*read, *filter(None, series.values())])
    with waiting(options, "reading, writing and verifying"):
        made = api.release_solution(None, loaded, found, chosen.number)
        made = follow(made, other_releases(found, loaded, chosen.number), series)
        stated = made.write(out, force=options.force, table=table, manifest=manifest, partition_by=folders)
        for private in secret:
            made.write_assignment(private, force=options.force)
    proven = f": {chosen.certainty}" if chosen.is_local else ""
    output.line(f"solution {chosen.number} of {len(found)}, by {pick!r}{proven}")
    _print_choice(made.run, output)
    return {**tell_release(made, stated, path, output), "solution": chosen.number}


def files_of(path: Path | DatabaseTable) -> list[Path]:
    """Return the files that a release is written to."""
    from sfumato.release import manifest_path

    return [manifest_path(path), *([path] if isinstance(path, Path) else [])]


def folders_of(
    partition_by: list[str] | None, path: Path | DatabaseTable, spec: Spec | None = None
) -> tuple[str, ...] | None:
    """Return the columns whose labels are to name folders; None for those of the specification."""
    from sfumato.release.write import check_folders

    names = split_names(partition_by, "--partition-by") if partition_by else None
    if spec is not None:  # before the search, which may take long
        given = {} if names is None else {"partition_by": names}
        check_folders(path, spec.release.model_copy(update=given), spec.published)
    return names


def _check_assignment(path: str | None, spec: Spec, output: Output) -> list[Path]:
    """Return where the private assignment goes, if it is asked for and can be written."""
    from sfumato.release import check_target

    if path is None:
        return []
    if not spec.is_local:
        raise ParameterError('is for local recoding: add [recoding] scope = "local".', where="--assignment")
    check_target(Path(path), force=output.options.force)
    return [Path(path)]


def tell_release(
    release: Release,
    manifest: Manifest,
    path: Path | DatabaseTable,
    output: Output,
    *,
    unknown: str | None = None,
) -> dict[str, object]:
    """Print what a release that has just been written reaches and how it was made; return it for JSON."""
    # If a recipe was applied to new data, `unknown` says in words what it did not know.
    from sfumato.release import manifest_path

    rows = manifest.rows
    share = f" ({100 * rows['suppressed'] / rows['in']:.2f} %)" if rows["suppressed"] else ""
    output.facts(
        [
            ("rows", f"{rows['in']:,} in, {rows['out']:,} out, {rows['suppressed']:,} suppressed{share}"),
            *([] if unknown is None else [("unknown", unknown)]),
            ("classes", f"{release.classes:,}"),
            *([("unchanged", ", ".join(release.unchanged))] if release.unchanged else []),
            *([("linking", str(manifest.linking["text"]))] if manifest.linking else []),
        ],
        release.left_out,
        "specification" if unknown is None else "recipe",
    )
    # The exact numbers are the owner's to see; those of the recount where it has them.
    exact = {name: value for name, value in manifest.measures.items() if name not in manifest.tolerance}
    reached = {**release.measures, **exact}
    wishes = {name: asked(name, limit) for name, limit in manifest.require.items()}
    for name, word in _objectives(release.run).items():
        wishes[name] = f"{wishes[name]}, {word}" if name in wishes else word
    output.line()
    output.table(
        ["measure", *right("asked", "reached")],
        [[name, wish, number(reached.get(name))] for name, wish in wishes.items()],
    )
    output.line()
    _print_recoding(release, output)
    output.line()
    warnings = _exposures(release)
    output.warn(warnings)
    print_written(path, "recounted by independent code: as promised", output)
    return {
        "file": str(path),
        "manifest": str(manifest_path(path)),
        "measures": reached,
        "withheld": dict(manifest.withheld),
        "require": dict(manifest.require),
        "rows": dict(rows),
        "classes": release.classes,
        "recoding": release.recoding,
        **({"suppressed_cells": release.suppressed_cells} if release.recipe.is_local else {}),
        "left_out": list(release.left_out),
        "unchanged": list(release.unchanged),
        **({"linking": dict(manifest.linking)} if manifest.linking else {}),
        "warnings": warnings,
        "verified": True,
        "run": release.run,
    }


def _print_recoding(release: Release, output: Output) -> None:
    """Print what the quasi-identifiers look like; of a local recoding also how many cells are ``*``."""
    from sfumato.report.phrases import recoding_rows

    recoded, stars = recoding_rows(release), release.suppressed_cells
    if not output.options.show_values:
        recoded = [[*row[:2], ""] for row in recoded]
    titles = ["level or blocks" if any("block" in row[1] for row in recoded) else "level"]
    if release.recipe.is_local:
        titles = ["labels", "cells shown as *"]
        recoded = [[*row[:2], f"{stars[row[0]]:,}", *row[2:]] for row in recoded]
    output.table(["attribute", *right(*titles), "looks like"], recoded)


def print_written(path: Path | DatabaseTable, found: str, output: Output) -> None:
    """Say where a release is, and what was found when it was read back."""
    from sfumato.release import manifest_path

    output.line(f"written   {path}", style="bold")
    output.line(f"          {manifest_path(path).name} says what it promises and how it was made")
    what = "file" if isinstance(path, Path) else "table"
    output.line(f"verified  the {what} was read back and {found}", style="green")


def asked(name: str, limit: float) -> str:
    """Return a requirement in short."""
    from sfumato.verifier.counting import larger_is_better

    return f"{'>=' if larger_is_better(name) else '<='} {number(limit)}"


def _objectives(run: Mapping[str, Any]) -> dict[str, str]:
    stated = run.get("objectives", {})
    return {name: way for way in ("maximize", "minimize") for name in stated.get(way, ())}


LARGEST_GAP = 0.9995
"""From here on a gap says nothing."""


def _exposures(release: Release) -> list[str]:
    """Return what unchanged columns give away, or why that cannot be counted."""
    try:
        return list(map(str, release.exposures))
    except TooManyError as error:
        return [f"columns that are published unchanged were not judged: {error.message}"]


def _print_certainty(run: Mapping[str, Any], output: Output) -> None:
    """Say how a single best release was found, and how far it may be from the optimum."""
    print_raised(run, output)
    if "choice" in run:
        _print_choice(run, output)
        return
    took = f"{run.get('seconds', 0):.2f} s"
    if run.get("complete"):
        evaluated = count_words(run["evaluated"], "recoding")
        output.line(
            f"optimal: proven over {huge_words(run['space'])} recodings by evaluating {evaluated} ({took})"
        )
        return
    if run.get("method") == "local" and run.get("gap", 2.0) <= 1.0:
        what, gap = next(iter(_objectives(run)), "it"), 100 * max(run["gap"], 0.0)
        what = f"{what}, weighted by rows," if run.get("weighted") else what
        bound = number(run["bound"])
        cut = ", stopped before its end" if run.get("stopped") == "stopped" else ""
        output.line(
            f"local recoding, found in {took}{cut}: {what} is at most {gap:.1f} % above the optimum, which "
            f"is at least {bound}"
        )
        return
    text = f"not proven optimal: the search ended after {took} ({run.get('stopped', 'stopped')})"
    what = next(iter(_objectives(run)), "it")
    if run.get("gap", 1.0) < LARGEST_GAP:
        bound = number(run["bound"])
        text += f"; {what} is at most {100 * run['gap']:.1f} % from the best possible ({bound})"
    else:
        text += f"; how much better {what} could be is not known"
    output.paragraph(text, "yellow")


def _print_choice(run: Mapping[str, Any], output: Output) -> None:
    """Say what a release was drawn from, if it was drawn; for the publisher only."""
    if "choice" not in run:
        return
    drawn = run["choice"]
    many, share = count_words(drawn["candidates"], "recoding"), f"{100 * drawn['tolerance']:g} %"
    whole = "all" if drawn["all_candidates"] else "those met by random walks from it"
    output.paragraph(f"near-optimal: drawn at random from {many} within {share} of the best ({whole})")
    output.notes("warning", [drawn["warning"]] if "warning" in drawn else [])
