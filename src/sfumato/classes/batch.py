"""Evaluate many nodes of a lattice on all cores."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sfumato.classes import ladders, packing
from sfumato.classes.evaluator import SMALLEST_PIECE, ClassEvaluator
from sfumato.kernels import lattice_classes as kernel
from sfumato.kernels import layout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sfumato._typing import FloatArray, LongArray
    from sfumato.classes.properties import Request
    from sfumato.classes.statistics import Classes, Statistics, Suppression
    from sfumato.classes.workers import Tick
    from sfumato.domains import Cube, Lattice

ORDER_SAMPLE = 20_000
SMALL_WORK = 1_000_000
"""Nodes × tuples that are evaluated at once in the thread that asks: some ten milliseconds."""
Memory: TypeAlias = tuple[int, layout.Tables, layout.Scratch]


class Batch(ClassEvaluator[Memory]):
    """Evaluates nodes of one lattice over one cube for one request."""

    def __init__(
        self,
        cube: Cube,
        lattice: Lattice,
        request: Request,
        suppression: Suppression,
        *,
        threads: int | None = None,
        word_bits: int = packing.WORD_BITS,
        whole: Cube | None = None,
    ) -> None:
        super().__init__(cube, lattice, request, suppression, threads)
        codes = ladders.base_codes(cube, lattice)
        bases = [ladder.base for ladder in lattice.ladders]
        order = walk_order(codes) if lattice.size > 1 else tuple(range(codes.shape[1]))
        # Keys of one word sort as a walk goes, so that it finds those next to each other that it unites.
        packed = packing.pack_fields(tuple(int(bases[a].max(initial=-1)) + 1 for a in order), word_bits)
        back = np.argsort(order)
        fields = type(packed)(packed.word[back], packed.shift[back], packed.mask[back])
        grouping = packing.group_cells(codes, fields)
        # Penalties by frequency follow classes back to the base, and need numbers that never grow.
        ordered = len(grouping.keys) == 1 and not self._penalties
        self._key_bits = packing.key_bits(packed) if ordered else 0
        self._set_tables(grouping, fields, order, whole)
        origin = ladders.make_origin(cube, bases, order, grouping.group) if self._penalties else None
        self._ladders = ladders.make_ladders(cube, lattice, self.costs, order, origin)
        self._walked = [ladders.walk_numbers(lattice.ladders[a]) for a in order]
        counts = tuple(ladders.walk_count(lattice.ladders[a]) for a in order)
        self._leading = packing.leading_counts(self._base, counts)

    @property
    def base_rows(self) -> LongArray:
        """Rows of each distinct tuple in the base: at the lowest allowed levels."""
        return np.asarray(self._base.rows[0])

    def compile(self) -> None:
        """Have the kernels ready, so that no search waits for the compiler."""
        none = np.zeros((0, len(self.lattice.ladders)), dtype=np.int64)
        self._workers.call(lambda memory: self._run(memory, none))

    def evaluate(
        self, nodes: LongArray, tick: Tick | None = None, *, bounds: bool = False, near: bool = False
    ) -> Statistics:
        """Evaluate nodes in any order; rows of the result in the order given, with `doomed` if ``bounds``.

        Nodes that are ``near`` each other are made from the classes of the node below them all, if these are
        few. If it is stopped, the result has fewer rows: those of the nodes that were done.
        """
        order = (
            np.lexsort(nodes[:, list(self.order)][:, ::-1].T) if len(nodes) else np.zeros(0, dtype=np.int64)
        )
        threads = 1 if self._is_small(len(nodes)) else self.threads
        pieces = np.array_split(order, max(1, min(threads, len(order) // SMALLEST_PIECE)))
        done, sums, worst = self._joined(
            pieces, self.map([nodes[piece] for piece in pieces], tick, bounds=bounds, near=near)
        )
        return self._collect(nodes[done], sums, worst)

    def unsuppressed(self, nodes: LongArray) -> Statistics:
        """Return the cell costs of nodes as if no row were suppressed, without making classes."""
        at, places = kernel.FIXED_SUMS + len(self.properties), np.arange(nodes.shape[1])
        sums, worst = self._room(len(nodes))
        walked = self._walk(nodes)
        sums[:, :at] = 0
        totals = self._ladders.totals[:, places, walked]
        sums[:, at:] = np.moveaxis(totals, 0, 1).reshape(len(nodes), sums.shape[1] - at)
        worst[:, : len(self.properties)] = np.nan
        if self._penalties:
            worst[:, len(self.properties) :] = self._ladders.penalties[places, walked]
        return self._collect(nodes, sums, worst)

    def classes(self, node: LongArray) -> Classes:
        """Return the classes of one node, in the order of their block numbers."""

        def read(memory: Memory) -> Classes:
            self._run(memory, node[None], self._plan._replace(store_all=1))
            _, tables, scratch = memory
            return self._read_classes(tables, scratch, int(scratch.depth_of[-1]) if len(node) else 0)

        return self._workers.call(read)

    def walk(self, pieces: list[LongArray], tick: Tick | None = None) -> Iterator[Statistics]:
        """Evaluate pieces, each sorted in :attr:`order`; yield results in their order.

        A piece that was stopped in its midst comes shorter.
        """
        for piece, (sums, worst) in zip(pieces, self.map(pieces, tick), strict=True):
            yield self._collect(piece[: len(sums)], sums, worst)

    def map(
        self, pieces: list[LongArray], tick: Tick | None = None, *, bounds: bool = False, near: bool = False
    ) -> Iterator[tuple[LongArray, FloatArray]]:
        """Run the kernel over pieces on the workers; yield raw output in order.

        ``tick`` is called while waiting, so that clocks are watched and the
        interpreter's signals are seen however long a piece takes.
        """
        plan = self._plan._replace(bounds=int(bounds))

        def run(memory: Memory, piece: LongArray) -> tuple[LongArray, FloatArray]:
            return self._run(memory, piece, plan, near=near)

        return self._workers.map(run, pieces, tick, here=self._is_small(sum(map(len, pieces))))

    def _is_small(self, nodes: int) -> bool:
        """Whether so many nodes are evaluated before another thread would have begun to."""
        return nodes * len(self._base.rows[0]) <= SMALL_WORK

    def _allocate(self, worker: int) -> Memory:
        # One depth for each attribute, but two for what is rolled up from a node that is none of a walk.
        depths = max(2, len(self.lattice.ladders))
        tables = packing.deepen(self._base, depths + packing.kept_tables(self._leading))
        scratch = packing.make_scratch(tables, self._plan, self._ladders, self._leading, self._key_bits)
        return worker, tables, scratch

    def _walk(self, nodes: LongArray) -> LongArray:
        """Return nodes in the walk's order of attributes and its numbers."""
        walked = np.empty(nodes.shape, dtype=np.int64)
        for place, a in enumerate(self.order):
            walked[:, place] = self._walked[place][nodes[:, a]]
        return walked

    def _run(
        self,
        memory: Memory,
        nodes: LongArray,
        plan: layout.Plan | None = None,
        *,
        near: bool = False,
    ) -> tuple[LongArray, FloatArray]:
        worker, tables, scratch = memory
        plan = self._plan if plan is None else plan
        sums, worst = self._room(len(nodes), 1 + plan.bounds)
        walked = self._walk(nodes)
        # Partitions of a list are made from their base alone.
        low = walked.min(axis=0) * self._ladders.nested if near and len(nodes) > 1 else walked[:0].reshape(-1)
        done = kernel.evaluate_nodes(
            tables,
            self._fields,
            self._ladders,
            plan,
            walked,
            low,
            scratch,
            self._workers.control,
            worker,
            sums,
            worst,
        )
        return sums[:done], worst[:done]

    def _collect(self, nodes: LongArray, sums: LongArray, worst: FloatArray) -> Statistics:
        return self._statistics(nodes, sums, worst, self.classes, self._entropies)

    def _entropies(self, nodes: LongArray) -> FloatArray:
        found = [ladder.entropies(nodes[:, a]) for a, ladder in enumerate(self.lattice.ladders)]
        return np.column_stack([np.zeros((len(nodes), 0)), *found])


def walk_order(codes: np.ndarray[tuple[int, ...], np.dtype[np.int32]]) -> tuple[int, ...]:
    """Order attributes so that a walk of the lattice visits few classes.

    The walk reuses the tables of leading attributes most, and visits those of
    trailing ones at level 0 most; so the attributes whose generalization unites most tuples lead.
    A sample of the tuples decides: the order changes the time, never the numbers.
    """
    codes = codes[:: max(1, len(codes) // ORDER_SAMPLE)]
    fields = packing.pack_fields(tuple(int(column.max(initial=0)) + 1 for column in codes.T))
    keys = packing.pack_keys(codes, fields)
    distinct = []
    for word, shift, mask in zip(fields.word, fields.shift, fields.mask, strict=True):
        rest = keys.copy()
        rest[word] &= ~(mask << shift)
        ordered = np.sort(rest) if len(rest) == 1 else rest[:, np.lexsort(rest)]
        distinct.append(np.count_nonzero(packing.starts(ordered)))
    return tuple(int(a) for a in np.argsort(distinct, kind="stable"))
