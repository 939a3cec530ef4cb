"""``sfumato verify``: recount a released file from scratch, and list what was checked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.options import Options
from sfumato.cli.output import Column, Output, count, number, waiting


def verify(
    *,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The released file.")],
    spec: Annotated[
        str | None,
        typer.Option(
            "--spec",
            metavar="SPEC",
            help="Roles and requirements to check as well as FILE.json, or alone if there is none.",
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option("--data", metavar="ORIGINAL", help="The data that FILE was made from, to compare with."),
    ] = None,
    options: Options,
) -> int:
    """Recount a released file from scratch, and list what was checked.

    Roles and promises come from FILE.json, and from a specification if one is given; its checks are named
    "specification: ...". All that these and the file determine is counted again; what they do not determine
    is listed with the reason. With --data it is also checked that the recipe in FILE.json makes exactly the
    released rows of the original, and every measure is computed from the original as far as it determines it;
    a specification then says how the original is read, what its domains are and for whom sentences are
    confidential. Status 1 if it does not hold.
    """
    from sfumato import api

    output = Output(options)
    loaded = None if spec is None else options.load_spec(spec)
    if loaded is None or data is not None:
        _check_manifest(Path(file), is_compared=data is not None)
    with waiting(options, "recounting"):
        found = api.verify(file, loaded, data)
    _print(file, found, output)
    output.result({"file": file, **found})
    return 0 if found["holds"] else 1


def _check_manifest(file: Path, *, is_compared: bool) -> None:
    """Raise DataError if there is no manifest, and say what else can be done."""
    from sfumato.errors import DataError
    from sfumato.release import manifest_path

    if not file.exists():
        raise DataError("there is no such file.", where=str(file))
    if file.is_dir():
        raise DataError("this is a folder; name the released file.", where=str(file))
    if file.is_file() and not manifest_path(file).exists():
        why = (
            "so nobody knows how it was made from the original."
            if is_compared
            else "so nothing is promised. Name a specification with --spec."
        )
        raise DataError(f"there is no {manifest_path(file).name} beside it, {why}", where=str(file))


def _print(file: str, found: Mapping[str, object], output: Output) -> None:
    """Print promise beside recount, then the verdict."""
    from sfumato.cli.released import asked

    require, stated = (_mapping(found[key]) for key in ("require", "stated"))
    counted, lacking, rows = (_mapping(found[key]) for key in ("measures", "not_recounted", "rows"))
    names = dict.fromkeys([*require, *stated, *counted])
    columns = [Column("measure"), *(Column(word, "right") for word in ("required", "stated", "counted"))]
    output.table(
        columns,
        [
            [
                name,
                asked(name, _float(require[name])) if name in require else "",
                number(None if name not in stated else _float(stated[name])),
                _counted(counted.get(name)),
            ]
            for name in names
        ],
    )
    output.line()
    _print_checks(found["checks"], names, output)
    shown = ", ".join(f"{many:,} {word}" for word, many in rows.items() if isinstance(many, int))
    output.facts([("rows", shown), ("classes", f"{found['classes']:,}"), ("sha256", str(found["sha256"]))])
    output.notes("not recounted", [f"{name}: {reason}" for name, reason in lacking.items()])
    notes, violations = found["notes"], found["violations"]
    assert isinstance(notes, list)
    assert isinstance(violations, list)
    output.notes("note", notes)
    output.notes("broken", violations)
    verdict = "holds" if found["holds"] else f"does not hold: {count(len(violations), 'violation')}"
    output.line(f"{file}: {verdict}", style="bold green" if found["holds"] else "bold red")


def _print_checks(checks: object, measures: Collection[str], output: Output) -> None:
    """Print what was checked beside the measures, which have their own table."""
    assert isinstance(checks, list)
    told = {*measures, *(f"require {name}" for name in measures)}  # not those of a specification
    columns = [Column("checked"), Column("verdict", fixed=True), Column("found")]
    rows = [[item["name"], item["verdict"], item["detail"]] for item in checks if item["name"] not in told]
    if rows:
        output.table(columns, rows)
        output.line()


def _mapping(value: object) -> Mapping[str, object]:
    assert isinstance(value, Mapping)
    return value


def _float(value: object) -> float:
    assert isinstance(value, int | float)
    return value


def _counted(value: object) -> str:
    return number(value) if isinstance(value, int | float) else "-"
