"""What a search returns."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sfumato._typing import LongArray
    from sfumato.domains import Lattice


class Status(Enum):
    """How far a search came."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    LIMIT_REACHED = "limit-reached"


@dataclass(frozen=True, eq=False)
class SearchResult:
    """Nodes found, and how completely they answer the question.

    Parameters
    ----------
    lattice
        The lattice in whose numbers the nodes are: the problem's own, or one of the partitions that the
        search listed or met.
    nodes
        One number for each attribute of the solutions, a level or a place in the ladder's list; best
        first, shape (solutions, q).
    status
        ``OPTIMAL`` where the answer is proven, ``INFEASIBLE`` where it is proven
        that there is none, ``LIMIT_REACHED`` where the search was cut.
    complete
        Whether every recoding was evaluated or provably needed no evaluation.
    evaluated
        Recodings whose measures were computed.
    seconds
        Time of the search alone.
    bound
        For one objective, a bound on the best possible value, in the measure's own direction.
    stopped
        Why the search ended early, or None.
    certificate
        What a proof rests on: cost, bound, gap, and what was counted; None where a search has none.
    """

    lattice: Lattice
    nodes: LongArray
    status: Status
    complete: bool
    evaluated: int
    seconds: float
    bound: float | None = None
    stopped: str | None = None
    certificate: Mapping[str, object] | None = None
