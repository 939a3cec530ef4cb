"""Solutions that cannot be improved in one respect without getting worse in another."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self, TypeAlias

import numpy as np

from sfumato._typing import FloatArray, IntArray, LongArray
from sfumato.errors import ParameterError


@dataclass(frozen=True)
class ClassSizes:
    """The sizes of the classes that remain, and how many rows live in classes of each size."""

    sizes: tuple[int, ...]  # the different sizes, rising: rows, or persons where persons are named
    classes: tuple[int, ...]  # classes of each size
    rows: tuple[int, ...]  # rows in the classes of each size
    suppressed: int = 0  # rows that are suppressed, and in no class

    @classmethod
    def count(cls, sizes: LongArray, rows: LongArray, suppressed: int = 0) -> Self:
        """Count classes and rows by size."""
        different, place, classes = np.unique(sizes, return_inverse=True, return_counts=True)
        summed = np.zeros(len(different), dtype=np.int64)
        np.add.at(summed, place.reshape(-1), rows)
        ends, many, rows_of = (tuple(numbers.tolist()) for numbers in (different, classes, summed))
        return cls(ends, many, rows_of, int(suppressed))

    @property
    def total(self) -> int:
        """Rows in classes."""
        return sum(self.rows)

    @property
    def cumulative(self) -> tuple[int, ...]:
        """For each size the rows in classes of at most this size."""
        return tuple(np.cumsum(self.rows, dtype=np.int64).tolist())

    def rows_between(self, low: int, high: int) -> int:
        """Return the rows in classes of ``low`` to ``high``, both included."""
        return sum(rows for size, rows in zip(self.sizes, self.rows, strict=True) if low <= size <= high)

    def thinned(self, most: int = 60) -> Self:
        """Return the same with neighbouring sizes joined, so that at most ``most`` are left."""
        # Joined rows stand at the largest of their sizes, so that every remaining point of the cumulative
        # distribution is one of the whole. Smallest and largest size stay.
        if len(self.sizes) <= most:
            return self
        wanted = np.geomspace(self.sizes[0], self.sizes[-1], most)
        last = np.unique(np.searchsorted(np.array(self.sizes), wanted, side="right").clip(1) - 1)
        edges = np.concatenate([[0], last + 1])[:-1]
        return type(self)(
            tuple(np.array(self.sizes)[last].tolist()),
            tuple(np.add.reduceat(np.array(self.classes), edges).tolist()),
            tuple(np.add.reduceat(np.array(self.rows), edges).tolist()),
            self.suppressed,
        )


Partition: TypeAlias = int | list[object] | dict[str, object]


@dataclass(frozen=True)
class Objective:
    """A measure's name and whether larger is better."""

    name: str
    maximize: bool


FAR = 9.0
"""Above this a gap says nothing."""
EQUAL = 2e-9
"""Up to this a gap is what bounds allow for rounding."""


def certainty_words(gap: float | None) -> str:
    """Say how far above the optimum something may be; never less than it is."""
    if gap is None or gap > FAR:
        return "distance from the optimum not known"
    if gap <= EQUAL:
        return "proven optimal"
    if gap > 1.0:
        return f"at most {np.ceil(10 * (1.0 + gap) - 1e-6) / 10:g} times the optimum"
    return f"at most {np.ceil(1000 * gap - 1e-6) / 10:g} % above the optimum"


@dataclass(frozen=True)
class PlainSolution:
    """One recoding with its measures."""

    number: int  # its number in the front, from 1
    measures: Mapping[str, float]  # objectives and required measures by name
    suppressed: int  # suppressed rows
    # attribute → level number, or blocks for other schemes; with local recoding what its `labels` are, and
    # its own `loss`
    recoding: Mapping[str, Partition]
    # with local recoding how far above the optimum it may be, as a share of the bound; None if unknown
    gap: float | None = field(default=None, repr=False)
    # with local recoding the class of each tuple of the cube, −1 where it is suppressed; for nobody else
    classes: IntArray | None = field(default=None, repr=False, compare=False)

    @property
    def is_local(self) -> bool:
        """Whether it is a local recoding."""
        return any(isinstance(done, dict) for done in self.recoding.values())

    @property
    def certainty(self) -> str:
        """How far from the optimum it may be, in words; blank for global recodings."""
        return certainty_words(self.gap) if self.is_local else ""

    @property
    def recoding_text(self) -> str:
        """The recoding as JSON."""
        return json.dumps(dict(self.recoding), ensure_ascii=False)

    def value(self, name: str) -> float:
        """Return a measure by name; ``suppressed`` is always there."""
        return float(self.suppressed) if name == "suppressed" else self.measures[name]


