"""The order of recodings by their text, without writing the texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sfumato._typing import LongArray
    from sfumato.domains import Lattice


def text_keys(lattice: Lattice, nodes: LongArray) -> list[LongArray]:
    """Return sort keys that order nodes as their JSON texts do, most important first.

    In the text ``{"age": 1, "sex": 0}`` a level is followed by a comma, or, the
    last one, by a brace. So 10 comes after 1 and before 2, but for the last attribute before 1.
    """
    keys = []
    for a, ladder in enumerate(lattice.ladders):
        end = "}" if a == len(lattice.ladders) - 1 else ","
        texts = [f"{level}{end}" for level in range(ladder.height + 1)]
        rank = np.empty(len(texts), dtype=np.int64)
        rank[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
        keys.append(rank[nodes[:, a]])
    return keys


__all__ = ["text_keys"]
