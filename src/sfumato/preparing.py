"""From data and a specification to a search problem."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes import Levels
from sfumato.domains import Cube, Ladder, Lattice
from sfumato.errors import ParameterError, SpecError
from sfumato.hierarchies import Plain, listed_partitions, plain_values, value_places, write_blocks
from sfumato.measures import Direction, Measure, Setting, make_measure
from sfumato.schemes import Scheme, make_scheme
from sfumato.search import OBJECTIVES, Problem, Requirement, choose_rule
from sfumato.table import Table, code_table, open_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sfumato._typing import FloatArray, IntArray
    from sfumato.spec import Spec

RANGES = ("ordered", "guided-ordered")
"""The schemes whose blocks are contiguous, and written as first and last value."""

ORDERED = ("number", "date", "ordinal")  # the kinds of attributes whose values have an order of their own


@dataclass(frozen=True, eq=False)
class Prepared:
    """A coded table with the space of its recodings."""

    table: Table  # the coded table; it knows its specification
    # levels that each quasi-identifier may take; where its scheme is another one, all of them
    lattice: Lattice
    setting: Setting  # names and weights, for measures

    @property
    def spec(self) -> Spec:
        """The specification."""
        return self.table.spec

    @property
    def cube(self) -> Cube:
        """The cube of the table."""
        return self.table.cube

    @property
    def scheme_names(self) -> tuple[str, ...]:
        """The name of each quasi-identifier's scheme."""
        return tuple(self.spec.attributes[name].scheme for name in self.setting.quasi_identifiers)

    @property
    def is_full_domain(self) -> bool:
        """Whether every scheme is ``levels``, so that the lattice is the whole space."""
        return set(self.scheme_names) <= {"levels"}

    @cached_property
    def schemes(self) -> tuple[Scheme, ...]:
        """The scheme of each quasi-identifier."""
        ladders = zip(self.setting.quasi_identifiers, self.lattice.ladders, strict=True)
        return tuple(_scheme(self.table, name, ladder) for name, ladder in ladders)

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """How many partitions each quasi-identifier may take, as its scheme counts them."""
        if self.is_full_domain:
            return self.lattice.counts
        return tuple(scheme.count() for scheme in self.schemes)

    def entry(self, attribute: int, block: IntArray) -> list[list[Plain]]:
        """Write the partition of an attribute with its values, as ``front.csv`` does."""
        ranges = self.scheme_names[attribute] in RANGES
        return write_blocks(self.plain[attribute], block, ranges=ranges)

    @cached_property
    def plain(self) -> tuple[list[Plain], ...]:
        """The values of each quasi-identifier's domain as JSON holds them."""
        return tuple(plain_values(self.table.hierarchies[name]) for name in self.setting.quasi_identifiers)

    def describe(self, attribute: int, block: IntArray) -> str:
        """Return the partition of an attribute as JSON text."""
        return json.dumps(self.entry(attribute, block), ensure_ascii=False)


def load(data: object, spec: Spec) -> Prepared:
    """Open, code and check data by a specification."""
    if data is None:
        if spec.data.path is None:
            raise SpecError("no data: name a path under [data] or pass a frame.")
        data = spec.resolve(spec.data.path)
    return prepare(code_table(open_source(data, spec.data), spec))


def prepare(table: Table) -> Prepared:
    """Span the lattice of a coded table and note its names and weights."""
    spec = table.spec
    names = spec.quasi_identifiers
    places = tuple(value_places(table.hierarchies[name]) for name in names)
    table = replace(table, cube=replace(table.cube, places=places))
    ladders = tuple(_ladder(table, name) for name in names)
    _check_outputs(table)
    weights = np.array([spec.attributes[name].weight for name in names], dtype=np.float64)
    prepared = Prepared(table, Lattice(ladders), _setting(table, weights))
    if not prepared.is_full_domain:
        _ = prepared.schemes  # so that mistakes in them are reported now
    return prepared


def _check_outputs(table: Table) -> None:
    """Raise SpecError if a mean of non-numeric values is requested."""
    for name, hierarchy in table.hierarchies.items():
        if table.spec.attributes[name].output == "mean" and hierarchy.kind != "number":
            raise SpecError(
                f"only numbers have a mean, but the kind here is {hierarchy.kind!r}. Use 'median' or 'mode'.",
                where=table.spec.where("attributes", name, "output"),
            )


