"""A recipe on new data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sfumato.domains import Ladder, Lattice
from sfumato.errors import InfeasibleError
from sfumato.hierarchies import rebuild
from sfumato.preparing import Prepared, make_problem, prepare
from sfumato.spec import Spec
from sfumato.table import code_table, open_source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.hierarchies import Hierarchy, Value
    from sfumato.release.recipe import Recipe, RecipeAttribute
    from sfumato.search import Problem
    from sfumato.table import MakeHierarchy


def recipe_problem(recipe: Recipe, data: object, unknown: Literal["error", "*"]) -> tuple[Prepared, Problem]:
    """Code new data as a recipe says; the lattice holds its one node.

    Raises
    ------
    HierarchyError
        If a value is unknown and ``unknown`` is ``error``.
    InfeasibleError
        If the requirements cannot be met within the limit.
    """
    spec = _spec_of(recipe)
    makers = {name: _maker(name, recipe.attributes[name], unknown) for name in recipe.quasi_identifiers}
    table = code_table(open_source(data, spec.data), spec, makers)
    free = prepare(table)
    ladders = tuple(
        Ladder(ladder.levels, level, level)
        for name, ladder in zip(free.setting.quasi_identifiers, free.lattice.ladders, strict=True)
        if (level := recipe.attributes[name].level) is not None
    )
    prepared = Prepared(table, Lattice(ladders), free.setting)
    if recipe.require.get("k", 0) > prepared.cube.person_count:
        raise InfeasibleError(
            f"the recipe requires k = {recipe.require['k']:g}, and these are only "
            f"{prepared.cube.person_count} rows. Pass more rows."
        )
    problem = make_problem(prepared, (), ())
    _check_feasible(prepared, problem)
    return prepared, problem


def _check_feasible(prepared: Prepared, problem: Problem) -> None:
    statistics = problem.batch(threads=1).evaluate(prepared.lattice.bottom[None])
    if problem.feasible(statistics)[0]:
        return
    raise InfeasibleError(
        f"the recipe does not meet its requirements on these rows: {int(statistics.failing[0])} of "
        f"{prepared.cube.row_count} rows fail, {problem.suppression.budget} may be suppressed. "
        "Search anew, or pass more rows."
    )


def _spec_of(recipe: Recipe) -> Spec:
    """Return the specification that a recipe stands for, hierarchies left out."""
    attributes: dict[str, dict[str, object]] = {}
    for name, attribute in recipe.attributes.items():
        if attribute.role == "identifier":
            continue  # it does not leave, so new data need not have it
        attributes[name] = {"role": attribute.role}
        if attribute.kind in ("number", "category", "date"):
            attributes[name]["kind"] = attribute.kind
        if attribute.role == "quasi-identifier":
            attributes[name]["weight"] = attribute.weight
    return Spec.from_dict(
        {
            "data": {"missing": list(recipe.missing), **({"person": recipe.person} if recipe.person else {})},
            "attributes": attributes,
            "suppression": {"limit": recipe.limit, "rule": recipe.rule, "output": recipe.suppressed_output},
            "require": dict(recipe.require),
            "release": {"order": recipe.order},
        }
    )


def _maker(name: str, attribute: RecipeAttribute, unknown: Literal["error", "*"]) -> MakeHierarchy:
    def make(kind: str, values: Sequence[Value], has_missing: bool) -> Hierarchy:
        return rebuild(
            name,
            attribute.hierarchy or {},
            attribute.kind or kind,
            values,
            has_missing=has_missing,
            unknown=unknown,
        )

    return make


__all__ = ["recipe_problem"]
