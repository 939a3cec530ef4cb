"""What requirements beyond units demand of every class, in a form that adds up: for the bound alone.

A class has *events*, such as a value of a sensitive attribute, as soon as one of its tuples brings them.
Events have gains, and a requirement demands that the gains of a class reach a sum:

- each ℓ implies ℓ different values: a gain of 1 for each known value;
- a class within t of the whole table leaves out no more than t of it. The gain of a value is its share
  (equal); of a node of a level its share over the number of levels (hierarchical); and for each place in the
  order of values, to have one below it and one above gains their shares over the number of places (ordered).

A tuple *owes* events too: what someone in it keeps confidential must be false for someone in its class. And
it demands a size: so many rows that its own values are no larger a share than the requirement allows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sfumato.classes import PropertyKind
from sfumato.kernels.closed_labels import Demands

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray, KeyArray, LongArray
    from sfumato.classes import Property
    from sfumato.local.local_problem import LocalProblem

VARIETY = (PropertyKind.DISTINCT, PropertyKind.ENTROPY, PropertyKind.SHARE, PropertyKind.RECURSIVE)
DISTANCES = (PropertyKind.T_EQUAL, PropertyKind.T_ORDERED, PropertyKind.T_HIERARCHICAL)
EPS = 1e-9
"""Distances and shares are rounded before they are compared."""
MOST = 1 << 24
"""Tuples times events above which a requirement counts by the class size alone that it implies."""


class _Implied(NamedTuple):
    """What one requirement demands."""

    events: BoolArray  # (events, values): the values that bring each
    gain: FloatArray  # (events,)
    need: float
    share: FloatArray  # (events,): of the whole table
    weight: float = 1.0  # of what a class has above these shares
    excess: float = np.inf  # how much that may be: of all events together, or of any where ``share`` is 0


def make_demands(problem: LocalProblem) -> Demands:
    """Return what all requirements of a problem demand."""
    n, cube = len(problem.codes), problem.cube
    least = np.full(n, problem.k, np.int64)
    found: list[tuple[BoolArray, BoolArray, FloatArray, float]] = []  # what tuples bring and owe, gains, need
    for item in problem.thresholds:
        kind, number = item.property.kind, item.property.attribute
        if kind is PropertyKind.SECURE and cube.confidential is not None:
            secret = cube.confidential
            has, owed = (_counts(problem, number, part.T) > 0 for part in (~secret.truth, secret.held))
            found.append((has, owed, np.zeros(secret.count), 0.0))
        elif kind in VARIETY + DISTANCES and n * cube.sensitive_sizes[number] <= MOST:
            implied = _imply(problem, item.property, item.limit)
            counts = _counts(problem, number, implied.events)
            found.append((counts > 0, np.zeros_like(counts, dtype=np.bool_), implied.gain, implied.need))
            if cube.persons is None:
                least = np.maximum(least, _least_rows(counts, implied))
    words = [-(-len(gain) // 64) for _, _, gain, _ in found]
    gains = [np.append(gain, np.zeros(-len(gain) % 64)) for _, _, gain, _ in found]
    return Demands(
        np.concatenate([np.zeros((n, 0), np.uint64), *(_packed(has) for has, _, _, _ in found)], axis=1),
        np.concatenate([np.zeros((n, 0), np.uint64), *(_packed(owed) for _, owed, _, _ in found)], axis=1),
        np.cumsum([0, *words]),
        np.array([need for _, _, _, need in found], np.float64),
        np.concatenate([np.zeros(0), *gains]),
        np.stack([np.zeros(n), *(has @ gain for has, _, gain, _ in found)], axis=1),
        least,
    )


def _imply(problem: LocalProblem, judged: Property, limit: float) -> _Implied:
    cube, kind, number = problem.cube, judged.kind, judged.attribute
    m, known = cube.sensitive_sizes[number], cube.known(number)
    if kind in VARIETY:
        events = np.eye(m, dtype=np.bool_)[known]
        zeros = np.zeros(len(events))
        # A class without a known value has 1 of each.
        need = float(np.ceil(limit - EPS)) if limit > 1.0 + EPS else 0.0
        excess = 1.0 / limit + EPS if kind is PropertyKind.SHARE and need else np.inf
        return _Implied(events, zeros + 1.0, need, zeros, 1.0, excess)
    levels = [np.arange(m)]
    if kind is PropertyKind.T_ORDERED and known.all():
        up_to = np.tri(max(m - 1, 1), m, dtype=np.bool_)
        events, weight = np.concatenate([up_to, ~up_to]), 1.0 / max(m - 1, 1)
    elif kind is PropertyKind.T_ORDERED:
        # What tells nothing is 1 apart from all else, which is no less apart than this.
        events, weight = np.stack([known, ~known]), 1.0
    else:
        if judged.levels is not None and len(judged.levels.blocks) > 1:
            levels = [*judged.levels.blocks[:-1]]
        events = np.concatenate([level == np.arange(level.max() + 1)[:, None] for level in levels])
        weight = 1.0 / len(levels)
    rows = np.bincount(cube.sensitive_codes[:, number], cube.rows, m)
    share = events @ rows / rows.sum()
    # No distance is above 1, and all gains together are 1.
    return _Implied(events, weight * share, 1.0 - limit - EPS, share, weight, limit + EPS)


def _counts(problem: LocalProblem, number: int, events: BoolArray) -> LongArray:
    """Return how many rows of each tuple bring each event."""
    codes, m = problem.cube.sensitive_codes[:, number], problem.cube.sensitive_sizes[number]
    places = problem.tuple_of_cell * m + codes
    counts = np.bincount(places, problem.cube.rows, len(problem.codes) * m).reshape(-1, m)
    return np.asarray(counts @ events.T, dtype=np.int64)


def _least_rows(counts: LongArray, implied: _Implied) -> LongArray:
    """Return the least rows of a class that holds the rows of each tuple."""
    by_value = np.sort(implied.gain @ implied.events)[::-1].cumsum()
    least = 1
    if implied.need > 0:
        least = min(int(np.searchsorted(by_value, implied.need - EPS)) + 1, len(by_value))
    if not np.isfinite(implied.excess):
        return np.full(len(counts), least)
    held, number = np.unique(counts, axis=0, return_inverse=True)
    low = np.maximum(held.max(axis=1, initial=1), least)
    high = np.maximum(low, np.ceil(implied.weight * held.sum(axis=1) / implied.excess).astype(np.int64))
    while (low < high).any():
        middle = (low + high) // 2
        over = np.maximum(held / middle[:, None] - implied.share, 0.0) * implied.weight
        met = (over.sum(axis=1) if implied.share.any() else over.max(axis=1, initial=0.0)) <= implied.excess
        low, high = np.where(met, low, middle + 1), np.where(met, middle, high)
    return np.asarray(low[number.reshape(-1)])


def _packed(flags: BoolArray) -> KeyArray:
    wide = np.zeros((len(flags), -(-flags.shape[1] // 64) * 64), np.bool_)
    wide[:, : flags.shape[1]] = flags
    return np.packbits(wide, axis=1, bitorder="little").view(np.uint64)


def meet_demands(demands: Demands, tuples: LongArray, units: LongArray, has: KeyArray) -> BoolArray:
    """Tell for some tuples whether a class with these units and events in all could be theirs."""
    met = (units >= demands.least[tuples]) & ~(demands.owed[tuples] & ~has).any(axis=1)
    for j, need in enumerate(demands.need.tolist()):
        if need > 0.0:
            first, end = demands.word[j : j + 2].tolist()
            flags = np.unpackbits(has[:, first:end].copy().view(np.uint8), axis=1, bitorder="little")
            met &= flags @ demands.gain[64 * first : 64 * end] >= need
    return np.asarray(met)
