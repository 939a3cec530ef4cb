"""The solutions of a front as a table of a page."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from sfumato.front import number_text
from sfumato.front.words import number_words, printable
from sfumato.report.words import count_words, knee_number, measure_words, partition_words, suppressed_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato.front import Front, Solution, Suggestion

LIMIT = 500
"""Rows of the table; ``front.csv`` holds all."""


def solution_table(
    front: Front,
    picked: int | None = None,
    *,
    labels: Mapping[int, Mapping[str, str]] | None = None,
    suggestions: Sequence[Suggestion[Solution]] = (),
) -> str:
    """Return the first solutions, and the marked ones, as a table that the page's script can sort."""
    columns = _Columns(front, {item.solution.number: item.name for item in suggestions})
    marked = {picked, *columns.suggested}
    shown = [*front.solutions[:LIMIT], *(item for item in front.solutions[LIMIT:] if item.number in marked)]
    rows = "\n".join(columns.row(item, picked, (labels or {}).get(item.number, {})) for item in shown)
    return f"<table>\n{columns.head()}\n<tbody>\n{rows}\n</tbody>\n</table>"


def table_sentence(front: Front) -> str:
    """Return what stands above the table: how much of the front it shows and how to use it."""
    few = len(front) <= LIMIT
    shown = (
        f"All {len(front):,} solutions"
        if few
        else (f"The first {LIMIT:,} of {len(front):,} solutions and the marked ones")
    )
    shown = count_words(1, "solution") if len(front) == 1 else shown
    recodings = front[0].recoding.values() if len(front) else ()
    levels = "At level 0 an attribute is released unchanged; the higher the level, the coarser its values."
    blocks = "Values of one block cannot be told apart; the fewer the blocks, the coarser the values."
    kinds = [
        text
        for text, is_level in ((levels, True), (blocks, False))
        if any(isinstance(partition, int) is is_level for partition in recodings)
    ]
    return " ".join(
        [
            f"{shown}, best first by the objectives in their order; the heading of a column sorts by it.",
            *kinds,
        ]
    )


class _Columns:
    """The columns of a front's table: solution, measures, suppressed rows, attributes."""

    def __init__(self, front: Front, suggested: Mapping[int, str]) -> None:
        self.front = front
        self.suggested = suggested
        self.better = {item.name: "larger" if item.maximize else "smaller" for item in front.objectives}
        self.measures = [name for name in front.measure_names if name != "suppressed"]
        self.attributes = list(front[0].recoding)
        self.knee = knee_number(front)

    def head(self) -> str:
        names = [*self.measures, "suppressed"]
        measured = [measure_words(name) for name in names]
        # The column of the solutions' numbers stands outside of both groups.
        groups = _group(len(measured), "Measures") + _group(len(self.attributes), self._group_title())
        sorted_by = [
            _heading("Solution", "", order="ascending"),
            *(
                _heading(text, _look("measure", place), better=self.better.get(name))
                for place, (text, name) in enumerate(zip(measured, names, strict=True))
            ),
            *(_heading(printable(name), _look("", place)) for place, name in enumerate(self.attributes)),
        ]
        return f"<thead>\n<tr><td></td>{groups}</tr>\n<tr>{''.join(sorted_by)}</tr>\n</thead>"

    def _group_title(self) -> str:
        kinds = {isinstance(partition, int) for partition in self.front[0].recoding.values()}
        if len(kinds) > 1:
            return "Level or blocks of each attribute"
        return "Level of each attribute" if kinds == {True} else "Blocks of each attribute"

    def row(self, item: Solution, picked: int | None, labels: Mapping[str, str]) -> str:
        marks = [name for name, number in (("picked", picked), ("knee", self.knee)) if number == item.number]
        name = self.suggested.get(item.number)
        notes = [*marks, *([escape(name)] if name and name not in marks else [])]
        text = " ".join([str(item.number), *notes[:1], *(f"({note})" for note in notes[1:])])
        start = f'<tr class="{" ".join(marks)}">' if marks else "<tr>"
        cells = [f'<th scope="row" data-value="{item.number}">{text}</th>', *self._measures(item)]
        return start + "".join([*cells, *self._partitions(item, labels)]) + "</tr>"

    def _measures(self, item: Solution) -> list[str]:
        values = [(item.value(name), number_words(item.value(name))) for name in self.measures]
        values.append((item.suppressed, suppressed_words(self.front, item.suppressed)))
        return [_cell(value, text, _look("measure", place)) for place, (value, text) in enumerate(values)]

    def _partitions(self, item: Solution, labels: Mapping[str, str]) -> list[str]:
        cells = []
        for place, attribute in enumerate(self.attributes):
            partition = item.recoding[attribute]
            value = partition if isinstance(partition, int) else len(partition)
            text = partition_words(partition, labels.get(attribute)).removeprefix("level ")
            cells.append(_cell(value, text, _look("", place)))
        return cells


def _group(size: int, text: str) -> str:
    return f'<th colspan="{size}" scope="colgroup">{text}</th>' if size else ""


def _look(kind: str, place: int) -> str:
    """Return the class attribute of a cell; the first one of a group has a line before it."""
    names = " ".join(name for name in (kind, "" if place else "first") if name)
    return f' class="{names}"' if names else ""


def _heading(text: str, look: str, *, order: str = "none", better: str | None = None) -> str:
    # The page's script reads which of two values is the better one.
    way = f' data-better="{better}"' if better else ""
    return (
        f'<th scope="col" aria-sort="{order}"{way}{look}><button type="button">{escape(text)}</button></th>'
    )


def _cell(value: float, text: str, look: str) -> str:
    # Sorting reads the exact value: the text is rounded.
    return f'<td data-value="{number_text(value)}"{look}>{escape(text)}</td>'
