"""From classes of tuples to a release: a local recoding applied to the full table."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes import Batch, Classes
from sfumato.domains import Cube, Ladder, Lattice
from sfumato.errors import InfeasibleError, SpecError
from sfumato.front import EQUAL
from sfumato.hierarchies import ROOT
from sfumato.measures import make_measure, measure_facts, measure_names
from sfumato.measures.facts import OF_DOMAINS
from sfumato.release.draft import Draft, make_promise, make_recipe, withheld_cells
from sfumato.release.local_labels import LocalLabels, label_attributes, shown_alone
from sfumato.release.publishing import publish
from sfumato.release.suppressing import NOTHING, kept_statistics
from sfumato.spec import parse_measure_name
from sfumato.table import TupleLabels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import BoolArray, FloatArray, LongArray
    from sfumato.local import LocalProblem, LocalSolution
    from sfumato.preparing import Prepared
    from sfumato.release.recipe import Generalization
    from sfumato.search import Problem

LOSSES = ("loss", "gl", "glm", "ncp")
"""Measures of domains that labels of rows determine."""
USELESS = 1.0
"""Above this a gap says nothing."""


def make_local_draft(
    prepared: Prepared,
    problem: Problem,
    tuples: LocalProblem,
    solution: LocalSolution,
    *,
    labels: tuple[LocalLabels, ...] = (),
    recipe: Generalization | None = None,
    withheld: BoolArray | None = None,
) -> Draft:
    """Apply the labels of classes of tuples to the full table; those of a recipe, where it is given."""
    refuse_measures(prepared, problem)
    remake = partial(make_local_draft, prepared, problem, tuples, solution, labels=labels, recipe=recipe)
    own = solution.classes[tuples.tuple_of_cell].astype(np.int64)
    gone = withheld_cells(prepared, withheld)
    own = own if gone is None else np.where(gone, -1, own)
    kept = np.asarray(own >= 0)
    if not kept.any():
        raise InfeasibleError("no row would be left. Allow less suppression or lower the requirements.")
    if gone is not None and not labels:
        solution, own = shown_alone(prepared, solution, own)
    labels = labels or label_attributes(prepared, solution, kept)
    measures, classes = measure_labels(prepared, problem, labels, own)
    _check_met(problem, measures)
    if recipe is None:
        recipe = make_recipe(prepared, labels, kept)
        recipe = replace(recipe, classes=_shown_classes(labels, recipe.quasi_identifiers))
    suppressed = int(classes.rows[classes.suppressed].sum())
    promise = make_promise(prepared, recipe, measures, suppressed, labels)
    publication = publish(prepared, labels, classes, kept, measures)
    draft = Draft(prepared, classes, promise, recipe, labels, publication, measures)
    draft = replace(
        draft,
        tuples=_tuple_labels(tuples, solution, labels),
        certificate=_certify(measures, solution, weighted=prepared.spec.recoding.weighted),
        class_of=_shown_class(labels, own),
        withheld=withheld,
        remake=remake,
    )
    if not prepared.table.source.is_lazy:
        # A frame in memory may be changed by its owner later.
        _ = draft.frame
    return draft


def refuse_measures(prepared: Prepared, problem: Problem) -> None:
    """Refuse to promise what depends on partitions, which a local recoding does not have."""
    for item in problem.measures:
        name = parse_measure_name(item.name)[0]
        if name not in LOSSES and (name in OF_DOMAINS or name == "hdm"):
            place = ("require", item.name) if item.name in prepared.spec.require else ("objectives",)
            raise SpecError(
                f"{name!r} is not defined for local recoding. Remove it.", where=prepared.spec.where(*place)
            )


def measure_solution(
    prepared: Prepared, problem: Problem, tuples: LocalProblem, solution: LocalSolution
) -> tuple[dict[str, float], Classes, dict[str, dict[str, object]]]:
    """Return the measures and classes of a solution, and what each attribute shows and loses."""
    class_of = solution.classes[tuples.tuple_of_cell]
    labels = label_attributes(prepared, solution, np.asarray(class_of >= 0))
    measures, classes = measure_labels(prepared, problem, labels, class_of, every=False)
    losses = _cell_losses(prepared, labels, class_of, np.ones(len(labels)))
    hidden, rows = measures["suppressed"], prepared.cube.row_count
    shown = {
        item.name: {"labels": item.scheme, "loss": (loss + hidden) / rows}
        for item, loss in zip(labels, losses, strict=True)
    }
    return measures, classes, shown


def _shown_class(labels: Sequence[LocalLabels], own: LongArray) -> LongArray:
    """Number the classes of cells by what they show: two that show the same are one."""
    codes = np.column_stack([item.number for item in labels])
    number = np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1)
    return np.where(own >= 0, np.append(number, -1)[own], -1)


def _shown_classes(labels: Sequence[LocalLabels], names: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of labels that stand together in published rows, in order."""
    number = {item.name: item.number for item in labels}
    distinct = np.unique(np.column_stack([number[name] for name in names]), axis=0)
    return tuple(map(tuple, distinct.tolist()))


