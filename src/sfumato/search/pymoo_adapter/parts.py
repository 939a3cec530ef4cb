"""How the partition of one attribute is written as numbers, drawn, crossed and mutated.

All operations work on many recodings at once: ``genes`` has one row for each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.domains import Partition
from sfumato.schemes.contiguous import Contiguous

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray, IntArray, LongArray
    from sfumato.domains import Ladder
    from sfumato.schemes import Scheme


@dataclass(frozen=True)
class Rates:
    """How often what mutates."""

    bit: float  # probability of a bit of an unconstrained attribute, and of attributes without bits
    constrained: float  # probability of an attribute whose bits depend on each other


class Part(ABC):
    """The genes of one attribute."""

    constrained = False

    def __init__(self, width: int) -> None:
        self.width = width

    @abstractmethod
    def blocks(self, genes: IntArray) -> IntArray:
        """Return the block of every code, shape (n, m)."""

    @abstractmethod
    def encode(self, block: IntArray) -> IntArray:
        """Return the genes of one partition that the scheme allows."""

    @abstractmethod
    def draw(self, inclination: FloatArray, rng: np.random.Generator) -> IntArray:
        """Draw random valid genes."""

    @abstractmethod
    def cross(self, first: IntArray, second: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Cross pairs of valid genes; the offspring are valid."""

    @abstractmethod
    def mutate(self, genes: IntArray, rates: Rates, rng: np.random.Generator) -> IntArray:
        """Change valid genes into valid genes."""

    def levels(self, genes: IntArray) -> LongArray:
        """Return the level of each partition where it was chosen as such, else −1."""
        return np.full(len(genes), -1, dtype=np.int64)


