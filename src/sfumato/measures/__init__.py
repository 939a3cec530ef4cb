"""Measures: an index of a property, with a direction and a name."""

from sfumato.measures.custom import PropertyMeasure, mean, spread, worst
from sfumato.measures.measure import ClassMeasure, Direction, Measure, Monotone, Union
from sfumato.measures.penalties import RowPenalties
from sfumato.measures.registry import (
    MEASURES,
    MeasureFacts,
    Setting,
    make_measure,
    measure_facts,
    measure_names,
)

__all__ = [
    "MEASURES",
    "ClassMeasure",
    "Direction",
    "Measure",
    "MeasureFacts",
    "Monotone",
    "PropertyMeasure",
    "RowPenalties",
    "Setting",
    "Union",
    "make_measure",
    "mean",
    "measure_facts",
    "measure_names",
    "spread",
    "worst",
]
