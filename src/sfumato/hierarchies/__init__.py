"""Hierarchies over the values of attributes: build, read, check, suggest, write."""

from sfumato.hierarchies.build import build, find_problems
from sfumato.hierarchies.check import LeafRows, problems
from sfumato.hierarchies.encode import UNKNOWN, encode
from sfumato.hierarchies.hierarchy import ROOT, Hierarchy, Value
from sfumato.hierarchies.kinds import infer_kind, parse_values, text_of
from sfumato.hierarchies.read import read_leaves
from sfumato.hierarchies.rebuild import rebuild
from sfumato.hierarchies.suggest import suggest, suggest_role
from sfumato.hierarchies.write import to_arx, write_arx

__all__ = [
    "ROOT",
    "UNKNOWN",
    "Hierarchy",
    "LeafRows",
    "Value",
    "build",
    "encode",
    "find_problems",
    "infer_kind",
    "parse_values",
    "problems",
    "read_leaves",
    "rebuild",
    "suggest",
    "suggest_role",
    "text_of",
    "to_arx",
    "write_arx",
]
