"""Small random tables with labels of all kinds, as the package and as the oracles see them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.classes import Property, PropertyKind, Threshold
from sfumato.domains import Cube
from sfumato.local import LabelSpace, LocalProblem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.domains import Confidential
    from tests.oracles.local_recoding import Space

KINDS = ("tree", "bounded", "range", "set", "suppress", "keep")
WIDTHS = ("tree", "bounded", "width", "suppress", "keep")
"""What may be shown where ranges cost their width on a line."""
SIZE = Property(PropertyKind.SIZE)


@dataclass(frozen=True)
class SmallTable:
    """Tuples with their rows, and what labels each attribute may show."""

    spaces: tuple[LabelSpace, ...]
    plain: tuple[Space, ...]
    tuples: list[tuple[int, ...]]
    rows: list[int]
    values: list[list[int]]  # sensitive values of the rows of each tuple
    weights: list[int]

    def problem(
        self,
        thresholds: Sequence[Threshold],
        *,
        size: int = 0,
        confidential: Confidential | None = None,
        **options: Any,
    ) -> LocalProblem:
        """Return the problem over its cube."""
        each = [(t, v) for t, values in zip(self.tuples, self.values, strict=True) for v in values]
        size = size or 1 + max(v for _, v in each)
        cube = Cube.sorted(
            tuple(f"a{i}" for i in range(len(self.spaces))),
            tuple(space.size for space in self.spaces),
            np.array([t for t, _ in each], np.int32),
            rows=np.ones(len(each), np.int64),
            sensitive=("s",),
            sensitive_sizes=(size,),
            sensitive_codes=np.array([[v] for _, v in each], np.int32),
        )
        cube = replace(cube, confidential=confidential)
        return LocalProblem.of_cube(
            cube, self.spaces, thresholds, attribute_weights=np.array(self.weights, float), **options
        )


def _tree(rng: np.random.Generator, size: int) -> list[list[int]]:
    """Random nested levels whose blocks need not be contiguous."""
    levels = [list(range(size))]
    while len(set(levels[-1])) > 1:
        blocks = len(set(levels[-1]))
        fewer = 1 if blocks <= 2 else int(rng.integers(1, blocks))
        up = np.append(rng.permutation(fewer), rng.integers(0, fewer, blocks - fewer))
        levels.append([int(up[block]) for block in levels[-1]])
    return levels


def _space(rng: np.random.Generator, kind: str, size: int) -> tuple[LabelSpace, Space]:
    missing = size - 1 if rng.random() < 0.5 else -1
    plain_missing = missing if missing >= 0 else None
    if kind == "range":
        return LabelSpace.range(size, missing), {"kind": kind, "size": size, "missing": plain_missing}
    if kind == "width":
        places = np.append(0, rng.integers(1, 6, size - 1)).cumsum()
        ends = places / max(places[-1], 1)
        space = LabelSpace.range(size, missing, ends, ends)
        return space, {"kind": "range", "size": size, "missing": plain_missing, "places": places.tolist()}
    if kind == "set":
        return LabelSpace.set(size, missing), {"kind": kind, "size": size, "missing": plain_missing}
    levels = _tree(rng, size)
    if kind == "suppress":
        levels = [list(range(size)), [0] * size]
        return LabelSpace.suppress(size), {"kind": "tree", "levels": levels}
    if kind == "keep":
        return LabelSpace.keep(size), {"kind": "tree", "levels": [list(range(size))]}
    low, high = 0, len(levels) - 1
    if kind == "bounded":
        low = int(rng.integers(0, 2))
        high = max(low, high - int(rng.integers(0, 2)))
    space = LabelSpace.tree(np.array(levels, np.int32), low, high)
    return space, {"kind": "tree", "levels": levels[low : high + 1]}


def make_table(seed: int, kinds: Sequence[str] = KINDS, most: int = 7) -> SmallTable:
    """Return a table of up to ``most`` tuples."""
    rng = np.random.default_rng(seed)
    q = int(rng.integers(1, 4))
    sizes = [int(rng.integers(2, 6)) for _ in range(q)]
    made = [_space(rng, str(rng.choice(kinds)), size) for size in sizes]
    count = int(rng.integers(2, most + 1))
    tuples = sorted({tuple(int(rng.integers(0, size)) for size in sizes) for _ in range(count)})
    rows = [int(rng.integers(1, 4)) for _ in tuples]
    values = [[int(v) for v in rng.integers(0, 3, amount)] for amount in rows]
    weights = [int(rng.integers(1, 4)) for _ in range(q)]
    return SmallTable(
        tuple(space for space, _ in made), tuple(plain for _, plain in made), tuples, rows, values, weights
    )
