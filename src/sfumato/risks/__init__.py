"""Attackers: what they learn from a table, and how often they find people in a release."""

from sfumato.risks.result import (
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

__all__ = [
    "AttributeDisclosure",
    "ClassSizes",
    "Downcoding",
    "Estimate",
    "Linkage",
    "Narrowing",
    "Reidentification",
    "Risk",
    "SizeBin",
    "Subset",
    "SubsetScan",
    "TableRisk",
    "Uniques",
]
