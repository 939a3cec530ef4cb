"""Hierarchies over the values of attributes: build, read, check, suggest, write."""

from sfumato.hierarchies.blocks import (
    Plain,
    listed_partitions,
    plain_values,
    read_blocks,
    value_places,
    write_blocks,
)
from sfumato.hierarchies.build import build, find_problems
from sfumato.hierarchies.encode import UNKNOWN, encode
from sfumato.hierarchies.files import LeafRows, problems, read_leaves, to_arx, write_arx
from sfumato.hierarchies.hierarchy import ROOT, Hierarchy, Value
from sfumato.hierarchies.kinds import infer_kind, parse_values, text_of
from sfumato.hierarchies.rebuild import BLOCKS, RULES, RecordedBlocks, fill_values, rebuild, regroup, relabel
from sfumato.hierarchies.suggest import suggest, suggest_role

__all__ = [
    "BLOCKS",
    "ROOT",
    "RULES",
    "UNKNOWN",
    "Hierarchy",
    "LeafRows",
    "Plain",
    "RecordedBlocks",
    "Value",
    "build",
    "encode",
    "fill_values",
    "find_problems",
    "infer_kind",
    "listed_partitions",
    "parse_values",
    "plain_values",
    "problems",
    "read_blocks",
    "read_leaves",
    "rebuild",
    "regroup",
    "relabel",
    "suggest",
    "suggest_role",
    "text_of",
    "to_arx",
    "value_places",
    "write_arx",
    "write_blocks",
]
