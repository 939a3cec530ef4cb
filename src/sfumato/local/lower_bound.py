"""A bound on what any local recoding costs, certified over all labels, lifted by linear programming.

The guess to begin with is what the classes of a solution cost. Labels that a guess breaks become rows of a
linear program; its solution, half way to the best certified numbers, is the next guess.
"""

from __future__ import annotations

import functools
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.classes import Property, PropertyKind, Threshold, Workers
from sfumato.domains import Cube
from sfumato.kernels import closed_labels as kernel
from sfumato.kernels import tree_labels
from sfumato.local.class_search import search_classes
from sfumato.local.demands import make_demands, meet_demands
from sfumato.local.label_arrays import gray_order, make_label_costs, no_labels, solve_labels
from sfumato.local.label_spaces import LabelKind, LabelSpace
from sfumato.local.local_problem import LocalProblem

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray, LongArray
    from sfumato.kernels.closed_labels import Demands, Walk
    from sfumato.local.local_problem import LocalSolution
    from sfumato.monitor import Monitor

    Rows = tuple[FloatArray, IntArray, LongArray, FloatArray, FloatArray]

NOTING, ALLOWED = 100_000, 1_000_000
"""How many tuples the walk of one tuple looks at before it is given up: to find labels, and to lower."""
LOOKED_AT = 200_000_000
"""The same for a task of trees."""
TASKS = 24
PIECE = 250
LOWERED = 3
"""After how many linear programs a guess is certified."""
WANTED = 8
"""Labels noted for a tuple."""
MOST_ENTRIES = 10_000_000
"""Tuples of noted labels that a thread has memory for: enough unless k is in the thousands."""
HALF_WAY = 0.75
REACHED = 1e-3
"""How little a linear program adds when there is no more to be had."""
GROWTH = 1.5, 0.01
"""A linear program may raise a certified number by this factor and summand."""
STEPS = 300
"""Of a linear program."""
SLACK = 0.3
"""A row that is slack by more than this share leaves the linear program."""
SLIP = 1e-9
"""Sums of rounded numbers may be too large by so much, a bound may not."""


def bound_cost(
    problem: LocalProblem,
    solution: LocalSolution,
    *,
    rounds: int = 40,
    seconds: float | None = None,
    threads: int | None = None,
    monitor: Monitor | None = None,
) -> LocalSolution:
    """Return a solution with a bound on what any other costs, from so many linear programs.

    Requirements beyond units count by what they imply (see `demands`), which is less than they are.
    Where ``seconds`` end it, or the monitor does, the bound is what was certified by then. Where classes are
    counted and rows may be suppressed there is none: their mean size is no sum of costs then.
    """
    if problem.each < 0 and problem.budget:
        return solution
    lift = (_TreeLift if has_trees(problem) else _Lift)(problem, threads, seconds, monitor)
    guess, near = class_costs(problem, solution), solution.nearest
    lift.share(guess if near is None else np.minimum(guess, _near_costs(problem, near, lift.demands)))
    best = lift.start(guess) if rounds else lift.least
    first, made = lift.value(best), 0
    while made < rounds and not lift.is_over() and lift.value(best) < solution.cost:
        made += 1
        found = lift.solve(best)
        if lift.value(found) <= lift.value(best) * (1.0 + REACHED):
            break
        lift.separate(HALF_WAY * found + (1.0 - HALF_WAY) * best)
        if made % LOWERED == 0 or made == rounds:
            best = max(best, lift.lower(), key=lift.value)
    bound = lift.value(best)
    bound -= abs(bound) * SLIP
    certificate = {"first_bound": first, "linear_programs": made, "labels": lift.labels}
    return replace(solution, bound=bound, certificate=certificate)


def has_trees(problem: LocalProblem) -> bool:
    """Tell whether all labels are nodes of trees, which have a bound of their own."""
    return all(space.kind is LabelKind.TREE for space in problem.spaces)


def class_costs(problem: LocalProblem, solution: LocalSolution) -> FloatArray:
    """Return what the label of its class costs each tuple."""
    count = int(solution.classes.max(initial=-1)) + 1
    made = [
        weight * solve_labels(space, codes, solution.classes, count)[2]
        for weight, space, codes in zip(
            problem.attribute_weights, problem.spaces, problem.codes.T, strict=True
        )
    ]
    return np.append(sum(made), max(problem.suppressed_cost, 1.0))[solution.classes]


