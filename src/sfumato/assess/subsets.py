"""Which combinations of up to three attributes single out most people."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sfumato.assess.cells import TABLE, Cells, compact
from sfumato.assess.risk_results import Subset, SubsetScan

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sfumato._typing import LongArray

LARGEST = 3  # attributes of the largest combinations
SHOWN = 5  # combinations that are reported of each size
NEARLY_ALL = 0.9
"""An attribute that alone singles out this share names people, and every combination with it does."""
WORK = 400_000_000  # cells that are visited at most: some ten seconds
MOST = 12_000  # combinations that are counted at most


def scan_subsets(cells: Cells, names: Sequence[str]) -> SubsetScan:
    """Count whom each combination of up to three attributes singles out."""
    # All single attributes are counted, then pairs, then triples. Where there are too many, pairs and triples
    # are made of those that singled out most so far, and the scan is not complete.
    scan = _Scan(cells)
    total = max(scan.total, 1)
    alone: dict[tuple[str, ...], int] = {(name,): scan.count(scan.key((name,))) for name in names}
    identifying = tuple(name for name in names if alone[name,] >= NEARLY_ALL * total)
    combined = [name for name in names if name not in identifying]
    room = min(MOST, WORK // max(len(cells.rows), 1))
    pairs = _grow(scan, alone, combined, room)
    triples = _grow(scan, pairs, combined, room - len(pairs)) if pairs else {}
    possible = sum(math.comb(len(combined), many) for many in range(2, LARGEST + 1))
    scanned = len(pairs) + len(triples)
    best = tuple(
        Subset(found, count, count / total)
        for counted in (alone, pairs, triples)
        for found, count in _most(counted.items())[:SHOWN]
    )
    return SubsetScan(
        scanned + len(names), possible + len(names), scanned == possible, identifying, best, cells.unit
    )


def _most(counted: Iterable[tuple[tuple[str, ...], int]]) -> list[tuple[tuple[str, ...], int]]:
    """Return combinations, those that single out most first; ties stay in the order of the columns."""
    return sorted(counted, key=lambda item: -item[1])


def _grow(
    scan: _Scan, counted: dict[tuple[str, ...], int], names: Sequence[str], room: int
) -> dict[tuple[str, ...], int]:
    """Add an attribute to combinations, as far as there is room: to all, or to those that single out most."""
    place = {name: number for number, name in enumerate(names)}
    parents = [item for item in counted if all(name in place for name in item)]
    larger = math.comb(len(names), len(parents[0]) + 1) if parents else 0
    if larger > room:
        parents = [item for item, _ in _most((item, counted[item]) for item in parents)]
    found: dict[tuple[str, ...], int] = {}
    for parent in parents:
        key = None
        # Where all are counted, each comes from its first attributes alone.
        others = names if larger > room else names[place[parent[-1]] + 1 :]
        for name in others:
            child = tuple(sorted({*parent, name}, key=place.__getitem__))
            if len(child) == len(parent) or child in found:
                continue
            if len(found) >= room:
                return found
            key = scan.key(parent) if key is None else key
            found[child] = scan.count(scan.extend(key, name))
    return found


class _Scan:
    """Counts the records that combinations single out."""

    # The key of a combination is below its second part, the span.

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        persons = cells.persons
        # Without persons, a cell of several rows is of several people.
        self._is_alone = np.ones(len(cells.rows), dtype=bool) if persons is not None else cells.rows == 1
        self._who = np.arange(len(cells.rows)) if persons is None else persons
        self.total = cells.row_count if persons is None else len(np.unique(persons))

    def key(self, names: Sequence[str]) -> tuple[LongArray, int]:
        """Return a number for each cell, equal where the attributes are."""
        key = (np.zeros(len(self._cells.rows), dtype=np.int64), 1)
        for name in names:
            key = self.extend(key, name)
        found = compact(*key) if len(names) > 1 else key[0]
        return found, int(found.max(initial=0)) + 1

    def extend(self, key: tuple[LongArray, int], name: str) -> tuple[LongArray, int]:
        """Add an attribute to a key."""
        size = self._cells.sizes[name]
        return key[0] * size + self._cells.codes[name], key[1] * size

    def count(self, key: tuple[LongArray, int]) -> int:
        """Count those who are alone with their key."""
        number, span = key
        if span > max(TABLE, 4 * len(number)):
            number = compact(number, span)
            span = int(number.max(initial=0)) + 1
        last = np.empty(span, dtype=np.int64)
        last[number] = self._who
        shared = np.zeros(span, dtype=bool)
        shared[number[last[number] != self._who]] = True
        alone = ~shared[number] & self._is_alone
        return int(alone.sum()) if self._cells.persons is None else len(np.unique(self._who[alone]))
