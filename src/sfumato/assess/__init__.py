"""The original and its release: what attackers achieve, and what analyses still give."""

from sfumato.assess.analysing import NumberPairs, analyse_columns, analyse_recoded
from sfumato.assess.recoded import Recoded, RecodedAttribute
from sfumato.assess.risk_results import (
    AttributeDisclosure,
    Downcoding,
    Linkage,
    Narrowing,
    Risk,
    SubsetScan,
    TableRisk,
)
from sfumato.assess.utility import ErrorSummary, Utility
