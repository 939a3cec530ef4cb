"""What a table, a hierarchy and a release look like: first rows, bars of counts, levels, before and after."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.assess.attackers import read_original
from sfumato.assess.cells import Survey, read_cells
from sfumato.assess.left_out import AttributeLoss, find_left_out
from sfumato.assess.linkage import scan_subsets
from sfumato.assess.pairing import open_release, recode_cells
from sfumato.hierarchies import look_at
from sfumato.measures import make_measure, measure_names
from sfumato.spec import DataSpec
from sfumato.suggesting import SAMPLE
from sfumato.table import Source, apply, open_source
from sfumato.table.sources import guess_source
from sfumato.table.tally import as_number, tally
from sfumato.table.values import texts_of_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.assess.risk_results import SubsetScan
    from sfumato.preparing import Prepared
    from sfumato.release import Draft

BARS = 12
REST = "all others"


@dataclass(frozen=True)
class ColumnLook:
    """The values of a column, counted."""

    name: str
    kind: str  # what its values seem to be: `number`, `date`, `ordinal` or `category`
    distinct: int
    missing: int
    bars: tuple[tuple[str, int], ...]  # bins of numbers, or the commonest values, with their rows


@dataclass(frozen=True)
class TableLook:
    """A table at a glance; for its owner only, since it shows values."""

    rows: int
    columns: tuple[ColumnLook, ...]
    first: tuple[tuple[str, ...], ...]  # the first rows as texts


def look_over(data: object, reading: DataSpec | None = None, most: int = 50) -> TableLook:
    """Read the first rows of a table, and count the values of every column."""
    source = open_source(data, reading)
    looks, rows = [], 0
    for name in source.columns:
        counted = tally(source, [name])
        column, rows = counted.columns[name], int(counted.rows.sum())
        counts = column.count(counted.rows)
        texts = texts_of_array(column.values)
        kind, missing = look_at(name, texts[:SAMPLE]).kind, rows - int(counts.sum())
        looks.append(ColumnLook(name, kind, len(texts), missing, _bars(texts, counts)))
    return TableLook(rows, tuple(looks), _first_rows(source, source.columns, most))


def _bars(texts: Sequence[str], counts: np.ndarray) -> tuple[tuple[str, int], ...]:
    """Put numbers into bins of one width; of other values take the commonest."""
    numbers = np.array([as_number(text) for text in texts])
    if len(texts) > BARS and np.isfinite(numbers).all():
        heights, edges = np.histogram(numbers, BARS, weights=counts)
        return tuple(
            (f"{low:.4g} to {high:.4g}", int(height))
            for low, high, height in zip(edges[:-1], edges[1:], heights, strict=True)
        )
    order = np.argsort(-counts, kind="stable")
    shown = [(texts[place], int(counts[place])) for place in order[: BARS - 1].tolist()]
    rest = int(counts[order[BARS - 1 :]].sum())
    return (*shown, (REST, rest)) if rest else tuple(shown)


def _first_rows(source: Source, names: Sequence[str], most: int) -> tuple[tuple[str, ...], ...]:
    table = source.collect(source.frame.select(*names).head(most))
    shown = [["" if cell is None else str(cell) for cell in column.to_pylist()] for column in table.columns]
    return tuple(zip(*shown, strict=True))


def find_subsets(data: object, reading: DataSpec, names: Sequence[str]) -> SubsetScan:
    """Count whom a few attributes single out."""
    table = read_cells(open_source(data, reading), names, Survey(reading.person, reading.household))
    return scan_subsets(table.cells, names)


@dataclass(frozen=True)
class HierarchyLook:
    """All levels of a quasi-identifier, and for each value its labels level by level."""

    kind: str
    levels: tuple[tuple[tuple[str, int], ...], ...]  # the groups of each with their rows, in domain order
    leaves: tuple[tuple[str, ...], ...]  # without missing, which is in no file


def look_at_hierarchies(prepared: Prepared) -> dict[str, HierarchyLook]:
    """Return the levels of every quasi-identifier with live counts."""
    cube, found = prepared.cube, {}
    for place, name in enumerate(prepared.setting.quasi_identifiers):
        own = prepared.table.hierarchies[name]
        rows = np.bincount(cube.codes[:, place], weights=cube.rows, minlength=own.size)
        texts = [["(missing)" if text is None else str(text) for text in level] for level in own.labels]
        levels, labels = [], []
        for words, blocks in zip(texts, own.levels, strict=True):
            counts = np.bincount(blocks, weights=rows, minlength=len(words)).astype(int).tolist()
            levels.append(tuple(zip(words, counts, strict=True)))
            labels.append([words[block] for block in blocks[: own.known].tolist()])
        found[name] = HierarchyLook(own.kind, tuple(levels), tuple(zip(*labels, strict=True)))
    return found


def hierarchy_csv(leaves: Sequence[Sequence[str]]) -> str:
    """Return a file with one line per value, whose column i is level i."""
    text = io.StringIO()
    csv.writer(text, delimiter=";", lineterminator="\n").writerows(leaves)
    return text.getvalue()


def list_measures(prepared: Prepared) -> dict[str, bool]:
    """Return every measure of a table, each with whether larger is better."""
    setting, names = prepared.setting, measure_names(prepared.setting)
    return {name: make_measure(name, setting).direction.value == "maximize" for name in names}


@dataclass(frozen=True)
class ReleaseLook:
    """What a release makes of the first rows, and whom it leaves out; for its owner only."""

    names: tuple[str, ...]  # the quasi-identifiers
    before: tuple[tuple[str, ...], ...]
    after: tuple[tuple[str, ...], ...]  # * throughout where the row is suppressed
    losses: tuple[AttributeLoss, ...]


def look_at_release(draft: Draft, most: int) -> ReleaseLook:
    """Compare the first rows with the original, and count suppressed rows by group."""
    made, source = open_release(draft), draft.prepared.table.source
    names = tuple(item.name for item in draft.groupings)
    recodes = [item.recode for item in draft.groupings]
    hidden = draft.classes.suppressed_blocks if draft.tuples is None else draft.tuples
    shown = apply(draft.prepared.table, recodes, hidden, output="mask", withheld=draft.withheld_rows)
    masked = open_source(shown)
    sensitive = draft.prepared.setting.sensitive
    table = read_original(source, names, sensitive, made, Survey())
    kept = recode_cells(table, source, made).released
    losses = find_left_out(table, kept, [*names, *sensitive])
    most = most if source.has_order else 0  # which rows of Spark come first is different each time
    return ReleaseLook(names, _first_rows(source, names, most), _first_rows(masked, names, most), losses)


def look_at_file(data: object) -> tuple[list[str], DataSpec]:
    """Return the columns of a table that nobody has described, and how it seems to be read."""
    source, guessed, _ = guess_source(data, None)
    return list(source.columns), DataSpec().model_copy(update=guessed)
