"""Measures: an index of a property, with a direction and a name."""

from sfumato.measures.contract import ClassMeasure, Direction, Measure, Monotone, RowPenalties, Union
from sfumato.measures.custom import PropertyMeasure, gain_per_loss, mean, spread, worst
from sfumato.measures.facts import MEASURES, Setting, make_measure, measure_facts, measure_names
