"""Local recoding: classes of whole tuples, each with its own labels, and how far they are from the best."""

from sfumato.local.class_search import AnnealingState, search_classes
from sfumato.local.label_arrays import make_solution
from sfumato.local.label_spaces import LabelKind, LabelSpace
from sfumato.local.local_problem import LocalProblem, LocalSolution
from sfumato.local.lower_bound import bound_cost, compile_kernels, has_trees

__all__ = [
    "AnnealingState",
    "LabelKind",
    "LabelSpace",
    "LocalProblem",
    "LocalSolution",
    "bound_cost",
    "compile_kernels",
    "has_trees",
    "make_solution",
    "search_classes",
]
