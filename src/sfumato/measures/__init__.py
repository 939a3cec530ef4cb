"""Measures: an index of a property, with a direction and a name."""

from sfumato.measures.measure import ClassMeasure, Direction, Measure, Monotone, Union
from sfumato.measures.registry import make_measure, measure_names
from sfumato.measures.setting import Setting

__all__ = [
    "ClassMeasure",
    "Direction",
    "Measure",
    "Monotone",
    "Setting",
    "Union",
    "make_measure",
    "measure_names",
]
