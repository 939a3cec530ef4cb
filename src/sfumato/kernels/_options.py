"""How kernels are compiled, when, and where they are kept: the one place that says so."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FunctionType

    Kernel = TypeVar("Kernel", bound=Callable[..., object])

HERE = Path(__file__).parent
PREFIX = "sfumato-kernels-"
IN_USE_S = 7 * 24 * 3600.0
"""How long what another version compiled is left alone: a process of that version may still be running."""


def kernel(function: Kernel) -> Kernel:
    """Compile a function to run without the interpreter's lock, cached on disk.

    No ``parallel=True``: threads come from one executor, so that two callers
    never share a threading layer. No fast-math: exact ties decide. A function whose name begins with
    an underscore is called by kernels alone, see `inner`.
    """
    return _late(function, from_python=not function.__name__.startswith("_"))


def inner(function: Kernel) -> Kernel:
    """Compile a function that only other kernels call, as a part of these; Python must not call it."""
    return _late(function, from_python=False)


def _late(function: Kernel, *, from_python: bool) -> Kernel:
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return cast("Kernel", _interpreted(function))
    made = _LateKernel(cast("FunctionType", function), from_python=from_python)
    _known.append(made)
    return cast("Kernel", made)


class _LateKernel:
    """A kernel that asks for numba when it is first called: most commands call few kernels, or none."""

    def __init__(self, function: FunctionType, *, from_python: bool) -> None:
        self.function = function
        self.from_python = from_python
        functools.update_wrapper(self, function)

    def __call__(self, *given: object) -> object:
        return self.ready(*given)

    def __getattr__(self, name: str) -> object:
        """Show what numba's own object shows, such as its signatures."""
        if name == "ready":
            with _lock:
                if name not in vars(self):  # another thread may have been first
                    self.ready: Callable[..., object] = _compiled(self.function, from_python=self.from_python)
            return self.ready
        return getattr(self.ready, name)


_known: list[_LateKernel] = []
_lock = threading.RLock()


def settle_names() -> None:
    """Before the first kernel is compiled: let kernels find numba's own objects under each other's names."""
    for kernel in _known:
        names = kernel.function.__globals__
        names |= {name: found.ready for name, found in names.items() if isinstance(found, _LateKernel)}


def _compiled(function: Callable[..., object], *, from_python: bool) -> Callable[..., object]:
    import numba

    settings = vars(numba.config)
    if settings.get("DISABLE_JIT"):
        return _interpreted(function)
    from sfumato.kernels._caching import Cache, CacheOfParts
    from sfumato.kernels._group_types import IS_KNOWN
    from sfumato.kernels._parts import KernelCompiler, PartCompiler, call_template

    # Numba chooses the place of the cache while it decorates; what others compile keeps its own.
    before = settings.get("CACHE_DIR")
    settings["CACHE_DIR"] = str(cache_folder())
    # Numba's types do not know all of its options.
    compiled = cast("Callable[..., Callable[[Callable[..., object]], Callable[..., object]]]", numba.njit)
    try:
        compiler = {"pipeline_class": KernelCompiler if from_python else PartCompiler} if IS_KNOWN else {}
        made = compiled(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=not from_python, **compiler)(
            function
        )
        if IS_KNOWN:
            vars(made)["get_call_template"] = functools.partial(call_template, made)
        # What cache=True does, with numba's own class.
        vars(made)["_cache"] = (Cache if from_python or not IS_KNOWN else CacheOfParts)(
            function, before_compiling=settle_names
        )
        return made
    finally:
        settings["CACHE_DIR"] = before


def _interpreted(function: Callable[..., object]) -> Callable[..., object]:
    # 64-bit keys wrap around as they do compiled, and NumPy would warn of it.
    return np.errstate(over="ignore")(function)


@functools.cache
def cache_folder() -> Path:
    """Return the folder of the compiled kernels, one for each state of their sources.

    Numba notices changes of a kernel's own file alone, and fails on what an
    older version of the package left behind; a folder named after all sources does neither. It
    lies where ``NUMBA_CACHE_DIR`` says, else beside the sources, else in the user's
    cache, and where none of these can be written in a private temporary folder, where
    nobody else can plant compiled code.
    """
    from numba import config

    name = PREFIX + _digest()
    asked = vars(config).get("CACHE_DIR")
    beside = HERE / "__pycache__"
    for parent in [Path(asked)] if asked else [beside, *_home()]:
        if (parent / name).is_dir() or _is_writable(parent):
            if parent == beside:
                _forget_others(parent, name)
            return parent / name
    return Path(tempfile.mkdtemp(prefix=PREFIX))


def _digest() -> str:
    """Return a short hash of all kernel sources."""
    digest = hashlib.sha256()
    for path in sorted(HERE.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _home() -> list[Path]:
    """Return the user's cache folder, if there is a home."""
    with contextlib.suppress(RuntimeError):
        return [Path.home() / ".cache" / "sfumato"]
    return []


def _is_writable(folder: Path) -> bool:
    """Tell whether a file can be made in ``folder``, trying it for real."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _forget_others(parent: Path, name: str) -> None:
    """Remove what other states of the sources left beside them, unless a process may still use it."""
    for path in parent.glob(PREFIX + "*"):
        with contextlib.suppress(OSError):
            if path.name != name and time.time() - path.stat().st_mtime > IN_USE_S:
                shutil.rmtree(path, ignore_errors=True)
