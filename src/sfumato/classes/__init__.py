"""Classes of recodings over a cube: roll-up, batches, suppression."""

from sfumato.classes.batch import Batch
from sfumato.classes.properties import CellCost, Levels, Property, PropertyKind, Request, Threshold
from sfumato.classes.recodings import Recodings
from sfumato.classes.statistics import Classes, Rule, Statistics, Suppression, budget_of
from sfumato.classes.workers import Workers
