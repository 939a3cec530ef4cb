"""The three searches on one problem, and what all its recodings are worth."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes import Rule, Suppression
from sfumato.search import (
    GranulationParameters,
    LatticeParameters,
    Run,
    search_exhaustive,
    search_granulation_ga,
    search_lattice,
)
from studies.common.summaries import summarize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import BoolArray, FloatArray, LongArray
    from sfumato.classes import Batch
    from sfumato.search import Problem
    from studies.common.results import Results

VARIANTS = {"plain": "breadth-first", "incognito": "incognito"}
"""Our word → the name of the variant."""

CLOSE = 1e-9


@dataclass(frozen=True, eq=False)
class Whole:
    """A problem whose objectives are sf and ql, and every recoding of it evaluated."""

    problem: Problem

    @cached_property
    def batch(self) -> Batch:
        """The evaluator, compiled."""
        made = self.problem.batch()
        made.compile()
        return made

    @cached_property
    def nodes(self) -> LongArray:
        """Every recoding."""
        return self.problem.lattice.nodes(0, self.problem.lattice.size)

    @cached_property
    def unsuppressed(self) -> FloatArray:
        """sf and ql of every recoding as it is, nothing required and nothing suppressed, shape (n, 2)."""
        free = replace(self.problem, requirements=(), suppression=Suppression(Rule.NONE, 0))
        return free.indices(free.batch().evaluate(self.nodes))

    @cached_property
    def secure(self) -> BoolArray:
        """Which recodings are secure, within what may be suppressed."""
        return self.problem.feasible(self.batch.evaluate(self.nodes))

    @cached_property
    def products(self) -> FloatArray:
        """sf · ql of every recoding that is secure, −1 for the others."""
        values = self.problem.indices(self.batch.evaluate(self.nodes)).prod(axis=1)
        return np.where(self.secure, values, -1.0)

    @property
    def optimum(self) -> int:
        """The place of the secure recoding with the largest product."""
        return int(np.argmax(self.products))

    def describe(self) -> Results:
        """Return what is known exactly."""
        best, everything = self.optimum, self.unsuppressed.prod(axis=1)
        return {
            "recodings": len(self.nodes),
            "secure": int(self.secure.sum()),
            "optimum": {"product": self.products[best], "node": self.nodes[best]},
            "untouched": {
                "product": everything[0],
                "largest": float(everything.max()),
                "is_largest": bool(everything[0] >= everything.max() - CLOSE),
            },
            "front": len(search_exhaustive(self.problem, Run(batch=self.batch)).nodes),
        }

    def compare(self, seeds: Sequence[int], parameters: GranulationParameters) -> Results:
        """Run the plain search, Incognito, and the genetic algorithm once for each seed."""
        return {
            **{word: self._lattice(variant) for word, variant in VARIANTS.items()},
            "ga": self._genetic(seeds, parameters),
        }

    def _lattice(self, variant: str) -> Results:
        begin = time.perf_counter()
        result = search_lattice(self.problem, Run(parameters=LatticeParameters(variant)))
        taken = time.perf_counter() - begin
        assert result.certificate is not None
        return {
            **result.certificate,
            "specific": sorted(result.nodes.tolist()),
            "complete": result.complete,
            "seconds": taken,
        }

    def _genetic(self, seeds: Sequence[int], parameters: GranulationParameters) -> Results:
        best = self.products[self.optimum]
        found, evaluated, all_secure = [], [], True
        for seed in seeds:
            result = search_granulation_ga(
                self.problem, Run(seed=seed, batch=self.batch, parameters=parameters)
            )
            assert result.certificate is not None
            found.append(float(str(result.certificate.get("fitness", 0.0))))
            evaluated.append(result.evaluated)
            all_secure &= bool(self.problem.feasible(self.batch.evaluate(result.nodes)).all())
        return {
            "evaluated": summarize(evaluated),
            "product": summarize(found),
            "hits": sum(value >= best - CLOSE for value in found),
            "runs": len(found),
            "secure": all_secure,
            "never_above": max(found) <= best + CLOSE,
            "by_chance": sum(evaluated) / len(self.nodes),
        }


__all__ = ["VARIANTS", "Whole"]
