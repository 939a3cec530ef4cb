"""What the chapter sets: parameters and problems."""

from __future__ import annotations

from dataclasses import dataclass

POPULATION = 200
ITERATIONS = 250
CROSSOVER = 0.9
MUTATION = 0.1
TOLERANCE = 0.1
"""η: the share of the rows that may be suppressed in the second problem."""

SEEDS = 10
"""Ours: the chapter shows one run."""


@dataclass(frozen=True)
class Task:
    """One of the chapter's problems.

    Parameters
    ----------
    name
        Its key in the results.
    title
        In words.
    maximize, minimize
        Objectives by our names.
    rule, limit
        Suppression.
    """

    name: str
    title: str
    maximize: str
    minimize: tuple[str, ...]
    rule: str
    limit: float


WEIGHTED = Task("weighted", "weighted-k against GL, no suppression", "mean_k", ("gl",), "none", 0.0)
TOLERANT = Task("tolerant", "k against GL + SL, η = 10 %", "k", ("glm",), "smallest", TOLERANCE)
OVERVIEW = Task(
    "overview", "weighted-k against GL and SL, no limit", "mean_k", ("gl", "sl"), "below-mean", 1.0
)
TASKS = (WEIGHTED, TOLERANT, OVERVIEW)
"""The chapter shows figures of the first two; of the third, for a comprehensive overview, it has none."""

MAGNIFICATIONS = (1.0, 0.1, 0.01, 0.002)
"""Up to which share of the largest k each panel of Figure 1.6 reaches; the first shows everything."""

__all__ = [
    "CROSSOVER",
    "ITERATIONS",
    "MAGNIFICATIONS",
    "MUTATION",
    "OVERVIEW",
    "POPULATION",
    "SEEDS",
    "TASKS",
    "TOLERANCE",
    "TOLERANT",
    "WEIGHTED",
    "Task",
]
