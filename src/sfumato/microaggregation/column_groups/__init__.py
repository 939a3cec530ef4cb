"""Which attributes to microaggregate together: GOMM and D-GOMM."""

from sfumato.microaggregation.column_groups.chromosome import Grouping, attributes_of, make_grouping
from sfumato.microaggregation.column_groups.columns import (
    GroupingResult,
    GroupingSettings,
    OperatorRecord,
    analyse_operators,
    efficiency,
    group_columns,
)
from sfumato.microaggregation.column_groups.evaluation import Evaluator, front_of
from sfumato.microaggregation.column_groups.gomm import (
    OPERATORS,
    Evolution,
    Generation,
    GommParameters,
    search_groupings,
)

__all__ = [
    "OPERATORS",
    "Evaluator",
    "Evolution",
    "Generation",
    "GommParameters",
    "Grouping",
    "GroupingResult",
    "GroupingSettings",
    "OperatorRecord",
    "analyse_operators",
    "attributes_of",
    "efficiency",
    "front_of",
    "group_columns",
    "make_grouping",
    "search_groupings",
]
