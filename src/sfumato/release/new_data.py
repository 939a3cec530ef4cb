"""A recipe on new data: what it does not know, and whether its requirements hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from sfumato.classes import Classes, Rule, Statistics
from sfumato.errors import HierarchyError, InfeasibleError, ParameterError
from sfumato.measures import Direction, Measure
from sfumato.release.assignment import apply_local
from sfumato.release.draft import Draft, make_draft
from sfumato.release.reapply import recipe_problem
from sfumato.release.suppressing import evaluate_node
from sfumato.words import count_words, list_words, number_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sfumato._typing import BoolArray, LongArray
    from sfumato.preparing import Prepared
    from sfumato.release.recipe import Generalization
    from sfumato.search import Problem

Treatment: TypeAlias = Literal["suppress", "refuse", "generalize"]
TREATMENTS: tuple[str, ...] = get_args(Treatment)  # what may become of values that a recipe does not know
INSTEAD = "make a new release of these data"


@dataclass(frozen=True)
class UnknownCount:
    """How much of a column a recipe does not know."""

    values: int  # distinct values
    rows: int  # rows that have one of them

    def __str__(self) -> str:
        return f"{count_words(self.values, 'value')} in {count_words(self.rows, 'row')}"


def apply_recipe(
    recipe: Generalization, data: object, unknown: Treatment, assignment: object = None
) -> Draft:
    """Recode new data as a recipe says, if its requirements can be met within its limit."""
    if recipe.is_local:
        if unknown == "generalize":
            raise ParameterError("the recipe is local: rows that no class covers are suppressed or refused.")
        return apply_local(recipe, data, unknown, assignment)
    if assignment is not None:
        raise ParameterError("only a local recoding has an assignment. Leave it out.")
    prepared, problem = recipe_problem(recipe, data)
    counts = count_unknown(prepared)
    if counts and unknown == "refuse":
        told = list_words([f"{many} of {name!r}" for name, many in counts.items()])
        raise HierarchyError(
            f"the recipe does not know {told}. Leave these rows out, or let unknown values "
            "suppress their rows ('suppress') or become * ('generalize').",
            where=prepared.table.source.name,
        )
    hidden = _unknown_blocks(prepared) if unknown == "suppress" else None
    _check_feasible(prepared, problem, hidden)
    return make_draft(prepared, problem, prepared.lattice.bottom, recipe=recipe, hidden=hidden)


def count_unknown(prepared: Prepared) -> dict[str, UnknownCount]:
    """Count what a recipe does not know, column by column; the values themselves are never shown."""
    cube, found = prepared.cube, {}
    for place, block in enumerate(_unknown_blocks(prepared).tolist()):
        if block < 0:
            continue
        name = prepared.setting.quasi_identifiers[place]
        leaf = prepared.table.hierarchies[name].known
        rows = int(cube.rows[cube.codes[:, place] == leaf].sum())
        found[name] = UnknownCount(int((prepared.table.raw[name].codes == leaf).sum()), rows)
    return found


def _unknown_blocks(prepared: Prepared) -> LongArray:
    """Return for each quasi-identifier the block of values that the recipe does not know, or -1."""
    # Where all values are one block, none needs to be known.
    found = []
    for name, ladder in zip(prepared.setting.quasi_identifiers, prepared.lattice.ladders, strict=True):
        hierarchy, block = prepared.table.hierarchies[name], ladder.levels[ladder.lowest]
        is_apart = hierarchy.is_unknown.any() and len(np.unique(block)) > 1
        found.append(int(block[hierarchy.known]) if is_apart else -1)
    return np.array(found, dtype=np.int64)


def _check_feasible(prepared: Prepared, problem: Problem, hidden: LongArray | None) -> None:
    """Raise InfeasibleError that says what is not met, and what can be done."""
    statistics, classes = evaluate_node(problem, prepared.lattice.bottom, hidden)
    if problem.feasible(statistics)[0]:
        return
    rule, budget = problem.suppression.rule, problem.suppression.budget
    by_size = rule in (Rule.SMALLEST, Rule.BELOW_MEAN)
    unknown = np.zeros(len(classes), dtype=np.bool_)
    if hidden is not None:
        unknown = (classes.blocks == hidden).any(axis=1)
    rows = int(classes.rows[unknown].sum())
    told, advice = [f"{count_words(rows, 'row')} with unknown values"] if rows else [], INSTEAD
    if rows > budget and rule is not Rule.BELOW_MEAN:
        advice = f"let unknown values become * ('generalize'), {advice}"
    else:
        told += _failing_rows(problem, classes, ~unknown & ~classes.suppressed if by_size else ~unknown)
    allowed = f"at most {budget:,} may be suppressed" if budget else "none may be suppressed"
    if by_size and rows <= budget:
        allowed = "the recipe's rule suppresses by class size, not what fails"
    found = [f"{list_words(told)}, but {allowed}"] if told else []
    raise InfeasibleError(
        f"the recipe does not meet its requirements on these {count_words(prepared.cube.row_count, 'row')}: "
        f"{'; '.join([*found, *_failing_table(problem, statistics)])}. "
        f"{advice[0].upper()}{advice[1:]}, or apply the recipe to more rows."
    )


def _failing_rows(problem: Problem, classes: Classes, judged: BoolArray) -> Iterator[str]:
    """Say in how many rows of some classes each requirement is not met."""
    for measure, limit in problem.judged:
        values = classes.values[classes.properties.index(measure.judged)]
        rows = int(classes.rows[judged & ~np.asarray(measure.satisfies(values, limit))].sum())
        if rows:
            yield f"{count_words(rows, 'row')} in classes that miss {_asked(measure, limit)}"


def _failing_table(problem: Problem, statistics: Statistics) -> Iterator[str]:
    """Say which requirements the table as a whole does not meet."""
    for item in problem.of_table:
        value = item.measure.value(statistics)
        if not np.asarray(item.measure.satisfies(value, item.limit))[0]:
            asked = _asked(item.measure, item.limit)
            yield f"{item.measure.name} is {number_words(float(value[0]))}, but {asked} is required"


def _asked(measure: Measure, limit: float) -> str:
    sign = ">=" if measure.direction is Direction.MAXIMIZE else "<="
    return f"{measure.name} {sign} {number_words(limit)}"
