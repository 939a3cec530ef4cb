"""Sfumato: the whole trade-off between privacy and utility of a table, and releases that keep their promise.

Examples
--------
>>> import sfumato as sf
>>> spec = sf.Spec.load(sf.datasets.adult_spec_path())
>>> front = sf.explore(sf.datasets.adult(), spec)  # doctest: +SKIP
>>> front.pick("k >= 10").release().write("adult-k10.csv")  # doctest: +SKIP
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sfumato import datasets, microaggregation
    from sfumato.api import (
        anonymize,
        check,
        explore,
        measure,
        microaggregate,
        release_solution,
        risk,
        verify,
        warm_up,
    )
    from sfumato.comparing import compare
    from sfumato.errors import (
        DataError,
        HierarchyError,
        InfeasibleError,
        OutputError,
        ParameterError,
        SfumatoError,
        SpecError,
        VerificationError,
    )
    from sfumato.microaggregating import Microaggregated
    from sfumato.releases import Recipe, Release
    from sfumato.results import Front, Solution
    from sfumato.spec import Spec
    from sfumato.suggesting import suggest

__version__ = "0.1.0"

# Heavy libraries are imported when a name is first used, so that importing the package costs little.
_NAMES = {
    "api": "anonymize check explore measure microaggregate release_solution risk verify warm_up",
    "comparing": "compare",
    "errors": "DataError HierarchyError InfeasibleError OutputError ParameterError SfumatoError SpecError "
    "VerificationError",
    "microaggregating": "Microaggregated",
    "releases": "Recipe Release",
    "results": "Front Solution",
    "spec": "Spec",
    "suggesting": "suggest",
}
_HOME = {name: f"sfumato.{room}" for room, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name in ("datasets", "microaggregation"):
        return importlib.import_module(f"sfumato.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'sfumato' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "DataError",
    "Front",
    "HierarchyError",
    "InfeasibleError",
    "Microaggregated",
    "OutputError",
    "ParameterError",
    "Recipe",
    "Release",
    "SfumatoError",
    "Solution",
    "Spec",
    "SpecError",
    "VerificationError",
    "__version__",
    "anonymize",
    "check",
    "compare",
    "datasets",
    "explore",
    "measure",
    "microaggregate",
    "microaggregation",
    "release_solution",
    "risk",
    "suggest",
    "verify",
    "warm_up",
]