def measure_labels(
    prepared: Prepared,
    problem: Problem,
    labels: Sequence[LocalLabels],
    class_of: np.ndarray,
    *,
    every: bool = True,
) -> tuple[dict[str, float], Classes]:
    """Measure the rows by the labels that they show; suppressed rows are one class that is not counted.

    Not ``every`` measure there is means those of the problem alone.
    """
    cube, hidden = prepared.cube, np.array([len(item.labels) for item in labels])
    codes = np.column_stack([np.append(item.number, len(item.labels))[class_of] for item in labels])
    # United cells, as measures of classes expect them.
    shown = Cube.sorted(
        cube.quasi_identifiers,
        tuple((hidden + 1).tolist()),
        codes.astype(np.int32),
        rows=cube.rows,
        sensitive=cube.sensitive,
        sensitive_sizes=cube.sensitive_sizes,
        sensitive_codes=cube.sensitive_codes,
        persons=cube.persons,
    )
    shown = replace(shown, ordered=cube.ordered, unknown=cube.unknown, confidential=cube.confidential)
    lattice = Lattice(tuple(_as_shown(size) for size in shown.sizes))
    asked = {item.name: item for item in problem.measures}
    names = (*(measure_names(prepared.setting) if every else ()), *asked, "suppressed")
    taken = tuple(
        asked.get(name) or make_measure(name, prepared.setting)
        for name in dict.fromkeys(names)
        if parse_measure_name(name)[0] not in OF_DOMAINS
        and (not measure_facts(name).on_request or name in asked)
        and name != "hdm"
    )
    required = tuple(item for item in problem.requirements if item.measure.name not in LOSSES)
    alone = replace(
        problem, cube=shown, lattice=lattice, objectives=(), requirements=required, extra=taken, schemes=None
    )
    kept = shown.codes[:, 0] < hidden[0]
    statistics = kept_statistics(shown, lattice, kept, alone.request, problem.suppression.rule)
    classes = Batch(shown, lattice, alone.request, NOTHING, threads=1).classes(lattice.bottom)
    classes = replace(classes, suppressed=np.asarray(classes.blocks[:, 0] == hidden[0]))
    measures = {item.name: float(item.value(statistics)[0]) for item in taken}
    return {**measures, **_losses(prepared, labels, class_of, by_width="ncp" in asked)}, classes


def _as_shown(size: int) -> Ladder:
    """Return the ladder of labels that are published as they are."""
    return Ladder(np.stack([np.arange(size), np.zeros(size)]).astype(np.int32), 0, 0)


def _losses(
    prepared: Prepared, labels: Sequence[LocalLabels], class_of: np.ndarray, *, by_width: bool
) -> dict[str, float]:
    """Sum what cells cost by their labels; a cell of a suppressed row costs 1 in all but `gl`."""
    cube, weights = prepared.cube, prepared.setting.weights
    hidden, shares = int(cube.rows[class_of < 0].sum()), weights / weights.sum()
    gl = sum(_cell_losses(prepared, labels, class_of, shares)) * len(weights)
    glm = gl + hidden * len(weights)
    found = {"loss": glm / (cube.row_count * len(weights)), "gl": gl, "glm": glm}
    if by_width:
        apart = sum(_cell_losses(prepared, labels, class_of, shares, by_width=True))
        found["ncp"] = (apart + hidden) / cube.row_count
    return found


def _cell_losses(
    prepared: Prepared,
    labels: Sequence[LocalLabels],
    class_of: np.ndarray,
    weights: FloatArray,
    *,
    by_width: bool = False,
) -> list[float]:
    """Sum for each attribute what the cells of published rows cost by their labels, weighted."""
    kept, found = class_of >= 0, []
    rows = prepared.cube.rows[kept]
    for item, weight in zip(labels, weights.tolist(), strict=True):
        tops, bottom = (item.widths() if by_width else None) or item.shares()
        own = np.array(tops)[item.number[class_of[kept]]]
        found.append(0.0 if item.keep else weight * float((own * rows).sum()) / max(bottom, 1))
    return found


def _check_met(problem: Problem, measures: Mapping[str, float]) -> None:
    for item in problem.requirements:
        value = measures[item.measure.name]
        if not np.asarray(item.measure.satisfies(np.array([value]), item.limit))[0]:
            raise InfeasibleError(
                f"{item.measure.name} is {value:.6g} in the local recoding that was found, but "
                f"{item.limit:g} is required. Change the requirement, or search longer."
            )


def _tuple_labels(
    tuples: LocalProblem, solution: LocalSolution, labels: Sequence[LocalLabels]
) -> TupleLabels:
    """Return what rows are joined with: the labels of their tuple of codes, and whether it is suppressed."""
    hidden: BoolArray = np.asarray(solution.classes < 0)
    texts = {}
    for item in labels:
        if item.keep:
            continue
        number = np.append(item.number, len(item.labels))[solution.classes]
        shown = [*item.labels, None]
        texts[item.name] = [shown[own] for own in number.tolist()]
    return TupleLabels(tuples.codes, hidden, texts)


def _certify(measures: Mapping[str, float], solution: LocalSolution, *, weighted: bool) -> dict[str, object]:
    """Say how far from the optimum a release may be, as far as that tells nothing about people."""
    if weighted:
        return {"text": "How far it may be from the optimum is not stated: that depends on survey weights."}
    if measures["suppressed"]:
        # Which rows there were decides the bound, and some of them are not published.
        return {"text": "How far it may be from the optimum is not stated: that depends on suppressed rows."}
    if solution.gap is None or solution.gap > USELESS:
        return {"text": "How far it may be from the optimum is not known."}
    percent = int(np.ceil(100 * (solution.gap - EQUAL)))
    words = f"At most {percent} % above the optimum" if percent else "Less than 1 % above the optimum"
    return {"text": f"{words} of what local recoding with these labels can reach.", "gap": percent / 100}


def count_stars(draft: Draft) -> dict[str, int]:
    """Count the cells of published rows that are ``*``, attribute by attribute."""
    found, rows = {}, np.where(draft.classes.suppressed, 0, draft.classes.rows)
    for place, item in enumerate(draft.groupings if draft.tuples else ()):
        stars = [number for number, text in enumerate(item.labels) if text == ROOT and not item.keep]
        found[item.name] = int(rows[np.isin(draft.classes.blocks[:, place], stars)].sum())
    return found
