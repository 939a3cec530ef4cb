"""The original and its release: what attackers achieve, and what analyses still give."""

from sfumato.assess.analysing import NumberPairs, analyse_columns, analyse_recoded
from sfumato.assess.recoded import Recoded, RecodedAttribute
from sfumato.assess.risk_results import (
    AttributeDisclosure,
    Downcoding,
    Estimate,
    Linkage,
    Narrowing,
    Reidentification,
    Risk,
    SizeBin,
    SizeSummary,
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
    "Downcoding",
    "ErrorSummary",
    "Estimate",
    "Linkage",
    "ModelUtility",
    "Narrowing",
    "NumberPairs",
    "QueryUtility",
    "Recoded",
    "RecodedAttribute",
    "Reidentification",
    "Risk",
    "SizeBin",
    "SizeSummary",
    "Subset",
    "SubsetScan",
    "TableRisk",
    "Uniques",
    "Utility",
    "analyse_columns",
    "analyse_recoded",
]
