"""Small problems over any schemes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes import Rule, Suppression
from sfumato.domains import Cube, Ladder, Lattice, Partition, Tree
from sfumato.measures import Setting, make_measure
from sfumato.schemes import make_scheme
from sfumato.search import Problem, Requirement

if TYPE_CHECKING:
    from collections.abc import Sequence

LEVELS = np.array([[0, 1, 2, 3, 4, 5], [0, 0, 0, 1, 1, 2], [0, 0, 0, 0, 0, 0]], dtype=np.int32)
"""Six values in groups of three, two and one."""


def small_problem(
    schemes: Sequence[str] = ("ordered", "cuts", "levels"),
    *,
    objectives: Sequence[str] = ("k", "loss"),
    require: dict[str, float] | None = None,
    rows: int = 120,
    budget: int = 6,
    rule: Rule | None = None,
) -> Problem:
    """Make a problem of six values in each attribute, one scheme for each."""
    rng = np.random.default_rng(5)
    q = len(schemes)
    names = tuple("abcdefg"[:q])
    codes = np.minimum(rng.geometric(0.35, (rows, q)) - 1, 5).astype(np.int32)
    cube = Cube.sorted(
        names,
        (6,) * q,
        codes,
        rows=np.ones(rows, dtype=np.int64),
        sensitive=("s",),
        sensitive_sizes=(4,),
        sensitive_codes=rng.integers(0, 4, (rows, 1)).astype(np.int32),
    )
    ladder = Ladder.whole(LEVELS)
    setting = Setting(names, ("s",), np.ones(q))
    required = tuple(
        Requirement(make_measure(name, setting), limit) for name, limit in (require or {}).items()
    )
    made = tuple(
        make_scheme(
            name,
            tree=Tree.from_levels(LEVELS),
            ladder=ladder,
            size=6,
            partitions=[Partition.of(level) for level in LEVELS],
        )
        for name in schemes
    )
    chosen = rule or (Rule.FAILING_THEN_SMALLEST if require else Rule.SMALLEST)
    return Problem(
        cube,
        Lattice((ladder,) * q),
        tuple(make_measure(name, setting) for name in objectives),
        required,
        Suppression(chosen, budget),
        schemes=None if set(schemes) <= {"levels"} else made,
    )
