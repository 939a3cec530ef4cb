"""How kernels are compiled: the one place that says so."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import numba
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    Kernel = TypeVar("Kernel", bound=Callable[..., object])


def _is_writable(folder: Path) -> bool:
    """Tell whether a file can be made in ``folder``, trying it for real."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _ensure_cache_folder() -> None:
    """Give the compiler a place for its cache where it would find none.

    Numba keeps compiled kernels beside the sources, else in the user's home,
    and refuses to import where neither can be written. A private temporary
    folder is used then: nobody else can plant compiled code there.
    """
    if getattr(numba.config, "CACHE_DIR", "") or _is_writable(Path(__file__).parent / "__pycache__"):
        return
    home = Path(os.path.expanduser("~"))
    if home.is_absolute() and _is_writable(home / ".cache" / "numba"):
        return
    # Numba's settings are attributes made while it is imported, which type checkers cannot see.
    vars(numba.config)["CACHE_DIR"] = tempfile.mkdtemp(prefix="sfumato-kernels-")


_ensure_cache_folder()


def kernel(function: Kernel) -> Kernel:
    """Compile a function to run without the interpreter's lock, cached on disk.

    No ``parallel=True``: threads come from one executor, so that two callers
    never share a threading layer. No fast-math: exact ties decide.
    """
    if getattr(numba.config, "DISABLE_JIT", 0):
        # Interpreted, 64-bit keys wrap around as they do compiled, and NumPy would warn of it.
        return np.errstate(over="ignore")(function)
    return cast("Kernel", numba.njit(nogil=True, cache=True)(function))


__all__ = ["kernel"]
