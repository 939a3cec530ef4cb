"""The libraries that hold tables, each loaded when something of it is first used.

Together they take longer to load than most commands need to run, and many commands never see a table.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING


class _Deferred:
    """A module that is imported as soon as one of its names is asked for."""

    def __init__(self, name: str) -> None:
        self._module = name

    def __getattr__(self, name: str) -> object:
        found = getattr(importlib.import_module(self._module), name)
        # From now on the name is an attribute like any other.
        setattr(self, name, found)
        return found


if TYPE_CHECKING:
    import duckdb
    import narwhals as nw
    import pyarrow as pa
    from pyarrow import _compute as pc
else:
    duckdb = _Deferred("duckdb")
    nw = _Deferred("narwhals")
    pa = _Deferred("pyarrow")
    # pyarrow.compute without its 300 documented functions, which take longer to load than most files to read;
    # methods of arrays, such as take, load them too.
    pc = _Deferred("pyarrow._compute")

__all__ = ["duckdb", "nw", "pa", "pc"]
