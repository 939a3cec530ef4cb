"""What evaluates recodings over one cube for one request, on all cores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from sfumato.classes import ladders, packing
from sfumato.classes.properties import CellCost, CellCosts, Request
from sfumato.classes.statistics import Classes, Statistics, Suppression
from sfumato.classes.workers import Workers
from sfumato.kernels import lattice_classes as kernel
from sfumato.kernels import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sfumato._typing import FloatArray, LongArray
    from sfumato.domains import Cube, Lattice

SMALLEST_PIECE = 4
Memory = TypeVar("Memory")


class ClassEvaluator(ABC, Generic[Memory]):
    """Makes the classes of many recodings on all cores, and collects what a request asks for."""

    def __init__(
        self,
        cube: Cube,
        lattice: Lattice,
        request: Request,
        suppression: Suppression,
        threads: int | None,
    ) -> None:
        self.cube, self.lattice, self.suppression = cube, lattice, suppression
        # The others are integers, and are collected block by block.
        self.costs = tuple(cost for cost in request.costs if cost is not CellCost.FREQUENCY)
        limits = [ladders.cost_limits(cube, lattice, cost) for cost in self.costs]
        self.limits = np.array(limits, dtype=np.int64)
        self._sources = packing.Sources(cube, request)
        self.properties = self._sources.properties
        self._penalties = len(cube.sizes) if CellCost.FREQUENCY in request.costs else 0
        self._workers = Workers(threads, self._allocate)

    def _set_tables(
        self,
        grouping: packing.TupleGroups,
        fields: layout.KeyFields,
        order: tuple[int, ...],
        whole: Cube | None = None,
    ) -> None:
        """Make the base table and the plan; the kernel sees the attributes in the order given."""
        by = list(order)
        self.order, self._back = order, np.argsort(order)
        self._fields = type(fields)(fields.word[by], fields.shift[by], fields.mask[by])
        self._base = packing.make_tables(self.cube, grouping, self._sources)
        costs = CellCosts(self.costs, self.limits, order)
        self._plan = self._sources.make_plan(whole or self.cube, self.suppression, costs)

    @abstractmethod
    def _allocate(self, worker: int) -> Memory:
        """Return what a worker writes to."""

    @property
    def threads(self) -> int:
        """How many workers there are."""
        return self._workers.threads

    @property
    def evaluated(self) -> int:
        """Recodings evaluated so far, running workers included."""
        return self._workers.evaluated

    def stop(self) -> None:
        """Ask all running evaluations to end after their current recoding."""
        self._workers.stop()

    def _room(self, count: int, copies: int = 1) -> tuple[LongArray, FloatArray]:
        """Return what the kernels write the sums and the worst values of so many recodings to."""
        properties = len(self.properties)
        columns = kernel.FIXED_SUMS + properties + len(self.costs) * len(self.cube.sizes)
        return np.zeros((count, copies * columns), dtype=np.int64), np.empty(
            (count, properties + self._penalties)
        )

    @staticmethod
    def _joined(
        pieces: Sequence[LongArray], output: Iterable[tuple[LongArray, FloatArray]]
    ) -> tuple[LongArray, LongArray, FloatArray]:
        """Put together which recodings were done and their output, in the order of their places."""
        found = list(output)
        done = np.concatenate([piece[: len(sums)] for piece, (sums, _) in zip(pieces, found, strict=True)])
        back = np.argsort(done)
        sums, worst = (np.concatenate(part)[back] for part in zip(*found, strict=True))
        return done[back], sums, worst

    def _statistics(
        self,
        nodes: LongArray,
        sums: LongArray,
        worst: FloatArray,
        classes_of: Callable[[LongArray], Classes],
        entropies_of: Callable[[LongArray], FloatArray],
    ) -> Statistics:
        """Return the kernels' output with the attributes in the order of the cube."""
        q, at = len(self.cube.sizes), kernel.FIXED_SUMS + len(self.properties)
        width = at + len(self.costs) * q
        rest, sums = sums[:, width:], sums[:, :width]
        if self.costs and self.order != tuple(range(q)):
            cells = sums[:, at:].reshape(len(sums), len(self.costs), q)
            sums = sums.copy()
            sums[:, at:] = cells[:, :, self._back].reshape(len(sums), len(self.costs) * q)
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
            penalties[:, self._back] if self._penalties else penalties,
            classes_of,
            entropies_of,
            self._statistics(nodes, rest, worst, classes_of, entropies_of) if rest.shape[1] else None,
        )

    def _read_classes(self, tables: layout.Tables, scratch: layout.Scratch, depth: int) -> Classes:
        """Copy the classes that an evaluation left in the memory, in the order of their block numbers."""
        count = int(tables.counts[depth, 0])
        blocks = np.empty((count, len(self.order)), dtype=np.int32)
        for place, a in enumerate(self.order):
            key = tables.keys[depth, self._fields.word[place], :count]
            blocks[:, a] = (key >> self._fields.shift[place]) & self._fields.mask[place]
        rows = tables.rows[depth, :count]
        sizes = scratch.sizes[:count] if self._plan.person_set >= 0 else rows
        by = np.lexsort(blocks.T[::-1]) if blocks.shape[1] else np.arange(count)
        gone, values = scratch.out[:count][by] == 1, scratch.values[:, :count][:, by]
        return Classes(blocks[by], rows[by], sizes[by], gone, self.properties, values)
