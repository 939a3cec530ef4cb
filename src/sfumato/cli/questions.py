"""Questions about one solution, answered on the terminal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.cli.output import Column, count, number
from sfumato.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.cli.output import Output
    from sfumato.front import Point
    from sfumato.results import Front, Solution

MOST_ANSWERS = 3
"""So many answers to one question are shown; the JSON object holds all."""


@dataclass(frozen=True)
class Asked:
    """What is asked about, with its name in sentences."""

    words: str
    point: Point


@dataclass(frozen=True)
class Trade:
    """What shall be better, what may be worse for it, and by how much; None is all in turn, or all others."""

    better: str | None
    worse: str | None
    at_most: str


def read_release(path: str, front: Front) -> Asked:
    """Return the measures that the manifest of a release states; it must state those of the front."""
    from sfumato.release import Manifest, manifest_path

    manifest = Manifest.load(manifest_path(Path(path)))
    for item in front.objectives:
        if item.name in manifest.withheld:
            why = f"{item.name!r} is not published: {manifest.withheld[item.name]}"
            raise ParameterError(f"{why} Name a solution of the front instead.", where=path)
    measures = {**manifest.measures, "suppressed": float(manifest.rows["suppressed"])}
    return Asked(f"the release {Path(path).name}", measures)


def answer(front: Front, asked: Asked, trade: Trade, output: Output) -> int:
    """Say what is better than a point, and what is better in one measure for a little of others."""
    better = front.better_than(asked.point)
    trades = {
        name: front.trade(asked.point, name, trade.worse, at_most=trade.at_most)
        for name in ([trade.better] if trade.better else _gaining(front, trade))
    }
    _print_better(front, asked, better, output)
    for name, found in trades.items():
        worse = trade.worse or "any other objective"
        question = f"Better in {name} for at most {trade.at_most} worse in {worse}?"
        _print_answers(front, question, found, output)
    output.result(
        {
            "better": [_as_dict(item) for item in better],
            "trades": [
                {
                    "better": name,
                    "worse": trade.worse,
                    "at_most": trade.at_most,
                    "solutions": [_as_dict(item) for item in found],
                }
                for name, found in trades.items()
            ],
            "complete": front.complete,
        }
    )
    return 0


def _gaining(front: Front, trade: Trade) -> list[str]:
    return [item.name for item in front.objectives if item.name != trade.worse]


def _print_better(front: Front, asked: Asked, better: Sequence[Solution], output: Output) -> None:
    output.paragraph(f"As good as {asked.words} in everything and better in something?", "bold")
    if better:
        _print_solutions(front, better, output)
    elif front.complete:
        output.paragraph(
            "No: the front is complete, so no recoding of the space is.", others="  ", first="  "
        )
    else:
        output.paragraph(
            "None was found; the front is not complete, so there may be one.", others="  ", first="  "
        )


def _print_answers(front: Front, question: str, found: Sequence[Solution], output: Output) -> None:
    output.line()
    output.paragraph(question, "bold")
    if found:
        _print_solutions(front, found, output)
    else:
        output.paragraph("No.", first="  ")


def _print_solutions(front: Front, found: Sequence[Solution], output: Output) -> None:
    names = [name for name in front.measure_names if name != "suppressed"]
    rows = [
        [str(item.number), *(number(item.value(name)) for name in names), f"{item.suppressed:,}"]
        for item in found[:MOST_ANSWERS]
    ]
    heads = ["solution", *names, "suppressed"]
    output.table([Column(head, "right") for head in heads], rows)
    if len(found) > MOST_ANSWERS:
        output.line(f"({MOST_ANSWERS} of {count(len(found), 'solution')})", style="dim")


def _as_dict(item: Solution) -> dict[str, object]:
    return {"solution": item.number, **item.measures, "suppressed": item.suppressed}
