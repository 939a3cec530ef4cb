"""``sfumato report``: all about a release in one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.options import Options
from sfumato.cli.output import Output
from sfumato.cli.progress import waiting

if TYPE_CHECKING:
    from sfumato.evidence.gather import Evidence

FILE = "report.html"


def report(
    *,
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder with the release and its front.")],
    spec: Annotated[
        str | None,
        typer.Option("--spec", metavar="SPEC", help="The specification; the one in DIR if not given."),
    ] = None,
    released: Annotated[
        str | None,
        typer.Option("--release", metavar="FILE", help="The release; the one in DIR if not given."),
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE", help=f"The report; DIR/{FILE} if not given.")
    ] = None,
    options: Options,
) -> int:
    """Write one HTML file about a release: what it promises, what was verified, what it cost.

    The released file is recounted first. Status 1 if it does not hold; the report then says so.

    Parameters
    ----------
    folder
        Where release, front and specification stand.
    spec
        The specification.
    released
        The release.
    out
        The report.
    options
        The common options.
    """
    from sfumato.release import atomic_text, check_target
    from sfumato.report import report_html

    output, path = Output(options), Path(folder) / FILE if out is None else Path(out)
    if Path(folder).is_dir() or out is not None:
        check_target(path, force=options.force)
    with waiting(options, "recounting the release, attacking and analysing it"):
        found = gather_folder(Path(folder), spec, released, options, path)
        atomic_text(path, report_html(found, show_values=options.show_values), force=options.force)
    _print(path, found, output)
    output.result(
        {"report": str(path), "holds": found.holds, **found.to_dict(show_values=options.show_values)}
    )
    return 0 if found.holds else 1


def gather_folder(
    folder: Path, spec: str | None, released: str | None, options: Options, out: Path
) -> Evidence:
    """Verify the release in a folder, and collect all that can be said about it.

    Parameters
    ----------
    folder
        Where to look.
    spec, released
        Specification and release, where they were named.
    options
        The common options.
    out
        The report, which may replace nothing that is read for it.
    """
    from sfumato.cli.fronts import FILES
    from sfumato.evidence.gather import Lack, gather
    from sfumato.release import manifest_path
    from sfumato.report import folder as inside

    file = inside.find_release(folder, released)
    named = inside.find_specification(folder) if spec is None else Path(spec)
    loaded = None if named is None else options.load_spec(str(named))
    read = [file, manifest_path(file), *(folder / name for name in FILES)]
    options.spare_inputs([out], [*read, *(() if loaded is None else loaded.inputs)])
    verdict = inside.judge_file(file)
    lacks: list[Lack] = []
    origin = inside.find_origin(loaded, lacks)
    front = inside.find_front(folder, lacks)
    return gather(inside.read_subject(file, verdict), origin, front, lacks=lacks)


def _print(path: Path, found: Evidence, output: Output) -> None:
    """Say where the report stands and what it says in short."""
    from sfumato.report.summary import headlines

    output.facts(
        [(words, f"{before} → {after}" if before else after) for words, before, after in headlines(found)]
    )
    violations = found.subject.verdict.get("violations")
    output.notes("broken", [str(item) for item in violations] if isinstance(violations, list) else [])
    # One thing that is not there may be missing in several parts: what to do about it is said once.
    advice = {item.remedy: item.why for item in reversed(found.lacks)}
    output.notes("missing", [f"{why} {remedy}" for remedy, why in reversed(advice.items())])
    output.line()
    output.line(f"written  {path}", style="bold")
    verdict = "holds" if found.holds else "does not hold"
    output.line(f"{found.subject.file}: {verdict}", style="bold green" if found.holds else "bold red")


__all__ = ["FILE", "gather_folder", "report"]
