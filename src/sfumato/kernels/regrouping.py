"""Classes of tuples that change by steps which can be taken back.

A step shifts tuples from class to class and notes what it touches. :func:`finish` then prices the touched
classes and keeps the step if every one of them meets the requirements and the cost rises by no more than a
limit; otherwise all is as it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sfumato.kernels._groups import by_address
from sfumato.kernels._options import inner, kernel
from sfumato.kernels.label_costs import (
    LabelCosts,
    LabelRows,
    begin_label,
    copy_label,
    label_price,
    unite_labels,
    widen_label,
    widened_price,
)
from sfumato.kernels.lattice_classes import meets_requirements

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray, KeyArray, LongArray
    from sfumato.kernels.layout import Plan, Scratch, Tables

TOUCHED = 160
"""How many classes a step may touch."""


@by_address
class TupleFacts(NamedTuple):
    """What is known of the tuples, and what classes of them must have and cost."""

    costs: LabelCosts
    units: LongArray  # (n,)
    rows: LongArray  # (n,)
    weight: FloatArray  # (n,)
    nearest: IntArray  # (n, kept): those with which a tuple shares cheap labels; −1 where there are no more
    k: int
    prices: FloatArray  # of a suppressed row, of labels, of squared rows, of a class


@by_address
class TupleClasses(NamedTuple):
    """Classes as linked lists. Those from n on are of suppressed tuples, one for each region."""

    owner: IntArray  # (n,): the class of each tuple
    after: IntArray  # (n,): the next tuple of its class; −1 at the end
    before: IntArray
    head: IntArray  # (classes,)
    length: LongArray  # tuples
    units: LongArray
    rows: LongArray
    weight: FloatArray
    cost: FloatArray
    labels: LabelRows  # (classes + room,): labels that steps use come after those of the classes


@by_address
class Region(NamedTuple):
    """A part of the tuples that one thread works on, and its memory."""

    number: int
    of: IntArray  # (n,): the region of each tuple
    tuples: IntArray  # its own
    suppressed: int  # its class of suppressed tuples
    budget: int  # rows that this class may have
    room: int  # where its rows of labels begin: two to work with, then one for each touched class
    free: IntArray  # classes without tuples
    counts: LongArray  # how many are free, touched, shifted; then steps downhill
    gain: FloatArray  # what accepted steps gained, all falls summed
    random: KeyArray  # (1,): the state of the generator
    touched: IntArray  # classes
    stale: IntArray  # whether a touched class lost a tuple
    held: FloatArray  # (touched, 2): cost before, tuples before
    shifted: IntArray  # (…, 2): tuple and the class it left
    items: IntArray  # (n,): tuples at hand
    key: FloatArray  # (3, n)
    # what judges requirements beyond units: all pairs with where those of each tuple begin, the class at hand
    base: Tables
    begins: LongArray  # (sets, n + 1)
    tables: Tables
    plan: Plan
    scratch: Scratch
    slot: IntArray  # (sets, values): zeros between uses
    halt: LongArray  # (1,): 1 where somebody asked to stop


FREE, DIRTY, SHIFTED, ACCEPTED = range(4)
_STAR = np.uint64(0x2545F4914F6CDD1D)


@inner
def draw(random: KeyArray) -> float:
    """Return a random number from 0 on below 1 (xorshift64*)."""
    x = random[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    random[0] = x
    return float((x * _STAR) >> np.uint64(11)) / 9007199254740992.0


@inner
def priced(facts: TupleFacts, weight: float, rows: int, label: float) -> float:
    """Return what a class costs."""
    prices = facts.prices
    return float(weight * label * prices[1] + prices[2] * rows * rows + prices[3])


@inner
def rise(facts: TupleFacts, classes: TupleClasses, c: int, t: int) -> float:
    """Return what it costs to add a tuple to a class that has some."""
    weight = facts.weight[t]
    if c >= len(facts.units):
        return float(weight * facts.prices[0])
    label = widened_price(facts.costs, classes.labels, c, t, np.inf)
    whole = priced(facts, classes.weight[c] + weight, classes.rows[c] + facts.rows[t], label)
    return float(whole - classes.cost[c])


@inner
def union_rise(facts: TupleFacts, classes: TupleClasses, c: int, d: int, room: int) -> float:
    """Return what it costs to unite two classes; ``room`` is a row of labels to work with."""
    copy_label(classes.labels, c, room)
    unite_labels(facts.costs, classes.labels, room, d)
    label = label_price(facts.costs, classes.labels, room)
    whole = priced(facts, classes.weight[c] + classes.weight[d], classes.rows[c] + classes.rows[d], label)
    return float(whole - classes.cost[c] - classes.cost[d])


@inner
def link(facts: TupleFacts, classes: TupleClasses, t: int, c: int) -> None:
    """Take a tuple from its class, if it has one, and put it first into another."""
    old, before, after = classes.owner[t], classes.before[t], classes.after[t]
    if old >= 0:
        if before >= 0:
            classes.after[before] = after
        else:
            classes.head[old] = after
        if after >= 0:
            classes.before[after] = before
        classes.length[old] -= 1
        classes.units[old] -= facts.units[t]
        classes.rows[old] -= facts.rows[t]
        classes.weight[old] -= facts.weight[t]
    first = classes.head[c]
    classes.before[t] = -1
    classes.after[t] = first
    if first >= 0:
        classes.before[first] = t
    classes.head[c] = t
    classes.owner[t] = c
    classes.length[c] += 1
    classes.units[c] += facts.units[t]
    classes.rows[c] += facts.rows[t]
    classes.weight[c] += facts.weight[t]


@inner
def label_class(facts: TupleFacts, classes: TupleClasses, c: int) -> None:
    """Make the label of a class anew from its tuples."""
    t = classes.head[c]
    begin_label(facts.costs, classes.labels, c, t)
    t = classes.after[t]
    while t >= 0:
        widen_label(facts.costs, classes.labels, c, t)
        t = classes.after[t]


@inner
def price_class(facts: TupleFacts, classes: TupleClasses, c: int) -> float:
    """Return what a class with its label costs."""
    if classes.length[c] == 0:
        return 0.0
    if c >= len(facts.units):
        return float(classes.weight[c] * facts.prices[0])
    label = label_price(facts.costs, classes.labels, c)
    return priced(facts, classes.weight[c], classes.rows[c], label)


@kernel
def _touch(classes: TupleClasses, region: Region, c: int) -> int:
    """Note a class before it changes; return its place among the touched ones."""
    for i in range(region.counts[DIRTY]):
        if region.touched[i] == c:
            return i
    i = region.counts[DIRTY]
    region.counts[DIRTY] += 1
    region.touched[i] = c
    region.stale[i] = 0
    region.held[i, 0] = classes.cost[c]
    region.held[i, 1] = classes.length[c]
    if c < len(classes.owner):
        copy_label(classes.labels, c, region.room + 2 + i)
    return int(i)


@inner
def shift(facts: TupleFacts, classes: TupleClasses, region: Region, t: int, c: int) -> None:
    """Move a tuple to another class, to be kept or taken back by :func:`finish`."""
    old = classes.owner[t]
    region.stale[_touch(classes, region, old)] = 1
    _touch(classes, region, c)
    at = region.counts[SHIFTED]
    region.shifted[at, 0] = t
    region.shifted[at, 1] = old
    region.counts[SHIFTED] += 1
    link(facts, classes, t, c)
    if c < len(facts.units):
        if classes.length[c] == 1:
            begin_label(facts.costs, classes.labels, c, t)
        else:
            widen_label(facts.costs, classes.labels, c, t)


@kernel
def _take_back(facts: TupleFacts, classes: TupleClasses, region: Region) -> None:
    """Undo a step."""
    for at in range(region.counts[SHIFTED] - 1, -1, -1):
        link(facts, classes, region.shifted[at, 0], region.shifted[at, 1])
    for i in range(region.counts[DIRTY]):
        c = region.touched[i]
        classes.cost[c] = region.held[i, 0]
        if c < len(facts.units):
            copy_label(classes.labels, region.room + 2 + i, c)


@kernel
def _has_enough(facts: TupleFacts, classes: TupleClasses, region: Region) -> bool:
    """Tell whether all touched classes have their units, and not too much is suppressed."""
    for i in range(region.counts[DIRTY]):
        c = region.touched[i]
        if c >= len(facts.units):
            if classes.rows[c] > region.budget:
                return False
        elif classes.length[c] > 0 and classes.units[c] < facts.k:
            return False
    return True


@inner
def finish(facts: TupleFacts, classes: TupleClasses, region: Region, limit: float) -> bool:
    """Keep a step that raises the cost by ``limit`` at most and leaves all classes as required."""
    keeps = _has_enough(facts, classes, region)
    change = 0.0
    for i in range(region.counts[DIRTY]):
        c = region.touched[i]
        if keeps:
            if region.stale[i] and classes.length[c] > 0 and c < len(facts.units):
                label_class(facts, classes, c)
            classes.cost[c] = price_class(facts, classes, c)
            change += classes.cost[c] - region.held[i, 0]
    keeps = keeps and change <= limit
    for i in range(region.counts[DIRTY]):
        keeps = keeps and is_met(classes, region, region.touched[i])
    if keeps:
        _keep_free(classes, region)
        region.counts[ACCEPTED] += change < 0.0
        region.gain[0] += min(change, 0.0)
    else:
        _take_back(facts, classes, region)
    region.counts[DIRTY] = 0
    region.counts[SHIFTED] = 0
    return keeps


@kernel
def _keep_free(classes: TupleClasses, region: Region) -> None:
    """Note which classes have become empty, and that the last free one is used."""
    for i in range(region.counts[DIRTY]):
        if region.held[i, 1] == 0 and region.touched[i] < len(classes.owner):
            region.counts[FREE] -= classes.length[region.touched[i]] > 0
    for i in range(region.counts[DIRTY]):
        c = region.touched[i]
        if region.held[i, 1] > 0 and classes.length[c] == 0 and c < len(classes.owner):
            region.free[region.counts[FREE]] = c
            region.counts[FREE] += 1


@inner
def is_met(classes: TupleClasses, region: Region, c: int) -> bool:
    """Tell whether a class meets what is required beyond units, by the kernels of all classes."""
    if len(region.plan.kind) == 0 or c >= len(classes.owner) or classes.length[c] == 0:
        return True
    tables, base = region.tables, region.base
    tables.rows[0, 0] = classes.rows[c]
    for w in range(tables.bits.shape[1]):
        tables.bits[0, w, 0] = 0
        t = classes.head[c]
        while t >= 0:
            tables.bits[0, w, 0] |= base.bits[0, w, t]
            t = classes.after[t]
    for s in range(len(region.begins)):
        made = 0
        t = classes.head[c]
        while t >= 0:
            for at in range(region.begins[s, t], region.begins[s, t + 1]):
                value = base.pair_value[0, s, at]
                if region.slot[s, value] == 0:
                    region.slot[s, value] = made + 1
                    tables.pair_value[0, s, made] = value
                    tables.pair_rows[0, s, made] = 0
                    made += 1
                tables.pair_rows[0, s, region.slot[s, value] - 1] += base.pair_rows[0, s, at]
            t = classes.after[t]
        tables.counts[0, 1 + s] = made
        for at in range(made):
            region.slot[s, tables.pair_value[0, s, at]] = 0
    return meets_requirements(tables, 0, region.plan, region.scratch)
