"""Which studies there are. One is imported when it is asked for: each needs other libraries."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studies.common.study import Study

MODULES = {
    "gomm": "studies.gomm.study",
    "granulation": "studies.granulation.study",
    "nsga2": "studies.nsga2.study",
    "optimal": "studies.optimal.study",
    "pbg-ea": "studies.pbg_ea.study",
}
"""Name on the command line → module that holds ``STUDY``."""


def load_study(name: str) -> Study:
    """Return a study by name."""
    study: Study = import_module(MODULES[name]).STUDY
    return study


__all__ = ["MODULES", "load_study"]
