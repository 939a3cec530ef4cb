"""Tables: reading, roles, coding, the cube, applying a recoding, writing."""

from sfumato.table.applying import Recode, apply, leaving_kinds
from sfumato.table.arrow import own_frame
from sfumato.table.coding import MakeHierarchy, Table, block_statistics, code_table, count_cube
from sfumato.table.keys import Roles
from sfumato.table.sources import Source, SourceKind, make_frame, open_source
from sfumato.table.writing import Leaving, write_table

__all__ = [
    "Leaving",
    "MakeHierarchy",
    "Recode",
    "Roles",
    "Source",
    "SourceKind",
    "Table",
    "apply",
    "block_statistics",
    "code_table",
    "count_cube",
    "leaving_kinds",
    "make_frame",
    "open_source",
    "own_frame",
    "write_table",
]
