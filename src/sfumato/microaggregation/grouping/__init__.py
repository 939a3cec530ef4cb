"""Which attributes to microaggregate together: GOMM and D-GOMM."""

from sfumato.microaggregation.grouping.analysis import OperatorRecord, analyse_operators, efficiency
from sfumato.microaggregation.grouping.chromosome import Grouping, attributes_of, make_grouping
from sfumato.microaggregation.grouping.columns import GroupingSettings, group_columns
from sfumato.microaggregation.grouping.evaluation import Evaluator
from sfumato.microaggregation.grouping.gomm import (
    OPERATORS,
    Evolution,
    Generation,
    GommParameters,
    search_groupings,
)
from sfumato.microaggregation.grouping.objectives import front_of
from sfumato.microaggregation.grouping.result import GroupingResult
from sfumato.monitor import Callback, Monitor, Progress

__all__ = [
    "OPERATORS",
    "Callback",
    "Evaluator",
    "Evolution",
    "Generation",
    "GommParameters",
    "Grouping",
    "GroupingResult",
    "GroupingSettings",
    "Monitor",
    "OperatorRecord",
    "Progress",
    "analyse_operators",
    "attributes_of",
    "efficiency",
    "front_of",
    "group_columns",
    "make_grouping",
    "search_groupings",
]
