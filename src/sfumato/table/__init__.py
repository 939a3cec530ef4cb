"""Tables: reading, roles, coding, the cube, applying a recoding, writing."""

from sfumato.table.applying import apply
from sfumato.table.coding import MakeHierarchy, RawColumn, Table, code_table, count_cube
from sfumato.table.frames import make_frame
from sfumato.table.recoding import Recode
from sfumato.table.roles import Roles
from sfumato.table.sources import Source, SourceKind, open_source
from sfumato.table.statistics import block_statistics
from sfumato.table.writing import is_typed, write_table

__all__ = [
    "MakeHierarchy",
    "RawColumn",
    "Recode",
    "Roles",
    "Source",
    "SourceKind",
    "Table",
    "apply",
    "block_statistics",
    "code_table",
    "count_cube",
    "is_typed",
    "make_frame",
    "open_source",
    "write_table",
]
