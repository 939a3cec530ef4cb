"""One recoding of which some rows are suppressed in any case: its classes, and what measures count."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes import Batch, Classes, Request, Rule, Statistics, Suppression
from sfumato.errors import InfeasibleError
from sfumato.kernels import lattice_classes as kernel
from sfumato.release.publishing import kept_tuples

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray, LongArray
    from sfumato.domains import Cube, Lattice
    from sfumato.search import Problem

NOTHING = Suppression(Rule.NONE, 0)


def evaluate_node(
    problem: Problem,
    node: LongArray,
    hidden: LongArray | None = None,
    withheld: BoolArray | None = None,
) -> tuple[Statistics, Classes]:
    """Return what measures count of a recoding, and its classes."""
    # Rows in the `hidden` block of an attribute (-1: none) are suppressed first, and the rule of the problem
    # takes of the others what the budget leaves. Under `below-mean`, which has no budget, they count in the
    # mean. The hidden block of an attribute is the block of no other value. Cells that are `withheld` are in
    # no class.
    if (hidden is None or (hidden < 0).all()) and withheld is None:
        batch = problem.batch(threads=1)
        return batch.evaluate(node[None]), batch.classes(node)
    cube, lattice, request = problem.cube, problem.lattice, problem.request
    rule, budget = problem.suppression.rule, problem.suppression.budget
    blocks = [ladder.levels[level] for ladder, level in zip(lattice.ladders, node, strict=True)]
    own = np.column_stack([block[cube.codes[:, a]] for a, block in enumerate(blocks)])
    hidden = np.full(len(blocks), -1) if hidden is None else hidden
    there = np.ones(len(own), dtype=np.bool_) if withheld is None else ~withheld
    known = ~(own == hidden).any(axis=1) & there
    base = select_cells(cube, there)
    every = Batch(base, lattice, request, NOTHING, threads=1, whole=cube).classes(node)
    gone = (every.blocks == hidden).any(axis=1)
    if known.any():
        # Classes are in the order of their blocks, so those of a part are in the order of the whole.
        judged = np.ones(len(gone), dtype=np.bool_) if rule is Rule.BELOW_MEAN else ~gone
        part = base if rule is Rule.BELOW_MEAN else select_cells(cube, known)
        left = Suppression(rule, max(0, budget - int(cube.rows[~known].sum())))
        found = Batch(part, lattice, request, left, threads=1, whole=cube).classes(node)
        gone[judged] |= found.suppressed
    classes = replace(every, suppressed=gone)
    if gone.all():
        raise InfeasibleError("no row would be left. Apply the recipe to more rows.")
    kept = kept_tuples(cube.codes, blocks, classes) & there
    statistics = kept_statistics(cube, lattice, kept, request, rule)
    if rule is not Rule.BELOW_MEAN and statistics.suppressed[0] > budget:
        statistics.sums[:, kernel.FEASIBLE] = 0
    return statistics, classes


def select_cells(cube: Cube, cells: BoolArray) -> Cube:
    """Return the cube of some of its cells."""
    return replace(
        cube,
        codes=cube.codes[cells],
        sensitive_codes=cube.sensitive_codes[cells],
        rows=cube.rows[cells],
        persons=None if cube.persons is None else cube.persons[cells],
        whole_persons=None if cube.persons is None else cube.rows_of_persons(),
    )


def kept_statistics(
    cube: Cube, lattice: Lattice, kept: BoolArray, request: Request, rule: Rule
) -> Statistics:
    """Return what measures count of the lowest node if exactly the rows of some cells are published."""
    node = np.array([ladder.lowest for ladder in lattice.ladders], dtype=np.int64)[None]
    every = Batch(cube, lattice, Request(), NOTHING, threads=1).evaluate(node)
    part = select_cells(cube, kept)
    found = Batch(part, lattice, request, NOTHING, threads=1, whole=cube).evaluate(node)
    sums = found.sums.copy()
    sums[:, kernel.SUPPRESSED] = cube.row_count - int(cube.rows[kept].sum())
    for number in (kernel.ALL_SIZE_SUM, kernel.ALL_ROWS_SQUARED):
        sums[:, number] = every.sums[:, number]
    penalties = found.penalties
    if penalties.shape[1]:
        penalties = np.array([[_penalty(cube, lattice, kept, a) for a in range(penalties.shape[1])]])
    return replace(found, sums=sums, row_count=cube.row_count, rule=rule, penalties=penalties)


def _penalty(cube: Cube, lattice: Lattice, kept: BoolArray, attribute: int) -> float:
    """Sum `CellCost.FREQUENCY` over all rows: values and blocks are counted before suppression."""
    ladder = lattice.ladders[attribute]
    codes, block = cube.codes[:, attribute], ladder.levels[ladder.lowest]
    values: LongArray = np.bincount(codes, weights=cube.rows, minlength=len(block)).astype(np.int64)
    together = np.bincount(block, weights=values)[block]
    others = cube.row_count - values
    costs: FloatArray = np.where(others > 0, (together - values) / np.maximum(others, 1), 0.0)
    return float((np.where(kept, costs[codes], 1.0) * cube.rows).sum())
