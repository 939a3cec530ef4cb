"""All attributes of a recoding as one row of whole numbers."""

from __future__ import annotations

import hashlib
import json
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sfumato.domains import Ladder, Lattice, Partition
from sfumato.search.pymoo_adapter.parts import LevelPart, Rates, make_part

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, IntArray, LongArray
    from sfumato.search.problem import Problem
    from sfumato.search.pymoo_adapter.parameters import EvolutionParameters

KEY_BYTES = 16


class Genome:
    """Writes recodings as rows of numbers, attribute by attribute, and reads them back."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        ladders = problem.lattice.ladders
        schemes = problem.schemes or (None,) * len(ladders)
        self.parts = tuple(map(make_part, schemes, ladders))
        self._start = np.cumsum([0, *(part.width for part in self.parts)])

    @property
    def width(self) -> int:
        """How many numbers a recoding has."""
        return int(self._start[-1])

    @cached_property
    def ends(self) -> IntArray:
        """The finest and the coarsest recoding, as two rows."""
        schemes, ladders = self._problem.schemes, self._problem.lattice.ladders
        if schemes is None:
            finest = [ladder.levels[ladder.finest] for ladder in ladders]
            coarsest = [ladder.levels[ladder.coarsest] for ladder in ladders]
        else:
            finest = [scheme.finest.block for scheme in schemes]
            coarsest = [scheme.coarsest.block for scheme in schemes]
        return np.stack([self.encode(finest), self.encode(coarsest)])

    def part(self, X: IntArray, attribute: int) -> IntArray:
        """Return the genes of one attribute."""
        return X[..., self._start[attribute] : self._start[attribute + 1]]

    def blocks(self, X: IntArray) -> list[IntArray]:
        """Return for each attribute the block of every code, shape (n, m)."""
        return [part.blocks(self.part(X, a)) for a, part in enumerate(self.parts)]

    def levels(self, X: IntArray) -> LongArray:
        """Return for each attribute the level where it was chosen as such, else −1; shape (n, q)."""
        return np.column_stack([part.levels(self.part(X, a)) for a, part in enumerate(self.parts)])

    def encode(self, blocks: list[IntArray]) -> IntArray:
        """Return the row of one recoding, given by the block of every code of each attribute."""
        return np.concatenate([part.encode(block) for part, block in zip(self.parts, blocks, strict=True)])

    def draw(self, count: int, rng: np.random.Generator) -> IntArray:
        """Draw valid recodings.

        Each has its own inclination to join values, the same for all attributes, so that fine and coarse
        recodings are drawn alike; with fair coins in each attribute nearly all would be middling.
        """
        inclination = rng.random((count, 1))
        return np.concatenate([part.draw(inclination, rng) for part in self.parts], axis=1)

    def cross(self, first: IntArray, second: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Cross pairs attribute by attribute; chance decides which child gets which half of an attribute."""
        one, other = np.empty_like(first), np.empty_like(second)
        for a, part in enumerate(self.parts):
            children = part.cross(self.part(first, a), self.part(second, a), rng)
            turned = rng.random((len(first), 1)) < 0.5
            self.part(one, a)[:] = np.where(turned, children[1], children[0])
            self.part(other, a)[:] = np.where(turned, children[0], children[1])
        return one, other

    def mutate(self, X: IntArray, rates: Rates, rng: np.random.Generator) -> IntArray:
        """Mutate attribute by attribute."""
        return np.concatenate(
            [part.mutate(self.part(X, a), rates, rng) for a, part in enumerate(self.parts)], axis=1
        )

    def rates(self, parameters: EvolutionParameters) -> Rates:
        """Return how often what mutates."""
        constrained = parameters.constrained_mutation
        if constrained is None:
            free = any(part.width and not part.constrained for part in self.parts)
            constrained = 0.0 if free else parameters.mutation
        return Rates(parameters.mutation, constrained)

    @staticmethod
    def keys(X: IntArray) -> list[bytes]:
        """Return a short key of each recoding: equal for equal rows, and only for these."""
        rows = np.ascontiguousarray(X, dtype=np.int32)
        return [hashlib.blake2b(row.tobytes(), digest_size=KEY_BYTES).digest() for row in rows]

    def reads_before(self, one: IntArray, other: IntArray) -> bool:
        """Tell whether the text of one recoding comes before that of another."""
        for a, part in enumerate(self.parts):
            pair = [self.part(row, a)[None] for row in (one, other)]
            if not np.array_equal(pair[0], pair[1]):
                end = "}" if a == len(self.parts) - 1 else ","
                texts = [self._text(a, part.blocks(genes)[0], genes) + end for genes in pair]
                return texts[0] < texts[1]
        return False

    def _text(self, attribute: int, block: IntArray, genes: IntArray) -> str:
        if isinstance(self.parts[attribute], LevelPart):
            return str(int(genes[0, 0]))
        describe = self._problem.describe
        return json.dumps(block.tolist()) if describe is None else describe(attribute, block)

    def listed(self, X: IntArray) -> tuple[Lattice, LongArray]:
        """Return a lattice that lists the partitions of recodings, and their nodes in it."""
        nodes = np.zeros((len(X), len(self.parts)), dtype=np.int64)
        ladders: list[Ladder] = []
        shown = X if len(X) else self.ends[1:]
        for a, (part, ladder) in enumerate(zip(self.parts, self._problem.lattice.ladders, strict=True)):
            if isinstance(part, LevelPart):
                ladders.append(ladder)
                nodes[:, a] = self.part(X, a)[:, 0]
                continue
            distinct, numbers = np.unique(part.blocks(self.part(shown, a)), axis=0, return_inverse=True)
            ladders.append(Ladder.listed([Partition(block) for block in distinct], ladder))
            nodes[:, a] = numbers.reshape(-1)[: len(X)]
        is_own = self._problem.schemes is None
        return self._problem.lattice if is_own else Lattice(tuple(ladders)), nodes

    def matches(self, X: IntArray, levels: list[IntArray]) -> BoolArray:
        """Tell which recodings have a listed partition in every attribute; rows of ``levels`` are genes."""
        found = np.ones(len(X), dtype=np.bool_)
        for a, listed in enumerate(levels):
            genes = self.part(X, a)
            found &= (genes[:, None] == listed[None]).all(axis=2).any(axis=1)
        return found
