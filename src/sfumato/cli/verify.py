"""``sfumato verify`` and ``sfumato report``: recount a release, and print or write what was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.cli.explore import FILES
from sfumato.cli.options import ASSIGNMENT, MANIFEST, Options, argument, option
from sfumato.cli.output import Output, TableColumn, number, right, waiting
from sfumato.cli.release import asked
from sfumato.errors import DataError, ParameterError, SfumatoError
from sfumato.words import count_words

if TYPE_CHECKING:
    from sfumato.assess.published import Published

REPORT = "report.html"
INTERNAL_REPORT = "report-internal.html"
_EDITIONS = {
    "external": "the external edition: may be published with the release",
    "internal": "the internal edition: it counts suppressed people; do not publish it",
}


def verify(
    *,
    file: str = argument("FILE", "The released file, or the address of a database with --table."),
    spec: str | None = option(
        "--spec", "Check against this specification too, or on its own if there is no FILE.json.", "SPEC"
    ),
    data: str | None = option(
        "--data", "The original data that FILE was made from, to compare with.", "ORIGINAL"
    ),
    table: str | None = option("--table", "Of a database: the released table.", "NAME"),
    manifest: str | None = MANIFEST,
    output: Output,
) -> dict[str, object]:
    """Recount a released file or table from scratch, and list what was checked.

    Roles and promises come from FILE.json, and from a specification if one is given; its checks are named
    "specification: ...". Everything that these and the file determine is counted again; what they do not
    determine is listed with the reason. With --data, the recipe in FILE.json is applied to the original,
    which must give exactly the released rows, and every measure is computed from the original if it can be;
    a specification then says how the original is read, what its domains are and for whom sentences are
    confidential. Status 1 if there are violations.
    """
    from sfumato import api
    from sfumato.release import manifest_path, release_target

    loaded = None if spec is None else output.options.load_spec(spec)
    place = release_target(file, table, manifest)
    if loaded is None or data is not None:
        stated, is_file = manifest_path(place), isinstance(place, Path)
        if isinstance(place, Path) and not place.exists():
            raise DataError("there is no such file.", where=str(place))
        if isinstance(place, Path) and place.is_dir() and not stated.exists():
            raise DataError("this is a folder; name the released file.", where=str(place))
        if not stated.exists():
            why = "so nothing is promised. Name a specification with --spec."
            if data is not None:
                why = "so it is not known how it was made from the original."
            beside = "next to it" if is_file else "of it here"
            raise DataError(f"there is no {stated.name} {beside}, {why}", where=str(place))
    with waiting(output.options, "recounting"):
        found: Mapping[str, Any] = api.verify(file, loaded, data, table=table, manifest=manifest)
    _print_recount(found, output)
    broken = f": {count_words(len(found['violations']), 'violation')}"
    _print_verdict(str(place), found["holds"], output, broken)
    return {"file": str(place), **found}


def _print_recount(found: Mapping[str, Any], output: Output) -> None:
    """Print promise and recount, what else was checked, and what could not be."""
    require, stated, counted = found["require"], found["stated"], found["measures"]
    names = dict.fromkeys([*require, *stated, *counted])
    rows = []
    for name in names:
        limit = asked(name, require[name]) if name in require else ""
        rows.append(
            [name, limit, number(stated.get(name)), number(counted[name]) if name in counted else "-"]
        )
    output.table(["measure", *right("required", "stated", "counted")], rows)
    output.line()
    told = {*names, *(f"require {name}" for name in names)}  # not those of a specification
    checks = [[item["name"], item["verdict"], item["detail"]] for item in found["checks"]]
    others = [check for check in checks if check[0] not in told]
    if others:
        output.table(["checked", TableColumn("verdict", fixed=True), "found"], others)
        output.line()
    shown = ", ".join(f"{many:,} {word}" for word, many in found["rows"].items() if isinstance(many, int))
    output.facts([("rows", shown), ("classes", f"{found['classes']:,}"), ("sha256", found["sha256"])])
    output.notes("not recounted", [f"{name}: {why}" for name, why in found["not_recounted"].items()])
    output.notes("note", found["notes"])
    output.notes("broken", found["violations"])


def _print_verdict(file: str, holds: bool, output: Output, violated: str = "") -> None:
    verdict = "verified, no violations" if holds else f"not verified{violated}"
    output.line(f"{file}: {verdict}", style="bold green" if holds else "bold red")


def report(
    *,
    folder: str = argument("DIR", "The folder with the release, or the released file."),
    internal: bool = option(
        "--internal",
        "Compare with the original, and show the front: for you, not to be published.",
        default=False,
    ),
    spec: str | None = option("--spec", "With --internal: the specification, if not in DIR.", "SPEC"),
    released: str | None = option("--release", "The release; the one in DIR if not given.", "FILE"),
    assignment: str | None = ASSIGNMENT,
    out: str | None = option(
        "--out", f"The report; DIR/{REPORT} or DIR/{INTERNAL_REPORT} if not given.", "FILE"
    ),
    output: Output,
) -> dict[str, object]:
    """Write one HTML file about a release: what it promises, what was verified, what it costs.

    The released file is recounted first. Status 1 if it finds violations; the report then says
    so. The external edition is made only from FILE and FILE.json, and may be published with them.
    """
    from sfumato.release import check_target
    from sfumato.report.document import is_release, write_report
    from sfumato.report.summary import headlines

    for name, given in (("--spec", spec), ("--assignment", assignment)):
        if given is not None and not internal:
            raise ParameterError(
                f"{name} needs --internal: the external report is made only from the release."
            )
    options, edition = output.options, "internal" if internal else "external"
    if released is None and (Path(folder).is_file() or is_release(Path(folder))):
        folder, released = str(Path(folder).parent), str(Path(folder).absolute())
    path = Path(folder) / (INTERNAL_REPORT if internal else REPORT) if out is None else Path(out)
    if Path(folder).is_dir() or out is not None:
        check_target(path, force=options.force)
    with waiting(options, "recounting the release" + (", attacking and analysing it" if internal else "")):
        found = _read_folder(
            Path(folder), released, spec, options, path, internal=internal, assignment=assignment
        )
        write_report(path, found, show_values=options.show_values, force=options.force)
    output.facts(
        [(words, f"{before} → {after}" if before else after) for words, before, after in headlines(found)]
    )
    output.notes("broken", found.subject.verdict.violations)
    # One thing that is not there may be missing in several parts: what to do about it is said once.
    advice = {item.remedy: item.why for item in reversed(found.lacks)}
    output.notes("missing", [f"{why} {remedy}" for remedy, why in reversed(advice.items())])
    output.heading(f"written  {path}")
    output.line(f"         {_EDITIONS[edition]}")
    _print_verdict(str(found.subject.file), found.holds, output)
    told = found.to_dict(show_values=options.show_values)
    return {"report": str(path), "edition": edition, "holds": found.holds, **told}


def _read_folder(
    folder: Path,
    released: str | None,
    spec: str | None,
    options: Options,
    out: Path,
    *,
    internal: bool,
    assignment: str | None,
) -> Published:
    """Verify the release in a folder, and collect what a report about it shows."""
    from sfumato.assess.gather import gather
    from sfumato.assess.published import Lack, published
    from sfumato.release import manifest_path
    from sfumato.report import document as inside

    file = inside.find_release(folder, released)
    loaded = None
    try:
        named = inside.find_specification(folder) if spec is None else Path(spec)
        loaded = None if named is None else options.load_spec(str(named))
    except SfumatoError:
        # For the external edition it is read only to avoid replacing files that it names.
        if internal:
            raise
    read = [file, manifest_path(file), *(folder / name for name in FILES)]
    options.spare_inputs([out], [*read, *(() if loaded is None else loaded.inputs)])
    found = published(file)
    if not internal:
        return found
    lacks: list[Lack] = []
    origin = inside.find_origin(loaded, lacks)
    origin = origin and replace(origin, assignment=assignment)
    return gather(found, origin, inside.find_front(folder, lacks), lacks=lacks)
