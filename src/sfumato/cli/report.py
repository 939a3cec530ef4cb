"""``sfumato report``: all about a release in one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.options import Options
from sfumato.cli.output import Output, waiting
from sfumato.errors import ParameterError, SfumatoError

if TYPE_CHECKING:
    from sfumato.assess.published import Published
    from sfumato.spec import Spec

FILE = "report.html"
INTERNAL_FILE = "report-internal.html"
EXTERNAL = "the external edition: may be published with the release"
INTERNAL = "the internal edition: it counts suppressed people; do not publish it"


def report(
    *,
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder with the release.")],
    internal: Annotated[
        bool,
        typer.Option(
            "--internal", help="Compare with the original, and show the front: for you, not to be published."
        ),
    ] = False,
    spec: Annotated[
        str | None,
        typer.Option("--spec", metavar="SPEC", help="With --internal: the specification, if not in DIR."),
    ] = None,
    released: Annotated[
        str | None,
        typer.Option("--release", metavar="FILE", help="The release; the one in DIR if not given."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", metavar="FILE", help=f"The report; DIR/{FILE} or DIR/{INTERNAL_FILE} if not given."
        ),
    ] = None,
    options: Options,
) -> int:
    """Write one HTML file about a release: what it promises, what was verified, what it costs.

    The released file is recounted first. Status 1 if it does not hold; the report then says so.
    The external edition is made from FILE and FILE.json alone, and may be published with them.
    """
    from sfumato.release import check_target
    from sfumato.report import write_report

    if spec is not None and not internal:
        raise ParameterError("--spec needs --internal: the external report is made from the release alone.")
    name = INTERNAL_FILE if internal else FILE
    output, path = Output(options), Path(folder) / name if out is None else Path(out)
    if Path(folder).is_dir() or out is not None:
        check_target(path, force=options.force)
    with waiting(options, "recounting the release" + (", attacking and analysing it" if internal else "")):
        found = read_folder(Path(folder), released, spec, options, path, internal=internal)
        write_report(path, found, show_values=options.show_values, force=options.force)
    _print(path, found, output)
    told = found.to_dict(show_values=options.show_values)
    edition = "internal" if internal else "external"
    output.result({"report": str(path), "edition": edition, "holds": found.holds, **told})
    return 0 if found.holds else 1


def read_folder(
    folder: Path, released: str | None, spec: str | None, options: Options, out: Path, *, internal: bool
) -> Published:
    """Verify the release in a folder, and collect what a report about it shows."""
    from sfumato.assess.gather import gather
    from sfumato.assess.published import Lack, published
    from sfumato.cli.fronts import FILES
    from sfumato.release import manifest_path
    from sfumato.report import folder as inside

    file = inside.find_release(folder, released)
    loaded = _find_spec(folder, spec, options, internal=internal)
    read = [file, manifest_path(file), *(folder / name for name in FILES)]
    options.spare_inputs([out], [*read, *(() if loaded is None else loaded.inputs)])
    lacks: list[Lack] = []
    found = published(file)
    if not internal:
        return found
    origin = inside.find_origin(loaded, lacks)
    return gather(found, origin, inside.find_front(folder, lacks), lacks=lacks)


def _find_spec(folder: Path, spec: str | None, options: Options, *, internal: bool) -> Spec | None:
    """Return the specification; for the external edition only to spare what it names, if there is one."""
    from sfumato.report import folder as inside

    try:
        named = inside.find_specification(folder) if spec is None else Path(spec)
        return None if named is None else options.load_spec(str(named))
    except SfumatoError:
        if internal:
            raise
        return None


def _print(path: Path, found: Published, output: Output) -> None:
    """Say where the report stands and what it says in short."""
    from sfumato.assess.gather import Evidence
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
    output.line(f"         {INTERNAL if isinstance(found, Evidence) else EXTERNAL}")
    verdict = "holds" if found.holds else "does not hold"
    output.line(f"{found.subject.file}: {verdict}", style="bold green" if found.holds else "bold red")
