"""From the ladders of a lattice to the arrays that the kernels read."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sfumato.classes.packing import starts
from sfumato.classes.properties import CellCost
from sfumato.kernels import layout
from sfumato.kernels.recoded_classes import EXTENT, HEIGHT, SIZE, price_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import FloatArray, IntArray, LongArray
    from sfumato.domains import Cube, Ladder, Lattice


def walk_numbers(ladder: Ladder) -> LongArray:
    """Return for every partition of a ladder the number by which a walk knows it; 0 is the base table.

    Levels are counted from the lowest allowed one, which is the base. Of a list, the base is the common
    refinement, which need not be a member: those that equal it are 0, the others follow from 1.
    """
    numbers = np.arange(len(ladder.levels), dtype=np.int64) - ladder.lowest
    if ladder.nested:
        return numbers
    return np.where((ladder.levels == ladder.base).all(axis=1), 0, numbers + 1)


def walk_count(ladder: Ladder) -> int:
    """Return how many numbers :func:`walk_numbers` may give to what may be used."""
    return ladder.count if ladder.nested else ladder.count + 1


def make_ladders(
    cube: Cube,
    lattice: Lattice,
    kinds: tuple[CellCost, ...],
    order: tuple[int, ...],
    origin: layout.KeyOrigin | None = None,
) -> layout.Ladders:
    """Flatten block maps between allowed levels, the costs of blocks, and their totals over the table."""
    ladders = [lattice.ladders[a] for a in order]
    counts = [value_rows(cube, a, ladder.size) for a, ladder in zip(order, ladders, strict=True)]
    parts = [
        _part(ladder, kinds, (rows, flat_places(cube, a)), origin is not None)
        for a, ladder, rows in zip(order, ladders, counts, strict=True)
    ]
    q, top = len(ladders), max(map(walk_count, ladders), default=1)
    lower = max((ladder.count for ladder in ladders if ladder.nested), default=1)
    flat = layout.Ladders(
        np.array([ladder.nested for ladder in ladders], dtype=np.int64),
        np.zeros((q, lower, top), dtype=np.int64),
        joined([part.maps for part in parts]),
        np.zeros((q, top), dtype=np.int64),
        np.concatenate([np.zeros((len(kinds), 0), dtype=np.int64), *(part.costs for part in parts)], axis=1),
        np.zeros((len(kinds), q, top), dtype=np.int64),
        np.concatenate([np.zeros(0, dtype=np.int64), *(part.block_rows for part in parts)]),
        np.zeros((q, 0 if origin is None else top), dtype=np.float64),
        no_origin() if origin is None else origin,
        np.array([part.rises for part in parts], dtype=np.int64),
    )
    map_at = cost_at = 0
    for place, part in enumerate(parts):
        flat.map_start[place][part.starts, part.ends] = part.map_begin[:-1] + map_at
        flat.cost_start[place, part.walked] = part.cost_begin[:-1] + cost_at
        flat.totals[:, place, part.walked] = part.totals
        if origin is not None:
            flat.penalties[place, part.walked] = part.penalties
        map_at, cost_at = map_at + len(part.maps), cost_at + part.costs.shape[1]
    return flat


class _LadderPart(NamedTuple):
    """What one ladder adds to the flat arrays; partitions that may be used, in the order of their numbers."""

    walked: LongArray  # (n,): the walk's number of each partition
    starts: LongArray  # (maps,): the walk's number that a block map leads from
    ends: LongArray  # (maps,): and to
    map_begin: LongArray  # (maps + 1,)
    maps: IntArray
    cost_begin: LongArray  # (n + 1,)
    costs: LongArray  # (costs, blocks)
    totals: LongArray  # (costs, n)
    block_rows: LongArray  # (blocks,), or none
    penalties: FloatArray  # (n,)
    rises: bool  # whether no map leads a larger code to a smaller one


def _part(
    ladder: Ladder, kinds: tuple[CellCost, ...], values: tuple[LongArray, LongArray], asked: bool
) -> _LadderPart:
    """Flatten one ladder; ``values`` are rows and places, ``asked`` whether costs by frequency are wanted."""
    counts, places = values
    used = slice(ladder.lowest, ladder.highest + 1)
    walked = walk_numbers(ladder)[used]
    begin = np.cumsum([0, *ladder.blocks[used]], dtype=np.int64)
    costs = np.zeros((len(kinds), begin[-1]), dtype=np.int64)
    block_rows = np.zeros(begin[-1] if asked else 0, dtype=np.int64)
    totals = np.zeros((len(kinds), ladder.count), dtype=np.int64)
    penalties = np.zeros(ladder.count, dtype=np.float64)
    given = np.arange(ladder.lowest, ladder.highest + 1) if ladder.nested else np.full(ladder.count, -1)
    price_blocks(
        np.ascontiguousarray(ladder.levels[used]),
        given.astype(np.int64),
        np.ascontiguousarray(ladder.heights).reshape(-1),
        places,
        kind_numbers(kinds),
        counts,
        begin,
        (costs, block_rows),
        (totals, penalties),
    )
    steps = _nested_steps(ladder) if ladder.nested else _listed_steps(ladder, walked)
    falls = np.flatnonzero(np.diff(steps[3]) < 0)
    # From one map to the next, codes begin anew.
    rises = bool(np.isin(falls + 1, steps[2]).all())
    return _LadderPart(walked, *steps, begin, costs, totals, block_rows, penalties, rises)


def _nested_steps(ladder: Ladder) -> tuple[LongArray, LongArray, LongArray, IntArray]:
    """Return where each block map leads from and to, where it begins, and the maps; between any levels."""
    high, low = np.tril_indices(ladder.count, -1)
    maps = [
        ladder.step(int(start) + ladder.lowest, int(end) + ladder.lowest)
        for start, end in zip(low, high, strict=True)
    ]
    begin = np.cumsum([0, *map(len, maps)], dtype=np.int64)
    return low.astype(np.int64), high.astype(np.int64), begin, joined(maps)


def _listed_steps(ladder: Ladder, walked: LongArray) -> tuple[LongArray, LongArray, LongArray, IntArray]:
    """Return what :func:`_nested_steps` does: from the base to each partition."""
    count = int(ladder.base.max(initial=-1)) + 1
    maps = np.zeros((ladder.count, count), dtype=np.int32)
    maps[:, ladder.base] = ladder.levels[ladder.lowest : ladder.highest + 1]
    begin = np.arange(ladder.count + 1, dtype=np.int64) * count
    return np.zeros(ladder.count, dtype=np.int64), walked, begin, maps.reshape(-1)


def kind_numbers(kinds: tuple[CellCost, ...]) -> LongArray:
    """Return the kernels' numbers of integer cell costs."""
    numbers = {CellCost.SIZE: SIZE, CellCost.HEIGHT: HEIGHT, CellCost.EXTENT: EXTENT}
    return np.array([numbers[kind] for kind in kinds], dtype=np.int64)


