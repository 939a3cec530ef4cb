"""Tables: reading, roles, coding, the cube, applying a recoding, writing."""

from sfumato.table.applying import Recode, apply, kept_values, leaving_kinds
from sfumato.table.arrow import own_frame
from sfumato.table.coding import MakeHierarchy, Table, block_statistics, code_table, count_cube
from sfumato.table.dialects import Leaving
from sfumato.table.joining import TupleLabels
from sfumato.table.keys import Roles
from sfumato.table.sources import Source, SourceKind, make_frame, open_source
from sfumato.table.writing import write_table

__all__ = [
    "Leaving",
    "MakeHierarchy",
    "Recode",
    "Roles",
    "Source",
    "SourceKind",
    "Table",
    "TupleLabels",
    "apply",
    "block_statistics",
    "code_table",
    "count_cube",
    "kept_values",
    "leaving_kinds",
    "make_frame",
    "open_source",
    "own_frame",
    "write_table",
]
