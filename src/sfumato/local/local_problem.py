"""Local recoding as a question over arrays, and its answer.

Everything happens on the distinct tuples of a cube. A class is a set of whole tuples that share one label in
every attribute; each class must meet all requirements. What is wanted is the least cost:

    Σ over classes of (weight · Σ_a w_a · cost of its label of a + square · rows² + each)
    + Σ over suppressed tuples of weight · suppressed_cost,  all over the summed weight,

with Σ_a w_a = 1. Where tuples weigh as much as they have rows, this is ``loss``. ``square`` and ``each`` give
``dm`` and ``average_class``: the first prices the pairs of rows of a class, the second every class (−1 for
many classes). Where that is negative it counts for as many rows as are left: it is multiplied by all rows
over these, so that what is least is the mean number of rows of a class.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes import packing
from sfumato.classes.properties import CellCosts, PropertyKind, Request, Threshold
from sfumato.classes.statistics import Rule, Suppression
from sfumato.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import BoolArray, FloatArray, IntArray, LongArray
    from sfumato.domains import Cube
    from sfumato.kernels import layout
    from sfumato.local.label_spaces import LabelSpace

# What these demand of a class, they demand of its number of rows too.
_COUNTED = (PropertyKind.DISTINCT, PropertyKind.ENTROPY, PropertyKind.SHARE, PropertyKind.RECURSIVE)


@dataclass(frozen=True, eq=False)
class LocalProblem:
    """What is to be recoded, what every class must meet, and what costs how much."""

    cube: Cube  # the data
    spaces: tuple[LabelSpace, ...]  # the labels of each attribute, q of them
    codes: IntArray  # the distinct tuples, shape (n, q), codes of the cube
    rows: LongArray  # rows of each tuple
    units: LongArray  # what k counts: rows, or the distinct persons of each tuple
    weights: FloatArray  # what each tuple counts in the cost; by default its rows
    attribute_weights: FloatArray  # what each attribute counts, shape (q,), of sum 1
    k: int  # least units of a class; also what other requirements imply
    # what else is required: the sensitive values of each tuple, and thresholds, judged by the kernels for the
    # classes of global recodings; without properties where units decide everything
    tables: layout.Tables
    plan: layout.Plan
    tuple_of_cell: LongArray  # the tuple of each cell of the cube
    thresholds: tuple[Threshold, ...] = ()  # what is required, as it was asked
    budget: int = 0  # rows that may be suppressed
    suppressed_cost: float = 1.0  # what a suppressed row costs
    cell: float = 1.0  # a factor on the costs of labels
    square: float = 0.0  # the cost of a class for its squared rows
    each: float = 0.0  # the cost of every class

    @classmethod
    def of_cube(
        cls,
        cube: Cube,
        spaces: Sequence[LabelSpace],
        thresholds: Sequence[Threshold],
        *,
        attribute_weights: FloatArray | None = None,
        row_weights: FloatArray | None = None,
        budget: int = 0,
        **costs: float,
    ) -> LocalProblem:
        """Make the problem of a cube; ``row_weights`` are summed weights of the rows of each cell."""
        if [space.size for space in spaces] != list(cube.sizes):
            raise ParameterError(f"each of the {len(cube.sizes)} attributes needs labels over its domain.")
        grouping, n = packing.group_cells(cube.codes, packing.pack_fields(cube.sizes)), cube.distinct
        rows = units = np.bincount(grouping.group, cube.rows, n).astype(np.int64)
        if cube.persons is not None:
            pairs = np.unique(np.stack([grouping.group, cube.persons]), axis=1)[0]
            units = np.bincount(pairs, minlength=n).astype(np.int64)
        # Persons add up where nobody has two tuples.
        judged = tuple(thresholds)
        if int(units.sum()) == cube.person_count:
            judged = tuple(item for item in thresholds if item.property.kind is not PropertyKind.SIZE)
        sources = packing.Sources(cube, Request(thresholds=judged))
        costs_of_cells = CellCosts((), np.zeros((0, 0), np.int64), ())
        weights = np.ones(len(spaces)) if attribute_weights is None else attribute_weights
        return cls(
            cube,
            tuple(spaces),
            np.ascontiguousarray(cube.codes[grouping.first]),
            rows,
            units,
            np.bincount(grouping.group, cube.rows if row_weights is None else row_weights, n).astype(
                np.float64
            ),
            weights / weights.sum(),
            _least_size(thresholds, persons=cube.persons is not None),
            packing.make_tables(cube, grouping, sources),
            sources.make_plan(cube, Suppression(Rule.NONE, 0), costs_of_cells),
            grouping.group,
            tuple(thresholds),
            # Something must be left.
            max(min(budget, int(rows.sum()) - 1), 0),
            **costs,
        )

    @property
    def counts_classes(self) -> bool:
        """Tell whether classes cost something beside their labels."""
        return bool(self.square or self.each)

    @cached_property
    def total(self) -> float:
        """The summed weight of all tuples, over which costs are given."""
        return float(self.weights.sum())


def _least_size(thresholds: Sequence[Threshold], *, persons: bool) -> int:
    """Return the least units of a class that requirements imply."""
    least = 1
    for item in thresholds:
        counted = not persons and item.property.kind in _COUNTED
        if item.property.kind is PropertyKind.SIZE or counted:
            # Entropies and shares are rounded to 13 digits before they are compared.
            least = max(least, int(np.ceil(item.limit - 1e-9)))
    return least


@dataclass(frozen=True, eq=False)
class LocalSolution:
    """Classes of tuples with their labels, and a bound on what any recoding costs."""

    classes: IntArray  # the class of each tuple, from 0 on; −1 where it is suppressed
    # for each attribute what its classes show: TREE (classes, 2), level of the hierarchy and block; RANGE
    # (classes, 2), lowest and highest code, −1 where it is *; SET (classes, words), bit c of word w for the
    # code 64·w + c
    labels: tuple[LongArray, ...]
    stars: BoolArray  # where a label is *, whatever codes it covers, shape (classes, q)
    cost: float  # as defined above
    bound: float | None = None  # no solution costs less; None where no bound is known
    # how the bound was found, for the manifest
    certificate: Mapping[str, object] = field(default_factory=dict)
    nearest: IntArray | None = None  # the neighbours that the search found of each tuple, for another search

    @property
    def gap(self) -> float | None:
        """How far the cost may be above the optimum, as a share of the bound."""
        if self.bound is None or self.cost == 0:
            # Nothing can cost less than nothing.
            return None if self.bound is None else 0.0
        if self.bound < 0:
            # Classes are counted: an optimum with more of them is better by the share of these.
            return self.bound / self.cost - 1.0 if self.cost < 0 else None
        return self.cost / self.bound - 1.0 if self.bound else None

    def with_gap(self, gap: float) -> LocalSolution:
        """Return the same solution with the bound that a gap states."""
        return replace(self, bound=self.cost * (1.0 + gap) if self.cost < 0 else self.cost / (1.0 + gap))
