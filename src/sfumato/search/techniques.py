"""What proofs over partitions may do without: directions and techniques, as the literature names them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.errors import ParameterError, nearest

if TYPE_CHECKING:
    from sfumato.kernels.bounding_layout import BoundTechniques

PLUNGE = 8
"""Nodes that are expanded one below the other, each from the classes of the one above it."""

DIRECTIONS = ("auto", "bottom-up", "top-down", "both")


@dataclass(frozen=True)
class Techniques:
    """Direction and techniques of a branch and bound; none of them changes the optimal cost.

    T. Li, N. Li: Towards optimal k-anonymization, section 4, doi:10.1016/j.datak.2007.06.015;
    R. J. Bayardo, R. Agrawal: Data privacy through optimal k-anonymization, doi:10.1109/ICDE.2005.42.
    """

    # `bottom-up` goes from the finest recoding by joins, and bounds by what its node already joins.
    # `top-down` goes from the coarsest one by splits, and bounds also by what fails already. `both` decides
    # in whichever way raises the bounds most, and `auto` is `both`.
    direction: str = "auto"
    node_pruning: bool = True  # leave a node if all below it cost too much
    useless_applicators: bool = True  # decide what can be decided because the other way costs too much
    # decide a join without which too many rows would have to go, whatever else is done. Where nothing may be
    # suppressed that is one row.
    useful_applicators: bool = True
    seeding: bool = True  # begin with a good solution: the best levels, improved by annealing
    # put a node back when it has been bounded, and expand it when it comes again. Probing bounds nodes before
    # they are put in, so that this rarely pays.
    requeue: bool = False
    # take the node with the least bound first and go down from it a little, else take the oldest
    node_rearrangement: bool = True
    # branch on the element that raises the bounds most, else on the first open one
    applicator_rearrangement: bool = True

    def __post_init__(self) -> None:
        if self.direction not in DIRECTIONS:
            raise ParameterError(
                f"there is no direction {self.direction!r}. {nearest(self.direction, DIRECTIONS)}"
            )

    @property
    def resolved(self) -> str:
        """The direction that is taken."""
        return "both" if self.direction == "auto" else self.direction

    def for_kernel(self) -> BoundTechniques:
        """Return the switches of the kernel."""
        from sfumato.kernels.bounding_layout import BoundTechniques

        up, down = self.resolved != "top-down", self.resolved != "bottom-up"
        return BoundTechniques(
            coarse_bound=int(down),
            probe_joined=int(up and self.useless_applicators),
            probe_apart=int(down and self.useless_applicators),
            price=int(up and down and self.useless_applicators),
            probe_useful=int(up and self.useful_applicators),
            prune=int(self.node_pruning),
            plunge=PLUNGE if self.node_rearrangement and not self.requeue else 1,
            strongest=int(self.applicator_rearrangement),
        )


@dataclass(frozen=True)
class PrintedParameters:
    """Techniques of the printed searches; none of them changes the optimal cost."""

    seeds: int = 100  # recodings drawn at random whose least cost is the first one to beat; 0 for none
    requeue: bool = True  # put a node back once before it is expanded: the cost to beat may fall meanwhile
    node_rearrangement: bool = True  # take the node with the least bound first, else the oldest
    applicator_rearrangement: bool = True  # begin with what merges the fewest classes, or splits the most
    useless_applicators: bool = True  # drop applicators that cannot lead to a better recoding
