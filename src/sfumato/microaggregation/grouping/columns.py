"""Grouping the columns of an array: check, search, say what was found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import ParameterError
from sfumato.microaggregation.grouping.analysis import analyse_operators
from sfumato.microaggregation.grouping.chromosome import attributes_of
from sfumato.microaggregation.grouping.evaluation import Evaluator
from sfumato.microaggregation.grouping.gomm import GommParameters, search_groupings
from sfumato.microaggregation.grouping.objectives import front_of
from sfumato.microaggregation.grouping.result import GroupingResult
from sfumato.microaggregation.measures import SHARE
from sfumato.microaggregation.scales import standard_scores
from sfumato.monitor import Monitor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import FloatArray
    from sfumato.monitor import Callback


@dataclass(frozen=True)
class GroupingSettings:
    """How attributes are grouped, beside k and the seed.

    Parameters
    ----------
    parameters
        Of the genetic algorithm; the paper's where None.
    standardize
        Whether columns are turned into z-scores first.
    share
        A protected value within this share of its original counts for interval disclosure.
    objectives
        Whether il, id and dld are searched as objectives of their own, for a wide front, and not their score.
    threads
        Threads to use, all cores where None; results do not depend on it.
    time_limit_s
        Seconds after which the best so far is returned; None for no limit.
    callback
        Sees the progress some ten times a second; the search stops when it returns True.
    """

    parameters: GommParameters | None = None
    standardize: bool = True
    share: float = SHARE
    objectives: bool = False
    threads: int | None = None
    time_limit_s: float | None = None
    callback: Callback | None = None


def group_columns(
    values: FloatArray,
    names: Sequence[str],
    k: int = 25,
    seed: int = 1,
    dynamic: bool = False,
    *,
    settings: GroupingSettings | None = None,
) -> GroupingResult:
    """Search for the best grouping of the columns of an array by GOMM."""
    asked = settings or GroupingSettings()
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 2 or len(names) != values.shape[1] or len(set(names)) != len(names):
        raise ParameterError(
            f"names must name each column once; got {len(names)} for values of the shape {values.shape}."
        )
    watch = Monitor(asked.time_limit_s, asked.callback)
    evaluator = Evaluator(
        standard_scores(values) if asked.standardize else values, k, share=asked.share, threads=asked.threads
    )
    parameters = asked.parameters or GommParameters()
    if dynamic:
        parameters = replace(parameters, dynamic=True)
    found = search_groupings(
        evaluator, seed=seed, parameters=parameters, objectives=asked.objectives, watch=watch
    )
    run = {
        "method": "d-gomm" if parameters.dynamic else "gomm",
        "seed": seed,
        "evaluated": evaluator.evaluated,
    }
    return GroupingResult(
        groups=tuple(tuple(names[place] for place in attributes_of(group)) for group in found.best),
        scores=found.scores,
        k=k,
        seed=seed,
        history=found.generations,
        evaluations=evaluator.evaluated,
        made=len(found.members),
        microaggregations=evaluator.microaggregated,
        operators=tuple(analyse_operators(found)),
        switched_off=found.switched_off,
        front=front_of(evaluator.scores, names, run),
        seconds=found.seconds,
        stopped=found.stopped,
    )
