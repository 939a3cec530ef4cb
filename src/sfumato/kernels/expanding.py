"""Expanding the nodes of a branch and bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import kernel
from sfumato.kernels.bounding import bound_ends, fine_cost
from sfumato.kernels.bounding_layout import NEEDED, ROUNDS, TOO_DEAR_APART, TOO_DEAR_JOINED
from sfumato.kernels.elements import APART, JOINED, OPEN, settle
from sfumato.kernels.probing import probe

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray, LongArray
    from sfumato.kernels.bounding_layout import Model, Techniques, Tuples, Work
    from sfumato.kernels.elements import Decisions, Ends

# How an expansion ended: nothing agrees with the decisions; all costs too much; one recoding is left;
# it branched; it has to come again.
CONTRADICTION, BOUNDED, LEAF, BRANCHED, AGAIN = range(5)

MOST_ROUNDS = 4
"""How often the open elements of a node are probed in one go."""


@kernel
def _decide(use: Techniques, best: float, states: IntArray, work: Work) -> int:
    """Decide the elements for which one way costs too much; return how many, −1 if both ways do for one."""
    decided = 0
    for e in range(len(states)):
        if states[e] != OPEN:
            continue
        no_join = work.joined_bound[e] >= best if use.probe_joined else work.joined_bound[e] == np.inf
        no_split = work.apart_bound[e] >= best if use.probe_apart else work.apart_bound[e] == np.inf
        if not use.probe_apart and not use.probe_useful:
            no_split = False
        if no_join and no_split:
            return -1
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
def _choose(use: Techniques, bound: float, states: IntArray, work: Work) -> int:
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
        score = 5.0 * low + min(high, 1e300) + 1e-9 * work.merged[e]
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


@kernel
def expand(
    tuples: Tuples,
    decisions: Decisions,
    ends: Ends,
    trial: Ends,
    model: Model,
    use: Techniques,
    best: float,
    states: IntArray,
    work: Work,
    out: FloatArray,
    block: IntArray,
) -> tuple[int, int]:
    """Bound a node, decide what can be decided, and choose an element to branch on.

    ``states`` is changed in place. ``out`` receives the bound, the least cost of a fine end on the
    way (inf where all are infeasible), and the bounds of both branches, joined and apart;
    ``block`` that fine end. Returns how it ended and the chosen element.
    """
    out[:] = np.inf
    for _ in range(MOST_ROUNDS):
        if not _settle_all(decisions, states, ends):
            return CONTRADICTION, -1
        out[0], lost = bound_ends(tuples, decisions, ends, model, use, states, work)
        cost = fine_cost(model, work)
        if cost < out[1]:
            out[1] = cost
            block[:] = ends.fine
        if model.exact:
            best = min(best, cost)
        if use.prune and out[0] >= best:
            return BOUNDED, -1
        if not (states == OPEN).any():
            return LEAF, -1
        work.counters[ROUNDS] += 1
        probe(decisions, ends, trial, model, use, states, out[0], lost, work)
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


@kernel
def bound_only(
    tuples: Tuples,
    decisions: Decisions,
    ends: Ends,
    model: Model,
    use: Techniques,
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
def expand_many(
    tuples: Tuples,
    decisions: Decisions,
    ends: Ends,
    trial: Ends,
    model: Model,
    use: Techniques,
    best: float,
    states: IntArray,
    only_bound: LongArray,
    control: LongArray,
    work: Work,
    out: FloatArray,
    block: IntArray,
    how: LongArray,
) -> int:
    """Expand nodes one after another; those marked ``only_bound`` are bounded and left for later.

    ``states`` (n, elements), ``out`` (n, 4), ``block`` (n, codes), ``how`` (n, 2); ``control[0]``
    becomes 1 to stop. Returns how many nodes were done.
    """
    for i in range(len(states)):
        if control[0]:
            return i
        if only_bound[i]:
            how[i, 0] = bound_only(tuples, decisions, ends, model, use, states[i], work, out[i], block[i])
            how[i, 1] = -1
        else:
            how[i, 0], how[i, 1] = expand(
                tuples, decisions, ends, trial, model, use, best, states[i], work, out[i], block[i]
            )
        if model.exact:
            best = min(best, out[i, 1])
    return len(states)


__all__ = [
    "AGAIN",
    "BOUNDED",
    "BRANCHED",
    "CONTRADICTION",
    "LEAF",
    "expand",
    "expand_many",
]
