"""Evaluate many nodes of a lattice on all cores."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sfumato.classes import arrays
from sfumato.classes.classes import Classes
from sfumato.kernels import lattice as kernel
from sfumato.kernels import layout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sfumato._typing import BoolArray, FloatArray, LongArray
    from sfumato.classes.properties import CellCost, Property, Request
    from sfumato.classes.suppression import Rule, Suppression
    from sfumato.domains import Cube, Lattice

TICK_S = 0.05
SMALLEST_PIECE = 4
ORDER_SAMPLE = 20_000
Tick: TypeAlias = Callable[[], None]
Memory: TypeAlias = tuple[int, layout.Tables, layout.Scratch]


@dataclass(frozen=True, eq=False)
class Statistics:
    """What was collected for a batch of nodes; one row for each.

    Parameters
    ----------
    nodes
        Level numbers, shape (n, q).
    sums, worst
        The kernel's integer and floating-point output.
    properties, costs
        What the columns after the fixed ones are about.
    limits
        For each cell cost what a suppressed cell costs, attribute by attribute.
    row_count
        Rows of the table before suppression.
    rule
        The rule that suppressed.
    classes_of
        Makes the classes of a node, for measures that look at them one by one.
    """

    nodes: LongArray
    sums: LongArray
    worst: FloatArray
    properties: tuple[Property, ...]
    costs: tuple[CellCost, ...]
    limits: LongArray
    row_count: int
    rule: Rule
    classes_of: Callable[[LongArray], Classes]

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def feasible(self) -> BoolArray:
        """Whether the class-level requirements hold within the budget and a row remains."""
        return np.asarray(self.sums[:, kernel.FEASIBLE] == 1)

    @property
    def suppressed(self) -> LongArray:
        """Suppressed rows."""
        return self.sums[:, kernel.SUPPRESSED]

    @property
    def failing(self) -> LongArray:
        """Rows of the classes that miss a requirement."""
        return self.sums[:, kernel.FAILING_ROWS]

    @property
    def kept(self) -> LongArray:
        """Rows that remain."""
        return self.row_count - self.suppressed

    @property
    def classes(self) -> LongArray:
        """Classes that remain."""
        return self.sums[:, kernel.CLASSES]

    @property
    def size_sum(self) -> LongArray:
        """Class size summed over the rows that remain."""
        return self.sums[:, kernel.SIZE_SUM]

    @property
    def rows_squared(self) -> LongArray:
        """Squared rows of the classes that remain."""
        return self.sums[:, kernel.ROWS_SQUARED]

    @property
    def all_size_sum(self) -> LongArray:
        """Class size summed over all rows, before suppression."""
        return self.sums[:, kernel.ALL_SIZE_SUM]

    @property
    def all_rows_squared(self) -> LongArray:
        """Squared rows of all classes, before suppression."""
        return self.sums[:, kernel.ALL_ROWS_SQUARED]

    def worst_of(self, item: Property) -> FloatArray:
        """Return the worst value of a property over the classes that remain."""
        return self.worst[:, self.properties.index(item)]

    def sum_of(self, item: Property) -> LongArray:
        """Return the sum of a ``SQUARES`` or ``MAJORITY`` property over the classes that remain."""
        return self.sums[:, kernel.FIXED_SUMS + self.properties.index(item)]

    def cells(self, cost: CellCost) -> LongArray:
        """Return a cell cost summed over the rows that remain, shape (n, q)."""
        q = self.nodes.shape[1]
        start = kernel.FIXED_SUMS + len(self.properties) + self.costs.index(cost) * q
        return self.sums[:, start : start + q]

    def cell_limits(self, cost: CellCost) -> LongArray:
        """Return what a suppressed cell costs, attribute by attribute."""
        return np.asarray(self.limits[self.costs.index(cost)])


class Batch:
    """Evaluates nodes of one lattice over one cube for one request.

    Parameters
    ----------
    cube, lattice
        The data and the space; ladders in the order of the cube's quasi-identifiers.
    request
        What to collect.
    suppression
        Which rows go.
    threads
        Workers; all cores where None. The numbers do not depend on it.
    word_bits
        Bits of a key word to use; less than 64 only to test wide keys.
    """

    def __init__(
        self,
        cube: Cube,
        lattice: Lattice,
        request: Request,
        suppression: Suppression,
        *,
        threads: int | None = None,
        word_bits: int = arrays.WORD_BITS,
    ) -> None:
        self.cube, self.lattice, self.costs, self.suppression = cube, lattice, request.costs, suppression
        self.threads = threads or os.cpu_count() or 1
        sources = arrays.Sources(cube, request)
        self.properties = sources.properties
        codes = np.empty_like(cube.codes)
        for a, ladder in enumerate(lattice.ladders):
            codes[:, a] = ladder.levels[ladder.lowest][cube.codes[:, a]]
        fields = arrays.pack_fields(tuple(item.blocks[item.lowest] for item in lattice.ladders), word_bits)
        self._base = arrays.make_tables(cube, codes, fields, sources)
        self.order = walk_order(codes) if lattice.size > 1 else tuple(range(codes.shape[1]))
        self._ladders = _permuted(arrays.make_ladders(cube, lattice, self.costs), self.order, self.lattice)
        by = list(self.order)
        self._fields = layout.Fields(fields.word[by], fields.shift[by], fields.mask[by])
        self._plan = sources.make_plan(cube, suppression)
        self.limits = np.array([arrays.cost_limits(lattice, cost) for cost in self.costs], dtype=np.int64)
        self.control = np.zeros(1 + self.threads, dtype=np.int64)
        counts = tuple(lattice.ladders[a].count for a in self.order)
        self._leading = arrays.leading_counts(self._base, counts)
        self._memory: SimpleQueue[Memory] = SimpleQueue()
        self._workers = 0
        self._pool: ThreadPoolExecutor | None = None

    @property
    def groups(self) -> int:
        """Distinct quasi-identifier tuples at the lowest allowed levels."""
        return int(self._base.counts[0, 0])

    @property
    def base_rows(self) -> LongArray:
        """Rows of each of these tuples."""
        return np.asarray(self._base.rows[0])

    @property
    def evaluated(self) -> int:
        """Nodes evaluated so far, running workers included."""
        return int(self.control[1:].sum())

    def stop(self) -> None:
        """Ask all running evaluations to end after their current node."""
        self.control[0] = 1

    def compile(self) -> None:
        """Have the kernels ready, so that no search waits for the compiler."""
        self._allocate(1)
        self._run(np.zeros((0, len(self.lattice.ladders)), dtype=np.int64))

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
        walked = (nodes - self.lattice.bottom)[:, list(self.order)]
        places = np.arange(nodes.shape[1])
        sums[:, at:] = np.moveaxis(self._ladders.totals[:, places, walked], 0, 1).reshape(
            len(nodes), sums.shape[1] - at
        )
        return self._statistics(nodes, sums, np.full((len(nodes), len(self.properties)), np.nan))

    def classes(self, node: LongArray) -> Classes:
        """Return the classes of one node, in the order of their block numbers."""
        self._allocate(1)
        memory = self._memory.get()
        try:
            self._run_in(memory, node[None], self._plan._replace(store_all=1))
            return self._read_classes(memory, node)
        finally:
            self._memory.put(memory)

    def _read_classes(self, memory: Memory, node: LongArray) -> Classes:
        """Copy the classes that the last evaluated node left in the memory."""
        _, tables, scratch = memory
        depth = int(scratch.depth_of[-1]) if len(node) else 0
        count = int(tables.counts[depth, 0])
        blocks = np.empty((count, len(self.order)), dtype=np.int32)
        for place, a in enumerate(self.order):
            key = tables.keys[depth, self._fields.word[place], :count]
            blocks[:, a] = (key >> self._fields.shift[place]) & self._fields.mask[place]
        rows = tables.rows[depth, :count]
        sizes = scratch.sizes[:count] if self._plan.person_set >= 0 else rows
        by = np.lexsort(blocks.T[::-1]) if blocks.shape[1] else np.arange(count)
        return Classes(
            blocks[by],
            rows[by],
            sizes[by],
            scratch.out[:count][by] == 1,
            self.properties,
            scratch.values[:, :count][:, by],
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
        self._allocate(min(self.threads, len(pieces)))
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="sfumato")
        futures = [self._pool.submit(self._run, piece) for piece in pieces]
        try:
            for future in futures:
                while not wait([future], TICK_S).done:
                    if tick:
                        tick()
                # Pieces may be done so fast that nobody ever waits.
                if tick:
                    tick()
                yield future.result()
        except BaseException:
            self.stop()
            raise

    def _allocate(self, workers: int) -> None:
        while self._workers < workers:
            q = len(self.lattice.ladders)
            tables = arrays.deepen(self._base, q + arrays.kept_tables(self._leading))
            scratch = arrays.make_scratch(tables, self._plan, q, self._leading)
            self._memory.put((self._workers, tables, scratch))
            self._workers += 1

    def _run(self, nodes: LongArray) -> tuple[LongArray, FloatArray]:
        memory = self._memory.get()
        try:
            return self._run_in(memory, nodes, self._plan)
        finally:
            self._memory.put(memory)

    def _run_in(self, memory: Memory, nodes: LongArray, plan: layout.Plan) -> tuple[LongArray, FloatArray]:
        worker, tables, scratch = memory
        q = len(self.lattice.ladders)
        sums = np.empty(
            (len(nodes), kernel.FIXED_SUMS + len(self.properties) + len(self.costs) * q), dtype=np.int64
        )
        worst = np.empty((len(nodes), len(self.properties)), dtype=np.float64)
        # The walk counts levels from the lowest allowed one: its base table stands there.
        walked = np.ascontiguousarray((nodes - self.lattice.bottom)[:, list(self.order)])
        done = kernel.evaluate_nodes(
            tables,
            self._fields,
            self._ladders,
            plan,
            walked,
            scratch,
            self.control,
            worker,
            sums,
            worst,
        )
        return sums[:done], worst[:done]

    def _statistics(self, nodes: LongArray, sums: LongArray, worst: FloatArray) -> Statistics:
        q = len(self.lattice.ladders)
        at = kernel.FIXED_SUMS + len(self.properties)
        if self.costs:
            cells = sums[:, at:].reshape(len(sums), len(self.costs), q)
            sums = sums.copy()
            sums[:, at:] = cells[:, :, np.argsort(self.order)].reshape(len(sums), len(self.costs) * q)
        return Statistics(
            nodes,
            sums,
            worst,
            self.properties,
            self.costs,
            self.limits,
            self.cube.row_count,
            self.suppression.rule,
            self.classes,
        )


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


def _permuted(ladders: layout.Ladders, order: tuple[int, ...], lattice: Lattice) -> layout.Ladders:
    """Put attributes into walking order and count their levels from the lowest allowed one."""
    map_start = np.zeros_like(ladders.map_start)
    cost_start = np.zeros_like(ladders.cost_start)
    totals = np.zeros_like(ladders.totals)
    for place, a in enumerate(order):
        low, count = lattice.ladders[a].lowest, lattice.ladders[a].count
        used = slice(low, low + count)
        map_start[place, :count, :count] = ladders.map_start[a, used, used]
        cost_start[place, :count] = ladders.cost_start[a, used]
        totals[:, place, :count] = ladders.totals[:, a, used]
    return layout.Ladders(map_start, ladders.maps, cost_start, ladders.costs, totals)


__all__ = ["Batch", "Statistics", "walk_order"]
