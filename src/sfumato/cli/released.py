"""A release on the terminal: what was asked, what was reached, what was done to the columns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.cli.output import Column, count, huge, number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sfumato.cli.output import Output
    from sfumato.release import Manifest
    from sfumato.results import Release


def print_release(release: Release, manifest: Manifest, output: Output) -> None:
    """Say what a release that has just been written reaches, and how it was made."""
    rows = manifest.rows
    share = f" ({100 * rows['suppressed'] / rows['in']:.2f} %)" if rows["suppressed"] else ""
    facts = [
        ("rows", f"{rows['in']:,} in, {rows['out']:,} out, {rows['suppressed']:,} suppressed{share}"),
        ("classes", f"{release.classes:,}"),
    ]
    left_out = release.left_out
    if left_out:
        facts.append(("left out", f"{', '.join(left_out)} (the specification does not name them)"))
    output.facts(facts)
    output.line()
    output.table(
        [Column("measure"), Column("asked", "right"), Column("reached", "right")],
        _measure_rows(release, manifest),
    )
    output.line()
    rows_of_recoding = _recoding_rows(release, show_labels=output.options.show_values)
    has_blocks = any("block" in row[1] for row in rows_of_recoding)
    title = "level or blocks" if has_blocks else "level"
    output.table([Column("attribute"), Column(title, "right"), Column("looks like")], rows_of_recoding)


def print_files(path: Path, manifest_file: Path, output: Output) -> None:
    """Say where a release stands, and that it was recounted."""
    output.line()
    output.line(f"written   {path}", style="bold")
    output.line(f"          {manifest_file.name} beside it says what it promises and how it was made")
    output.line("verified  the file was read back and recounted by independent code: it holds", style="green")


def release_result(
    release: Release, manifest: Manifest, path: Path, manifest_file: Path
) -> dict[str, object]:
    """Return what ``--json`` prints about a release."""
    return {
        "file": str(path),
        "manifest": str(manifest_file),
        "measures": _measures(release, manifest),
        "withheld": dict(manifest.withheld),
        "require": dict(manifest.require),
        "rows": dict(manifest.rows),
        "classes": release.classes,
        "recoding": release.recoding,
        "left_out": list(release.left_out),
        "verified": True,
        "run": release.run,
    }


def asked(name: str, limit: float) -> str:
    """Return a requirement in short.

    Examples
    --------
    >>> asked("k", 5.0), asked("t(occupation)", 0.3)
    ('>= 5', '<= 0.3')
    """
    from sfumato.verifier.checks import larger_is_better

    return f"{'>=' if larger_is_better(name) else '<='} {number(limit)}"


def _measure_rows(release: Release, manifest: Manifest) -> list[list[str]]:
    """List required measures and objectives, with what was asked of each."""
    wishes = {name: asked(name, limit) for name, limit in manifest.require.items()}
    for name, word in _objectives(release.run).items():
        wishes[name] = f"{wishes[name]}, {word}" if name in wishes else word
    reached = _measures(release, manifest)
    return [[name, wish, number(reached.get(name))] for name, wish in wishes.items()]


def _measures(release: Release, manifest: Manifest) -> dict[str, float]:
    """Return the exact numbers, which are the owner's to see; those of the recount where it has them."""
    exact = {name: number for name, number in manifest.measures.items() if name not in manifest.tolerance}
    return {**release.measures, **exact}


def _objectives(run: Mapping[str, object]) -> dict[str, str]:
    stated = run.get("objectives")
    if not isinstance(stated, dict):
        return {}
    return {name: way for way in ("maximize", "minimize") for name in stated.get(way, ())}


def _recoding_rows(release: Release, *, show_labels: bool) -> list[list[str]]:
    """List the quasi-identifiers with level and height, or blocks, and, if that is wanted, labels."""
    from sfumato.report.words import block_words, example

    rows = []
    for item in release.groupings:
        labels = [] if item.keep else [item.labels[number] for number in item.shown]
        if item.level is None:
            texts = [count(len(item.shown), "block"), block_words(labels)]
        else:
            texts = [f"{item.level} of {item.hierarchy.height}", example(labels, item.level)]
        rows.append([item.name, texts[0], texts[1] if show_labels else ""])
    return rows


def print_certainty(run: Mapping[str, object], output: Output) -> None:
    """Say how a single best release was found, and how far it may be from the optimum."""
    seconds = float(str(run.get("seconds", 0)))
    if "choice" in run:
        print_choice(run, output)
        return
    if run.get("complete"):
        output.line(
            f"optimal: proven over {huge(str(run['space']))} recodings by evaluating "
            f"{count(int(str(run['evaluated'])), 'recoding')} ({seconds:.2f} s)"
        )
        return
    names = list(_objectives(run))
    what = names[0] if names else "it"
    gap, bound = run.get("gap"), run.get("bound")
    text = f"not proven optimal: the search was cut after {seconds:.2f} s ({run.get('stopped', 'stopped')})"
    if isinstance(gap, float) and isinstance(bound, float):
        text += f"; {what} is at most {100 * gap:.1f} % from the best possible ({number(bound)})"
    output.paragraph(text, "yellow")


def print_choice(run: Mapping[str, object], output: Output) -> None:
    """Say what a release was drawn from, if it was drawn; for the publisher alone."""
    drawn = run.get("choice")
    if not isinstance(drawn, dict):
        return
    many, share = count(int(drawn["candidates"]), "recoding"), f"{100 * float(drawn['tolerance']):g} %"
    whole = "all" if drawn["all_candidates"] else "those met by random walks from it"
    output.paragraph(f"near-optimal: drawn at random from {many} within {share} of the best ({whole})")
    output.notes("warning", [str(drawn["warning"])] if "warning" in drawn else [])
