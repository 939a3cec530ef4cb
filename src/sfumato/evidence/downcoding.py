"""Downcoding of a release, and beside it of the best release and of near-optimal ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.evidence.recoded_cells import label_values
from sfumato.hierarchies import text_of
from sfumato.monitor import Monitor
from sfumato.preparing import load, make_problem
from sfumato.risks.downcoding import downcode, is_attackable
from sfumato.risks.result import Narrowing
from sfumato.search import METHODS, SearchSettings, choose_method, collect_near, is_enumerable
from sfumato.table.values import texts_of_array

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import FloatArray, IntArray, LongArray
    from sfumato.domains import Ladder
    from sfumato.evidence.recoded_cells import Released
    from sfumato.preparing import Prepared
    from sfumato.release import Recipe
    from sfumato.risks.cells import CodedTable
    from sfumato.risks.result import Downcoding
    from sfumato.search import Problem
    from sfumato.spec import Spec
    from sfumato.table import Source

DRAWS = 5
"""Near-optimal releases that are attacked."""

UNTRIED = "Downcoding was not tried:"


def attack_minimality(
    source: Source,
    spec: Spec,
    released: Released,
    people: tuple[Source, CodedTable] | None,
    *,
    seed: int,
) -> tuple[tuple[Downcoding, ...], list[str]]:
    """Attack a release, the best one and near-optimal ones; return what was found, and remarks."""
    recipe = released.recipe
    assert recipe is not None
    if sorted(recipe.quasi_identifiers) != sorted(spec.quasi_identifiers) or not spec.objectives.minimize:
        return (), [f"{UNTRIED} the release is not the one that the specification describes."]
    prepared = load(source, spec.model_copy(update={"require": dict(recipe.require)}))
    problem = make_problem(prepared, (), spec.objectives.minimize[:1])
    why = is_attackable(problem)
    if why is not None:
        return (), [f"{UNTRIED} {why}"]
    partitions = _read_partitions(prepared, recipe, source)
    priors = [_prior(prepared, a, people) for a in range(len(partitions))]
    found = [downcode(problem, partitions, priors, tolerance=released.tolerance)]
    if not is_enumerable(problem):
        return tuple(found), ["There are too many recodings to attack near-optimal ones for comparison."]
    return (*found, *_compare(problem, priors, prepared, seed)), []


def _compare(
    problem: Problem, priors: Sequence[FloatArray], prepared: Prepared, seed: int
) -> list[Downcoding]:
    """Attack the best release and some near-optimal ones, for which the attacker knows the tolerance."""
    spec = prepared.spec
    batch = problem.batch()
    method = choose_method(problem, "auto")[0]
    best = METHODS[method](problem, batch, Monitor(spec.search.time_limit), SearchSettings(spec.search.seed))
    if not len(best.nodes):
        return []
    rng, tolerance = np.random.default_rng(seed), spec.release.tolerance
    near = collect_near(problem, best.lattice, best.nodes[0], tolerance, rng)
    found = [downcode(problem, _blocks(best.lattice.ladders, best.nodes[0]), priors, name="optimum")]
    drawn = [
        downcode(problem, _blocks(near.lattice.ladders, near.draw(rng)), priors, tolerance=tolerance)
        for _ in range(DRAWS)
    ]
    return [*found, _mean(drawn)]


def _blocks(ladders: Sequence[Ladder], node: LongArray) -> list[IntArray]:
    return [ladder.levels[number] for ladder, number in zip(ladders, node, strict=True)]


def _mean(drawn: Sequence[Downcoding]) -> Downcoding:
    """Return the means over several releases."""
    attackers = []
    for items in zip(*(item.attackers for item in drawn), strict=True):
        guessed = [item.guessed for item in items if item.guessed is not None]
        narrowed = float(np.mean([item.narrowed for item in items]))
        correct = float(np.mean([item.correct for item in items]))
        mean = float(np.mean(guessed)) if guessed else None
        attackers.append(Narrowing(items[0].attacker, narrowed, correct, mean))
    cells, refused = (
        round(np.mean([getattr(item, word) for item in drawn])) for word in ("cells", "refused")
    )
    return replace(
        drawn[0],
        attacked="near-optimal",
        cells=cells,
        refused=refused,
        attackers=tuple(attackers),
        draws=len(drawn),
    )


def _read_partitions(prepared: Prepared, recipe: Recipe, source: Source) -> list[IntArray]:
    """Return the blocks of a release: levels by their numbers, others by the labels of the data's values."""
    found, labels = [], None
    for a, name in enumerate(prepared.setting.quasi_identifiers):
        done, ladder = recipe.attributes[name], prepared.lattice.ladders[a]
        if done.level is not None:
            found.append(ladder.levels[done.level])
            continue
        labels = label_values(recipe, source) if labels is None else labels
        found.append(_label_blocks(prepared, name, labels[name]))
    return found


def _label_blocks(prepared: Prepared, name: str, labels: Mapping[str | None, str | None]) -> IntArray:
    """Number the labels of all codes; a value that no row has is a block of its own."""
    raw = prepared.table.raw[name]
    texts: list[str | None] = [*texts_of_array(raw.values), *([] if raw.missing is None else [None])]
    codes = [*raw.codes.tolist(), *([] if raw.missing is None else [raw.missing])]
    places: dict[object, int] = {}
    block = np.arange(prepared.table.hierarchies[name].size, dtype=np.int32)
    for text, code in zip(texts, codes, strict=True):
        block[code] = places.setdefault(labels.get(text), code)
    return block


def _prior(prepared: Prepared, a: int, people: tuple[Source, CodedTable] | None) -> FloatArray:
    """Return how often each code of an attribute occurs, in the population if there is one."""
    cube, name = prepared.cube, prepared.setting.quasi_identifiers[a]
    known = np.bincount(cube.codes[:, a], weights=cube.rows, minlength=cube.sizes[a]).astype(np.float64)
    if people is None:
        return known
    table, hierarchy = people[1], prepared.table.hierarchies[name]
    code_of = {None if v is None else text_of(v): code for code, v in enumerate(hierarchy.values)}
    places = np.array([code_of.get(text, -1) for text in table.texts(name)])[table.cells.codes[name]]
    counts = np.bincount(places[places >= 0], weights=table.cells.rows[places >= 0], minlength=cube.sizes[a])
    # A population that writes its values in another way tells nothing.
    return counts.astype(np.float64) if counts.any() else known
