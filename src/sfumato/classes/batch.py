"""Evaluate many nodes of a lattice on all cores."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sfumato.classes import arrays, ladders
from sfumato.classes.properties import CellCost, CellCosts
from sfumato.classes.statistics import Classes, Statistics
from sfumato.classes.workers import Workers
from sfumato.kernels import lattice as kernel
from sfumato.kernels import layout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sfumato._typing import FloatArray, LongArray
    from sfumato.classes.properties import Property, Request
    from sfumato.classes.statistics import Suppression
    from sfumato.classes.workers import Tick
    from sfumato.domains import Cube, Lattice

SMALLEST_PIECE = 4
ORDER_SAMPLE = 20_000
Memory: TypeAlias = tuple[int, layout.Tables, layout.Scratch]


class Batch:
    """Evaluates nodes of one lattice over one cube for one request."""

    def __init__(
        self,
        cube: Cube,
        lattice: Lattice,
        request: Request,
        suppression: Suppression,
        *,
        threads: int | None = None,
        word_bits: int = arrays.WORD_BITS,
        whole: Cube | None = None,
    ) -> None:
        self.cube, self.lattice, self.suppression = cube, lattice, suppression
        self.costs = ladders.whole_costs(request.costs)
        sources = arrays.Sources(cube, request)
        self.properties = sources.properties
        codes = ladders.base_codes(cube, lattice)
        bases = [ladder.base for ladder in lattice.ladders]
        fields = arrays.pack_fields(tuple(int(base.max(initial=-1)) + 1 for base in bases), word_bits)
        grouping = arrays.group_cells(codes, fields)
        self._base = arrays.make_tables(cube, grouping, sources)
        self.order = walk_order(codes) if lattice.size > 1 else tuple(range(codes.shape[1]))
        asked = CellCost.FREQUENCY in request.costs
        origin = ladders.make_origin(cube, bases, self.order, grouping.group) if asked else None
        self._ladders = ladders.make_ladders(cube, lattice, self.costs, self.order, origin)
        self._walked = [ladders.walk_numbers(lattice.ladders[a]) for a in self.order]
        by = list(self.order)
        self._fields = layout.Fields(fields.word[by], fields.shift[by], fields.mask[by])
        self.limits = np.array(
            [ladders.cost_limits(cube, lattice, cost) for cost in self.costs], dtype=np.int64
        )
        self._plan = sources.make_plan(
            whole or cube, suppression, CellCosts(self.costs, self.limits, self.order)
        )
        counts = tuple(ladders.walk_count(lattice.ladders[a]) for a in self.order)
        self._leading = arrays.leading_counts(self._base, counts)
        self._penalties = len(by) if asked else 0
        self._workers = Workers(threads, self._allocate)

    @property
    def threads(self) -> int:
        """How many workers there are."""
        return self._workers.threads

    @property
    def groups(self) -> int:
        """Distinct quasi-identifier tuples in the base: at the lowest allowed levels."""
        return int(self._base.counts[0, 0])

    @property
    def base_rows(self) -> LongArray:
        """Rows of each of these tuples."""
        return np.asarray(self._base.rows[0])

    @property
    def evaluated(self) -> int:
        """Nodes evaluated so far, running workers included."""
        return self._workers.evaluated

    def stop(self) -> None:
        """Ask all running evaluations to end after their current node."""
        self._workers.stop()

    def compile(self) -> None:
        """Have the kernels ready, so that no search waits for the compiler."""
        none = np.zeros((0, len(self.lattice.ladders)), dtype=np.int64)
        self._workers.call(lambda memory: self._run(memory, none))

    def evaluate(self, nodes: LongArray, tick: Tick | None = None) -> Statistics:
        """Evaluate nodes in any order; rows of the result in the order given.

        If it is stopped, the result has fewer rows: those of the nodes that were done.
        """
        order = (
            np.lexsort(nodes[:, list(self.order)][:, ::-1].T) if len(nodes) else np.zeros(0, dtype=np.int64)
        )
        pieces = np.array_split(order, max(1, min(self.threads, len(order) // SMALLEST_PIECE)))
        output = list(self.map([nodes[piece] for piece in pieces], tick))
        done = np.concatenate([piece[: len(sums)] for piece, (sums, _) in zip(pieces, output, strict=True)])
        back = np.argsort(done)
        sums, worst = (np.concatenate(part)[back] for part in zip(*output, strict=True))
        return self._statistics(nodes[done[back]], sums, worst)

    def unsuppressed(self, nodes: LongArray) -> Statistics:
        """Return the cell costs of nodes as if no row were suppressed, without making classes."""
        at = kernel.FIXED_SUMS + len(self.properties)
        sums = np.zeros((len(nodes), at + len(self.costs) * nodes.shape[1]), dtype=np.int64)
        walked = self._walk(nodes)
        places = np.arange(nodes.shape[1])
        sums[:, at:] = np.moveaxis(self._ladders.totals[:, places, walked], 0, 1).reshape(
            len(nodes), sums.shape[1] - at
        )
        worst = np.full((len(nodes), len(self.properties) + self._penalties), np.nan)
        if self._penalties:
            worst[:, len(self.properties) :] = self._ladders.penalties[places, walked]
        return self._statistics(nodes, sums, worst)

    def classes(self, node: LongArray) -> Classes:
        """Return the classes of one node, in the order of their block numbers."""

        def read(memory: Memory) -> Classes:
            self._run(memory, node[None], self._plan._replace(store_all=1))
            return self._read_classes(memory, node)

        return self._workers.call(read)

    def _read_classes(self, memory: Memory, node: LongArray) -> Classes:
        """Copy the classes that the last evaluated node left in the memory."""
        _, tables, scratch = memory
        depth = int(scratch.depth_of[-1]) if len(node) else 0
        return read_classes(
            (tables, scratch),
            depth,
            self._fields,
            self.order,
            persons=self._plan.person_set >= 0,
            properties=self.properties,
        )

    def walk(self, pieces: list[LongArray], tick: Tick | None = None) -> Iterator[Statistics]:
        """Evaluate pieces, each sorted in :attr:`order`; yield results in their order.

        A piece that was stopped in its midst comes shorter.
        """
        for piece, (sums, worst) in zip(pieces, self.map(pieces, tick), strict=True):
            yield self._statistics(piece[: len(sums)], sums, worst)

    def map(
        self, pieces: list[LongArray], tick: Tick | None = None
    ) -> Iterator[tuple[LongArray, FloatArray]]:
        """Run the kernel over pieces on the workers; yield raw output in order.

        ``tick`` is called while waiting, so that clocks are watched and the
        interpreter's signals are seen however long a piece takes.
        """
        return self._workers.map(self._run, pieces, tick)

    def _allocate(self, worker: int) -> Memory:
        q = len(self.lattice.ladders)
        tables = arrays.deepen(self._base, q + arrays.kept_tables(self._leading))
        return worker, tables, arrays.make_scratch(tables, self._plan, self._ladders, self._leading)

    def _walk(self, nodes: LongArray) -> LongArray:
        """Return nodes in the walk's order of attributes and its numbers."""
        walked = np.empty(nodes.shape, dtype=np.int64)
        for place, a in enumerate(self.order):
            walked[:, place] = self._walked[place][nodes[:, a]]
        return walked

    def _run(
        self, memory: Memory, nodes: LongArray, plan: layout.Plan | None = None
    ) -> tuple[LongArray, FloatArray]:
        worker, tables, scratch = memory
        q = len(self.lattice.ladders)
        columns = kernel.FIXED_SUMS + len(self.properties) + len(self.costs) * q
        sums = np.empty((len(nodes), columns), dtype=np.int64)
        worst = np.empty((len(nodes), len(self.properties) + self._penalties), dtype=np.float64)
        done = kernel.evaluate_nodes(
            tables,
            self._fields,
            self._ladders,
            self._plan if plan is None else plan,
            self._walk(nodes),
            scratch,
            self._workers.control,
            worker,
            sums,
            worst,
        )
        return sums[:done], worst[:done]

    def _statistics(self, nodes: LongArray, sums: LongArray, worst: FloatArray) -> Statistics:
        q = len(self.lattice.ladders)
        at = kernel.FIXED_SUMS + len(self.properties)
        back = np.argsort(self.order)
        if self.costs:
            cells = sums[:, at:].reshape(len(sums), len(self.costs), q)
            sums = sums.copy()
            sums[:, at:] = cells[:, :, back].reshape(len(sums), len(self.costs) * q)
        penalties = worst[:, len(self.properties) :]
        return Statistics(
            nodes,
            sums,
            worst[:, : len(self.properties)],
            self.properties,
            self.costs,
            self.limits,
            self.cube.row_count,
            self.suppression.rule,
            penalties[:, back] if self._penalties else penalties,
            self.classes,
            self._entropies,
        )

    def _entropies(self, nodes: LongArray) -> FloatArray:
        found = [ladder.entropies(nodes[:, a]) for a, ladder in enumerate(self.lattice.ladders)]
        return np.column_stack([np.zeros((len(nodes), 0)), *found])


