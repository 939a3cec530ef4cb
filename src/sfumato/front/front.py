"""Solutions to which no other is as good in everything and better in something."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sfumato._typing import FloatArray

Partition: TypeAlias = int | list[object]


@dataclass(frozen=True)
class Objective:
    """A measure's name and whether larger is better."""

    name: str
    maximize: bool


@dataclass(frozen=True)
class Solution:
    """One recoding with its measures."""

    number: int  # its number in the front, from 1
    measures: Mapping[str, float]  # objectives and required measures by name
    suppressed: int  # suppressed rows
    recoding: Mapping[str, Partition]  # attribute → level number, or blocks for other schemes

    @property
    def recoding_text(self) -> str:
        """The recoding as JSON."""
        return json.dumps(dict(self.recoding), ensure_ascii=False)

    def value(self, name: str) -> float:
        """Return a measure by name; ``suppressed`` is always there."""
        return float(self.suppressed) if name == "suppressed" else self.measures[name]


@dataclass(frozen=True)
class Front:
    """The solutions of a search, best first, and how completely they are known.

    Parameters
    ----------
    solutions
        Numbered from 1, sorted best first by the objectives in their order.
    objectives
        Those to maximize, then those to minimize.
    run
        What ``run.json`` says about the search.
    """

    solutions: tuple[Solution, ...]
    objectives: tuple[Objective, ...]
    run: Mapping[str, object] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.solutions)

    def __iter__(self) -> Iterator[Solution]:
        return iter(self.solutions)

    def __getitem__(self, place: int) -> Solution:
        return self.solutions[place]

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

    def equals(self, other: Front, tolerance: float = 1e-9) -> bool:
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

    @cached_property
    def costs(self) -> FloatArray:
        """Objectives with smaller better, one row for each solution."""
        signs = [-1.0 if item.maximize else 1.0 for item in self.objectives]
        rows = [
            [s * item.value(o.name) for s, o in zip(signs, self.objectives, strict=True)] for item in self
        ]
        return np.array(rows, dtype=np.float64).reshape(len(self), len(self.objectives))
