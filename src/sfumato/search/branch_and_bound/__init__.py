"""Branch and bound over any mix of schemes: one proven best recoding."""

from sfumato.search.branch_and_bound.bounded_search import compile_branch_and_bound, search_branch_and_bound
from sfumato.search.techniques import DIRECTIONS, Techniques

__all__ = ["DIRECTIONS", "Techniques", "compile_branch_and_bound", "search_branch_and_bound"]
