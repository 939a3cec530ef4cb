"""The command ``sfumato``."""

from __future__ import annotations

import inspect

import typer

from sfumato.cli.anonymize import anonymize
from sfumato.cli.check import check
from sfumato.cli.compare import compare
from sfumato.cli.demo import demo
from sfumato.cli.explore import explore
from sfumato.cli.guard import Commands
from sfumato.cli.init import init
from sfumato.cli.measure import measure
from sfumato.cli.microaggregate import microaggregate
from sfumato.cli.options import Version, with_common_options
from sfumato.cli.release import release
from sfumato.cli.report import report
from sfumato.cli.risk import risk
from sfumato.cli.verify import verify

app = typer.Typer(
    name="sfumato",
    cls=Commands,
    # Plain help and plain errors: they need no rich, so they come at once.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback()
def sfumato(*, version: Version = False) -> None:
    """See what every step of privacy costs a table in usefulness; choose; release with a guarantee."""


for command in (
    demo,
    init,
    check,
    explore,
    compare,
    anonymize,
    release,
    verify,
    report,
    measure,
    risk,
    microaggregate,
):
    # What a reader of the code needs of the parameters, the options say in their own words.
    text = (inspect.getdoc(command) or "").partition("\nParameters\n")[0]
    app.command(command.__name__, help=text)(with_common_options(command))


def main() -> None:
    """Run the command line and leave with its status."""
    app()
