"""Putting a hierarchy together: level 0, the levels between, the root, and missing."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.hierarchies.hierarchy import ROOT, Hierarchy
from sfumato.hierarchies.kinds import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import BoolArray, IntArray, LongArray
    from sfumato.hierarchies.hierarchy import Value


@dataclass(frozen=True, eq=False)
class Level:
    """One level between level 0 and the root, over the values that are not missing."""

    starts: LongArray  # where each block begins, ascending, the first at 0; blocks are contiguous
    labels: Sequence[str]  # one text for each block


def starts_of(changes: BoolArray) -> LongArray:
    """Return where blocks begin, given for every value but the first whether it differs from the one before.

    Examples
    --------
    >>> starts_of(np.array([False, True])).tolist()
    [0, 2]
    """
    return np.concatenate(([0], np.flatnonzero(changes) + 1))


def level_by_labels(labels: Sequence[str]) -> Level:
    """Make a level whose blocks are the runs of equal labels.

    Examples
    --------
    >>> level = level_by_labels(["a", "a", "b"])
    >>> level.starts.tolist(), level.labels
    ([0, 2], ['a', 'b'])
    """
    if not labels:
        return Level(np.zeros(0, dtype=np.int64), ())
    changes = [label != before for before, label in itertools.pairwise(labels)]
    starts = starts_of(np.array(changes, dtype=np.bool_))
    return Level(starts, [labels[start] for start in starts.tolist()])


def assemble(
    attribute: str,
    kind: str,
    values: Sequence[Value],
    between: Sequence[Level],
    *,
    has_missing: bool,
    definition: Mapping[str, object],
    leaf_labels: Sequence[str] | None = None,
    root: str = ROOT,
) -> Hierarchy:
    """Make a hierarchy from its values and the levels between level 0 and the root."""
    m = len(values) + has_missing
    levels = np.zeros((len(between) + 2, m), dtype=np.int32)
    levels[0] = np.arange(m)
    for number, level in enumerate(between, start=1):
        levels[number] = _blocks(level.starts, len(values), m)
    missing = (None,) if has_missing else ()
    texts = _texts(values) if leaf_labels is None else leaf_labels
    labels = ((*texts, *missing), *((*level.labels, *missing) for level in between), (root,))
    domain = (*values, *missing)
    return Hierarchy(attribute, kind, domain, levels, labels, definition)


def _texts(values: Sequence[Value]) -> list[str]:
    """Return the text of each value; integers, of which there may be millions, the short way."""
    if set(map(type, values)) == {int}:
        return list(map(str, values))
    return [text_of(value) for value in values if value is not None]


def _blocks(starts: LongArray, known: int, m: int) -> IntArray:
    """Return the block of each code; missing, if m is larger than the known values, is a block of its own."""
    begins = np.zeros(m + 1, dtype=np.int32)
    begins[starts] = 1
    begins[known] = 1
    return np.cumsum(begins[:m], dtype=np.int32) - 1
