"""All searches by name, and which one suits a problem."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sfumato.errors import ParameterError, nearest
from sfumato.search.exhaustive import search_exhaustive
from sfumato.search.optimal import search_optimal
from sfumato.search.pbg_ea import PbgParameters, search_pbg_ea

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sfumato.classes import Batch
    from sfumato.search.monitor import Monitor
    from sfumato.search.problem import Problem
    from sfumato.search.result import SearchResult

ENUMERABLE = 20_000_000_000
"""Work (recodings × distinct tuples) up to which ``auto`` enumerates: about a minute on two cores."""


@dataclass(frozen=True)
class SearchSettings:
    """What a user may say about a search.

    Parameters
    ----------
    seed
        Where random choices start.
    parameters
        Name → value of parameters of evolutionary searches, those left out at the method's own.
    """

    seed: int = 1
    parameters: Mapping[str, object] = field(default_factory=dict)


def _run_exhaustive(problem: Problem, batch: Batch, monitor: Monitor, _: SearchSettings) -> SearchResult:
    return search_exhaustive(problem, batch, monitor)


def _run_optimal(problem: Problem, batch: Batch, monitor: Monitor, _: SearchSettings) -> SearchResult:
    return search_optimal(problem, batch, monitor)


def _run_pbg_ea(problem: Problem, batch: Batch, monitor: Monitor, settings: SearchSettings) -> SearchResult:
    parameters = PbgParameters(**settings.parameters)  # type: ignore[arg-type]
    return search_pbg_ea(problem, batch, monitor, seed=settings.seed, parameters=parameters)


METHODS: dict[str, Callable[[Problem, Batch, Monitor, SearchSettings], SearchResult]] = {
    "exhaustive": _run_exhaustive,
    "optimal": _run_optimal,
    "pbg-ea": _run_pbg_ea,
}


def choose_method(problem: Problem, asked: str = "auto") -> tuple[str, str]:
    """Decide by counted work, never by the clock, how to search.

    Parameters
    ----------
    problem
        What is to be solved.
    asked
        A method's name, or ``auto``.

    Returns
    -------
    tuple
        The method and the reason in words.

    Raises
    ------
    ParameterError
        If there is no such method, or it does not fit the objectives.
    """
    if asked not in ("auto", *METHODS):
        raise ParameterError(f"there is no search method {asked!r}. {nearest(asked, ['auto', *METHODS])}")
    if asked == "optimal" and len(problem.objectives) > 1:
        raise ParameterError(
            "'optimal' finds one best solution; name one objective, or use 'auto' for a front."
        )
    if asked != "auto":
        return asked, "asked for"
    if len(problem.objectives) == 1:
        return "optimal", "one objective: the pruned search proves its optimum"
    space, distinct = problem.lattice.size, problem.cube.distinct
    work = f"{space:,} recodings × {distinct:,} tuples = {space * distinct:.3g} steps"
    if is_enumerable(problem):
        return "exhaustive", f"{work} can be enumerated (at most {ENUMERABLE:.3g})"
    return "pbg-ea", f"{work} are too many to enumerate (more than {ENUMERABLE:.3g})"


def is_enumerable(problem: Problem) -> bool:
    """Tell whether ``auto`` would enumerate the space."""
    return problem.lattice.size * problem.cube.distinct <= ENUMERABLE


__all__ = ["METHODS", "SearchSettings", "choose_method", "is_enumerable"]
