"""A recipe on new data."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from sfumato import hierarchies
from sfumato.classes import Classes, Rule
from sfumato.domains import Ladder, Lattice, Partition
from sfumato.errors import DataError, InfeasibleError
from sfumato.front import ClassSizes
from sfumato.preparing import RANGES, Prepared, make_problem, prepare
from sfumato.release.recipe import BOTH, Generalization, RecipeAttribute
from sfumato.spec import Spec
from sfumato.table import MakeHierarchy, Source, Table, code_table, open_source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import LongArray
    from sfumato.search import Problem


def write_recoding(prepared: Prepared, lattice: Lattice, node: LongArray) -> dict[str, int | list[object]]:
    """Return what a node does to each quasi-identifier."""
    found: dict[str, int | list[object]] = {}
    for a, name in enumerate(prepared.setting.quasi_identifiers):
        if prepared.scheme_names[a] == "levels":
            found[name] = int(node[a])
        else:
            found[name] = [*prepared.entry(a, lattice.ladders[a].levels[node[a]])]
    return found


def trim_lattice(lattice: Lattice, nodes: LongArray) -> tuple[Lattice, LongArray]:
    """Drop listed partitions that no node uses: a search may have listed millions."""
    ladders, numbers = [], nodes.copy()
    for a, ladder in enumerate(lattice.ladders):
        used, place = np.unique(nodes[:, a], return_inverse=True)
        if not ladder.nested and len(used):
            ladder = replace(ladder, levels=ladder.levels[used], lowest=0, highest=len(used) - 1)
            numbers[:, a] = place.reshape(-1)
        ladders.append(ladder)
    return Lattice(tuple(ladders)), numbers


def read_recoding(prepared: Prepared, recoding: Mapping[str, object]) -> tuple[Lattice, LongArray]:
    """Read what :func:`write_recoding` wrote."""
    names = prepared.setting.quasi_identifiers
    if sorted(recoding) != sorted(names):
        raise DataError(
            "the recoding is not about the quasi-identifiers of the specification. "
            "Run 'sfumato explore' again."
        )
    ladders, node = [], np.zeros(len(names), dtype=np.int64)
    for a, name in enumerate(names):
        try:
            ladder = prepared.lattice.ladders[a]
            if prepared.scheme_names[a] == "levels":
                node[a] = _read_level(ladder, recoding[name])
            else:
                ladder = Ladder.listed([_read_partition(prepared, a, recoding[name])], ladder)
            ladders.append(ladder)
        except DataError as error:
            raise DataError(
                f"the recoding of {name!r} does not fit the specification: {error.message} "
                "Run 'sfumato explore' again."
            ) from None
    return Lattice(tuple(ladders)), node


def count_classes(
    prepared: Prepared, problem: Problem, recodings: Sequence[Mapping[str, object]]
) -> list[ClassSizes]:
    """Count the classes of some recodings, on the cube alone."""
    read = [read_recoding(prepared, recoding) for recoding in recodings]
    problem = replace(problem, schemes=None)
    if all(name == "levels" for name in prepared.scheme_names):
        batch = replace(problem, lattice=prepared.lattice).batch(threads=1)
        return [sizes_of(batch.classes(node)) for _, node in read]
    found = []
    for lattice, node in read:  # partitions of other schemes are listed, so each recoding has its lattice
        ladders = (ladder.only(level) for ladder, level in zip(lattice.ladders, node, strict=True))
        alone = replace(problem, lattice=Lattice(tuple(ladders)))
        found.append(sizes_of(alone.batch(threads=1).classes(node)))
    return found


def sizes_of(classes: Classes) -> ClassSizes:
    """Count classes and their rows by size."""
    kept = ~classes.suppressed
    suppressed = int(classes.rows[classes.suppressed].sum())
    return ClassSizes.count(classes.sizes[kept], classes.rows[kept], suppressed)


def _read_level(ladder: Ladder, entry: object) -> int:
    if type(entry) is not int or not ladder.lowest <= entry <= ladder.highest:
        raise DataError(f"a level from {ladder.lowest} to {ladder.highest} is expected.")
    return entry


def _read_partition(prepared: Prepared, attribute: int, entry: object) -> Partition:
    name = prepared.scheme_names[attribute]
    partition = hierarchies.read_blocks(prepared.plain[attribute], entry, ranges=name in RANGES)
    if not prepared.schemes[attribute].is_valid(partition):
        raise DataError(f"its blocks are not a partition of the scheme {name!r}.")
    return partition


_ADVICE = re.compile(r"Set kind = .*?missing\.")
APART = "\ue000unknown"
"""The label of values that a strict recipe does not know; no real text has the first character."""


def recipe_problem(recipe: Generalization, data: object, *, strict: bool = False) -> tuple[Prepared, Problem]:
    """Code new data as a recipe says; the lattice holds its one node."""
    # Values that the recipe does not know are one more leaf of the domain, with a block of its own.
    spec = _spec_of(recipe)
    makers = {
        name: _maker(name, recipe.attributes[name], "*", strict)
        for name in recipe.quasi_identifiers
        if not _columns(recipe.attributes[name])
    }
    for name in recipe.sensitive:
        done = recipe.attributes[name]
        # Numbers and dates have their order by themselves, and a recipe lists published ones alone.
        has_own = done.kind != "ordinal" and "values" in (done.hierarchy or {})
        if done.hierarchy is not None and not has_own:
            # Sensitive values are published as they are, so an unknown one has no label.
            makers[name] = _maker(name, done, "error")
    free = prepare(_code(open_source(data, spec.data), spec, makers))
    ladders = tuple(
        ladder.only(_level(recipe.attributes[name], ladder))
        for name, ladder in zip(free.setting.quasi_identifiers, free.lattice.ladders, strict=True)
    )
    prepared = Prepared(free.table, Lattice(ladders), free.setting)
    if recipe.require.get("k", 0) > prepared.cube.person_count:
        raise InfeasibleError(
            f"the recipe requires k = {recipe.require['k']:g}, but there are only "
            f"{prepared.cube.person_count} {recipe.unit_word}s. Apply it to more rows."
        )
    problem = make_problem(prepared, (), ())
    if recipe.rule == BOTH:
        both = replace(problem.suppression, rule=Rule.FAILING_THEN_SMALLEST)
        problem = replace(problem, suppression=both)
    return prepared, problem


def _code(source: Source, spec: Spec, makers: Mapping[str, MakeHierarchy]) -> Table:
    """Code new data; advice names what can be done about data, since there is no specification to edit."""
    try:
        return code_table(source, spec, makers)
    except DataError as error:
        message = _ADVICE.sub("Correct these values in the data, or make a new release.", error.message)
        raise DataError(message, where=error.where) from None


def recipe_domains(recipe: Generalization, data: object) -> Prepared:
    """Code data with the domains that a recipe declares; where it declares none, with those of the data."""
    spec, makers = _spec_of(recipe), {}
    for name in (*recipe.quasi_identifiers, *recipe.sensitive):
        done = recipe.attributes[name]
        # Recorded values are those that the release shows; the data have their own, unless all are declared.
        is_own = _columns(done) or (done.kind != "ordinal" and "values" in (done.hierarchy or {}))
        if done.hierarchy is not None and not is_own:
            alone = replace(done, level=0, blocks=None, labels=None, statistics=None)
            makers[name] = _maker(name, alone, "*" if done.role == "quasi-identifier" else "error")
    return prepare(code_table(open_source(data, spec.data), spec, makers))


def recipe_table(recipe: Generalization, data: object, *, require: bool = False) -> Table:
    """Code data of a local recoding; their values alone count, whatever hierarchy they have."""
    lenient = replace(recipe, require={}, confidential=(), rule="none", limit=0.0)
    spec, makers = _spec_of(recipe if require else lenient), {}
    for name in recipe.quasi_identifiers if require else ():
        done = recipe.attributes[name]
        if "granularity" in (done.hierarchy or {}):
            makers[name] = _maker(name, replace(done, level=0, labels=None), "*")
    return _code(open_source(data, spec.data), spec, makers)


def _spec_of(recipe: Generalization) -> Spec:
    """Return the specification that a recipe stands for, hierarchies left out."""
    attributes: dict[str, dict[str, object]] = {}
    for name, attribute in recipe.attributes.items():
        if attribute.role == "identifier":
            continue  # it is not published, so new data need not have it
        attributes[name] = {"role": attribute.role}
        if attribute.kind in ("number", "category", "date"):
            attributes[name]["kind"] = attribute.kind
        if attribute.format is not None:
            attributes[name]["format"] = attribute.format
        if attribute.role == "quasi-identifier":
            attributes[name]["weight"] = attribute.weight
        if columns := _columns(attribute):
            attributes[name]["hierarchy"] = {"columns": columns}
        if attribute.unknown:
            attributes[name]["unknown"] = list(attribute.unknown)
    return Spec.from_dict(
        {
            "data": {"missing": list(recipe.missing)}
            | ({recipe.unit_word: recipe.unit} if recipe.unit else {})
            | ({} if recipe.key is None else {"key": recipe.key}),
            "attributes": attributes,
            "suppression": {
                "limit": recipe.limit,
                "rule": "auto" if recipe.rule == BOTH else recipe.rule,
                "output": recipe.suppressed_output,
            },
            "require": dict(recipe.require),
            "confidential": [
                {"sentence": sentence, "damage": damage} for sentence, damage in recipe.confidential
            ],
            "release": {"order": recipe.order, "formulas": recipe.formulas},
        }
    )


def _columns(attribute: RecipeAttribute) -> list[object]:
    """Return the columns that are the levels of an attribute in any data; none of other hierarchies."""
    columns = (attribute.hierarchy or {}).get("columns")
    return columns if isinstance(columns, list) else []


def _level(attribute: RecipeAttribute, ladder: Ladder) -> int:
    """Return the level of the new hierarchy that a recipe means."""
    level = hierarchies.BLOCKS if attribute.level is None else attribute.level
    if level > ladder.height:
        raise DataError(f"the recipe asks for level {level} of a hierarchy that has {ladder.height}.")
    return level


def _maker(
    name: str, attribute: RecipeAttribute, unknown: Literal["error", "*"], strict: bool = False
) -> MakeHierarchy:
    has_reach = attribute.scheme in RANGES and attribute.kind in ("number", "date")

    def make(kind: str, values: Sequence[hierarchies.Value], has_missing: bool) -> hierarchies.Hierarchy:
        made = make_named(kind, values, has_missing)
        if attribute.statistics is not None:
            level = hierarchies.BLOCKS if attribute.level is None else attribute.level
            made = hierarchies.relabel(made, level, dict(attribute.statistics), values, unknown=unknown)
        return _set_apart(made) if strict else made

    def make_named(
        kind: str, values: Sequence[hierarchies.Value], has_missing: bool
    ) -> hierarchies.Hierarchy:
        definition, kind = attribute.hierarchy or {}, attribute.kind or kind
        if attribute.blocks is not None:
            labels = _labels(name, attribute)
            recorded = hierarchies.RecordedBlocks(
                kind, attribute.blocks, labels, has_reach, definition, strict
            )
            return hierarchies.regroup(name, recorded, values, has_missing=has_missing, unknown=unknown)
        if has_reach and "values" in definition and not strict:
            # The blocks are single values and are published as they are; so does what lies between them.
            definition = hierarchies.fill_values(definition, kind, values)
        return hierarchies.rebuild(name, definition, kind, values, has_missing=has_missing, unknown=unknown)

    return make


def recorded_hierarchy(name: str, attribute: RecipeAttribute) -> tuple[hierarchies.Hierarchy, int]:
    """Return the values that a recipe lists, with their labels, and the level that it means."""
    made = _maker(name, attribute, "*")(attribute.kind or "category", [], True)
    return made, hierarchies.BLOCKS if attribute.level is None else attribute.level


def _set_apart(hierarchy: hierarchies.Hierarchy) -> hierarchies.Hierarchy:
    """Give unknown values a label that no release has: a block of all published values is ``*`` too."""
    if "unknown" not in hierarchy.definition:
        return hierarchy
    leaf, labels = hierarchy.size - hierarchy.has_missing - 1, [list(names) for names in hierarchy.labels]
    for names, blocks in zip(labels[:-1], hierarchy.levels, strict=False):
        names[int(blocks[leaf])] = APART
    return replace(hierarchy, labels=tuple(map(tuple, labels)))


def _labels(name: str, attribute: RecipeAttribute) -> tuple[str | None, ...]:
    if attribute.labels is None:
        raise DataError("the recipe does not say how its blocks are written: it has no labels.", where=name)
    return attribute.labels
