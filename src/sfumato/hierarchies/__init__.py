"""Hierarchies over the values of attributes: build, read, check, suggest, write."""

from sfumato.hierarchies.blocks import Plain, listed_partitions, plain_values, read_blocks, write_blocks
from sfumato.hierarchies.build import build
from sfumato.hierarchies.builders import RULES
from sfumato.hierarchies.column_roles import ColumnEvidence, RoleGuess, suggest_role
from sfumato.hierarchies.encode import UNKNOWN, block_widths, encode, value_places
from sfumato.hierarchies.hierarchy import ROOT, Hierarchy, Value
from sfumato.hierarchies.kinds import infer_kind, parse_values, text_of
from sfumato.hierarchies.rebuild import BLOCKS, RecordedBlocks, fill_values, rebuild, regroup, relabel
from sfumato.hierarchies.suggest import Look, look_at, suggest
