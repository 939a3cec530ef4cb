"""How compiled kernels are kept on disk and found again."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.runtime.nrt import rtsys

from sfumato.kernels._group_types import IS_KNOWN
from sfumato.kernels._parts import KernelCache, PartCache

if TYPE_CHECKING:
    from collections.abc import Callable


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


class Cache(FunctionCache):
    """A cache that never stops a run: what is damaged is forgotten and compiled again.

    Only lists are emptied, and these are replaced whole: processes that mend at the same time lose at most
    each other's entries.
    """

    _impl_class = KernelCache if IS_KNOWN else CompileResultCacheImpl

    def __init__(self, function: object, before_compiling: Callable[[], None]) -> None:
        super().__init__(function)
        self._before_compiling = before_compiling
        old = self._cache_file
        self._cache_file = _Files.__new__(_Files)
        vars(self._cache_file).update(vars(old))

    def load_overload(self, sig: object, target_context: object) -> object:
        try:
            found = self._find(sig, target_context)
        except Exception:  # damaged files fail in as many ways as there are bytes
            self._forget()
            found = None
        if found is None:
            self._before_compiling()
        return found

    def _find(self, sig: object, target_context: object) -> object:
        if not IS_KNOWN:
            return super().load_overload(sig, target_context)
        # What is compiled already needs the runtime, and none of what numba knows of types and functions,
        # which takes most of a second to load; a kernel that is to be compiled loads that then.
        rtsys.initialize(target_context)
        return self._load_overload(sig, target_context)

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


class CacheOfParts(Cache):
    """The same for what only kernels call."""

    _impl_class = PartCache
