"""Ad-hoc groupings, GOMM, D-GOMM and the descent after it, measured on one footing."""

from __future__ import annotations

import statistics
import time
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.front import hypervolume, non_dominated, scaled_fronts
from sfumato.microaggregation.column_groups.chromosome import canonical
from sfumato.microaggregation.column_groups.columns import analyse_operators
from sfumato.microaggregation.column_groups.evaluation import Evaluator, costs_of
from sfumato.microaggregation.column_groups.gomm import FIRST, OPERATORS, polish, search_groupings
from sfumato.microaggregation.protection import link_records
from studies.common.summaries import summarize, summarize_each

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import FloatArray
    from sfumato.microaggregation.column_groups.chromosome import Grouping
    from sfumato.microaggregation.column_groups.columns import OperatorRecord
    from sfumato.microaggregation.column_groups.gomm import Evolution, GommParameters
    from studies.common.results import Results

VARIANTS = {"printed": "GOMM", "dynamic": "D-GOMM", "polished": "GOMM and descent"}
POLISH = 5000
"""Groupings that the descent may measure: the default of the package."""
DIGITS = 4
"""Digits after the point of what is only drawn."""


def warm_up(values: FloatArray) -> None:
    """Compile, so that no time contains it."""
    few = values[:20]
    Evaluator(few, 3).evaluate([tuple(1 << place for place in range(few.shape[1]))])


def measure_ad_hoc(values: FloatArray, k: int, groupings: Mapping[str, Grouping]) -> Results:
    """Return the measures of named groupings, with the count by row number beside the shared one."""
    evaluator = Evaluator(values, k)
    found: Results = {}
    for name, grouping in groupings.items():
        scores = evaluator.evaluate([grouping])[0]
        links = link_records(values, evaluator.protect(grouping))
        found[name] = asdict(scores) | {
            "score": scores.score,
            "groups": len(grouping),
            "dld_by_number": links.dld_by_number,
        }
    return found


def compare(
    values: FloatArray,
    k: int,
    seeds: Sequence[int],
    parameters: GommParameters,
    unwanted: Mapping[str, Grouping],
) -> Results:
    """Run GOMM as printed, then the descent, and D-GOMM, once for each seed.

    Parameters
    ----------
    values
        The table.
    k
        Smallest cluster.
    seeds
        One run of each for every seed.
    parameters
        Of the paper, or of a quick run.
    unwanted
        Groupings that no first population may hold.
    """
    rows: dict[str, list[dict[str, float]]] = {name: [] for name in VARIANTS}
    off: list[dict[str, int]] = []
    spoiled = 0
    printed = replace(parameters, polish=0)
    for seed in seeds:
        evaluator = Evaluator(values, k)
        evolution, row = _timed(evaluator, seed, printed)
        rows["printed"].append(row)
        spoiled += _unwanted(evolution, unwanted)
        rows["polished"].append(_polished(evaluator, row))
        evolution, row = _timed(Evaluator(values, k), seed, replace(printed, dynamic=True))
        rows["dynamic"].append(row)
        off.append(evolution.switched_off)
    found: Results = {name: summarize_each(row) for name, row in rows.items()}
    return found | {"switched_off": off, "unwanted_in_first_populations": spoiled}


def _timed(evaluator: Evaluator, seed: int, parameters: GommParameters) -> tuple[Evolution, dict[str, float]]:
    begin = time.process_time()
    evolution = search_groupings(evaluator, seed=seed, parameters=parameters)
    return evolution, _row(evaluator, evolution.best) | {
        "made": len(evolution.members),
        "seconds": evolution.seconds,
        "processor_seconds": time.process_time() - begin,
    }


def _row(evaluator: Evaluator, best: Grouping) -> dict[str, float]:
    scores = evaluator.scores[best]
    return asdict(scores) | {
        "score": scores.score,
        "groups": len(best),
        "evaluated": evaluator.evaluated,
        "microaggregated": evaluator.microaggregated,
    }