def read_classes(
    memory: tuple[layout.Tables, layout.Scratch],
    depth: int,
    fields: layout.Fields,
    order: tuple[int, ...],
    *,
    persons: bool,
    properties: tuple[Property, ...],
) -> Classes:
    """Copy the classes that an evaluation left in the memory."""
    tables, scratch = memory
    count = int(tables.counts[depth, 0])
    blocks = np.empty((count, len(order)), dtype=np.int32)
    for place, a in enumerate(order):
        key = tables.keys[depth, fields.word[place], :count]
        blocks[:, a] = (key >> fields.shift[place]) & fields.mask[place]
    rows = tables.rows[depth, :count]
    sizes = scratch.sizes[:count] if persons else rows
    by = np.lexsort(blocks.T[::-1]) if blocks.shape[1] else np.arange(count)
    gone, values = scratch.out[:count][by] == 1, scratch.values[:, :count][:, by]
    return Classes(blocks[by], rows[by], sizes[by], gone, properties, values)


def walk_order(codes: np.ndarray[tuple[int, ...], np.dtype[np.int32]]) -> tuple[int, ...]:
    """Order attributes so that a walk of the lattice visits few classes.

    The walk reuses the tables of leading attributes most, and visits those of
    trailing ones at level 0 most; so the attributes whose generalization unites most tuples lead.
    A sample of the tuples decides: the order changes the time, never the numbers.
    """
    codes = codes[:: max(1, len(codes) // ORDER_SAMPLE)]
    distinct = []
    for a in range(codes.shape[1]):
        rest = np.delete(codes, a, axis=1)
        fields = arrays.pack_fields(tuple(int(column.max()) + 1 if len(column) else 1 for column in rest.T))
        keys = arrays.pack_keys(rest, fields) if rest.shape[1] else np.zeros((1, len(codes)), dtype=np.uint64)
        distinct.append(len(arrays.group_keys(keys)[0]))
    return tuple(int(a) for a in np.argsort(distinct, kind="stable"))
