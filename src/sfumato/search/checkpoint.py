"""Which run a checkpoint belongs to."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sfumato.search.problem import Problem


def run_mark(problem: Problem, method: str, parameters: object, seed: int) -> str:
    """Return the mark of a search that is resumed by its own steps: it may go on for more of them."""
    if hasattr(parameters, "iterations"):
        parameters = replace(parameters, iterations=0)  # type: ignore[type-var]
    levels = [(ladder.levels, ladder.lowest, ladder.highest) for ladder in problem.lattice.ladders]
    return fingerprint(problem, (method, parameters), seed, (part for parts in levels for part in parts))


def fingerprint(problem: Problem, parameters: object, seed: int, arrays: Iterable[object]) -> str:
    """Return a text that is equal for equal runs."""
    parts = [
        problem.cube.fingerprint,
        *(item.name for item in problem.objectives),
        *(f"{item.measure.name}={item.limit!r}" for item in problem.requirements),
        repr(problem.suppression),
        repr(parameters),
        str(seed),
    ]
    digest = hashlib.sha256("\n".join(parts).encode())
    for scheme in problem.schemes or ():
        digest.update(f"{scheme.name} {scheme.size} {scheme.count():x}".encode())
        digest.update(scheme.finest.block.tobytes())
    for array in arrays:
        digest.update(np.asarray(array).tobytes())
    return digest.hexdigest()
