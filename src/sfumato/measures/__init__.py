"""Measures: an index of a property, with a direction and a name."""

from sfumato.measures.contract import ClassMeasure, Direction, Measure, Monotone, Union
from sfumato.measures.custom import PropertyMeasure, binary_spread, mean, spread, worst
from sfumato.measures.facts import MEASURES, Setting, make_measure, measure_facts, measure_names
from sfumato.measures.penalties import RowPenalties
from sfumato.measures.steps import gain_per_loss
