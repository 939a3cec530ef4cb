"""Where a front bends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import InfeasibleError
from sfumato.front.scales import scaled_costs

if TYPE_CHECKING:
    from sfumato.front.front import Front


def find_knee(front: Front) -> int:
    """Return the place of the solution where the front bends: the most balanced one.

    Every objective is scaled to 0 (best) … 1 (worst) over the front; the knee is
    the solution whose worst scaled objective is smallest, ties by their sum, then by the lower
    number. Unlike the distance from the plane through the extremes, this does not
    count two objectives twice that say nearly the same. Class sizes span orders of
    magnitude, so objectives that do are scaled by their logarithms. An objective in which all are equal
    does not count; a solution without a number in some objective is the knee only where all lack one.

    With two objectives and three or more solutions, the knee is never an end of the front.
    """
    if not len(front):
        raise InfeasibleError("the front is empty: no recoding meets what is required.")
    scaled = scaled_costs(front)
    return int(np.lexsort((scaled.sum(axis=1), scaled.max(axis=1, initial=0.0)))[0])
