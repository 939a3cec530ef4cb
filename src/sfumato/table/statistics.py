"""Statistics of blocks: what stands for a block in a release in place of its label."""

from __future__ import annotations

import datetime as dt
import math
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import ParameterError
from sfumato.hierarchies.kinds import as_time, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import BoolArray, IntArray
    from sfumato.hierarchies.hierarchy import Value
    from sfumato.table.coding import Table

STATISTICS = ("mean", "median", "mode")


def block_statistics(
    table: Table, attribute: str, block: IntArray, statistic: str, kept: BoolArray | None = None
) -> list[str | None]:
    """Return a statistic of every block of a partition, over the published rows whose value lies in it."""
    raw = table.raw[attribute]
    if raw.typed is None or table.tally is None or statistic not in STATISTICS:
        raise ParameterError(f"{attribute!r} has no {statistic!r}.")
    tally = table.tally
    counts = tally.columns[attribute].count(tally.rows if kept is None else np.where(kept, tally.rows, 0))
    by_size = table.hierarchies[attribute].kind in ("number", "date")
    held: list[dict[Value, int]] = [{} for _ in range(int(block.max(initial=-1)) + 1)]
    order: dict[Value, object] = {}
    for value, code, rows in zip(raw.typed, raw.codes.tolist(), counts.tolist(), strict=True):
        if not rows:
            continue
        mine = held[int(block[code])]
        mine[value] = mine.get(value, 0) + rows
        order[value] = _size(value) if by_size else code
    return [_statistic(_sorted(mine, order), statistic) if mine else None for mine in held]


def _size(value: Value) -> object:
    """Return what numbers and dates are sorted by."""
    return as_time(value) if isinstance(value, dt.date) else value


def _sorted(rows: Mapping[Value, int], order: Mapping[Value, object]) -> list[tuple[Value, int]]:
    """Return values with their rows, in their order."""
    return sorted(rows.items(), key=lambda item: order[item[0]])  # type: ignore[arg-type,return-value]


def _statistic(rows: Sequence[tuple[Value, int]], statistic: str) -> str:
    """Return the text of a statistic of values in their order, with their rows."""
    if statistic == "mean":
        return text_of(_mean(rows))
    found = _median(rows) if statistic == "median" else max(rows, key=lambda item: item[1])[0]
    assert found is not None
    return text_of(found)


def _mean(rows: Sequence[tuple[Value, int]]) -> float:
    """Return the mean, rounded once: it does not depend on the order of rows."""
    numbers = [(value, count) for value, count in rows if isinstance(value, int | float)]
    count = sum(times for _, times in numbers)
    if all(isinstance(value, int) for value, _ in numbers):
        return sum(int(value) * times for value, times in numbers) / count
    return math.fsum(value * times for value, times in numbers) / count


def _median(rows: Sequence[tuple[Value, int]]) -> Value:
    """Return the first value up to which half of the rows or more lie."""
    half, passed = sum(count for _, count in rows), 0
    for value, count in rows:
        passed += count
        if 2 * passed >= half:
            return value
    raise ParameterError("there is no row.")