class BitPart(Part):
    """The m − 1 bits of a contiguous scheme: bit i is 0 where codes i and i + 1 are joined.

    An attribute is constrained where joining a bit may oblige to join others: under ``cuts`` and
    ``guided-ordered``, and under ``ordered`` where missing stays apart.

    Dewri, R., Ray, I., Ray, I., Whitley, D. (2010), Multi-objective evolutionary optimization in
    statistical disclosure control, sections 1.4.2, 1.4.4 and 1.4.5.
    """

    def __init__(self, scheme: Contiguous) -> None:
        super().__init__(scheme.size - 1)
        reach = scheme.reach
        self._first, self._end = reach[:, 0], reach[:, 1]
        wide = np.flatnonzero(self._end - self._first > 1)
        # What is joined together, each once, the widest first: the nodes of a tree from its root down.
        nodes = np.unique(reach[wide], axis=0)
        self._nodes = nodes[np.argsort(nodes[:, 0] - nodes[:, 1], kind="stable")]
        self._alone = np.flatnonzero(self._end - self._first == 1)
        self.constrained = bool(len(wide))

    def blocks(self, genes: IntArray) -> IntArray:
        """Return the block of every code, shape (n, m)."""
        found = np.zeros((len(genes), self.width + 1), dtype=np.int32)
        np.cumsum(genes, axis=1, out=found[:, 1:])
        return found

    def encode(self, block: IntArray) -> IntArray:
        """Return the bits of one partition."""
        return np.asarray(block[1:] != block[:-1], dtype=np.int32)

    def draw(self, inclination: FloatArray, rng: np.random.Generator) -> IntArray:
        """Draw bits from the root of the tree down: each node joins all below it, or leaves it open."""
        count = len(inclination)
        joined = np.zeros((count, self.width), dtype=np.bool_)
        joined[:, self._alone] = rng.random((count, len(self._alone))) < inclination
        decided = rng.random((count, len(self._nodes))) < inclination
        for node, (first, end) in enumerate(self._nodes.tolist()):
            joined[decided[:, node], first:end] = True
        return (~joined).astype(np.int32)

    def cross(self, first: IntArray, second: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Exchange the bits behind one point.

        The point is anywhere where bits are free, and where they depend on each other, at a bit that is
        1 in both parents; pairs that have none in common stay as they are.
        """
        tail = self._common_tail(first, second, rng) if self.constrained else self._tail(len(first), rng)
        return np.where(tail, second, first), np.where(tail, first, second)

    def _tail(self, count: int, rng: np.random.Generator) -> BoolArray:
        """Mark what lies behind a random point; with one bit there is none, and nothing is marked."""
        point = rng.integers(1, max(2, self.width), (count, 1))
        return np.asarray(np.arange(self.width) >= point)

    def _common_tail(self, first: IntArray, second: IntArray, rng: np.random.Generator) -> BoolArray:
        """Mark what lies behind a random bit that is 1 in both."""
        drawn = np.where((first & second) == 1, rng.random(first.shape), -1.0)
        if not self.width:
            return np.zeros(first.shape, dtype=np.bool_)
        point = drawn.argmax(axis=1)[:, None]
        has_one = np.take_along_axis(drawn, point, axis=1) >= 0
        return np.asarray((np.arange(self.width) > point) & has_one)

    def mutate(self, genes: IntArray, rates: Rates, rng: np.random.Generator) -> IntArray:
        """Flip free bits; move constrained ones to a neighbouring member."""
        if not self.constrained:
            return np.where(rng.random(genes.shape) < rates.bit, 1 - genes, genes)
        chosen = np.flatnonzero(rng.random(len(genes)) < rates.constrained)
        bit = rng.integers(0, max(1, self.width), len(chosen))
        moved = genes.copy()
        was_joined = genes[chosen, bit] == 0
        up, down = chosen[~was_joined], chosen[was_joined]
        # Joining takes all that the bit reaches; parting, all whose reach holds the bit.
        within = self._spans(bit[~was_joined])
        moved[up] = np.where(within, 0, moved[up])
        holding = (self._first <= bit[was_joined][:, None]) & (bit[was_joined][:, None] < self._end)
        moved[down] = np.where(holding, 1, moved[down])
        return moved

    def _spans(self, bits: LongArray) -> BoolArray:
        """Mark what each bit reaches."""
        place = np.arange(self.width)
        return np.asarray((self._first[bits][:, None] <= place) & (place < self._end[bits][:, None]))


class LevelPart(Part):
    """The number of a level."""

    def __init__(self, ladder: Ladder) -> None:
        super().__init__(1)
        self._ladder = ladder

    def blocks(self, genes: IntArray) -> IntArray:
        """Return the block of every code, shape (n, m)."""
        return np.asarray(self._ladder.levels[genes[:, 0]])

    def levels(self, genes: IntArray) -> LongArray:
        """Return the numbers themselves."""
        return genes[:, 0].astype(np.int64)

    def encode(self, block: IntArray) -> IntArray:
        """Return the lowest allowed level that makes a partition."""
        wanted = Partition.of(block)
        numbers = range(self._ladder.lowest, self._ladder.highest + 1)
        fits = (number for number in numbers if Partition.of(self._ladder.levels[number]) == wanted)
        return np.array([next(fits)], dtype=np.int32)

    def draw(self, inclination: FloatArray, rng: np.random.Generator) -> IntArray:
        """Draw levels; the step to each next one is taken as likely as values are joined."""
        steps = rng.binomial(self._ladder.count - 1, inclination)
        return np.asarray(self._ladder.lowest + steps, dtype=np.int32)

    def cross(self, first: IntArray, second: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Leave the parents as they are: one number has no inside."""
        return first, second

    def mutate(self, genes: IntArray, rates: Rates, rng: np.random.Generator) -> IntArray:
        """Move some by one level, within what is allowed."""
        step = np.where(rng.random(genes.shape) < 0.5, -1, 1) * (rng.random(genes.shape) < rates.bit)
        moved = np.clip(genes + step, self._ladder.lowest, self._ladder.highest)
        return np.asarray(moved, dtype=np.int32)


class BlockPart(Part):
    """The block of every code: ``sets``, ``guided-sets`` and ``admissible``, by the scheme's operators."""

    def __init__(self, scheme: Scheme) -> None:
        super().__init__(scheme.size)
        self._scheme = scheme
        # A free partition of m values is worth m − 1 bits.
        self._trials = scheme.size - 1 if scheme.name == "sets" else 1

    def blocks(self, genes: IntArray) -> IntArray:
        """Return the genes: they are the blocks."""
        return genes

    def encode(self, block: IntArray) -> IntArray:
        """Return the block numbers in the order of their smallest codes."""
        return Partition.of(block).block

    def draw(self, inclination: FloatArray, rng: np.random.Generator) -> IntArray:
        """Draw members: any one where the inclination is middling, else some steps from the nearer end.

        Nearly all partitions of many values are alike: about half way between the ends.
        """
        drawn = np.empty((len(inclination), self.width), dtype=np.int32)
        for place, share in enumerate(inclination[:, 0].tolist()):
            away = 2 * min(share, 1 - share)
            partition = self._scheme.coarsest if share > 0.5 else self._scheme.finest
            if away > 0.5:
                partition = self._scheme.random(rng)
            else:
                for _ in range(int(rng.binomial(self.width, away))):
                    partition = self._scheme.mutate(partition, rng)
            drawn[place] = partition.block
        return drawn

    def cross(self, first: IntArray, second: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Mix pairs as the scheme does."""
        one, other = first.copy(), second.copy()
        for place in np.flatnonzero((first != second).any(axis=1)).tolist():
            mixed = self._scheme.crossover(Partition(first[place]), Partition(second[place]), rng)
            one[place], other[place] = mixed[0].block, mixed[1].block
        return one, other

    def mutate(self, genes: IntArray, rates: Rates, rng: np.random.Generator) -> IntArray:
        """Take as many small steps as bits would flip."""
        moved = genes.copy()
        steps = rng.binomial(self._trials, rates.bit, len(genes))
        for place in np.flatnonzero(steps).tolist():
            partition = Partition(genes[place])
            for _ in range(int(steps[place])):
                partition = self._scheme.mutate(partition, rng)
            moved[place] = partition.block
        return moved


def make_part(scheme: Scheme | None, ladder: Ladder) -> Part:
    """Return the genes of an attribute; without a scheme it has the levels of its ladder."""
    if scheme is None or scheme.name == "levels":
        return LevelPart(ladder)
    return BitPart(scheme) if isinstance(scheme, Contiguous) else BlockPart(scheme)
