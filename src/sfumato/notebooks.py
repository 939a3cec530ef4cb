"""In a notebook: objects that show themselves, and progress below the cell."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any, ClassVar


class ShownInNotebook:
    """Shows itself as tables and figures; which ones, a function of `sfumato.report.notebook` says."""

    shown_by: ClassVar[str]

    def _repr_html_(self) -> str:
        # Reports stand above everything that they show, so they are only imported when a notebook asks.
        show = getattr(importlib.import_module("sfumato.report.notebook"), self.shown_by)
        return str(show(self))


def notebook_callback() -> Callable[[Any], None] | None:
    """Return what shows progress below the cell of a notebook; None anywhere else."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if type(shell).__name__ != "ZMQInteractiveShell":
        return None
    display, line = importlib.import_module("IPython.display").display, None

    def show(progress: Any) -> None:
        nonlocal line
        words = f"{100 * progress.fraction:.0f} %, {progress.evaluated:,} evaluated, {progress.seconds:.0f} s"
        shown = {"text/plain": words}
        if line is not None:
            line.update(shown, raw=True)
        elif progress.seconds >= 1:  # what is quick needs no progress
            line = display(shown, raw=True, display_id=True)

    return show
