"""Analyses of a table and of its release, side by side."""

from sfumato.utility.analysing import analyse_recoded
from sfumato.utility.columns import Columns, analyse_columns
from sfumato.utility.recoded import Recoded, RecodedAttribute
from sfumato.utility.result import (
    Association,
    AttributeUtility,
    ErrorSummary,
    ModelUtility,
    QueryUtility,
    Utility,
)

__all__ = [
    "Association",
    "AttributeUtility",
    "Columns",
    "ErrorSummary",
    "ModelUtility",
    "QueryUtility",
    "Recoded",
    "RecodedAttribute",
    "Utility",
    "analyse_columns",
    "analyse_recoded",
]
