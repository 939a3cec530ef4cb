"""Whether the labels of a local recoding cover the cells that they stand for.

A label says itself what it covers: a value, a range, a set, a node of the hierarchy that the recipe defines,
or ``*``. Rows of a release have no numbers, so that the question is whether every released row can be given
an original row of its own: one that its labels cover, and with the same cells in all other columns.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from sfumato.verifier.bags import STAR, ComparedColumns, enough_room, load_bag, open_engine
from sfumato.verifier.labels import ISO, moment, number_or_text, read_ends, unit_labels

LABEL_KINDS = ("tree", "range", "set", "suppress", "keep")
_ENTRY = r'"(?:[^"]|"")*"|[^",{}]+'
_SET = re.compile(rf"\{{(?:{_ENTRY})(?:, (?:{_ENTRY}))*\}}")
_OPEN = 10**100  # ranges without an end are longer
_DAYS = re.compile(r"\[(\d{4}-\d{2}-\d{2}[^,]*), (\d{4}-\d{2}-\d{2}[^,]*)\]")

Cell: TypeAlias = str | None


def named_values(label: str) -> tuple[str, ...] | None:
    """Return the members of a set as it is written; None for any other label."""
    if _SET.fullmatch(label) is None:
        return None
    found = re.findall(_ENTRY, label[1:-1].replace(", ", ",\0"))
    texts = (text.replace(",\0", ", ").strip("\0") for text in found)
    return tuple(text[1:-1].replace('""', '"') if text.startswith('"') else text for text in texts)


@dataclass(frozen=True)
class Covering:
    """What is needed to read the labels of one attribute."""

    done: Mapping[str, Any]  # what the recipe says about it
    # value → its labels, where the levels of a hierarchy are columns of the data
    chains: Mapping[str, Sequence[str]]

    def table(self, labels: Sequence[Cell], values: Sequence[Cell]) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Tell for each label which values it covers, shape (labels, values)."""
        found = np.zeros((len(labels), len(values)), dtype=np.bool_)
        places: dict[Cell | float, list[int]] = {}
        for place, value in enumerate(values):
            # The texts that stand for a value are its own, and those of the nodes above it.
            for text in {None} if value is None else {value, self._key(value), *self._above(value)}:
                places.setdefault(text, []).append(place)
        known = np.array([value is not None for value in values], dtype=np.bool_)
        keys = self._positions(values)
        for row, label in zip(found, labels, strict=True):
            if label == STAR:
                row[:] = True
            for text in (label, *(named_values(label) or () if label is not None else ())):
                row[places.get(None if text is None else self._key(text), [])] = True
            row[places.get(label, [])] = True
            ends = None if label is None or keys is None else self._ends(label)
            if ends is not None and keys is not None:
                inside = [key is not None and ends[0] <= key and ends[1](key) for key in keys]
                row |= np.array(inside, dtype=np.bool_) & known
        return found

    def extents(
        self, labels: Sequence[Cell], values: Sequence[Cell]
    ) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Tell how much each label covers, from 0 to 1 for ``*``: steps up a hierarchy, members, or length.

        Labels say it themselves, whichever values there are: these only show what stands above what.
        """
        steps: dict[Cell, int] = {}
        for value in values:
            for step, text in enumerate(() if value is None else self._above(value), start=1):
                steps.setdefault(text, step)
        found = np.array([self._extent(label, steps) for label in labels])
        most = max(found[np.isfinite(found)].max(initial=0.0), 1.0)
        return np.where([label == STAR for label in labels], 1.0, np.minimum(found, most) / (2 * most))

    def _extent(self, label: Cell, steps: Mapping[Cell, int]) -> float:
        if label is None or label in steps:
            return float(steps.get(label, 0))
        if members := named_values(label):
            return float(len(members))
        ends = self._ends(label)
        if ends is None:
            return 0.0
        if days := _DAYS.fullmatch(label):
            first, last = (dt.datetime.fromisoformat(moment(day)) for day in days.groups())
            return (last - first).total_seconds()
        low, high, _ = read_ends(label) or (0, 0, True)
        return float(high - low) if high - low < _OPEN else math.inf

    def _above(self, value: str) -> list[str]:
        """Return the labels of the nodes above a value, from its level to the root."""
        rule = self.done.get("hierarchy") or {}
        if self.done.get("scheme") != "tree":
            return []
        found = [*(rule.get("leaves") or {}).get(value, ()), *self.chains.get(value, ())]
        if "mask" in rule:
            found += [value[: rule["mask"] - stars] + STAR * stars for stars in range(1, rule["mask"] + 1)]
        if "prefix" in rule:
            found += [value[:length] for length in rule["prefix"]]
        return found + (unit_labels(moment(value, self._format), rule["dates"]) if "dates" in rule else [])

    @property
    def _format(self) -> str:
        return self.done.get("format") or ISO

    def _key(self, text: str) -> str | float:
        """Make spellings of one number or date the same."""
        if self.done.get("kind") == "date":
            return moment(text, self._format)
        return number_or_text(text) if self.done.get("kind") == "number" else text

    def _positions(self, values: Sequence[Cell]) -> list[Any] | None:
        """Return where values lie on a line; None where they do not."""
        if self.done.get("kind") == "number":
            keys = [None if value is None else number_or_text(value) for value in values]
            return [None if isinstance(key, str) or key is None else Fraction(str(key)) for key in keys]
        if self.done.get("kind") == "date":
            return [None if value is None else moment(value, self._format) for value in values]
        return None

    def _ends(self, label: str) -> tuple[Any, Any] | None:
        """Return the begin of a range, and whether a place is before its end."""
        days = _DAYS.fullmatch(label)
        if self.done.get("kind") == "date":
            if days is None:
                return None
            last = moment(days[2])
            return moment(days[1]), lambda key: key <= last
        ends = read_ends(label)
        if ends is None:
            return None
        low, high, is_closed = ends
        return low, lambda key: key <= high if is_closed else key < high


@dataclass(frozen=True)
class Covered:
    """What was found."""

    rows: int  # rows of the original
    kept: int  # rows of the release, masked ones excepted
    foreign: int  # those of them that cover no row of the original which is left


def check_coverage(
    released: Path,
    before: Path,
    columns: ComparedColumns,
    covering: Mapping[str, Covering],
    *,
    dialect: Mapping[str, object],
    masked: int = 0,
) -> Covered:
    """Give released rows original ones; at most ``masked`` of them were suppressed and stay as ``*``."""
    with open_engine() as connection:
        load_bag(connection, released, columns, "shown", dialect)
        load_bag(connection, before, columns, "made")
        with enough_room(released):
            shown, made = (connection.execute(f"FROM {table}").fetchall() for table in ("shown", "made"))
    # A masked row has lost its sensitive cells, so that it may stand for any row with the same other columns.
    blank = (f"={STAR}",) * len(columns.quasi_identifiers) + ("",) * len(columns.sensitive)
    flow = _match(shown, made, [covering[name] for name in columns.quasi_identifiers], blank, columns.masked)
    counted = sum(row[-1] for row in shown)
    are_blank = sum(row[-1] for row in shown if columns.masked and row[: len(blank)] == blank)
    return Covered(sum(row[-1] for row in made), counted - min(masked, are_blank), counted - flow)


def _match(
    shown: Sequence[Any],
    made: Sequence[Any],
    covering: Sequence[Covering],
    blank: tuple[str, ...],
    may_be_masked: bool,
) -> int:
    """Return how many released rows can have an original row each: a largest flow between kinds of rows."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import maximum_flow

    width = len(covering)
    tables, codes = [], []
    for place, item in enumerate(covering):
        labels, values = (list(dict.fromkeys(row[place] for row in side)) for side in (shown, made))
        tables.append(item.table([*map(_read, labels)], [*map(_read, values)]))
        own = [{text: number for number, text in enumerate(texts)} for texts in (labels, values)]
        codes.append([[own[0][row[place]] for row in shown], [own[1][row[place]] for row in made]])
    mine, theirs = (np.array([pair[side] for pair in codes], dtype=np.int64) for side in (0, 1))
    alike: tuple[dict[Any, list[int]], ...] = ({}, {})
    for number, row in enumerate(made):
        for found, begin in zip(alike, (width, len(blank)), strict=True):
            found.setdefault(row[begin:-1], []).append(number)
    arrays = [{key: np.array(own, dtype=np.int64) for key, own in found.items()} for found in alike]
    nobody, tails, heads = np.zeros(0, dtype=np.int64), [], []
    for number, row in enumerate(shown):
        is_blank = may_be_masked and row[: len(blank)] == blank
        left = arrays[is_blank].get(row[len(blank) if is_blank else width : -1], nobody)
        fits = np.ones(len(left), dtype=np.bool_)
        for place, table in enumerate(tables):
            fits &= table[mine[place, number]][theirs[place, left]]
        heads.append(left[fits])
        tails.append(np.full(int(fits.sum()), number))
    n, m = len(shown), len(made)
    tail, head = np.concatenate([np.zeros(0, int), *tails]), np.concatenate([np.zeros(0, int), *heads])
    counts = np.array([row[-1] for row in shown]), np.array([row[-1] for row in made])
    start = np.concatenate([np.full(n, n + m), tail, n + np.arange(m)])
    end = np.concatenate([np.arange(n), n + head, np.full(m, n + m + 1)])
    most = np.concatenate([counts[0], counts[0][tail], counts[1]]).astype(np.int32)
    graph = coo_matrix((most, (start, end)), shape=(n + m + 2, n + m + 2)).tocsr()
    return int(maximum_flow(graph, n + m, n + m + 1).flow_value)


def _read(cell: str) -> Cell:
    """Return a cell as the file has it; None where it is missing."""
    return cell[1:] if cell else None
