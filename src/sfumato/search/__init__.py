"""Searches for recodings."""

from sfumato.search.exhaustive import search_exhaustive
from sfumato.search.monitor import Callback, Monitor, Progress
from sfumato.search.nearest import explain_infeasible
from sfumato.search.optimal import search_optimal
from sfumato.search.problem import Problem, Requirement, choose_rule
from sfumato.search.result import SearchResult, Status
from sfumato.search.single import measure_cube, warm_up_kernels

__all__ = [
    "Callback",
    "Monitor",
    "Problem",
    "Progress",
    "Requirement",
    "SearchResult",
    "Status",
    "choose_rule",
    "explain_infeasible",
    "measure_cube",
    "search_exhaustive",
    "search_optimal",
    "warm_up_kernels",
]