def _near_costs(problem: LocalProblem, nearest: IntArray, demands: Demands) -> FloatArray:
    """Return what it costs each tuple to share a label with one of its neighbours until these are enough."""
    prices = np.zeros(nearest.shape)
    for space, codes, weight in zip(problem.spaces, problem.codes.T, problem.attribute_weights, strict=True):
        own, other = codes[:, None], codes[nearest]
        low, high = np.minimum(own, other), np.maximum(own, other)
        if space.kind is LabelKind.TREE:
            cost = np.full(nearest.shape, np.inf)
            for level, costs in zip(space.levels[::-1], space.costs[::-1], strict=True):
                np.copyto(cost, costs[level[own]], where=level[own] == level[other])
        elif space.kind is LabelKind.RANGE:
            cost = np.minimum(space.costs[1, high] - space.costs[0, low], 1.0)
        else:
            cost = np.where(own == other, space.costs[0, 1], space.costs[0, min(2, space.size)])
        prices += weight * np.where((low != high) & (high == space.missing), 1.0, cost)
    prices[nearest < 0] = np.inf
    order = np.argsort(prices, axis=1, kind="stable")
    least, units, has = np.full(len(order), np.inf), problem.units.copy(), demands.has.copy()
    left = np.arange(len(order))
    for column in order.T:
        other = nearest[left, column[left]]
        left, other = left[other >= 0], other[other >= 0]
        units[left] += problem.units[other]
        has[left] |= demands.has[other]
        met = meet_demands(demands, left, units[left], has[left])
        least[left[met]] = prices[left[met], column[left[met]]]
        left = left[~met]
    return least


