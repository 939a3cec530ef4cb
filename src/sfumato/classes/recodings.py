"""Evaluate many unrelated recodings on all cores."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sfumato.classes import ladders, packing
from sfumato.classes.evaluator import SMALLEST_PIECE, ClassEvaluator
from sfumato.domains.lattice import entropy_shares
from sfumato.errors import ParameterError
from sfumato.kernels import layout
from sfumato.kernels import recoded_classes as kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import FloatArray, IntArray, KeyArray, LongArray
    from sfumato.classes.properties import CellCost, Request
    from sfumato.classes.statistics import Classes, Statistics, Suppression
    from sfumato.classes.workers import Tick
    from sfumato.domains import Cube, Lattice

PIECES_EACH = 4
"""Pieces for each thread, so that none waits long for the others."""


class _Memory(NamedTuple):
    """What one worker writes to."""

    worker: int
    tables: layout.Tables
    scratch: layout.Scratch
    ladders: layout.Ladders
    parts: KeyArray
    first: IntArray


class Recodings(ClassEvaluator[_Memory]):
    """Evaluates recodings, each given by the block of every code, over one cube for one request.

    The tables of the original tuples are shared; a recoding looks all its attributes up in one pass
    over them. Where recodings share partitions and can be listed, :class:`Batch` is faster.
    """

    def __init__(
        self,
        cube: Cube,
        lattice: Lattice,
        request: Request,
        suppression: Suppression,
        *,
        threads: int | None = None,
        word_bits: int = packing.WORD_BITS,
    ) -> None:
        super().__init__(cube, lattice, request, suppression, threads)
        fields = packing.pack_fields(cube.sizes, word_bits)
        grouping = packing.group_cells(cube.codes, fields)
        self._set_tables(grouping, fields, tuple(range(len(cube.sizes))))
        self._origin = _origin(cube, grouping)
        self._heights = _heights(cube, lattice, self.costs)

    def compile(self) -> None:
        """Have the kernels ready, so that no search waits for the compiler."""
        self.evaluate([np.zeros((0, size), dtype=np.int32) for size in self.cube.sizes])

    def evaluate(
        self, blocks: Sequence[IntArray], *, levels: LongArray | None = None, tick: Tick | None = None
    ) -> Statistics:
        """Evaluate recodings; rows of the result in the order given."""
        joined = self._checked(blocks)
        n, q = len(joined), len(self.cube.sizes)
        given = np.full((n, q), -1, dtype=np.int64) if levels is None else np.ascontiguousarray(levels)
        pieces = np.array_split(np.arange(n), max(1, min(self.threads * PIECES_EACH, n // SMALLEST_PIECE)))
        output = self._workers.map(
            lambda memory, piece: self._run(memory, joined[piece], given[piece]), pieces, tick
        )
        done, sums, worst = self._joined(pieces, output)
        return self._statistics(
            np.repeat(done[:, None], q, axis=1),
            sums,
            worst,
            lambda node: self.classes([blocks[a][number] for a, number in enumerate(node.tolist())]),
            lambda nodes: _entropies(blocks, nodes),
        )

    def classes(self, blocks: Sequence[IntArray]) -> Classes:
        """Return the classes of one recoding, given by the block of every code of each attribute."""
        joined = self._checked([np.asarray(block)[None] for block in blocks])

        def read(memory: _Memory) -> Classes:
            given = np.full((1, len(self.order)), -1, dtype=np.int64)
            self._run(memory, joined, given, self._plan._replace(store_all=1))
            return self._read_classes(memory.tables, memory.scratch, 1)

        return self._workers.call(read)

    def _checked(self, blocks: Sequence[IntArray]) -> IntArray:
        """Return the block arrays of all attributes side by side, shape (n, values)."""
        sizes = self.cube.sizes
        count = len(blocks[0]) if blocks else 0
        if [block.shape for block in blocks] != [(count, size) for size in sizes]:
            raise ParameterError(
                f"recodings need an array of shape (n, m) for each of the {len(sizes)} attributes."
            )
        if not sizes:
            return np.zeros((0, 0), dtype=np.int32)
        joined = np.concatenate(blocks, axis=1).astype(np.int32, copy=False)
        limit = np.repeat(sizes, sizes)
        if joined.size and (joined.min() < 0 or (joined.max(axis=0) >= limit).any()):
            raise ParameterError("block numbers go from 0 to the number of values less one.")
        return joined

    def _allocate(self, worker: int) -> _Memory:
        q, values = len(self.cube.sizes), len(self._origin.counts)
        start = np.zeros((q, 2), dtype=np.int64)
        start[:, 1] = self._origin.start[:-1]
        asked = 1 if self._penalties else 0
        flat = layout.Ladders(
            np.zeros(q, dtype=np.int64),
            start[:, None, :].copy(),
            np.zeros(values, dtype=np.int32),
            start,
            np.zeros((len(self.costs), values), dtype=np.int64),
            np.zeros((len(self.costs), q, 2), dtype=np.int64),
            np.zeros(asked * values, dtype=np.int64),
            np.zeros((q, asked * 2), dtype=np.float64),
            self._origin,
            np.zeros(q, dtype=np.int64),
        )
        tables = packing.deepen(self._base, 1)
        scratch = packing.make_scratch(tables, self._plan, flat, ())
        return _Memory(
            worker,
            tables,
            scratch,
            flat,
            np.empty(values, dtype=np.uint64),
            np.empty(max(self.cube.sizes, default=0), dtype=np.int32),
        )

    def _run(
        self, memory: _Memory, blocks: IntArray, levels: LongArray, plan: layout.Plan | None = None
    ) -> tuple[LongArray, FloatArray]:
        sums, worst = self._room(len(blocks))
        done = kernel.evaluate_recodings(
            memory.tables,
            kernel.DEPTHS,
            self._fields,
            memory.ladders,
            self._heights,
            self._plan if plan is None else plan,
            (blocks, levels),
            memory.scratch,
            (memory.parts, memory.first),
            (self._workers.control, memory.worker),
            (sums, worst),
        )
        return sums[:done], worst[:done]


def _entropies(blocks: Sequence[IntArray], nodes: LongArray) -> FloatArray:
    found = [entropy_shares(block[nodes[:, a]]) for a, block in enumerate(blocks)]
    return np.column_stack([np.zeros((len(nodes), 0)), *found])


def _origin(cube: Cube, grouping: packing.TupleGroups) -> layout.KeyOrigin:
    """Return the tuples of the base table themselves, in its order."""
    bases = [np.arange(size, dtype=np.int32) for size in cube.sizes]
    origin = ladders.make_origin(cube, bases, tuple(range(len(bases))), grouping.group)
    by = np.argsort(origin.group)
    return origin._replace(
        codes=np.ascontiguousarray(origin.codes[by]), rows=origin.rows[by], group=origin.group[by]
    )


def _heights(cube: Cube, lattice: Lattice, costs: tuple[CellCost, ...]) -> kernel.Heights:
    """Flatten the levels of all hierarchies, and the places of values."""
    levels = [ladder.heights.reshape(-1) for ladder in lattice.ladders]
    places = [ladders.flat_places(cube, a) for a in range(len(levels))]
    return kernel.Heights(
        ladders.joined(levels),
        np.cumsum([0, *map(len, levels)], dtype=np.int64),
        ladders.kind_numbers(costs),
        np.concatenate([np.zeros(0, dtype=np.int64), *places]),
        np.cumsum([0, *map(len, places)], dtype=np.int64),
    )
