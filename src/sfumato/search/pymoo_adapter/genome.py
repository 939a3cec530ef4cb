"""All attributes of a recoding as one row of whole numbers.

All operations work on many recodings at once: ``genes`` has one row for each.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sfumato.domains import Ladder, Lattice, Partition
from sfumato.schemes.contiguous import Contiguous
from sfumato.search.ledger import check_parameters
from sfumato.search.texts import rank_texts

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray, IntArray, LongArray
    from sfumato.schemes import Scheme
    from sfumato.search.problem import Problem

ALGORITHMS: dict[str, str] = {
    "nsga2": "NSGA-II",
    "nsga3": "NSGA-III",
    "unsga3": "U-NSGA-III",
    "agemoea": "AGE-MOEA",
    "smsemoa": "SMS-EMOA",
    "spea2": "SPEA2",
    "moead": "MOEA/D",
}
"""The name of a search method → the name in the literature."""


@dataclass(frozen=True)
class EvolutionParameters:
    """Parameters of the algorithms of pymoo."""

    # recodings in a population. Algorithms that follow reference directions take the largest number of evenly
    # spread ones that is not above it.
    population: int = 200
    iterations: int = 250  # populations made after the first one
    crossover: float = 0.9  # probability that a pair of parents is crossed
    # probability that a bit of an unconstrained attribute flips, and that an attribute whose scheme has no
    # bits moves to a neighbour
    mutation: float = 0.1
    # probability that an attribute under `cuts` or `guided-ordered` moves to a neighbouring member. Where
    # None it is 0, as in the chapter, if another attribute mutates; if none does, it is `mutation`, since
    # crossover alone makes nothing new.
    constrained_mutation: float | None = None
    # whether the best full-domain recodings are found first, and half of the first population taken from
    # them. Otherwise it is random throughout.
    seeding: bool = True
    # after so many populations in a row without a gain in hypervolume the search ends; None for never
    patience: int | None = None

    def __post_init__(self) -> None:
        check_parameters(
            self,
            {"population": 2, "iterations": 0, "patience": 1},
            ("crossover", "mutation", "constrained_mutation"),
        )


@dataclass(frozen=True)
class Rates:
    """How often what mutates."""

    bit: float  # probability of a bit of an unconstrained attribute, and of attributes without bits
    constrained: float  # probability of an attribute whose bits depend on each other


class GenomePart(ABC):
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


class BitPart(GenomePart):
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


class LevelPart(GenomePart):
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


class BlockPart(GenomePart):
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


def make_part(scheme: Scheme | None, ladder: Ladder) -> GenomePart:
    """Return the genes of an attribute; without a scheme it has the levels of its ladder."""
    if scheme is None or scheme.name == "levels":
        return LevelPart(ladder)
    return BitPart(scheme) if isinstance(scheme, Contiguous) else BlockPart(scheme)


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

    def text_keys(self, X: IntArray) -> list[LongArray]:
        """Return sort keys that order recodings as their texts do, most important first."""
        keys = []
        for a in range(len(self.parts)):
            distinct, place = np.unique(self.part(X, a), axis=0, return_inverse=True)
            end = "}" if a == len(self.parts) - 1 else ","
            ranks = rank_texts([self._text(a, genes) + end for genes in distinct])
            keys.append(np.asarray(ranks[place.reshape(-1)]))
        return keys

    def _text(self, attribute: int, genes: IntArray) -> str:
        part, describe = self.parts[attribute], self._problem.describe
        if isinstance(part, LevelPart):
            return str(int(genes[0]))
        block = part.blocks(genes[None])[0]
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