def _polished(evaluator: Evaluator, before: dict[str, float]) -> dict[str, float]:
    """Descend from what a run has measured; the time is that of both."""
    begin = time.perf_counter()
    polish(evaluator, POLISH, lambda: False)
    scores = evaluator.scores
    best = min(scores, key=lambda item: (scores[item].score, len(item), item))
    return _row(evaluator, best) | {"seconds": before["seconds"] + time.perf_counter() - begin}


def _unwanted(evolution: Evolution, groupings: Mapping[str, Grouping]) -> int:
    keys = {canonical(grouping) for grouping in groupings.values()}
    return sum(
        member.operator == FIRST and canonical(member.grouping) in keys for member in evolution.members
    )


def analyse(values: FloatArray, k: int, seeds: Sequence[int], parameters: GommParameters) -> Results:
    """Return what each operator did in each generation, and the mean number of groups; means over seeds."""
    runs = [
        search_groupings(Evaluator(values, k), seed=seed, parameters=replace(parameters, polish=0))
        for seed in seeds
    ]
    records = [record for run in runs for record in analyse_operators(run)]
    groups = [[record.groups for record in run.generations] for run in runs]
    best = [[record.best for record in run.generations] for run in runs]
    return {
        "operators": {
            name: _means([item for item in records if item.operator == name]) for name in OPERATORS
        },
        "groups": np.round(np.mean(groups, axis=0), DIGITS),
        "best": np.round(np.mean(best, axis=0), DIGITS),
    }


def _means(records: Sequence[OperatorRecord]) -> Results:
    """Average each number of one operator's records over the seeds, generation by generation."""
    generations = sorted({record.generation for record in records})
    found: Results = {"made": statistics.fmean(record.made for record in records)}
    names = ("discarded", "life_time", "improved", "worsened", "improvement", "worsening", "best", "worst")
    for name in names:
        found[name] = [
            round(statistics.fmean(getattr(r, name) for r in records if r.generation == number), DIGITS)
            for number in generations
        ]
    # A mean over the children that improved or worsened, whatever run they are of.
    for name, count in (("improvement", "improved"), ("worsening", "worsened")):
        found[f"{name}_of_all"] = [_weighted(records, number, name, count) for number in generations]
    return found


def _weighted(records: Sequence[OperatorRecord], generation: int, name: str, count: str) -> float:
    pairs = [(getattr(r, name), getattr(r, count)) for r in records if r.generation == generation]
    total = sum(weight for _, weight in pairs)
    return round(sum(value * weight for value, weight in pairs) / total, DIGITS) if total else 0.0


def compare_fronts(values: FloatArray, k: int, seeds: Sequence[int], parameters: GommParameters) -> Results:
    """Search for the score and for the three objectives, with the same number of children; compare fronts."""
    fronts: dict[str, list[FloatArray]] = {"score": [], "objectives": []}
    evaluated: dict[str, list[int]] = {name: [] for name in fronts}
    for seed in seeds:
        for name in fronts:
            evaluator = Evaluator(values, k)
            search_groupings(
                evaluator,
                seed=seed,
                parameters=replace(parameters, polish=0),
                objectives=name == "objectives",
            )
            costs = costs_of(list(evaluator.scores.values()))
            fronts[name].append(costs[non_dominated(costs)])
            evaluated[name].append(evaluator.evaluated)
    scaled = scaled_fronts([front for items in fronts.values() for front in items])
    volumes = np.array([hypervolume(front) for front in scaled]).reshape(len(fronts), -1)
    return {
        name: {
            "hypervolume": summarize(volumes[place].tolist()),
            "evaluated": summarize(evaluated[name]),
            "found": summarize([len(front) for front in fronts[name]]),
            "points": np.round(fronts[name][0], DIGITS),
        }
        for place, name in enumerate(fronts)
    }


__all__ = ["POLISH", "VARIANTS", "analyse", "compare", "compare_fronts", "measure_ad_hoc", "warm_up"]
