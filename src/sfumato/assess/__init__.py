"""The original beside its release: what attackers achieve, and what analyses still give."""

from sfumato.assess.analysing import Columns, analyse_columns, analyse_recoded
from sfumato.assess.recoded import Recoded, RecodedAttribute
from sfumato.assess.risk import (
    AttributeDisclosure,
    ClassSizes,
    Downcoding,
    Estimate,
    Linkage,
    Narrowing,
    Reidentification,
    Risk,
    SizeBin,
    Subset,
    SubsetScan,
    TableRisk,
    Uniques,
)
from sfumato.assess.utility import (
    Association,
    AttributeUtility,
    ErrorSummary,
    ModelUtility,
    QueryUtility,
    Utility,
)

__all__ = [
    "Association",
    "AttributeDisclosure",
    "AttributeUtility",
    "ClassSizes",
    "Columns",
    "Downcoding",
    "ErrorSummary",
    "Estimate",
    "Linkage",
    "ModelUtility",
    "Narrowing",
    "QueryUtility",
    "Recoded",
    "RecodedAttribute",
    "Reidentification",
    "Risk",
    "SizeBin",
    "Subset",
    "SubsetScan",
    "TableRisk",
    "Uniques",
    "Utility",
    "analyse_columns",
    "analyse_recoded",
]
