"""A front drawn with letters, for a terminal."""

from __future__ import annotations

import unicodedata
from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from sfumato.report.axes import Axis, beside_line, plane_axes, plane_scale
from sfumato.report.phrases import check_picked, front_title, knee_number
from sfumato.words import count_words, number_words, printable

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, LongArray
    from sfumato.front.plain import PlainFront

LEAST_ROWS = 3
LEAST_COLUMNS = 2


_Letters = namedtuple("_Letters", "point knee picked upright upright_tick corner level level_tick beside")
_UNICODE, _ASCII = _Letters(*"•◆★│┤└─┬○"), _Letters(*"oKP|++-+.")


def front_text(
    front: PlainFront, width: int, height: int, *, picked: int | None = None, unicode: bool = True
) -> str:
    """Draw a front as plain text."""
    # The first objective to maximize runs to the right and the first to minimize upwards; where there is no
    # such pair, the first two. Solutions that fall on one letter are drawn as one.
    check_picked(front, picked)
    letters = _UNICODE if unicode else _ASCII
    if not len(front):
        lines = [front_title(front)]
    else:
        x, y = plane_axes(front)
        captions = [_caption(y, width), _caption(x, width), *_legend(front, picked, letters, width)]
        rows = max(LEAST_ROWS, height - len(captions) - 2)
        drawing = _drawing(front, picked, letters, rows, width)
        lines = [captions[0], *drawing, *captions[1:]]
    shown = lines if unicode else [line.encode("ascii", "replace").decode() for line in lines]
    return "\n".join(_cut(line, width).rstrip() for line in shown)


def _caption(axis: Axis, width: int) -> str:
    """Return what an axis shows, in as many words as the width allows."""
    scale = "logarithmic" if axis.is_log else ""
    notes = (", ".join(filter(None, (axis.better, scale))), scale or axis.better)
    texts = [*(f"{axis.words}: {note}" for note in notes if note), axis.words, printable(axis.name)]
    return next((text for text in texts if cells(text) <= width), texts[-1])


def _legend(front: PlainFront, picked: int | None, letters: _Letters, width: int) -> list[str]:
    """Return the marks and what they mean, in as few lines as the width allows."""
    knee = knee_number(front)
    parts = [f"{letters.point} {count_words(len(front), 'solution')}"]
    if knee is not None and knee != picked:
        parts.append(f"{letters.knee} knee: solution {knee}")
    if picked is not None:
        parts.append(f"{letters.picked} picked: solution {picked}{', the knee' if picked == knee else ''}")
    if front.is_local:
        parts[0] = f"{letters.point} {count_words(len(front), 'local recoding')}"
        parts += [f"{letters.beside} best global recodings"] if beside_line(front) else []
    else:
        parts.append("complete" if front.complete else "not complete")
    if len(front.objectives) > 2:
        parts.append(f"2 of {len(front.objectives)} objectives drawn")
    lines = [parts[0]]
    for part in parts[1:]:
        longer = f"{lines[-1]}   {part}"
        if cells(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines


def _drawing(front: PlainFront, picked: int | None, letters: _Letters, rows: int, width: int) -> list[str]:
    """Return the rows of the drawing, the axis below them and its numbers."""
    x, y = plane_scale(front)
    ticks = y.ticks(rows // 2 + 1)
    heights = rows - 1 - (y.share(np.array(ticks)) * (rows - 1)).round().astype(int)
    y_ticks = {int(place): number_words(tick) for place, tick in zip(heights, ticks, strict=True)}
    # Room for the widest number, a blank and the axis.
    margin = max(len(text) for text in y_ticks.values())
    columns = max(LEAST_COLUMNS, width - margin - 2)
    grid = [[" "] * columns for _ in range(rows)]
    other = beside_line(front)
    if other is not None:
        below, right = rows - 1 - _places(y, rows, other.y), _places(x, columns, other.x)
        for row, column, number in zip(below, right, other.numbers, strict=True):
            grid[row][column] = letters.beside if number is not None else grid[row][column]
    across, upwards = plane_axes(front)
    below, right = rows - 1 - _places(y, rows, upwards.values), _places(x, columns, across.values)
    marks = {knee_number(front): letters.knee, picked: letters.picked}
    # Marked ones last, so that no other point hides them, and the picked one after the knee.
    drawn_ones = sorted(zip(front, below, right, strict=True), key=lambda drawn: drawn[0].number == picked)
    for item, row, column in drawn_ones:
        # What is not finite has no place.
        is_free = grid[row][column] in (" ", letters.beside) if row < rows else False
        if row < rows and column >= 0 and (item.number in marks or is_free):
            grid[row][column] = marks.get(item.number, letters.point)
    lines = []
    for row, drawn in enumerate(grid):
        edge = letters.upright_tick if row in y_ticks else letters.upright
        lines.append(f"{y_ticks.get(row, ''):>{margin}} {edge}{''.join(drawn)}")
    line, numbers = _level_axis(x, letters, columns, margin + 2, width)
    return [*lines, " " * (margin + 1) + letters.corner + line, numbers]


def _places(axis: Axis, count: int, values: FloatArray) -> LongArray:
    """Return the column or row of each value, counted from the smallest one; -1 for none."""
    shares = np.full(len(values), np.nan)
    finite = np.isfinite(values)
    shares[finite] = axis.share(values[finite])
    return np.asarray(np.nan_to_num(shares * (count - 1), nan=-1.0).round(), dtype=np.int64)


def _level_axis(axis: Axis, letters: _Letters, columns: int, start: int, width: int) -> tuple[str, str]:
    """Return the axis below the drawing and the numbers below it; those that would touch are left out."""
    labels = axis.tick_labels(columns // (4 if axis.is_log else 7), columns - 1)
    places = (axis.share(np.array(list(labels))) * (columns - 1)).round().astype(int)
    line, numbers = [letters.level] * columns, ""
    for text, place in zip(labels.values(), places, strict=True):
        line[place] = letters.level_tick
        begin = max(0, min(start + int(place) - len(text) // 2, width - len(text)))
        if text and (begin > len(numbers) or not numbers):
            numbers = numbers.ljust(begin) + text
    return "".join(line), numbers


def cells(text: str) -> int:
    """Return how many columns a text takes: East Asian wide letters two, combining ones none."""
    return sum(_letter_cells(letter) for letter in text)


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Return a text filled up with blanks to so many columns."""
    blanks = " " * max(0, width - cells(text))
    return blanks + text if right else text + blanks


def _letter_cells(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def _cut(text: str, width: int) -> str:
    """Return as much of a text as fits."""
    taken = 0
    for place, letter in enumerate(text):
        taken += _letter_cells(letter)
        if taken > width:
            return text[:place]
    return text
