"""How kernels hand groups of arrays to each other: by address.

Numba takes every tuple apart at every call and puts it together again in the function that is called: an
array of two dimensions is nine arguments, and the groups of the lattice kernels have forty arrays. The
compiler spent a third of its time on that.
"""

from __future__ import annotations

import sys
from typing import TypeVar

Class = TypeVar("Class", bound=type)

groups: list[type] = []
"""Those that numba has not been told of yet."""


def by_address(group: Class) -> Class:
    """Let kernels hand the tuples of a class to each other by address; only Python may make such tuples."""
    groups.append(group)
    if known := sys.modules.get("sfumato.kernels._group_types"):
        known.tell_groups()
    return group
