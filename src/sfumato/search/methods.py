"""All searches by name, and which one suits a problem."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import partial
from typing import TYPE_CHECKING

from sfumato.errors import ParameterError, nearest
from sfumato.front import count_text
from sfumato.search.exhaustive import search_exhaustive
from sfumato.search.granulation_ga import GranulationParameters, search_granulation_ga
from sfumato.search.lattice import pruning_words, search_lattice
from sfumato.search.optimal import search_optimal
from sfumato.search.pbg_ea import PbgParameters, search_pbg_ea
from sfumato.search.problem import LISTED, refuse_unlisted, unbounded_message
from sfumato.search.pymoo_adapter import ALGORITHMS, EvolutionParameters, compile_pymoo, search_pymoo

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from sfumato.classes import Batch
    from sfumato.monitor import Monitor
    from sfumato.search.problem import Problem, SearchResult

ENUMERABLE = 20_000_000_000
"""Work (recodings × distinct tuples) up to which ``auto`` enumerates: about a minute on two cores."""

CELLS = 100_000_000
"""Partitions × values of one attribute up to which ``auto`` lists them all."""

MOST_NODES = 2**62
"""Recodings that can be numbered."""


OBJECTIVES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "lattice": ((), ("loss",)),
    "granulation-ga": (("sf", "ql"), ()),
}
"""What methods maximize and minimize where a specification names no objectives."""


@dataclass(frozen=True)
class SearchSettings:
    """What a user may say about a search."""

    seed: int = 1  # where random choices start
    # name → value of parameters of evolutionary searches, those left out at the method's own
    parameters: Mapping[str, object] = field(default_factory=dict)
    # a file in which a search that can be resumed keeps how far it came, or None
    checkpoint: Path | None = None
    threads: int | None = None  # workers; all cores where None


def _run_exhaustive(problem: Problem, batch: Batch, monitor: Monitor, _: SearchSettings) -> SearchResult:
    return search_exhaustive(problem, batch, monitor)


def _run_optimal(problem: Problem, batch: Batch, monitor: Monitor, settings: SearchSettings) -> SearchResult:
    if problem.schemes is None:
        return search_optimal(problem, batch, monitor)
    from sfumato.search.branch_and_bound import search_branch_and_bound

    return search_branch_and_bound(
        problem, monitor, seed=settings.seed, checkpoint=settings.checkpoint, threads=settings.threads
    )


def _run_pbg_ea(problem: Problem, batch: Batch, monitor: Monitor, settings: SearchSettings) -> SearchResult:
    parameters = PbgParameters(**_known(PbgParameters, settings))  # type: ignore[arg-type]
    return search_pbg_ea(problem, batch, monitor, seed=settings.seed, parameters=parameters)


def _run_pymoo(
    problem: Problem, batch: Batch, monitor: Monitor, settings: SearchSettings, *, name: str
) -> SearchResult:
    parameters = EvolutionParameters(**_known(EvolutionParameters, settings))  # type: ignore[arg-type]
    return search_pymoo(problem, batch, monitor, algorithm=name, seed=settings.seed, parameters=parameters)


def _run_lattice(problem: Problem, batch: Batch, monitor: Monitor, settings: SearchSettings) -> SearchResult:
    variant = str(settings.parameters.get("variant", "incognito"))
    return search_lattice(problem, monitor, variant=variant, threads=batch.threads)


def _run_granulation_ga(
    problem: Problem, batch: Batch, monitor: Monitor, settings: SearchSettings
) -> SearchResult:
    parameters = GranulationParameters(**_known(GranulationParameters, settings))  # type: ignore[arg-type]
    return search_granulation_ga(problem, batch, monitor, seed=settings.seed, parameters=parameters)


def _known(
    kind: type[PbgParameters | EvolutionParameters | GranulationParameters], settings: SearchSettings
) -> dict[str, object]:
    """Return the parameters that a method has; those of other methods do not concern it."""
    names = {item.name for item in fields(kind)}
    return {name: value for name, value in settings.parameters.items() if name in names}


def compile_method(method: str, problem: Problem, batch: Batch) -> None:
    """Have the kernels of a method ready, so that compiling takes none of its time."""
    batch.compile()
    if method == "optimal" and problem.schemes is not None:
        from sfumato.search.branch_and_bound import compile_branch_and_bound

        compile_branch_and_bound()
    if method in ALGORITHMS:
        compile_pymoo(problem, method)


METHODS: dict[str, Callable[[Problem, Batch, Monitor, SearchSettings], SearchResult]] = {
    "exhaustive": _run_exhaustive,
    "optimal": _run_optimal,
    "lattice": _run_lattice,
    "pbg-ea": _run_pbg_ea,
    "granulation-ga": _run_granulation_ga,
    **{name: partial(_run_pymoo, name=name) for name in ALGORITHMS},
}


def choose_method(problem: Problem, asked: str = "auto") -> tuple[str, str]:
    """Decide by counted work, never by the clock, how to search."""
    if asked not in ("auto", *METHODS):
        raise ParameterError(f"there is no search method {asked!r}. {nearest(asked, ['auto', *METHODS])}")
    if asked == "optimal" and len(problem.objectives) > 1:
        raise ParameterError(
            "'optimal' finds one best solution; name one objective, or use 'auto' for a front."
        )
    if asked != "auto":
        _refuse_unfit(problem, asked)
        return asked, f"asked for; {pruning_words(problem)}" if asked == "lattice" else "asked for"
    if len(problem.objectives) == 1 and _is_bounded(problem):
        return "optimal", "one objective: the pruned search proves its optimum"
    space, distinct = problem.space, problem.cube.distinct
    work = f"{count_text(space)} recodings × {distinct:,} tuples"
    work += f" = {space * distinct:.3g} steps" if space < MOST_NODES else ""
    if is_enumerable(problem):
        return "exhaustive", f"{work} can be enumerated (at most {ENUMERABLE:.3g})"
    method = "pbg-ea" if problem.schemes is None else "nsga2"
    return method, f"{work} are too many to enumerate (more than {ENUMERABLE:.3g})"


def _is_bounded(problem: Problem) -> bool:
    """Tell whether the pruned search has a bound for the first objective."""
    return problem.schemes is None or problem.objectives[0].penalties(problem.cube) is not None


def _refuse_unfit(problem: Problem, asked: str) -> None:
    """Raise ParameterError where a method cannot search the space."""
    if asked == "lattice" and not problem.requirements:
        raise ParameterError(
            "'lattice' lists the most specific recodings that meet what is required, and nothing is. Add "
            "[require] with, for example, k = 5."
        )
    if asked == "optimal" and problem.objectives and not _is_bounded(problem):
        raise ParameterError(unbounded_message(problem.objectives[0]))
    if problem.schemes is not None and asked == "pbg-ea":
        raise ParameterError(
            f"{asked!r} searches levels alone, and an attribute has another scheme. "
            "Use 'optimal', 'exhaustive', 'nsga2' or 'auto'."
        )
    if asked in ALGORITHMS and asked != "nsga2" and len(problem.objectives) == 1:
        raise ParameterError(f"{asked!r} needs two objectives or more. Name another one, or use 'nsga2'.")
    if asked in ("exhaustive", "lattice") and problem.space > MOST_NODES:
        raise ParameterError(
            f"{count_text(problem.space)} recodings cannot be enumerated. Use another method."
        )
    if asked in ("exhaustive", "lattice", "granulation-ga"):
        for scheme, name in zip(problem.schemes or (), problem.cube.quasi_identifiers, strict=False):
            refuse_unlisted(scheme, name)


def is_enumerable(problem: Problem) -> bool:
    """Tell whether ``auto`` would enumerate the space."""
    if problem.space * problem.cube.distinct > ENUMERABLE:
        return False
    counted = zip(problem.schemes or (), problem.cube.sizes, strict=False)
    return all(scheme.count() <= LISTED and scheme.count() * size <= CELLS for scheme, size in counted)
