"""How kernels hand groups of arrays on: by their address.

Numba takes every tuple apart at every call and puts it together again behind it: an array of two dimensions is
nine arguments, and the groups of the lattice kernels have forty arrays. The compiler spent most of its time there.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, TypeVar, cast

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel.models import TupleModel
from numba.extending import register_model, typeof_impl

if TYPE_CHECKING:
    from collections.abc import Iterable

    Class = TypeVar("Class", bound=type)


class Group(types.NamedTuple):  # type: ignore[misc]
    """The type of a named tuple that is handed on by its address.

    Its name is short, since it becomes part of the name of every function that takes one.
    """

    def __init__(self, members: Iterable[types.Type], group: type) -> None:
        super().__init__(members, group)
        digest = hashlib.sha256(",".join(str(item) for item in self.types).encode())
        self.name = f"{group.__name__}<{digest.hexdigest()[:16]}>"


@register_model(Group)
class _GroupModel(TupleModel):  # type: ignore[misc]
    """A group's fields are read from where its address points when a kernel begins.

    It owns none of its arrays, so nothing is counted: whoever called the first kernel holds them.
    """

    def get_argument_type(self) -> ir.Type:
        return self.get_value_type().as_pointer()

    def as_argument(self, builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
        address = _address_of(builder, value)
        return cgutils.alloca_once_value(builder, value) if address is None else address

    def from_argument(self, builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
        return builder.load(value)

    def traverse(self, builder: ir.IRBuilder) -> list[object]:
        return []

    def inner_models(self) -> list[object]:
        return []


def _address_of(builder: ir.IRBuilder, value: ir.Value) -> ir.Value | None:
    """Return the caller's own argument if the value is what it points to, so that it is not copied."""
    if not isinstance(value, ir.LoadInstr):
        return None
    source = value.operands[0]
    if isinstance(source, ir.Argument):
        return source
    stored = [
        item.operands[0]
        for block in builder.function.blocks
        for item in block.instructions
        if isinstance(item, ir.StoreInstr) and item.operands[1] is source
    ]
    # A variable is filled with zeros where it is made, then with its argument: it is never changed.
    first, *others = [item for item in stored if not isinstance(item, ir.Constant)]
    if others or not isinstance(first, ir.LoadInstr) or not isinstance(first.operands[0], ir.Argument):
        return None
    return first.operands[0]


def by_address(group: Class) -> Class:
    """Have kernels hand on the tuples of a class by their address; only Python may make them."""

    @typeof_impl.register(group)
    def _typeof(value: object, context: object) -> types.Type | None:
        members = [typeof_impl(item, context) for item in cast("tuple[object, ...]", value)]
        return None if None in members else Group(members, group)

    return group


__all__ = ["by_address"]
