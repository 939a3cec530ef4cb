"""``sfumato anonymize`` and ``sfumato release``: the best release, or one that is picked from a front."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.cli.explore import FILES, print_checkpoint_note
from sfumato.cli.options import FRONT, RELEASE, REQUIRED, SPEC, SPEC_OF_FRONT, option
from sfumato.cli.output import Output, number, right, waiting, watching
from sfumato.words import count_words, huge_words

if TYPE_CHECKING:
    from sfumato.release import Manifest
    from sfumato.results import Release


def anonymize(*, spec: str = SPEC, out: str = RELEASE, output: Output) -> dict[str, object]:
    """Write the best release that meets [require].

    The best is the one with the smallest first entry of minimize. Ctrl-C ends the search with
    the best so far; a second one aborts.
    """
    from sfumato import api
    from sfumato.release import check_release_target, manifest_path

    options, path = output.options, Path(out)
    check_release_target(path, force=options.force)
    loaded = options.load_spec(spec)
    options.spare_inputs([path, manifest_path(path)], loaded.inputs)
    with watching(options) as watch:
        made = api.anonymize(
            None, loaded, threads=options.threads, callback=watch, checkpoint=options.checkpoint
        )
    with waiting(options, "writing and verifying"):
        manifest = made.write(path, force=options.force)
    _print_certainty(made.run, output)
    print_checkpoint_note(made.run, output)
    return tell_release(made, manifest, path, output)


def release(
    *,
    spec: str = SPEC_OF_FRONT,
    front: str = FRONT,
    pick: str = option("--pick", "A number, 'knee', 'flat', or conditions: 'k >= 10'.", "TEXT", REQUIRED),
    out: str = RELEASE,
    output: Output,
) -> dict[str, object]:
    """Write the release of one solution of a front.

    If several solutions match the pick, the best by the first entry of minimize is taken.
    """
    from sfumato import api
    from sfumato.release import check_release_target, manifest_path
    from sfumato.results import Front

    options, path = output.options, Path(out)
    check_release_target(path, force=options.force)
    found = Front.load(front)
    chosen = found.pick(pick)
    loaded = options.load_spec(spec)
    read = [*loaded.inputs, *(Path(front) / name for name in FILES)]
    options.spare_inputs([path, manifest_path(path)], read)
    with waiting(options, "reading, writing and verifying"):
        made = api.release_solution(None, loaded, found, chosen.number)
        manifest = made.write(path, force=options.force)
    output.line(f"solution {chosen.number} of {len(found)}, by {pick!r}")
    _print_choice(made.run, output)
    return {**tell_release(made, manifest, path, output), "solution": chosen.number}


def tell_release(
    release: Release, manifest: Manifest, path: Path, output: Output, *, unknown: str | None = None
) -> dict[str, object]:
    """Print what a release that has just been written reaches and how it was made; return it for JSON."""
    # If a recipe was applied to new data, `unknown` says in words what it did not know.
    from sfumato.release import manifest_path
    from sfumato.report.phrases import recoding_rows

    rows = manifest.rows
    share = f" ({100 * rows['suppressed'] / rows['in']:.2f} %)" if rows["suppressed"] else ""
    output.facts(
        [
            ("rows", f"{rows['in']:,} in, {rows['out']:,} out, {rows['suppressed']:,} suppressed{share}"),
            *([] if unknown is None else [("unknown", unknown)]),
            ("classes", f"{release.classes:,}"),
            *([("unchanged", ", ".join(release.unchanged))] if release.unchanged else []),
        ],
        release.left_out,
        "specification" if unknown is None else "recipe",
    )
    # The exact numbers are the owner's to see; those of the recount where it has them.
    exact = {name: value for name, value in manifest.measures.items() if name not in manifest.tolerance}
    reached = {**release.measures, **exact}
    wishes = _wishes(manifest, release.run)
    output.line()
    output.table(
        ["measure", *right("asked", "reached")],
        [[name, wish, number(reached.get(name))] for name, wish in wishes.items()],
    )
    output.line()
    recoded = recoding_rows(release)
    if not output.options.show_values:
        recoded = [[*row[:2], ""] for row in recoded]
    title = "level or blocks" if any("block" in row[1] for row in recoded) else "level"
    output.table(["attribute", *right(title), "looks like"], recoded)
    output.line()
    warnings = list(map(str, release.exposures))
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
        "left_out": list(release.left_out),
        "unchanged": list(release.unchanged),
        "warnings": warnings,
        "verified": True,
        "run": release.run,
    }


def print_written(path: Path, found: str, output: Output) -> None:
    """Say where a release is, and what was found when it was read back."""
    from sfumato.release import manifest_path

    output.line(f"written   {path}", style="bold")
    output.line(f"          {manifest_path(path).name} says what it promises and how it was made")
    output.line(f"verified  the file was read back and {found}", style="green")


def asked(name: str, limit: float) -> str:
    """Return a requirement in short."""
    from sfumato.verifier.counting import larger_is_better

    return f"{'>=' if larger_is_better(name) else '<='} {number(limit)}"


def _wishes(manifest: Manifest, run: Mapping[str, object]) -> dict[str, str]:
    """Return required measures and objectives, with what was asked of each."""
    wishes = {name: asked(name, limit) for name, limit in manifest.require.items()}
    for name, word in _objectives(run).items():
        wishes[name] = f"{wishes[name]}, {word}" if name in wishes else word
    return wishes


def _objectives(run: Mapping[str, Any]) -> dict[str, str]:
    stated = run.get("objectives", {})
    return {name: way for way in ("maximize", "minimize") for name in stated.get(way, ())}


LARGEST_GAP = 0.9995
"""From here on a gap says nothing."""


def _print_certainty(run: Mapping[str, Any], output: Output) -> None:
    """Say how a single best release was found, and how far it may be from the optimum."""
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
