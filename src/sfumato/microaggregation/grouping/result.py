"""What a search for groupings returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sfumato.front import Front
    from sfumato.microaggregation.grouping.analysis import OperatorRecord
    from sfumato.microaggregation.grouping.gomm import Generation
    from sfumato.microaggregation.measures import Scores


@dataclass(frozen=True, eq=False)
class GroupingResult:
    """The best attribute grouping that was found, and how the search went.

    Parameters
    ----------
    groups
        Names of the attributes to microaggregate together; each attribute is in one group.
    scores
        Information loss, interval disclosure and distance linkage disclosure, in percent.
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
    history: tuple[Generation, ...] = field(repr=False)
    evaluations: int
    made: int
    microaggregations: int
    operators: tuple[OperatorRecord, ...] = field(repr=False)
    switched_off: dict[str, int]
    front: Front = field(repr=False)
    seconds: float
    stopped: str | None

    @property
    def il(self) -> float:
        """Information loss: 100 · squared error / squared total."""
        return self.scores.il

    @property
    def id(self) -> float:
        """Interval disclosure: percentage of protected values near their original."""
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