def flat_places(cube: Cube, attribute: int) -> LongArray:
    """Return the places of an attribute's values; none where they are only counted."""
    places = cube.places_of(attribute)
    return np.zeros(0, dtype=np.int64) if places is None else places


def value_rows(cube: Cube, attribute: int, size: int) -> LongArray:
    """Return the rows of each value of an attribute."""
    return np.bincount(cube.codes[:, attribute], weights=cube.rows, minlength=size).astype(np.int64)


def no_origin() -> layout.KeyOrigin:
    """Return what stands for original values where no cost looks at them."""
    none, whole = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64)
    return layout.KeyOrigin(
        np.zeros((0, 0), dtype=np.int32), whole, none, np.zeros(1, dtype=np.int64), whole, none
    )


def make_origin(
    cube: Cube, bases: Sequence[IntArray], order: tuple[int, ...], group: LongArray
) -> layout.KeyOrigin:
    """Return the distinct tuples of original values, and where each one is in the base table."""
    # The cells of a cube are sorted by these codes, so equal tuples follow each other.
    first = np.flatnonzero(starts(np.ascontiguousarray(cube.codes.T)))
    rows = np.add.reduceat(cube.rows, first) if len(first) else cube.rows[:0]
    counts = [value_rows(cube, a, len(bases[a])) for a in order]
    start = np.cumsum([0, *map(len, counts)], dtype=np.int64)
    return layout.KeyOrigin(
        np.ascontiguousarray(cube.codes[first][:, list(order)] + start[:-1], dtype=np.int32),
        rows,
        group[first].astype(np.int32),
        start,
        np.concatenate([np.zeros(0, dtype=np.int64), *counts]),
        joined([bases[a] for a in order]),
    )


def base_codes(cube: Cube, lattice: Lattice) -> IntArray:
    """Return the block of every cell in the base of each ladder, shape (cells, q)."""
    codes = np.empty_like(cube.codes)
    for a, ladder in enumerate(lattice.ladders):
        codes[:, a] = ladder.base[cube.codes[:, a]]
    return codes


def joined(parts: Sequence[IntArray]) -> IntArray:
    """Return arrays one after another; there may be none."""
    return np.concatenate([np.zeros(0, dtype=np.int32), *parts])


def cost_limits(cube: Cube, lattice: Lattice, kind: CellCost) -> LongArray:
    """Return what a suppressed cell costs, attribute by attribute."""
    if kind is CellCost.HEIGHT:
        return np.array([ladder.height for ladder in lattice.ladders], dtype=np.int64)
    limits = np.array([ladder.size - 1 for ladder in lattice.ladders], dtype=np.int64)
    for a in range(len(limits)) if kind is CellCost.EXTENT else ():
        places = cube.places_of(a)
        if places is not None and limits[a] > 0:
            limits[a] = max(1, places.max())
    return limits
