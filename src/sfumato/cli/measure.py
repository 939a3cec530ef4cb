"""``sfumato measure``: all measures of any table."""

from __future__ import annotations

from typing import Annotated

import typer

from sfumato.cli.options import Options, split_names
from sfumato.cli.output import Column, Output, count, number
from sfumato.cli.progress import waiting
from sfumato.cli.reading import (
    DataPath,
    Encoding,
    Person,
    Sensitive,
    Separator,
    make_reading_spec,
    without_specification,
)

_COUNTS = ("rows", "classes", "uniques")


def measure(
    *,
    data: DataPath,
    qi: Annotated[
        list[str],
        typer.Option("--qi", metavar="A,B", help="Columns that an outsider may know; may be repeated."),
    ],
    sensitive: Sensitive = None,
    person: Person = None,
    separator: Separator = None,
    encoding: Encoding = "utf-8",
    options: Options,
) -> int:
    """Measure any table, protected or not.

    A column whose name holds a comma is written in double quotes, as in CSV.
    """
    from sfumato import api
    from sfumato.cli.meanings import Findings, meaning, verdict

    output = Output(options)
    known, secret = split_names(qi, "--qi"), split_names(sensitive or [], "--sensitive")
    how = make_reading_spec(known, separator, encoding)
    with waiting(options, "reading the data"), without_specification():
        numbers = api.measure(data, known, secret, person=person, spec=how)
    findings = Findings(numbers, known, secret, person)
    rows = count(findings.rows, "row")
    output.line(
        f"{data}: {rows} in {count(int(numbers['classes']), 'class')} by {findings.known}", style="bold"
    )
    output.line()
    output.table(
        [Column("measure", fixed=True), Column("value", "right"), Column("meaning")],
        [[name, number(numbers[name]), meaning(name, findings)] for name in numbers if name not in _COUNTS],
    )
    output.line()
    output.line("Is this table anonymous?", style="bold")
    output.paragraph(verdict(findings))
    if not secret:
        output.line("Name columns with --sensitive to see whether their values are protected.", style="dim")
    output.result(numbers)
    return 0
