"""The order of recodings by their text, without writing whole texts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sfumato._typing import IntArray

if TYPE_CHECKING:
    from sfumato._typing import LongArray
    from sfumato.domains import Lattice

Describe: TypeAlias = Callable[[int, IntArray], str]
"""From an attribute's number and the block of each of its codes to the text of this part of a recoding."""


class TextOrder:
    """Orders nodes as their JSON texts do.

    In the text ``{"age": 1, "sex": 0}`` a level is followed by a comma, or, the
    last one, by a brace. So 10 comes after 1 and before 2, but for the last attribute before 1.
    """

    def __init__(self, lattice: Lattice, describe: Describe | None = None) -> None:
        self._ladders, self._describe = lattice.ladders, describe
        self._ranks = [self._rank(a) if ladder.nested else None for a, ladder in enumerate(self._ladders)]
        # A list may be long, so its texts are written when they are needed first.
        self._texts: list[dict[int, str]] = [{} for _ in self._ladders]

    def keys(self, nodes: LongArray) -> list[LongArray]:
        """Return sort keys, most important first, for nodes of shape (n, q)."""
        return [
            self._among(a, nodes[:, a]) if rank is None else rank[nodes[:, a]]
            for a, rank in enumerate(self._ranks)
        ]

    def _end(self, attribute: int) -> str:
        return "}" if attribute == len(self._ladders) - 1 else ","

    def _rank(self, attribute: int) -> LongArray:
        """Return the rank of each level's text."""
        end = self._end(attribute)
        return rank_texts([f"{level}{end}" for level in range(len(self._ladders[attribute].levels))])

    def _among(self, attribute: int, numbers: LongArray) -> LongArray:
        """Return the rank of each listed partition's text among those given."""
        distinct, place = np.unique(numbers, return_inverse=True)
        known, end = self._texts[attribute], self._end(attribute)
        for number in distinct.tolist():
            if number not in known:
                known[number] = self._write(attribute, number) + end
        return np.asarray(rank_texts([known[number] for number in distinct.tolist()])[place.reshape(-1)])

    def _write(self, attribute: int, number: int) -> str:
        block = self._ladders[attribute].levels[number]
        return json.dumps(block.tolist()) if self._describe is None else self._describe(attribute, block)


def rank_texts(texts: list[str]) -> LongArray:
    """Return the place of each text when they are sorted."""
    rank = np.empty(len(texts), dtype=np.int64)
    rank[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return rank


def text_keys(lattice: Lattice, nodes: LongArray, describe: Describe | None = None) -> list[LongArray]:
    """Return sort keys that order nodes once as their JSON texts do; see :class:`TextOrder`."""
    return TextOrder(lattice, describe).keys(nodes)
