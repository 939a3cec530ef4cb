"""What numba has to know of groups of arrays that kernels hand on by address, see `_groups`.

This and `_parts` reach into numba. A version of it that they were not made for compiles in its own way: that
takes twice as long and gives the same.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, cast

from llvmlite import ir
from numba import version_info
from numba.core import cgutils, types
from numba.core.boxing import unbox_tuple
from numba.core.datamodel.models import TupleModel
from numba.extending import NativeValue, register_model, typeof_impl, unbox

from sfumato.kernels._groups import groups

IS_KNOWN = (version_info.major, version_info.minor) == (0, 68)
"""Whether numba is of a version that `_groups` and `_parts` were made for."""

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numba.core.pythonapi import _UnboxContext


def tell_groups() -> None:
    """Tell numba of all groups that were made since it was told last."""
    while IS_KNOWN and groups:
        _tell(groups.pop())


def _tell(group: type) -> None:
    @typeof_impl.register(group)
    def _typeof(value: object, context: object) -> types.Type | None:
        members = [typeof_impl(item, context) for item in cast("tuple[object, ...]", value)]
        return None if None in members else Group(members, group)


class Group(types.NamedTuple):
    """The type of a named tuple that is handed on by address."""

    def __init__(self, members: Iterable[types.Type], group: type) -> None:
        super().__init__(members, group)
        # Short, because it becomes part of the name of every function that takes one.
        written = f"{group.__module__}.{self.name}"
        self.name = f"{group.__name__}<{hashlib.sha256(written.encode()).hexdigest()[:16]}>"


@register_model(Group)
class _GroupModel(TupleModel):
    """All fields are read when a kernel begins, so the optimizer sees what it would see of arguments.

    Groups count no references to their arrays: `_unbox` holds these for as long as the first kernel runs.
    """

    def get_argument_type(self) -> ir.Type:
        return self.get_value_type().as_pointer()

    def as_argument(self, builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
        address = _address_of(builder.function, value)
        return cgutils.alloca_once_value(builder, value) if address is None else address

    def from_argument(self, builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
        return builder.load(value)

    def traverse(self, _builder: ir.IRBuilder) -> list[object]:
        return []

    def inner_models(self) -> list[object]:
        return []


@unbox(Group)  # type: ignore[untyped-decorator]
def _unbox(group: Group, value: ir.Value, context: _UnboxContext) -> NativeValue:
    """Take a tuple of Python over, and give its arrays back when the kernel has returned."""
    native = unbox_tuple(group, value, context)

    def give_back() -> None:
        if native.cleanup is not None:
            native.cleanup()
        for place, member in enumerate(group):
            held = context.builder.extract_value(native.value, place)
            context.context.nrt.decref(context.builder, member, held)

    return NativeValue(native.value, is_error=native.is_error, cleanup=give_back)


def _address_of(function: ir.Function, value: ir.Value) -> ir.Value | None:
    """Return the address that the function itself was given, if that is where the value came from."""
    if not isinstance(value, ir.LoadInstr):
        return None
    # Numba keeps an argument in a variable that it fills with zeros first and never changes after.
    stored = [
        item.operands[0]
        for block in function.blocks
        for item in block.instructions
        if isinstance(item, ir.StoreInstr)
        and item.operands[1] is value.operands[0]
        and not isinstance(item.operands[0], ir.Constant)
    ]
    source = stored[0] if len(stored) == 1 else value
    if isinstance(source, ir.LoadInstr) and isinstance(source.operands[0], ir.Argument):
        return source.operands[0]
    return None


tell_groups()