def _setting(table: Table, weights: FloatArray) -> Setting:
    """Note names and weights, and which sensitive attributes have an order or a tree."""
    spec = table.spec
    trees = {
        name: Levels(hierarchy.levels).apart(table.raw[name].unknown)
        for name, hierarchy in table.sensitive.items()
        if spec.attributes[name].hierarchy is not None or hierarchy.height > 1
    }
    ordered = (name for name, item in table.sensitive.items() if item.kind in ORDERED or name in trees)
    secrets = table.cube.confidential
    return Setting(spec.quasi_identifiers, spec.sensitive, weights, frozenset(ordered), trees, secrets)


def _ladder(table: Table, name: str) -> Ladder:
    hierarchy = table.hierarchies[name]
    levels = table.spec.attributes[name].levels or (0, hierarchy.height)
    if levels[1] > hierarchy.height:
        raise SpecError(
            f"the hierarchy has levels 0 to {hierarchy.height}; {levels[1]} is allowed. Lower it.",
            where=table.spec.where("attributes", name, "levels"),
        )
    return Ladder(hierarchy.levels, *levels)


def _scheme(table: Table, name: str, ladder: Ladder) -> Scheme:
    hierarchy, asked = table.hierarchies[name], table.spec.attributes[name]
    if asked.scheme == "levels":
        return make_scheme("levels", ladder=ladder)
    if asked.scheme == "admissible":

        def where(*inside: int) -> str:
            return table.spec.where("attributes", name, "partitions", *inside)

        listed = listed_partitions(hierarchy, asked.partitions or (), where)
        return make_scheme("admissible", partitions=listed)
    tree = None if asked.hierarchy is None else hierarchy.tree(collapse=asked.scheme != "cuts")
    return make_scheme(asked.scheme, size=hierarchy.size, tree=tree, missing=hierarchy.has_missing)


def asked_objectives(spec: Spec) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what is maximized and minimized; some methods have their own by default."""
    if spec.objectives.names:
        return spec.objectives.maximize, spec.objectives.minimize
    return OBJECTIVES.get(spec.search.method, ((), ()))


def make_problem(
    prepared: Prepared, maximize: Iterable[str], minimize: Iterable[str], own: Iterable[Measure] = ()
) -> Problem:
    """Make the search problem of a specification for given objectives."""
    spec, named = prepared.spec, {item.name: item for item in own}
    objectives = (
        *(_objective(prepared, name, Direction.MAXIMIZE, named) for name in maximize),
        *(_objective(prepared, name, Direction.MINIMIZE, named) for name in minimize),
    )
    requirements = tuple(_requirement(prepared, name, limit, named) for name, limit in spec.require.items())
    suppression = choose_rule(
        spec.suppression.rule, spec.suppression.limit, prepared.cube.row_count, objectives, requirements
    )
    problem = Problem(prepared.cube, prepared.lattice, objectives, requirements, suppression)
    if prepared.is_full_domain:
        return problem
    return replace(problem, schemes=prepared.schemes, describe=prepared.describe)


def _measure(prepared: Prepared, name: str, own: Mapping[str, Measure], *place: str) -> Measure:
    if name in own:
        return own[name]
    try:
        return make_measure(name, prepared.setting)
    except ParameterError as error:
        raise SpecError(error.message, where=prepared.spec.where(*place)) from None


def _objective(prepared: Prepared, name: str, direction: Direction, own: Mapping[str, Measure]) -> Measure:
    measure = _measure(prepared, name, own, "objectives", direction.value)
    if measure.direction is not direction:
        raise SpecError(
            f"{name!r} is better when it is {'larger' if direction is Direction.MINIMIZE else 'smaller'}; "
            f"list it under '{measure.direction.value}'.",
            where=prepared.spec.where("objectives", direction.value),
        )
    return measure


def _requirement(prepared: Prepared, name: str, limit: float, own: Mapping[str, Measure]) -> Requirement:
    measure = _measure(prepared, name, own, "require", name)
    people = prepared.cube.person_count
    if name == "k" and (limit < 1 or limit != int(limit) or limit > people):
        words = f"{people} {prepared.spec.data.unit_word}s"
        raise SpecError(
            f"k must be a whole number from 1 to the {words} of the table; got {limit:g}.",
            where=prepared.spec.where("require", name),
        )
    low, high = measure.limits
    if not low <= limit <= high:
        allowed = f"from {low:g} to {high:g}" if np.isfinite(high) else f"{low:g} or above"
        where = prepared.spec.where("require", name)
        raise SpecError(f"{name} must be {allowed}; got {limit:g}.", where=where)
    return Requirement(measure, limit)
