"""Classes of recodings over a cube: roll-up, batches, suppression."""

from sfumato.classes.batch import Batch, Statistics
from sfumato.classes.classes import Classes
from sfumato.classes.properties import CellCost, Property, PropertyKind, Request, Threshold
from sfumato.classes.suppression import Rule, Suppression, budget_of

__all__ = [
    "Batch",
    "CellCost",
    "Classes",
    "Property",
    "PropertyKind",
    "Request",
    "Rule",
    "Statistics",
    "Suppression",
    "Threshold",
    "budget_of",
]
