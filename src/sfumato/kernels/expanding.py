"""Expanding the nodes of a branch and bound."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sfumato.kernels._groups import by_address
from sfumato.kernels._options import inner, kernel
from sfumato.kernels.bounding import bound_ends, fine_cost
from sfumato.kernels.bounding_layout import CELLS, NEEDED, ROUNDS, TOO_DEAR_APART, TOO_DEAR_JOINED
from sfumato.kernels.pricing import price_boxes
from sfumato.kernels.probing import probe
from sfumato.kernels.scheme_elements import APART, JOINED, OPEN, settle

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray, LongArray
    from sfumato.kernels.bounding_layout import BoundModel, BoundTechniques, Prices, Tuples, Work
    from sfumato.kernels.scheme_elements import Decisions, Ends

# How an expansion ended: nothing agrees with the decisions; all costs too much; one recoding is left;
# it branched; it has to come again.
CONTRADICTION, BOUNDED, LEAF, BRANCHED, AGAIN = range(5)

ENDINGS = 5

LARGER = 2.0
"""What the larger rise of the two branches counts, where the smaller one counts 1. Measured on Adult: if the
smaller one counts twice as much, proofs take up to twice as many nodes; five times as much, four times."""

MOST_ROUNDS = 4
"""How often the open elements of a node are probed in one go."""


@by_address
class Left(NamedTuple):
    """What expanding n nodes leaves, one row for each."""

    amount: LongArray  # (n,): open nodes
    states: IntArray  # (n, open nodes, elements)
    bound: FloatArray  # (n, open nodes)
    is_bounded: IntArray  # (n, open nodes): 1 where the bound is the node's own
    cost: FloatArray  # (n,): the least cost of a fine end on the way
    block: IntArray  # (n, codes): that fine end
    trial_block: IntArray  # (n, codes): working memory
    out: FloatArray  # (n, 4): working memory
    ended: LongArray  # (n, ENDINGS): how many nodes ended in which way


@kernel
def _decide(use: BoundTechniques, best: float, states: IntArray, work: Work) -> int:
    """Decide the elements for which one way costs too much; return how many, −1 if both ways do for one.

    Without pruning a node ends so only where neither way allows anything.
    """
    decided = 0
    for e in range(len(states)):
        if states[e] != OPEN:
            continue
        no_join = work.joined_bound[e] >= best if use.probe_joined else work.joined_bound[e] == np.inf
        no_split = work.apart_bound[e] >= best if use.probe_apart else work.apart_bound[e] == np.inf
        if not use.probe_apart and not use.probe_useful:
            no_split = False
        if no_join and no_split:
            if use.prune or (work.joined_bound[e] == np.inf and work.apart_bound[e] == np.inf):
                return -1
            continue
        if no_join:
            states[e] = APART
            work.counters[TOO_DEAR_JOINED] += 1
            decided += 1
        elif no_split:
            states[e] = JOINED
            work.counters[NEEDED if work.apart_bound[e] == np.inf else TOO_DEAR_APART] += 1
            decided += 1
    return decided


@kernel
def _choose(use: BoundTechniques, bound: float, states: IntArray, work: Work) -> int:
    """Return the open element to branch on; −1 if there is none."""
    chosen = -1
    top = -np.inf
    for e in range(len(states)):
        if states[e] != OPEN:
            continue
        if not use.strongest:
            return e
        low = min(work.joined_bound[e], work.apart_bound[e]) - bound
        high = max(work.joined_bound[e], work.apart_bound[e]) - bound
        score = low + LARGER * min(high, 1e200) + 1e-9 * work.merged[e]
        if score > top:
            top = score
            chosen = e
    return chosen


@kernel
def _settle_all(decisions: Decisions, states: IntArray, ends: Ends) -> bool:
    """Decide all that follows, and find the ends; False on a contradiction."""
    for a in range(len(decisions.code_start) - 1):
        if not settle(decisions, a, states, ends):
            return False
    return True


@inner
def expand(
    tuples: Tuples,
    decisions: Decisions,
    ends: Ends,
    trial: Ends,
    model: BoundModel,
    use: BoundTechniques,
    best: float,
    floor: float,
    states: IntArray,
    above: Prices,
    work: Work,
    out: FloatArray,
    block: IntArray,
) -> tuple[int, int]:
    """Bound a node, decide what can be decided, and choose an element to branch on.

    ``states`` is changed in place. ``out`` receives the bound, the least cost of a fine end on the
    way (inf where all are infeasible), and the bounds of both branches, joined and apart;
    ``block`` that fine end. ``above`` has the prices of the node whose classes ``tuples`` are; ``floor`` is
    what is known of the bound. Returns how it ended and the chosen element.
    """
    out[:] = np.inf
    work.prices.amount[0] = 0
    for _ in range(MOST_ROUNDS):
        if not _settle_all(decisions, states, ends):
            return CONTRADICTION, -1
        bound, lost = bound_ends(tuples, decisions, ends, model, use, states, work)
        out[0] = max(bound, floor)
        for i in range(tuples.amount[0]):
            work.prices.kin[i] = work.group[i]
        cost = fine_cost(model, work)
        # A cost that may be too low must not hide a later one; earlier ends lie on branches that were left.
        if cost < out[1] or not model.exact:
            out[1] = cost
            block[:] = ends.fine
        if model.exact:
            best = min(best, cost)
        if use.prune and out[0] >= best:
            return BOUNDED, -1
        if not (states == OPEN).any():
            return LEAF, -1
        work.counters[ROUNDS] += 1
        probe(decisions, ends, trial, model, use, states, bound, lost, work)
        if use.price and model.kind == CELLS and model.inherits and best < np.inf:
            out[0] = max(out[0], price_boxes(decisions, ends, model, best, 1, states, above, work))
            if use.prune and out[0] >= best:
                return BOUNDED, -1
        decided = _decide(use, best, states, work)
        if decided < 0:
            return BOUNDED, -1
        if decided == 0:
            break
    else:
        # Enough was decided for now; the rest follows when the node comes again.
        return AGAIN, -1
    chosen = _choose(use, out[0], states, work)
    out[2] = max(out[0], work.joined_bound[chosen])
    out[3] = max(out[0], work.apart_bound[chosen])
    return BRANCHED, chosen


@inner
def bound_only(
    tuples: Tuples,
    decisions: Decisions,
    ends: Ends,
    model: BoundModel,
    use: BoundTechniques,
    states: IntArray,
    work: Work,
    out: FloatArray,
    block: IntArray,
) -> int:
    """Bound a node and nothing more; ``out`` and ``block`` as in :func:`expand`."""
    out[:] = np.inf
    if not _settle_all(decisions, states, ends):
        return CONTRADICTION
    out[0], _ = bound_ends(tuples, decisions, ends, model, use, states, work)
    out[1] = fine_cost(model, work)
    block[:] = ends.fine
    return AGAIN if (states == OPEN).any() else LEAF


@kernel
def _plunge(
    tuples: Tuples,
    decisions: Decisions,
    ends: Ends,
    trial: Ends,
    model: BoundModel,
    use: BoundTechniques,
    best: float,
    states: IntArray,
    first: Prices,
    works: tuple[Work, Work],
    left: Left,
    i: int,
) -> None:
    """Expand a node, then its cheaper child, and so on; leave the other children in row ``i`` of ``left``.

    The classes of a child are rolled up from those of its parent, which the other working memory holds.
    """
    source, out = tuples, left.out[i]
    floor = out[0]
    for step in range(use.plunge):
        work = works[step % 2]
        if work.control[0]:
            return
        above = first if step == 0 else works[(step + 1) % 2].prices
        block = left.trial_block[i]
        how, chosen = expand(
            source, decisions, ends, trial, model, use, best, floor, states, above, work, out, block
        )
        left.ended[i, how] += 1
        if out[1] < left.cost[i]:
            left.cost[i] = out[1]
            left.block[i] = left.trial_block[i]
            if model.exact:
                best = min(best, out[1])
        if how == AGAIN:
            _leave(left, i, states, out[0], True)
        if how != BRANCHED:
            return
        is_joined = out[2] <= out[3]
        low, high = min(out[2], out[3]), max(out[2], out[3])
        states[chosen] = APART if is_joined else JOINED
        _leave(left, i, states, high, False)
        states[chosen] = JOINED if is_joined else APART
        if step + 1 == use.plunge or (use.prune and low >= best):
            _leave(left, i, states, low, False)
            return
        source, floor = work.fine, low


@kernel
def _leave(left: Left, i: int, states: IntArray, bound: float, is_bounded: bool) -> None:
    """Note an open node."""
    at = left.amount[i]
    left.states[i, at] = states
    left.bound[i, at] = bound
    left.is_bounded[i, at] = is_bounded
    left.amount[i] = at + 1


@kernel
def expand_many(
    tuples: Tuples,
    decisions: Decisions,
    ends: Ends,
    trial: Ends,
    model: BoundModel,
    use: BoundTechniques,
    best: float,
    states: IntArray,
    only_bound: LongArray,
    first: Prices,
    works: tuple[Work, Work],
    left: Left,
) -> int:
    """Expand nodes one after another; those marked ``only_bound`` are bounded and left for later.

    ``states`` (n, elements) is changed; ``first`` has the prices of the first node. Returns how many nodes
    were done before it was stopped; what became of each is in ``left``, whose ``out`` begins with the bounds
    that are known.
    """
    for i in range(len(states)):
        if only_bound[i]:
            how = bound_only(
                tuples, decisions, ends, model, use, states[i], works[0], left.out[i], left.block[i]
            )
            left.ended[i, how] += 1
            left.cost[i] = left.out[i, 1]
            if how == AGAIN:
                _leave(left, i, states[i], left.out[i, 0], True)
        else:
            _plunge(tuples, decisions, ends, trial, model, use, best, states[i], first, works, left, i)
        if works[0].control[0]:
            return i
        if model.exact:
            best = min(best, left.cost[i])
    return len(states)


@kernel
def price_first(
    tuples: Tuples,
    decisions: Decisions,
    ends: Ends,
    model: BoundModel,
    use: BoundTechniques,
    best: float,
    rounds: int,
    states: IntArray,
    works: tuple[Work, Work],
) -> float:
    """Fill prices where nothing is decided into the first working memory; return a bound."""
    work = works[0]
    work.prices.amount[0] = works[1].prices.amount[0] = 0
    if not (use.price and model.kind == CELLS and model.inherits and _settle_all(decisions, states, ends)):
        return -np.inf
    bound_ends(tuples, decisions, ends, model, use, states, work)
    return price_boxes(decisions, ends, model, best, rounds, states, works[1].prices, work)
