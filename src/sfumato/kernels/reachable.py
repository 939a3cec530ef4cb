"""What indices a node can reach, seen from evaluated nodes above and below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import kernel

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray, LongArray


@kernel
def best_reachable(
    nodes: LongArray, known: LongArray, indices: FloatArray, improves: BoolArray, worsens: BoolArray
) -> FloatArray:
    """Return the smallest index of evaluated generalizations or specializations of each node.

    ``indices`` (known, objectives), larger is better; an objective that improves along
    generalization is bounded by generalizations, one that worsens by specializations, others are
    not (infinity). O(nodes × known × attributes).
    """
    reach = np.full((len(nodes), indices.shape[1]), np.inf)
    for i in range(len(nodes)):
        for j in range(len(known)):
            above = True
            below = True
            for a in range(nodes.shape[1]):
                above = above and known[j, a] >= nodes[i, a]
                below = below and known[j, a] <= nodes[i, a]
                if not (above or below):
                    break
            if not (above or below):
                continue
            for m in range(indices.shape[1]):
                if (above and improves[m]) or (below and worsens[m]):
                    reach[i, m] = min(reach[i, m], indices[j, m])
    return reach
