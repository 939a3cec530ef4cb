"""How kernels are compiled: those that only kernels call as parts of the kernel that Python calls.

Numba makes machine code of every function, and optimizes it again in each function that calls it, and in
those that call these. What only kernels call needs neither: it is optimized with the whole, once.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any, cast

from llvmlite import binding
from numba.core import types
from numba.core.caching import CompileResultCacheImpl
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder, Flags
from numba.core.compiler_machinery import LoweringPass, register_pass
from numba.core.environment import lookup_environment
from numba.core.typed_passes import AnnotateTypes, NativeLowering

if TYPE_CHECKING:
    from numba.core.compiler_machinery import CompilerPass, PassManager


_OF_NUMBA = "_ZN08NumbaEnv5numba"  # how names of environments of its functions begin


def call_template(called: Any, given: list[types.Type], named: dict[str, types.Type]) -> Any:
    """Let kernels call one version of another, whatever the width of whole numbers and whatever is known."""
    return type(called).get_call_template(called, [_widened(kind) for kind in given], named)


def _widened(kind: types.Type) -> types.Type:
    kind = types.unliteral(kind)
    return types.int64 if kind in (types.int8, types.int16, types.int32) else kind


class _Part(JITCodeLibrary):
    """The code of a function that never runs by itself: no machine code, and no pointers into it."""

    def _optimize_final_module(self) -> None:
        """Leave that to the kernel it becomes part of."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: there is no function of that name to run."""
        del name
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> _Part:
        """What numba asks to `set_env`."""
        return self

    def set_env(self, name: str, environment: object) -> None:
        """Do nothing: environments are set in the kernel it becomes part of."""

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """Return what `_Rebuilding` reads."""
        return (self.name, "bitcode", self._get_module_for_linking().as_bitcode())


@register_pass(mutates_CFG=False, analysis_only=True)
class _BecomePart(LoweringPass):
    """Have a function lowered into a part."""

    _name = "sfumato_become_part"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        state.library = _Part(state.targetctx.codegen(), state.func_id.func_qualname)
        return False


@register_pass(mutates_CFG=False, analysis_only=True)
class _SetEnvironments(LoweringPass):
    """Set the environments of all parts of a kernel, as numba does when it loads one from its cache."""

    _name = "sfumato_set_environments"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        for item in state.library._final_module.global_variables:
            environment = lookup_environment(item.name)
            if environment is not None:
                state.library.codegen.set_env(item.name, environment)
        return False


class _Flags(Flags):
    """Flags that are compared by what is set: numba looks at every option, a hundred thousand times."""

    __slots__ = ()
    _same = hash(Flags())  # of the options' names alone

    def __hash__(self) -> int:
        return self._same

    def __eq__(self, other: object) -> bool:
        return self._values == other._values if isinstance(other, _Flags) else bool(super().__eq__(other))


class _Compiler(CompilerBase):
    """Numba's compiler with one more step."""

    step: type[CompilerPass]
    after: type[CompilerPass]

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.state.flags = _Flags(self.state.flags)

    def define_pipelines(self) -> list[PassManager]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(self.step, self.after)
        passes.finalize()
        return [passes]


class PartCompiler(_Compiler):
    """Compile what only kernels call."""

    step, after = _BecomePart, AnnotateTypes


class KernelCompiler(_Compiler):
    """Compile what Python calls, with all of its parts."""

    step, after = _SetEnvironments, NativeLowering

    def compile_extra(self, function: object) -> CompileResult:
        """Compile without the collector of garbage, which looks through a million objects that all stay."""
        was_on = gc.isenabled()
        gc.disable()
        try:
            return cast("CompileResult", super().compile_extra(function))
        finally:
            if was_on:
                gc.enable()


class KernelCache(CompileResultCacheImpl):
    """How a kernel is kept: without the environments of numba's own functions.

    Without constants nothing reads an environment, and to rebuild one numba loads the module that it is of,
    and with its mathematics all of SciPy's linear algebra.
    """

    def reduce(self, result: CompileResult) -> tuple[object, ...]:
        """Return what is kept."""
        *kept, environments = super().reduce(result)
        needed = [item for item in environments if item.consts or not item.env_name.startswith(_OF_NUMBA)]
        return (*kept, tuple(needed))


class PartCache(KernelCache):
    """How a part is kept: as it is, to be optimized with the next kernel that needs it."""

    def rebuild(self, target_context: Any, payload: tuple[object, ...]) -> CompileResult:
        """Return a part as it was before it was kept."""
        found = CompileResult._rebuild(_Rebuilding(target_context), *payload)
        return cast("CompileResult", found._replace(target_context=target_context))


class _Rebuilding:
    """What numba asks for when it rebuilds a function, with the part in the place of a library."""

    def __init__(self, context: Any) -> None:
        self.real = context.codegen()
        self.typing_context = context.typing_context
        self.get_executable = context.get_executable

    def codegen(self) -> _Rebuilding:
        return self

    def unserialize_library(self, kept: tuple[str, str, bytes]) -> _Part:
        name, _, code = kept
        part = _Part(self.real, name)
        part._final_module = binding.parse_bitcode(code)
        part._finalize_final_module()
        return part