class _Lift:
    """The numbers of one bound: guesses, certified ones, and the rows of the linear program."""

    def __init__(
        self, problem: LocalProblem, threads: int | None, seconds: float | None, monitor: Monitor | None
    ) -> None:
        n = len(problem.codes)
        self.problem, self.monitor, self.labels = problem, monitor, 0
        self.until = None if seconds is None else time.perf_counter() + seconds
        self.costs, self.demands = make_label_costs(problem), make_demands(problem)
        self.alone = meet_demands(self.demands, np.arange(n), problem.units, self.demands.has)
        # Attributes of few values cost most where they differ: by them tuples are far apart.
        columns = sorted([*self.costs.places.T, *self.costs.members.T], key=lambda column: int(column.max()))
        self.parts = gray_order(columns).astype(np.int32)
        self.boxes = no_labels(self.costs, -(-n // kernel.BOX))
        kernel.make_boxes(self.costs, self.parts, self.boxes)
        self.level, self.limit = np.zeros(n), np.zeros(n)
        self.rank, self.broken = np.zeros(n, np.int32), np.zeros(n, np.int32)
        self.workers = Workers(threads, self._allocate)
        self.rows: list[Rows] = []
        self.order = np.arange(n, dtype=np.int32)
        self.own, self.found = np.zeros(n), np.zeros(n)
        for space, codes, weight in zip(
            problem.spaces, problem.codes.T, problem.attribute_weights, strict=True
        ):
            self.own += weight * space.own_costs[codes]
        self.least = self.own  # what a tuple costs in any class, whatever is certified of the others

    def _allocate(self, _: int) -> Walk:
        n, deep, problem = len(self.level), kernel.DEEPEST + 2, self.problem
        room, cuts = 20 * n + 1000, PIECE * WANTED
        entries = min(cuts * 2 * problem.k, MOST_ENTRIES) + n
        return kernel.Walk(
            self.costs,
            problem.units,
            problem.weights,
            max(problem.k, int(self.demands.least.min(initial=1))),
            self.demands,
            self.alone,
            self.level,
            self.limit,
            self.rank,
            self.broken,
            no_labels(self.costs, deep),
            self.boxes,
            self.parts,
            np.zeros(room, np.int32),
            np.zeros(room),
            np.zeros(deep, np.int64),
            np.zeros(deep, np.int64),
            np.zeros(deep),
            np.zeros(n, np.int32),
            np.zeros(n),
            np.zeros(self.demands.has.shape[1], np.uint64),
            np.zeros(n, np.int32),
            np.zeros(n),
            np.zeros(10, np.int64),
            np.zeros(cuts, np.int64),
            np.zeros(entries, np.int32),
            np.zeros(entries),
            np.zeros(cuts),
        )

    def is_over(self) -> bool:
        """Tell whether the time is up or someone stopped it."""
        late = self.until is not None and time.perf_counter() > self.until
        return late or (self.monitor is not None and self.monitor.tick(0.0, 0))

    def tick(self) -> None:
        """Look at the clock and the callback; end the walks where it is time."""
        if self.monitor is not None:
            self.monitor.poll()
        if self.is_over():
            for walk in self.walks():
                walk.counts[kernel.ENDED], walk.counts[kernel.ALLOWED] = 1, 0

    def walks(self) -> list[Walk]:
        """Return the memories of all threads."""
        return self.workers.memories

    def start(self, guess: FloatArray) -> FloatArray:
        """Return the first numbers that hold."""
        self.separate(guess)
        return max(self.least, self.lower(), key=self.value)

    def share(self, guess: FloatArray) -> None:
        """Find what it costs each tuple at least to share a label with k units; no more than a guess."""
        self._take(guess)
        self.broken[:] = 1
        for _ in self.workers.map(self._nearest, self._pieces(), self.tick):
            pass
        self.least = self.level.copy()

    def _nearest(self, walk: Walk, piece: IntArray) -> None:
        if self.is_over():
            self.level[piece] = self.own[piece]
        else:
            walk.counts[:] = 0
            kernel.certify(walk, piece, 0)

    def separate(self, guess: FloatArray) -> None:
        """Find on all threads the tuples over which labels break a guess; some of these become rows.

        What is not looked at in time becomes what it costs in any class.
        """
        self._take(guess)
        pieces = self._pieces()
        for piece, rows in zip(pieces, self.workers.map(self._separate, pieces, self.tick), strict=True):
            if rows is None:
                self.level[piece] = self.least[piece]
            else:
                self.rows.append(rows)

    def _take(self, guess: FloatArray) -> None:
        problem, level = self.problem, self.level
        # What more a row pays than the suppression of the last one that may be suppressed is of no use.
        worth = problem.weights * problem.suppressed_cost + self.margin(guess) * problem.rows
        share, most = problem.weights * problem.cell, np.full(len(guess), np.inf)
        if problem.budget:
            np.divide(worth, share, out=most, where=share > 0.0)
        level[:] = np.minimum(guess, most)
        level[self.alone] = 0.0
        np.maximum(level, self.own, out=level)
        self.limit[:] = level
        self.order = np.argsort(self.own - level, kind="stable").astype(np.int32)
        self.rank[self.order] = np.arange(len(level))
        self.broken[:] = 0

    def _pieces(self, size: int = PIECE) -> list[IntArray]:
        return [self.order[at : at + size] for at in range(0, int((self.limit > self.own).sum()), size)]

    def lower(self) -> FloatArray:
        """Return the guess, lowered until it holds: one after another the tuples over which it does not."""
        for piece in self._pieces(PIECE // 10):
            if not self.broken[piece].any():
                continue
            if self.is_over():
                # What comes later counts on the walks of these.
                rest = self.order[self.rank[piece[0]] :]
                self.level[rest] = np.minimum(self.level[rest], self.least[rest])
                break
            # One after another, in another thread: this one looks at the clock.
            list(self.workers.map(lambda walk, piece: self._walk(walk, piece, 0), [piece], self.tick))
        return self.level.copy()

    def _separate(self, walk: Walk, piece: IntArray) -> Rows | None:
        """Return the labels that break the guess over some tuples; None where there was no time."""
        if self.is_over():
            return None
        self._walk(walk, piece, WANTED)
        return self._rows_of(walk)

    def _rows_of(self, walk: Walk) -> Rows:
        ends = np.append(0, walk.cut_end[: walk.counts[kernel.CUTS]])
        entries = slice(0, ends[-1])
        return (
            walk.cut_share[entries].copy(),
            walk.cut_tuple[entries].copy(),
            ends,
            walk.cut_cost[: len(ends) - 1].copy(),
            np.zeros(len(ends) - 1),
        )

    def _walk(self, walk: Walk, piece: IntArray, wanted: int) -> None:
        walk.counts[:] = 0
        walk.counts[kernel.WANTED] = wanted
        kernel.certify(walk, piece, NOTING if wanted else ALLOWED)
        self.labels += int(walk.counts[kernel.WALKED])

    def value(self, level: FloatArray) -> float:
        """Return the bound that certified numbers give, with what sizes and numbers of classes add."""
        problem, paid = self.problem, self.paid(level)
        most = min(len(level), int(problem.units.sum()) // problem.k)
        total = problem.each * (most if problem.each < 0 else 1)
        if problem.budget:
            # Any price of a suppressed row gives a bound, if all rows that may be suppressed are paid back.
            margin = self.margin(level)
            paid = np.minimum(paid, problem.weights * problem.suppressed_cost + margin * problem.rows)
            total -= margin * problem.budget
        return (float(paid.sum()) + total) / problem.total

    def paid(self, level: FloatArray) -> FloatArray:
        """Return what each tuple costs at least if it is published."""
        problem = self.problem
        size = np.maximum(problem.rows, self.demands.least)
        return problem.weights * level * problem.cell + problem.square * problem.rows * size

    def margin(self, level: FloatArray) -> float:
        """Return what the last row that may be suppressed saves, where those go first that save most."""
        problem = self.problem
        saved = (self.paid(level) - problem.weights * problem.suppressed_cost) / problem.rows
        order = np.argsort(-saved, kind="stable")
        last = int(np.searchsorted(problem.rows[order].cumsum(), problem.budget, side="right"))
        return max(float(saved[order[last]]), 0.0) if last < len(order) else 0.0

    def solve(self, best: FloatArray) -> FloatArray:
        """Return numbers of about the largest sum that break none of the labels noted so far.

        By primal-dual steps (Chambolle and Pock 2011, with the step sizes of Pock and Chambolle 2011) from
        where the last program ended; what is broken is lowered later, so they need not reach the optimum.
        """
        from scipy.sparse import csr_matrix

        highest = np.where(self.alone, self.own, best * GROWTH[0] + GROWTH[1])
        if not self.rows:
            return highest
        sizes = np.cumsum([0, *(rows[2][-1] for rows in self.rows)])
        ends = [rows[2][1:] + at for rows, at in zip(self.rows, sizes, strict=False)]
        share, number = (np.concatenate([rows[i] for rows in self.rows]) for i in (0, 1))
        matrix = csr_matrix(
            (share, number, np.concatenate([[0], *ends])), shape=(sum(map(len, ends)), len(best))
        )
        cost, dual = (np.concatenate([rows[i] for rows in self.rows]) for i in (3, 4))
        back, found = matrix.T.tocsr(), np.minimum(np.maximum(self.found, best), highest)
        scale = max(float(best.mean()), 1e-6)
        forth = 1.0 / np.maximum(matrix.sum(axis=1).A1, 1e-12) / scale
        aside = scale / np.maximum(back.sum(axis=1).A1, 1e-12)
        for _ in range(STEPS):
            self.tick()
            if self.is_over():
                break
            raised = np.clip(found + aside * (self.problem.weights - back @ dual), 0.0, highest)
            dual = np.maximum(dual + forth * (matrix @ (2.0 * raised - found) - cost), 0.0)
            found = raised
        self.found = found
        held = np.flatnonzero((dual > 0.0) | (cost - matrix @ found <= SLACK * cost))
        kept = matrix[held]
        self.rows = [(kept.data, kept.indices, kept.indptr.astype(np.int64), cost[held], dual[held])]
        return found


class _TreeLift(_Lift):
    """The same where all labels are nodes of trees."""

    def __init__(self, problem: LocalProblem, *given: Any) -> None:
        columns = zip(problem.spaces, problem.codes.T, problem.attribute_weights, strict=True)
        # Where attributes of few codes differ it costs most, so most groups end with them.
        taken = sorted(columns, key=lambda item: len(np.unique(item[1])))
        self.steps = np.cumsum([0, *(len(space.levels) for space, _, _ in taken)])
        self.blocks = np.concatenate([space.levels[:, codes] for space, codes, _ in taken])
        self.prices = np.concatenate(
            [
                np.take_along_axis(space.costs, space.levels[:, codes], 1) * weight
                for space, codes, weight in taken
            ]
        )
        self.tasks: list[tuple[int, ...]] = [()]
        for space, _, _ in taken:
            if len(self.tasks) < TASKS:
                self.tasks = [(*task, level) for task in self.tasks for level in range(len(space.levels))]
        self.failing = self.tasks
        super().__init__(problem, *given)
        self.groups = Workers(given[0], self._allocate_groups)

    def _allocate_groups(self, number: int) -> tree_labels.LabelGroups:
        q, n = len(self.problem.spaces), len(self.level)
        walk = self._allocate(number)._replace(broken=np.zeros(n, np.int32))
        begin, end, level, filled = (np.zeros(q + 1, np.int64) for _ in range(4))
        return tree_labels.LabelGroups(
            walk,
            self.steps,
            self.blocks,
            self.prices,
            self.steps[:-1],
            self.steps[1:],
            np.zeros((q + 1, n), np.int32),
            begin,
            end,
            level,
            filled,
            np.zeros(q + 1),
            np.zeros(int(self.blocks.max(initial=0)) + 1, np.int32),
            np.zeros(n, np.int32),
        )

    def walks(self) -> list[Walk]:
        """Return the memories of all threads."""
        return [*super().walks(), *(groups.walk for groups in self.groups.memories)]

    def start(self, guess: FloatArray) -> FloatArray:
        """Return the first numbers that hold: what each tuple costs at least."""
        self.separate(guess)
        return self.least

    def separate(self, guess: FloatArray) -> None:
        """Find on all threads the labels that break a guess; some of these become rows."""
        self._take(guess)
        made = list(self.groups.map(self._separate_trees, self.tasks, self.tick))
        self.rows += [rows for _, rows in made if rows is not None]
        self.failing = [task for task, (fails, _) in zip(self.tasks, made, strict=True) if fails]

    def lower(self) -> FloatArray:
        """Return the guess, lowered until it holds; where there is no time for that, what costs nothing."""
        for task in self.failing:
            if self.is_over():
                return self.least
            list(self.groups.map(lambda groups, task: self._walk_trees(groups, task, 0), [task], self.tick))
        return self.level.copy()

    def _separate_trees(
        self, groups: tree_labels.LabelGroups, task: tuple[int, ...]
    ) -> tuple[bool, Rows | None]:
        if self.is_over():
            return True, None
        self._walk_trees(groups, task, WANTED)
        return bool(groups.walk.counts[kernel.GIVEN_UP]), self._rows_of(groups.walk)

    def _walk_trees(self, groups: tree_labels.LabelGroups, task: tuple[int, ...], wanted: int) -> None:
        counts, first, stop = groups.walk.counts, self.steps[:-1].copy(), self.steps[1:].copy()
        first[: len(task)] += task
        stop[: len(task)] = first[: len(task)] + 1
        counts[:] = 0
        counts[kernel.WANTED], counts[kernel.ALLOWED] = wanted, LOOKED_AT
        groups.walk.broken[:] = 0
        groups.tuples[0] = self.order
        tree_labels.certify_trees(groups._replace(first=first, stop=stop))
        self.labels += int(counts[kernel.WALKED])


@functools.cache
def compile_kernels(*, trees: bool) -> None:
    """Search and bound a tiny table, so that compiling takes none of the time of a search."""
    cube = Cube.sorted(("a",), (2,), np.array([[0], [1]], np.int32), rows=np.ones(2, np.int64))
    space = LabelSpace.suppress(2) if trees else LabelSpace.range(2)
    problem = LocalProblem.of_cube(cube, [space], [Threshold(Property(PropertyKind.SIZE), 2)])
    bound_cost(problem, search_classes(problem, proposals=1, threads=1), rounds=1, threads=1)
