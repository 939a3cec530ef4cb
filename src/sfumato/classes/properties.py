"""Properties: one number for every class, and what a request for them means."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class PropertyKind(Enum):
    """What a property of a class is.

    ``SIZE``: its rows, or its persons where persons are named. ``DISTINCT``:
    its different values of a sensitive attribute. ``SQUARES``: the sum of the
    squared counts of these values, that is, over its rows, how often the row's own
    value occurs. ``T_EQUAL``: half the summed distance between its shares and those of
    the whole table. ``MAJORITY``: the rows of its most frequent value. Missing is a
    value like any other.
    """

    SIZE = "size"
    DISTINCT = "distinct"
    SQUARES = "squares"
    T_EQUAL = "t equal"
    MAJORITY = "majority"


@dataclass(frozen=True, slots=True)
class Property:
    """A property of classes; ``attribute`` is a sensitive attribute's number."""

    kind: PropertyKind
    attribute: int = -1

    @property
    def larger_is_better(self) -> bool:
        """Whether a class with a larger number is better protected."""
        return self.kind is not PropertyKind.T_EQUAL


class CellCost(Enum):
    """What one cell of a recoded table costs.

    ``SIZE``: values in its block less one, at most m − 1. ``HEIGHT``: level of its block, at most the
    height of the hierarchy; where the partition is no level, the lowest level of the attribute's
    hierarchy of which one block covers the cell's block; without a hierarchy 0 for a block of one
    value and 1, the height then, for every larger one. ``FREQUENCY``: (N_e − N_v) / (N − N_v) for a cell
    with value v in block e, N, N_e and N_v being the rows of the whole table, of the block and of
    the value before suppression; 1 if it is suppressed; 0 in a column of which one value has all
    rows. The first two are integers.
    """

    SIZE = "size"
    HEIGHT = "height"
    FREQUENCY = "frequency"


@dataclass(frozen=True, slots=True)
class Threshold:
    """A class-level requirement: the property may not be worse than ``limit``."""

    property: Property
    limit: float


@dataclass(frozen=True, slots=True)
class Request:
    """Everything an evaluation has to collect."""

    properties: tuple[Property, ...] = ()
    costs: tuple[CellCost, ...] = ()
    thresholds: tuple[Threshold, ...] = ()


__all__ = ["CellCost", "Property", "PropertyKind", "Request", "Threshold"]
