"""How good a set of solutions is, by itself or against the true front."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.front.boxes import box_of
from sfumato.front.dominance import non_dominated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import FloatArray

REFERENCE = 1.1


def convergence_error(found: FloatArray, minimal: FloatArray) -> float:
    """Sum over the found solutions the distance to the nearest minimal one."""
    scale = np.where(minimal.max(axis=0) != 0, minimal.max(axis=0), 1.0)
    total = 0.0
    for row in found / scale:
        total += float(np.sqrt(((minimal / scale - row) ** 2).sum(axis=1)).min())
    return total


def representation_ratio(found: FloatArray, minimal: FloatArray, epsilon: FloatArray) -> float:
    """Return the share of the non-dominated boxes of the minimal set that hold a found solution."""
    boxes = box_of(minimal, epsilon)
    wanted = {tuple(row) for row in boxes[non_dominated(-boxes)]}
    occupied = {tuple(row) for row in box_of(found, epsilon)}
    return len(wanted & occupied) / len(wanted)


def scaled_fronts(fronts: Sequence[FloatArray], logarithmic: Sequence[bool] = ()) -> list[FloatArray]:
    """Scale costs to [0, 1] over the union of several fronts, so that they can be compared."""
    logged = [_logged(costs, logarithmic) for costs in fronts]
    union = np.concatenate(logged)
    low, span = union.min(axis=0), np.ptp(union, axis=0)
    return [(costs - low) / np.where(span > 0, span, 1.0) for costs in logged]


def _logged(costs: FloatArray, logarithmic: Sequence[bool]) -> FloatArray:
    if not any(logarithmic):
        return costs
    chosen = np.asarray(logarithmic)
    with np.errstate(divide="ignore"):
        return np.where(chosen, np.sign(costs) * np.log(np.maximum(np.abs(costs), 1e-300)), costs)


def hypervolume(costs: FloatArray, reference: float = REFERENCE) -> float:
    """Return the volume that scaled costs dominate below a reference point."""
    if not len(costs):
        return 0.0
    import moocore

    return float(moocore.hypervolume(costs, ref=np.full(costs.shape[1], reference)))
