"""How kernels are compiled and where they are kept: the one place that says so."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import numba
import numpy as np
from numba.core.caching import FunctionCache, IndexDataCacheFile

from sfumato.kernels._groups import IS_KNOWN
from sfumato.kernels._parts import KernelCompiler, PartCache, PartCompiler

if TYPE_CHECKING:
    from collections.abc import Callable

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
    return inner(function) if function.__name__.startswith("_") else _compiled(function, from_python=True)


def inner(function: Kernel) -> Kernel:
    """Compile a function that only other kernels call, as a part of these; Python must not call it."""
    return _compiled(function, from_python=False)


def _compiled(function: Kernel, *, from_python: bool) -> Kernel:
    settings = vars(numba.config)
    if settings.get("DISABLE_JIT"):
        # Interpreted, 64-bit keys wrap around as they do compiled, and NumPy would warn of it.
        return np.errstate(over="ignore")(function)
    # Numba chooses the place of the cache while it decorates; what others compile keeps its own.
    before = settings.get("CACHE_DIR")
    settings["CACHE_DIR"] = str(cache_folder())
    # Numba's types do not know all of its options.
    compiled = cast("Callable[..., Callable[[Kernel], Kernel]]", numba.njit)
    try:
        compiler = {"pipeline_class": KernelCompiler if from_python else PartCompiler} if IS_KNOWN else {}
        made = compiled(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=not from_python, **compiler)(
            function
        )
        # What cache=True does, with numba's own class.
        vars(made)["_cache"] = (_Cache if from_python or not IS_KNOWN else _CacheOfParts)(function)
        return made
    finally:
        settings["CACHE_DIR"] = before


class _Files(IndexDataCacheFile):
    """The cache of one kernel on disk: what was not written whole, or is another kernel's, is not read.

    Numba links whatever its files hold, and lists data before they are written: a killed process may leave
    a list that names the data of another signature.
    """

    def save(self, key: object, data: object) -> None:
        super().save(key, (str(key), data))

    def load(self, key: object) -> object:
        found = super().load(key)
        return found[1] if found is not None and found[0] == str(key) else None

    def _dump(self, obj: object) -> bytes:
        raw: bytes = super()._dump(obj)
        return raw + hashlib.sha256(raw).digest()  # readers stop where the data end

    def _load_data(self, name: str) -> object:
        raw = Path(self._data_path(name)).read_bytes()
        if hashlib.sha256(raw[:-32]).digest() != raw[-32:]:
            raise EOFError(name)
        return super()._load_data(name)


class _Cache(FunctionCache):
    """A cache that never stops a run: what is damaged is forgotten and compiled again.

    Only lists are emptied, and these are replaced whole: processes that mend at the same time lose at most
    each other's entries.
    """

    def __init__(self, function: object) -> None:
        super().__init__(function)
        old = self._cache_file
        self._cache_file = _Files.__new__(_Files)
        vars(self._cache_file).update(vars(old))

    def load_overload(self, sig: object, target_context: object) -> object:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # damaged files fail in as many ways as there are bytes
            self._forget()
            return None

    def save_overload(self, sig: object, data: object) -> None:
        try:
            super().save_overload(sig, data)
        except Exception:
            self._forget()

    def _forget(self) -> None:
        try:
            self.flush()
        except OSError:  # not ours to write, or the disk is full
            self.disable()


class _CacheOfParts(_Cache):
    """The same for what only kernels call."""

    _impl_class: type[PartCache] = PartCache  # type: ignore[assignment]


@functools.cache
def cache_folder() -> Path:
    """Return the folder of the compiled kernels, one for each state of their sources.

    Numba notices changes of a kernel's own file alone, and fails on what an
    older version of the package left behind; a folder named after all sources does neither. It
    lies where ``NUMBA_CACHE_DIR`` says, else beside the sources, else in the user's
    cache, and where none of these can be written in a private temporary folder, where
    nobody else can plant compiled code.
    """
    name = PREFIX + _digest()
    asked = vars(numba.config).get("CACHE_DIR")
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
