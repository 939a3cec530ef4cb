"""The one place that names a block.

- The whole domain is ``*``; one value keeps its text, and missing alone is None.
- A block that is a node of the hierarchy has the node's label.
- Where the order counts, a block of neighbouring numbers or dates is a range from its first
  to its last value, both included: ``35-39`` if all values are integers, else ``[1.5, 2.75]`` and
  ``[2024-01-01, 2024-03-31]``. Values that are granules themselves are taken apart
  first: ``160-164`` to ``165-169`` is ``160-169``, and ``[1.0, 1.5)`` to ``[1.5, 2.0)``
  is ``[1.0, 2.0)``.
- Where such a block also takes what lies between its last value and the first one of the next
  block, as a recipe does with new data, the range says so: ``35-41`` if the next block begins
  with 42, else ``[1.5, 3.0)``; dates without a time count like integers. This holds for a block
  of one value too, and a node's label gives way to it where it says less.
- Any other block is a set in the order of its codes, ``{a, b, c}``. Six or more entries
  are shortened to ``{a, b, … (12)}``, where 12 is the number of values in the block.
- Missing among other values is written ``(missing)``, at the end: ``{35-39, (missing)}``.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from sfumato._typing import IntArray
from sfumato.domains import Partition

RangeWriter: TypeAlias = Callable[[str, str, str | None], str]
"""From the texts of the first and the last value, and of the next block's first one or None, to a range."""

ROOT = "*"
MISSING = "(missing)"
LONGEST = 5  # the most entries that a set is written with in full, unless it must be
SHOWN = 2  # the entries that a shortened set shows
_INTEGERS = re.compile(r"(-?[0-9]+)(?:-(-?[0-9]+))?")
_INTERVAL = re.compile(r"\[(.+), (.+)([\])])")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def partition_labels(
    partition: Partition,
    texts: Sequence[str | None],
    *,
    nodes: Mapping[tuple[int, int], str | None] | None = None,
    ordered: bool,
    kind: str,
    reach: bool = False,
) -> tuple[str | None, ...]:
    """Name all blocks of a partition, each differently."""
    # Where blocks would have equal labels, the blocks of several values among them are written as sets
    # instead, then as sets in full; should even these be equal, or equal to a value, they are numbered. A
    # value that stays as it is keeps its text.
    members = _members(partition)
    write_range = range_writer(texts, kind) if ordered else None
    whole = len(members) == 1
    labels = [_label(block, texts, write_range, nodes or {}, whole=whole) for block in members]
    if reach and write_range is not None:
        # Blocks are contiguous and in order here; those that reach beyond their last values are renamed.
        for place, (block, following) in enumerate(pairwise(members)):
            first, last, after = (texts[code] for code in (block[0], block[-1], following[0]))
            if first is not None and last is not None and after is not None:
                reached = write_range(first, last, after)
                labels[place] = labels[place] if reached == write_range(first, last, None) else reached
    ways = ((write_range, LONGEST), (None, len(texts)))
    for writer, longest in ways:
        count = Counter(labels)
        for place, block in enumerate(members):
            if count[labels[place]] > 1 and len(block) > 1:
                labels[place] = _set_text(_entries(block, texts, writer), len(block), longest)
    # Labels that occur before get numbers; single values count as before all others.
    seen: set[str | None] = set()
    distinct = list(labels)
    for place in sorted(range(len(labels)), key=lambda place: len(members[place]) > 1):
        number = 2
        while distinct[place] in seen:
            distinct[place] = f"{labels[place]} ({number})"
            number += 1
        seen.add(distinct[place])
    return tuple(distinct)


def node_labels(
    levels: IntArray, labels: Sequence[Sequence[str | None]]
) -> dict[tuple[int, int], str | None]:
    """Return the label of each node of a ladder by its first and its last code."""
    found: dict[tuple[int, int], str | None] = {}
    for level, names in zip(levels, labels, strict=True):
        for block in _members(Partition(level)):
            if block[-1] - block[0] == len(block) - 1:
                found.setdefault((block[0], block[-1]), names[level[block[0]]])
    return found


def _label(
    members: Sequence[int],
    texts: Sequence[str | None],
    write_range: RangeWriter | None,
    nodes: Mapping[tuple[int, int], str | None],
    *,
    whole: bool,
) -> str | None:
    """Name a block; ``write_range`` is None where ranges are not wanted."""
    if len(members) == 1:
        return texts[members[0]]
    if whole:
        return ROOT
    is_contiguous = members[-1] - members[0] == len(members) - 1
    name = nodes.get((members[0], members[-1])) if is_contiguous else None
    return _set_text(_entries(members, texts, write_range), len(members), LONGEST) if name is None else name


def _members(partition: Partition) -> list[list[int]]:
    """Return the codes of each block, ascending."""
    order = np.argsort(partition.block, kind="stable")
    return [block.tolist() for block in np.split(order, np.cumsum(partition.sizes)[:-1])]


def _entries(
    members: Sequence[int], texts: Sequence[str | None], write_range: RangeWriter | None
) -> list[str]:
    """Return what a block is written with: one range or its texts, and missing at the end."""
    written = [(code, text) for code in members if (text := texts[code]) is not None]
    missing = [MISSING] if len(written) < len(members) else []
    first, last = written[0], written[-1]
    if write_range is not None and last[0] - first[0] == len(written) - 1 > 0:
        return [write_range(first[1], last[1], None), *missing]
    return [text for _, text in written] + missing


def _set_text(entries: Sequence[str], size: int, longest: int) -> str:
    """Write entries as a set, shortened if there are more than the longest; a range stands alone."""
    if len(entries) == 1:
        return entries[0]
    if len(entries) <= longest:
        return "{" + ", ".join(entries) + "}"
    return "{" + ", ".join(entries[:SHOWN]) + f", … ({size})" + "}"


def range_writer(texts: Sequence[str | None], kind: str) -> RangeWriter | None:
    """Return what writes the range between two texts; None for values that have no ranges."""
    if kind not in ("number", "date"):
        return None
    known = [text for text in texts if text is not None]
    if kind == "number" and all(_INTEGERS.fullmatch(text) for text in known):
        return _integer_range
    return _day_range if all(_DAY.fullmatch(text) for text in known) else _interval


def _integer_range(first: str, last: str, following: str | None) -> str:
    """Write the range of integers, or of granules of them, with both ends included."""
    low, high = _INTEGERS.fullmatch(first), _INTEGERS.fullmatch(last)
    after = None if following is None else _INTEGERS.fullmatch(following)
    if low is None or high is None:
        return _interval(first, last, following)
    end = high[2] or high[1] if after is None else str(int(after[1]) - 1)
    return low[1] if low[1] == end else f"{low[1]}-{end}"


def _day_range(first: str, last: str, following: str | None) -> str:
    """Write the range of days with both ends included."""
    if following is not None:
        last = (dt.date.fromisoformat(following) - dt.timedelta(days=1)).isoformat()
    return first if first == last else f"[{first}, {last}]"


def _interval(first: str, last: str, following: str | None) -> str:
    """Write the interval between two values or granules."""
    # Its end is excluded where it is a granule's, or the beginning of what follows.
    low, high = _INTERVAL.fullmatch(first), _INTERVAL.fullmatch(last)
    begin = first if low is None else low[1]
    if following is not None:
        after = _INTERVAL.fullmatch(following)
        return f"[{begin}, {following if after is None else after[1]})"
    if high is not None:
        return f"[{begin}, {high[2]}{high[3]}"
    return begin if first == last else f"[{begin}, {last}]"
