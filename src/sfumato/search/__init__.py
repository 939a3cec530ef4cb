"""Searches for recodings."""

from sfumato.monitor import Callback, Monitor, Progress
from sfumato.search.checkpoint import fingerprint
from sfumato.search.descent import DescentParameters, search_descent
from sfumato.search.exhaustive import search_exhaustive
from sfumato.search.granulation_ga import GranulationParameters, search_granulation_ga
from sfumato.search.lattice_search import LatticeParameters, search_lattice
from sfumato.search.ledger import Run
from sfumato.search.methods import (
    METHODS,
    OBJECTIVES,
    SearchSettings,
    choose_method,
    compile_method,
    is_enumerable,
    unused_words,
)
from sfumato.search.near import (
    Near,
    collect_near,
    draw_near,
    explain_infeasible,
    nearest_classes,
    secret_generator,
)
from sfumato.search.optimal import search_optimal
from sfumato.search.pbg_ea import PbgParameters, search_pbg_ea
from sfumato.search.problem import (
    Problem,
    Requirement,
    SearchResult,
    Status,
    choose_rule,
    measure_cube,
    warm_up_kernels,
)

__all__ = [
    "METHODS",
    "OBJECTIVES",
    "Callback",
    "DescentParameters",
    "GranulationParameters",
    "LatticeParameters",
    "Monitor",
    "Near",
    "PbgParameters",
    "Problem",
    "Progress",
    "Requirement",
    "Run",
    "SearchResult",
    "SearchSettings",
    "Status",
    "choose_method",
    "choose_rule",
    "collect_near",
    "compile_method",
    "draw_near",
    "explain_infeasible",
    "fingerprint",
    "is_enumerable",
    "measure_cube",
    "nearest_classes",
    "search_descent",
    "search_exhaustive",
    "search_granulation_ga",
    "search_lattice",
    "search_optimal",
    "search_pbg_ea",
    "secret_generator",
    "unused_words",
    "warm_up_kernels",
]
