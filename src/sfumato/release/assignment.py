"""A local recoding on new data: by the classes that a release shows, or by a private list of its tuples."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import DataError, InfeasibleError, ParameterError
from sfumato.hierarchies import Hierarchy, plain_values, text_of
from sfumato.local import LabelSpace, LocalProblem, LocalSolution
from sfumato.preparing import Prepared, make_problem, prepare
from sfumato.release.json_files import Fields, atomic_text, load_json_object, stable_json
from sfumato.release.local_draft import make_local_draft, measure_labels
from sfumato.release.local_labels import LocalLabels
from sfumato.release.reapply import recipe_table
from sfumato.verifier.coverage import Covering
from sfumato.words import count_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sfumato._typing import BoolArray, FloatArray, LongArray
    from sfumato.release.draft import Draft
    from sfumato.release.recipe import Generalization
    from sfumato.search import Problem


def write_assignment(draft: Draft, path: str | Path, *, force: bool = False) -> None:
    """Write which tuple of values has which class of labels, for nobody but the makers of a release."""
    tuples, recipe = draft.tuples, draft.recipe
    if tuples is None:
        raise ParameterError("only a local recoding has an assignment: the recipe of others says it all.")
    place = {item.name: a for a, item in enumerate(draft.groupings)}
    values = [plain_values(item.hierarchy) for item in draft.groupings]
    labels = [tuples.texts.get(item.name, ()) for item in draft.groupings]
    rows = []
    for number, (codes, hidden) in enumerate(
        zip(tuples.blocks.tolist(), tuples.hidden.tolist(), strict=True)
    ):
        own = [values[a][code] for a, code in enumerate(codes)]
        shown = [
            texts[number] if texts else draft.groupings[a].hierarchy.labels[0][codes[a]]
            for a, texts in enumerate(labels)
        ]
        order = [place[name] for name in recipe.quasi_identifiers]
        rows.append([[own[a] for a in order], None if hidden else [shown[a] for a in order]])
    content = {"assignment": rows, "columns": list(recipe.quasi_identifiers)}
    atomic_text(path, stable_json(content), force=force, private=True)


def apply_local(recipe: Generalization, data: object, unknown: str, assignment: object = None) -> Draft:
    """Give the rows of new data labels of the release, and check its requirements again.

    A tuple gets the labels that the assignment says, else those of the class that covers it and tells most;
    rows that no class covers are suppressed, as are classes that then miss a requirement.
    """
    prepared = prepare(recipe_table(recipe, data, require=True))
    if recipe.require.get("k", 0) > prepared.cube.person_count:
        raise InfeasibleError(
            "the recipe requires more people in a class than there are. Apply it to more rows."
        )
    problem = make_problem(prepared, (), ())
    spaces = [LabelSpace.keep(size) for size in prepared.cube.sizes]
    tuples = LocalProblem.of_cube(prepared.cube, spaces, ())
    domains = _domains(prepared)
    tables = [label_coverage(recipe, item) for item in domains]
    order = [recipe.quasi_identifiers.index(name) for name in prepared.setting.quasi_identifiers]
    classes = np.array(recipe.classes, dtype=np.int64)[:, order]
    extents = [_label_extents(recipe, item) for item in domains]
    costs = sum(
        weight * extent[classes[:, a]]
        for a, (extent, weight) in enumerate(zip(extents, prepared.setting.weights.tolist(), strict=True))
    )
    own = _cheapest(tuples.codes, classes, tables, np.asarray(costs))
    if assignment is not None:
        _assign(own, read_assignment(assignment, recipe), prepared, tuples, classes=classes, recipe=recipe)
    if (own < 0).all():
        raise InfeasibleError("no class of the release covers any of these rows. Make a new release of them.")
    if unknown == "refuse" and (own < 0).any():
        rows = int(tuples.rows[own < 0].sum())
        raise DataError(
            f"no class of the release covers {count_words(rows, 'row')}. Leave them out, or suppress them."
        )
    labels = [
        _labels(recipe, item, table, classes[:, a])
        for a, (item, table) in enumerate(zip(domains, tables, strict=True))
    ]
    own = _without_failing(prepared, problem, labels, own, tuples)
    solution = LocalSolution(own.astype(np.int32), (), np.zeros((0, 0), dtype=np.bool_), 0.0)
    return make_local_draft(prepared, problem, tuples, solution, labels=tuple(labels), recipe=recipe)


def _domains(prepared: Prepared) -> list[Hierarchy]:
    return [prepared.table.hierarchies[name] for name in prepared.setting.quasi_identifiers]


def chains_of(hierarchy: Hierarchy) -> dict[str, list[str]]:
    """Return the labels above each value, where the levels of a hierarchy are columns of the data."""
    if "columns" not in hierarchy.definition:
        return {}
    found: dict[str, list[str]] = {}
    for code, text in enumerate(hierarchy.labels[0]):
        above = zip(hierarchy.levels[1:, code].tolist(), hierarchy.labels[1:], strict=True)
        found[str(text)] = [str(names[block]) for block, names in above]
    return found


def label_coverage(recipe: Generalization, domain: Hierarchy) -> BoolArray:
    """Tell which values of a domain each label of a release covers, shape (labels, values)."""
    covering, labels, texts = _covering(recipe, domain)
    return np.asarray(covering.table(labels, texts))


def _label_extents(recipe: Generalization, domain: Hierarchy) -> FloatArray:
    """Tell how much each label covers: what becomes of a row must not depend on other rows."""
    covering, labels, texts = _covering(recipe, domain)
    return np.asarray(covering.extents(labels, texts))


def _covering(
    recipe: Generalization, domain: Hierarchy
) -> tuple[Covering, Sequence[str | None], Sequence[str | None]]:
    """Return what reads the labels of a column, these labels, and the values of a domain."""
    done = recipe.attributes[domain.attribute]
    texts = domain.labels[0]
    if "granularity" in domain.definition:
        # A granule lies in a label with its start.
        texts = tuple(None if value is None else text_of(value) for value in domain.values)
    return Covering(done.to_dict(), chains_of(domain)), done.labels or (), texts


def _cheapest(
    codes: np.ndarray, classes: LongArray, tables: Sequence[BoolArray], costs: FloatArray
) -> LongArray:
    """Return for each tuple the class of the release that covers it and costs least; −1 where none does."""
    own = np.full(len(codes), -1, dtype=np.int64)
    for number in np.argsort(costs, kind="stable").tolist():
        left = np.flatnonzero(own < 0)
        for a, table in enumerate(tables):
            left = left[table[classes[number, a]][codes[left, a]]]
        own[left] = number
    return own


def read_assignment(path: object, recipe: Generalization) -> Mapping[tuple[Any, ...], Any]:
    """Read which tuple of values has which labels."""
    content = load_json_object(str(path))
    fields, listed = Fields(content, str(path)), content.get("assignment")
    if (
        not fields.has("columns")
        or list(fields.texts("columns")) != list(recipe.quasi_identifiers)
        or not isinstance(listed, list)
    ):
        raise DataError("this is not the assignment of the release.", where=str(path))
    return {tuple(values): None if labels is None else tuple(labels) for values, labels in listed}


def _assign(
    own: LongArray,
    assignment: Mapping[tuple[Any, ...], Any],
    prepared: Prepared,
    tuples: LocalProblem,
    *,
    classes: LongArray,
    recipe: Generalization,
) -> None:
    """Put tuples that the assignment names into their classes."""
    names, known = prepared.setting.quasi_identifiers, recipe.quasi_identifiers
    values = {name: plain_values(prepared.table.hierarchies[name]) for name in names}
    place = {name: a for a, name in enumerate(names)}
    texts = [recipe.attributes[name].labels or () for name in names]
    shown = {
        tuple(texts[place[name]][row[place[name]]] for name in known): number
        for number, row in enumerate(classes.tolist())
    }
    for number, codes in enumerate(tuples.codes.tolist()):
        key = tuple(values[name][codes[place[name]]] for name in known)
        if key in assignment:
            labels = assignment[key]
            if labels is not None and labels not in shown:
                raise DataError("this is the assignment of another release: it has other labels.")
            own[number] = -1 if labels is None else shown[labels]


def _labels(recipe: Generalization, domain: Hierarchy, table: BoolArray, number: LongArray) -> LocalLabels:
    done = recipe.attributes[domain.attribute]
    sizes = tuple(table.sum(axis=1).tolist())
    last = domain.size - 1 - table[:, ::-1].argmax(axis=1)
    ends = np.stack([table.argmax(axis=1), last] * 2, axis=1)
    seen, kind = np.zeros(domain.size, dtype=np.bool_), done.scheme or "set"
    return LocalLabels(domain, kind, done.labels or (), sizes, sizes, ends, number, seen, kind == "keep")


def _without_failing(
    prepared: Prepared, problem: Problem, labels: Sequence[LocalLabels], own: LongArray, tuples: LocalProblem
) -> LongArray:
    """Suppress classes that miss a requirement; raise InfeasibleError if that is more than is allowed."""
    _, classes = measure_labels(prepared, replace(problem, extra=()), labels, own[tuples.tuple_of_cell])
    failing = np.zeros(len(classes), dtype=np.bool_)
    for measure, limit in problem.judged:
        values = classes.values[classes.properties.index(measure.judged)]
        failing |= ~np.asarray(measure.satisfies(values, limit))
    lost = {tuple(row) for row in classes.blocks[failing & ~classes.suppressed].tolist()}
    shown = np.column_stack([item.number for item in labels])
    gone = np.array([tuple(row) in lost for row in shown.tolist()], dtype=np.bool_)
    left = np.where((own >= 0) & ~np.append(gone, True)[own], own, -1)
    rows, budget = int(tuples.rows[left < 0].sum()), problem.suppression.budget
    if rows > budget or (left < 0).all():
        raise InfeasibleError(
            f"the recipe does not meet its requirements on these {tuples.rows.sum():,} rows: {rows:,} are in "
            f"no class of the release, or in classes that miss a requirement, but at most {budget:,} may be "
            "suppressed. Make a new release of these data, or apply the recipe to more rows."
        )
    return left
