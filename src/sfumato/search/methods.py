"""All searches by name, and which one suits a problem."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import ParameterError, nearest
from sfumato.front import count_text, non_dominated
from sfumato.search.descent import DescentParameters, search_descent
from sfumato.search.exhaustive import search_exhaustive
from sfumato.search.granulation_ga import GranulationParameters, search_granulation_ga
from sfumato.search.lattice_search import LatticeParameters, pruning_words, search_lattice
from sfumato.search.ledger import Run
from sfumato.search.optimal import search_optimal
from sfumato.search.pbg_ea import PbgParameters, box_archive, compile_pbg_ea, search_pbg_ea
from sfumato.search.problem import LISTED, refuse_unlisted, unbounded_message
from sfumato.search.pymoo_adapter import ALGORITHMS, EvolutionParameters, compile_pymoo, search_pymoo
from sfumato.search.techniques import PrintedParameters, Techniques
from sfumato.words import list_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from sfumato.classes import Batch
    from sfumato.monitor import Monitor
    from sfumato.search.problem import Problem, SearchResult

ENUMERABLE = 20_000_000_000
"""Work (recodings × distinct tuples) up to which ``auto`` enumerates: about a minute on two cores."""

PROVABLE = 200_000_000_000
"""Work up to which ``auto`` proves the best levels: boxes leave most of it out."""

CELLS = 100_000_000
"""Partitions × values of one attribute up to which ``auto`` lists them all."""

MOST_NODES = 2**62
"""Recodings that can be numbered."""


OBJECTIVES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "lattice": ((), ("loss",)),
    "granulation-ga": (("sf", "ql"), ()),
}
"""What methods maximize and minimize if a specification names no objectives."""


@dataclass(frozen=True)
class SearchSettings:
    """What a user may say about a search."""

    seed: int = 1  # where random choices start
    # name → value of parameters of evolutionary searches, those left out at the method's own
    parameters: Mapping[str, object] = field(default_factory=dict)
    # a file in which a search that can be resumed keeps how far it came, or None
    checkpoint: Path | None = None
    threads: int | None = None  # workers; all cores where None


@dataclass(frozen=True)
class Method:
    """One way to search a problem, and which problems it suits."""

    search: Callable[[Problem, Run], SearchResult]
    parameters: type[Any] | None = None  # the class of its parameters, where it has some
    lists: bool = False  # lists all partitions of an attribute
    numbers: bool = False  # numbers all recodings
    levels_alone: bool = False
    partitions_alone: bool = False
    least_objectives: int = 1
    compile: Callable[[Problem], None] | None = None  # has further kernels ready than those of a batch

    @property
    def used(self) -> frozenset[str]:
        """Names of the parameters that the search itself uses."""
        return frozenset(() if self.parameters is None else (item.name for item in fields(self.parameters)))

    def __call__(
        self, problem: Problem, batch: Batch, monitor: Monitor, settings: SearchSettings
    ) -> SearchResult:
        """Search as a user says."""
        parameters, given = None, settings.parameters
        if self.parameters is not None:
            parameters = self.parameters(**{name: given[name] for name in given if name in self.used})
        run = Run(monitor, settings.seed, settings.threads, settings.checkpoint, parameters, batch)
        found = self.search(problem, run)
        widths = given.get("boxes")
        return found if "boxes" in self.used or not widths else _represent(problem, found, widths)


def _represent(problem: Problem, found: SearchResult, widths: Any) -> SearchResult:
    """Keep one solution in each box of a front."""
    archive = box_archive(problem, widths)
    archive.offer(problem.indices(problem.batch(threads=1, lattice=found.lattice).evaluate(found.nodes)))
    return replace(found, nodes=found.nodes[archive.members])


def _search_optimal(problem: Problem, run: Run) -> SearchResult:
    if problem.schemes is None:
        if run.parameters_of(Techniques) != Techniques():
            raise ParameterError(
                "the techniques of 'optimal' are for partitions, but every attribute has the scheme 'levels'."
                " Remove them."
            )
        return search_optimal(problem, run)
    from sfumato.search.branch_and_bound import search_branch_and_bound

    return search_branch_and_bound(problem, run)


def _search_printed(problem: Problem, run: Run, *, way: str) -> SearchResult:
    from sfumato.search.printed import SEARCHES

    return SEARCHES[way](problem, run).search()


def _compile_recodings(problem: Problem) -> None:
    problem.recodings(threads=1).compile()


def _compile_optimal(problem: Problem) -> None:
    if problem.schemes is not None:
        from sfumato.search.branch_and_bound import compile_branch_and_bound

        compile_branch_and_bound()


METHODS: dict[str, Method] = {
    "exhaustive": Method(search_exhaustive, lists=True, numbers=True),
    "optimal": Method(_search_optimal, Techniques, compile=_compile_optimal),
    **{
        way: Method(
            partial(_search_printed, way=way),
            PrintedParameters,
            partitions_alone=True,
            compile=_compile_recodings,
        )
        for way in ("bottom-up", "top-down")
    },
    "descent": Method(search_descent, DescentParameters, levels_alone=True),
    "lattice": Method(search_lattice, LatticeParameters, lists=True, numbers=True),
    "pbg-ea": Method(search_pbg_ea, PbgParameters, levels_alone=True, compile=compile_pbg_ea),
    "granulation-ga": Method(search_granulation_ga, GranulationParameters, lists=True),
    **{
        name: Method(
            partial(search_pymoo, algorithm=name),
            EvolutionParameters,
            least_objectives=1 if name == "nsga2" else 2,
            compile=partial(compile_pymoo, algorithm=name),
        )
        for name in ALGORITHMS
    },
}


def unused_words(method: str, given: Iterable[str]) -> tuple[str, str] | None:
    """Name the first parameter that a method does not use, and say which methods do; None if it uses all."""
    for name in given:
        if name not in METHODS[method].used and name != "boxes":
            users = list_words([repr(other) for other, known in METHODS.items() if name in known.used])
            return name, f"{name} is not used by the search {method!r}, only by {users}."
    return None


def compile_method(method: str, problem: Problem, batch: Batch) -> None:
    """Have the kernels of a method ready, so that compiling takes none of its time."""
    batch.compile()
    non_dominated(np.zeros((1, len(problem.objectives))))
    compile_more = METHODS[method].compile
    if compile_more is not None:
        compile_more(problem)


def choose_method(problem: Problem, asked: str = "auto") -> tuple[str, str]:
    """Decide by counted work, never by the clock, how to search."""
    if asked not in ("auto", *METHODS):
        raise ParameterError(f"there is no search method {asked!r}. {nearest(asked, ['auto', *METHODS])}")
    if asked in ("optimal", "descent", "bottom-up", "top-down") and len(problem.objectives) > 1:
        raise ParameterError(
            f"{asked!r} finds one best solution; name one objective, or use 'auto' for a front."
        )
    if asked != "auto":
        _refuse_unfit(problem, asked)
        return asked, f"asked for; {pruning_words(problem)}" if asked == "lattice" else "asked for"
    space, distinct = problem.space, problem.cube.distinct
    work = f"{count_text(space)} recodings × {distinct:,} tuples"
    work += f" = {space * distinct:.3g} steps" if space < MOST_NODES else ""
    if len(problem.objectives) == 1 and _is_bounded(problem):
        if problem.schemes is None and space * distinct > PROVABLE:
            return (
                "descent",
                f"one objective: {work} are too many to rely on a proof (more than {PROVABLE:.3g})",
            )
        return "optimal", "one objective: the pruned search proves its optimum"
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
            "'lattice' lists the most specific recodings that meet the requirements, but there are none. Add "
            "[require] with, for example, k = 5."
        )
    if asked in ("optimal", "bottom-up", "top-down") and problem.objectives and not _is_bounded(problem):
        raise ParameterError(unbounded_message(problem.objectives[0]))
    method = METHODS[asked]
    if problem.schemes is not None and method.levels_alone:
        raise ParameterError(
            f"{asked!r} searches only levels, but an attribute has another scheme. "
            "Use 'optimal', 'exhaustive', 'nsga2' or 'auto'."
        )
    if problem.schemes is None and method.partitions_alone:
        raise ParameterError(
            f"{asked!r} searches partitions, but every attribute has the scheme 'levels'. Use 'optimal'."
        )
    if len(problem.objectives) == 1 < method.least_objectives:
        raise ParameterError(f"{asked!r} needs two objectives or more. Name another one, or use 'nsga2'.")
    if method.numbers and problem.space > MOST_NODES:
        raise ParameterError(
            f"{count_text(problem.space)} recodings cannot be enumerated. Use another method."
        )
    if method.lists:
        for scheme, name in zip(problem.schemes or (), problem.cube.quasi_identifiers, strict=False):
            refuse_unlisted(scheme, name)


def is_enumerable(problem: Problem) -> bool:
    """Tell whether ``auto`` would enumerate the space."""
    if problem.space * problem.cube.distinct > ENUMERABLE:
        return False
    counted = zip(problem.schemes or (), problem.cube.sizes, strict=False)
    return all(scheme.count() <= LISTED and scheme.count() * size <= CELLS for scheme, size in counted)