@dataclass(frozen=True)
class PlainFront:
    """The solutions of a search, best first, and how completely they are known."""

    solutions: tuple[
        PlainSolution, ...
    ]  # numbered from 1, sorted best first by the objectives in their order
    objectives: tuple[Objective, ...]  # those to maximize, then those to minimize
    run: Mapping[str, object] = field(default_factory=dict)  # what ``run.json`` says about the search
    beside: PlainFront | None = field(default=None, repr=False, compare=False)  # the front to compare it with

    def __len__(self) -> int:
        return len(self.solutions)

    def __iter__(self) -> Iterator[PlainSolution]:
        return iter(self.solutions)

    def __getitem__(self, place: int) -> PlainSolution:
        return self.solutions[place]

    @property
    def is_local(self) -> bool:
        """Whether its solutions are local recodings."""
        return self.run.get("scope") == "local"

    @property
    def complete(self) -> bool:
        """Whether no recoding of the space can add a solution."""
        return bool(self.run.get("complete", False))

    @property
    def measure_names(self) -> tuple[str, ...]:
        """Columns of measures, objectives first."""
        names = dict.fromkeys(item.name for item in self.objectives)
        if self.solutions:
            names |= dict.fromkeys(self.solutions[0].measures)
        return tuple(names)

    def equals(self, other: PlainFront, tolerance: float = 1e-9) -> bool:
        """Tell whether two fronts have the same objectives and the same values in them.

        Recodings, and how the fronts were found, do not count.

        Parameters
        ----------
        other
            The other front.
        tolerance
            Relative difference of values that counts as equal.
        """
        if self.objectives != other.objectives or len(self) != len(other):
            return False
        return bool(np.allclose(self.costs, other.costs, rtol=tolerance, atol=0))

    def indicators(self, reference: PlainFront, boxes: Mapping[str, float] | None = None) -> dict[str, float]:
        """Say how well this front stands for another one, such as the exact front.

        Parameters
        ----------
        reference
            A front with the same objectives; both must have solutions.
        boxes
            Objective → width of its boxes, 1 where it is not named. If None, every solution of the reference
            is a box of its own.

        Returns
        -------
        dict
            ``ce``, the convergence error: the distances of all solutions to the nearest one of the reference,
            summed, objectives scaled to 1 over both fronts. ``rr``, the representation ratio: the share of
            the reference's boxes, those that no other dominates, in which this front has a solution.
            ``hypervolume`` and ``hypervolume_reference``: what each front dominates up to 1.1 in every
            objective, scaled in the same way.

        Raises
        ------
        ParameterError
            If the objectives differ, a front is empty, or a box is not one of an objective.
        """
        from sfumato.front import indicators as made

        if self.objectives != reference.objectives:
            raise ParameterError("the fronts have different objectives, so they cannot be compared.")
        if not len(self) or not len(reference):
            raise ParameterError("a front without solutions cannot be compared.")
        names = [item.name for item in self.objectives]
        if strange := [name for name in boxes or () if name not in names]:
            raise ParameterError(f"boxes name {strange[0]!r}, which is not an objective.")
        mine, theirs = made.scaled_fronts([self.costs, reference.costs])
        if boxes is None:
            found = (np.isclose(self.costs, row, rtol=1e-9, atol=0).all(axis=1) for row in reference.costs)
            ratio = float(np.mean([is_there.any() for is_there in found]))
        else:
            widths = np.array([boxes.get(name, 1.0) for name in names])
            ratio = made.representation_ratio(-self.costs, -reference.costs, widths)
        return {
            "ce": made.convergence_error(1.0 - mine, 1.0 - theirs),
            "rr": ratio,
            "hypervolume": made.hypervolume(mine),
            "hypervolume_reference": made.hypervolume(theirs),
        }

    @cached_property
    def costs(self) -> FloatArray:
        """Objectives with smaller better, one row for each solution."""
        signs = np.array([-1.0 if item.maximize else 1.0 for item in self.objectives])
        values = [[item.value(asked.name) for asked in self.objectives] for item in self]
        return signs * np.array(values, dtype=np.float64).reshape(len(self), len(self.objectives))
