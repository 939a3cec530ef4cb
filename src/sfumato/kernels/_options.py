"""How kernels are compiled: the one place that says so."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numba
from numba.core import config as _config

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
    if _config.CACHE_DIR or _is_writable(Path(__file__).parent / "__pycache__"):
        return
    home = Path(os.path.expanduser("~"))
    if home.is_absolute() and _is_writable(home / ".cache" / "numba"):
        return
    _config.CACHE_DIR = tempfile.mkdtemp(prefix="sfumato-kernels-")


_ensure_cache_folder()


def kernel(function: Kernel) -> Kernel:
    """Compile a function to run without the interpreter's lock, cached on disk.

    No ``parallel=True``: threads come from one executor, so that two callers
    never share a threading layer. No fast-math: exact ties decide.
    """
    return numba.njit(nogil=True, cache=True)(function)  # type: ignore[no-any-return]


__all__ = ["kernel"]
