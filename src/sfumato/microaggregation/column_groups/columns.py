"""Grouping the columns of an array: check, search, say what was found."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import ParameterError
from sfumato.microaggregation.column_groups import gomm
from sfumato.microaggregation.column_groups.chromosome import attributes_of
from sfumato.microaggregation.column_groups.evaluation import Evaluator, front_of
from sfumato.microaggregation.protection import SHARE, Scores, standard_scores
from sfumato.monitor import Callback, Monitor, Recall

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import FloatArray
    from sfumato.front import PlainFront


@dataclass(frozen=True, slots=True)
class OperatorRecord:
    """What one operator did in one generation."""

    operator: str  # `crossover`, `create`, `eliminate`, `split`, `swap` or `move`
    generation: int  # from 1
    made: int  # children
    # utilization: percentage of the children that were discarded without having been a parent
    discarded: float
    # mean number of selections that the children survived; those that live at the end have survived all to
    # the end
    life_time: float
    # efficacy: children of a better and of a worse score than expected, i.e. than the parent's or the mean of
    # both parents'. The others have the same score.
    improved: int
    worsened: int
    # efficiency: mean percentage of those that improved (positive) and that worsened (negative); 0 for none
    improvement: float
    worsening: float
    # largest and smallest efficiency of a child
    best: float
    worst: float


def efficiency(ratio: float) -> float:
    """Return the percentage of improvement of a child, negative where it is worse.

    Equation 9 for mutations too: (1 - r) · 100 if r <= 1, else (1 / r - 1) · 100. No change is 0.

    Examples
    --------
    >>> efficiency(0.5), efficiency(1.0), efficiency(2.0)
    (50.0, 0.0, -50.0)
    """
    return (1.0 - ratio) * 100.0 if ratio <= 1.0 else (1.0 / ratio - 1.0) * 100.0


def analyse_operators(evolution: gomm.Evolution) -> list[OperatorRecord]:
    """Return a record for each generation and operator that made children, in this order."""
    made: dict[tuple[int, str], list[gomm.Member]] = {}
    for member in evolution.members:
        if member.operator != gomm.FIRST:
            made.setdefault((member.born, member.operator), []).append(member)
    last = len(evolution.generations) - 1
    places = {name: place for place, name in enumerate(gomm.OPERATORS)}
    keys = sorted(made, key=lambda key: (key[0], places[key[1]]))
    return [_record(key[1], key[0], made[key], last) for key in keys]


def _record(operator: str, generation: int, children: Sequence[gomm.Member], last: int) -> OperatorRecord:
    efficiencies = [efficiency(child.ratio) for child in children]
    better = [item for item in efficiencies if item > 0]
    worse = [item for item in efficiencies if item < 0]
    unused = sum(child.gone is not None and not child.used for child in children)
    # Selections survived: one that is gone at its birth's selection has survived none.
    lives = [(last + 1 if child.gone is None else child.gone) - child.born for child in children]
    return OperatorRecord(
        operator,
        generation,
        len(children),
        100.0 * unused / len(children),
        sum(lives) / len(lives),
        len(better),
        len(worse),
        sum(better) / len(better) if better else 0.0,
        sum(worse) / len(worse) if worse else 0.0,
        max(efficiencies),
        min(efficiencies),
    )


@dataclass(frozen=True, eq=False)
class GroupingResult:
    """The best attribute grouping that was found, and how the search went.

    Parameters
    ----------
    groups
        Names of the attributes to microaggregate together; each attribute is in one group.
    scores
        Information loss, interval disclosure and distance linkage disclosure, in percent, all on the scale of
        the search: z-scores, unless columns were not standardized.
    k
        Smallest size of a cluster.
    seed
        Where random choices started.
    history
        The population after each generation; the first entry is the first population.
    evaluations
        Distinct groupings that were measured.
    made
        Chromosomes that were made, clones and repetitions included.
    microaggregations
        Attribute groups that were microaggregated.
    operators
        What each genetic operator did in each generation.
    switched_off
        Group mutation → generation after which D-GOMM left it out.
    front
        What no other measured grouping dominates in il, id and dld.
    seconds
        Time of the search.
    stopped
        Why it ended early (``time limit`` or ``stopped``), or None.
    """

    groups: tuple[tuple[str, ...], ...]
    scores: Scores
    k: int
    seed: int
    history: tuple[gomm.Generation, ...] = field(repr=False)
    evaluations: int
    made: int
    microaggregations: int
    operators: tuple[OperatorRecord, ...] = field(repr=False)
    switched_off: dict[str, int]
    front: PlainFront = field(repr=False)
    seconds: float
    stopped: str | None

    def tables(self) -> dict[str, str]:
        """Return the front and what each operator did, as CSV: ``groupings.csv`` and ``operators.csv``."""
        front = [{"solution": item.number, **item.measures, **item.recoding} for item in self.front]
        return {
            "groupings.csv": _csv(front),
            "operators.csv": _csv([asdict(item) for item in self.operators]),
        }

    @property
    def il(self) -> float:
        """Information loss: 100 · squared error / squared total."""
        return self.scores.il

    @property
    def id(self) -> float:
        """Interval disclosure on the scale of the search: ``id_standardized`` where that is z-scores."""
        return self.scores.id

    @property
    def dld(self) -> float:
        """Distance linkage disclosure: percentage of records linked to their own."""
        return self.scores.dld

    @property
    def dr(self) -> float:
        """Disclosure risk: the mean of the two disclosures."""
        return self.scores.dr

    @property
    def score(self) -> float:
        """The mean of information loss and disclosure risk."""
        return self.scores.score


def _csv(rows: Sequence[Mapping[str, object]]) -> str:
    file = io.StringIO()
    writer = csv.DictWriter(file, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


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
    loss_weight
        What information loss counts in the score, from 0 to 1; disclosure risk counts what is left.
    threads
        Threads to use, all cores where None; results do not depend on it.
    time_limit_s
        Seconds after which the best so far is returned; None for no limit.
    callback
        Sees the progress some ten times a second; the search stops when it returns True.
    recall
        What a checkpoint knows, for a search that is resumed; None to keep none.
    """

    parameters: gomm.GommParameters | None = None
    standardize: bool = True
    share: float = SHARE
    objectives: bool = False
    loss_weight: float = 0.5
    threads: int | None = None
    time_limit_s: float | None = None
    callback: Callback | None = None
    recall: Recall | None = None


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
    scaled = standard_scores(values) if asked.standardize else values
    evaluator = Evaluator(
        scaled,
        k,
        share=asked.share,
        loss_weight=asked.loss_weight,
        threads=asked.threads,
        recall=asked.recall,
    )
    parameters = asked.parameters or gomm.GommParameters()
    if dynamic:
        parameters = replace(parameters, dynamic=True)
    found = gomm.search_groupings(
        evaluator, seed=seed, parameters=parameters, objectives=asked.objectives, watch=watch
    )
    method = "d-gomm" if parameters.dynamic else "gomm"
    run = {"method": method, "seed": seed, "evaluated": evaluator.evaluated}
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
