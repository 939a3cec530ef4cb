"""From data and a specification to a search problem."""

from __future__ import annotations

import bisect
import json
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sfumato.classes import Levels, PropertyKind, budget_of
from sfumato.confidentiality import count_protected
from sfumato.domains import Cube, Ladder, Lattice
from sfumato.errors import ParameterError, SpecError
from sfumato.front import whole_text
from sfumato.hierarchies import (
    Hierarchy,
    Plain,
    block_widths,
    listed_partitions,
    plain_values,
    value_places,
    write_blocks,
)
from sfumato.local import LabelSpace, LocalProblem
from sfumato.measures import MEASURES, ClassMeasure, Direction, Measure, Setting, make_measure
from sfumato.schemes import Scheme, make_scheme
from sfumato.search import OBJECTIVES, Problem, Requirement, choose_rule
from sfumato.spec import parse_measure_name
from sfumato.table import Table, code_table, open_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sfumato._typing import FloatArray, IntArray, LongArray
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


def load(data: object, spec: Spec, *, to_search: bool = False) -> Prepared:
    """Open, code and check data by a specification; to search them, levels that cannot be used may go."""
    if data is None:
        data = spec.data_path
        if data is None:
            raise SpecError("no data: name a path under [data] or pass a frame.")
    lowest = partial(_lowest_usable, spec) if to_search and _may_coarsen(spec) else None
    return prepare(code_table(open_source(data, spec.data), spec, lowest=lowest))


def _may_coarsen(spec: Spec) -> bool:
    """Tell whether nothing that is asked for depends on the values below the lowest level in use."""
    asked = {parse_measure_name(name)[0] for name in (*spec.objectives.names, *spec.require)}
    is_plain = all(item.output == "label" for item in spec.attributes.values())
    # `hdm` counts how often each value occurs, and nobody knows what measures of users count.
    return not spec.is_local and is_plain and asked <= MEASURES.keys() - {"hdm"}


def _lowest_usable(spec: Spec, name: str, hierarchy: Hierarchy, rows: LongArray) -> int:
    """Return the lowest level of an attribute that some recoding which meets the requirements may use.

    Other attributes only split the classes that one makes alone. So a level at which more rows than may be
    suppressed lie in classes below k is of no use, whatever the others do; nor is any level below it.
    """
    asked = spec.attributes[name]
    level, highest = asked.levels or (0, hierarchy.height)
    if asked.scheme != "levels" or highest > hierarchy.height:
        return 0
    rule, k = spec.suppression.rule, spec.require.get("k", 0)
    budget = 0 if rule == "none" else budget_of(spec.suppression.limit, int(rows.sum()))
    while level < highest:
        sizes = np.bincount(hierarchy.levels[level], rows)
        if sizes[sizes < k].sum() <= budget:
            break
        level += 1
    return level


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
    lowest, highest = levels = table.spec.attributes[name].levels or (0, hierarchy.height)
    if levels[1] > hierarchy.height:
        raise SpecError(
            f"the hierarchy has levels 0 to {hierarchy.height}; {levels[1]} is allowed. Lower it.",
            where=table.spec.where("attributes", name, "levels"),
        )
    return Ladder(hierarchy.levels, max(lowest, table.raised.get(name, 0)), highest)


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
        unit = prepared.spec.data.unit_word
        message = f"k must be a whole number from 1 to the {people} {unit}s of the table; got {limit:g}."
        if people == 1:
            message = f"the table has a single {unit}, which nothing can hide. Take a larger one."
        raise SpecError(
            message,
            where=prepared.spec.where("require", name),
        )
    low, high = measure.limits
    if not low <= limit <= high:
        allowed = f"from {low:g} to {high:g}" if np.isfinite(high) else f"{low:g} or above"
        where = prepared.spec.where("require", name)
        raise SpecError(f"{name} must be {allowed}; got {limit:g}.", where=where)
    return Requirement(measure, limit)


LOCAL_COSTS: dict[str, dict[str, float]] = {
    **{name: {} for name in ("loss", "glm", "ncp")},
    "gl": {"suppressed_cost": 0.0},
    # Of classes that are equally good, those with the least labels.
    "dm": {"cell": 1e-6, "square": 1.0},
    "average_class": {"cell": 1e-6, "each": -1.0, "suppressed_cost": 0.0},
}
"""What a local recoding may minimize, as the costs of labels and classes."""


def make_local_problem(prepared: Prepared, problem: Problem) -> LocalProblem:
    """Make the question for local recodings that meet what a problem requires of classes."""
    spec, names, objective = prepared.spec, prepared.setting.quasi_identifiers, local_objective(problem)
    if objective not in LOCAL_COSTS:
        raise SpecError(
            f"{objective or 'nothing'!r} cannot be minimized by local recoding. Use one of "
            f"{', '.join(LOCAL_COSTS)}.",
            where=spec.where("objectives", "minimize"),
        )
    costs = dict(LOCAL_COSTS[objective])
    is_of_cells = not {"square", "each"} & costs.keys()
    if objective == "dm":
        costs["suppressed_cost"] = float(prepared.cube.row_count)
    return LocalProblem.of_cube(
        prepared.cube,
        [label_space(prepared.table, name, by_width=objective == "ncp") for name in names],
        problem.request.thresholds,
        attribute_weights=prepared.setting.weights,
        # Classes have a size, and no weight.
        row_weights=prepared.table.weigh_cells() if spec.recoding.weighted and is_of_cells else None,
        budget=problem.suppression.budget,
        **costs,
    )


def local_objective(problem: Problem) -> str:
    """Return what a local recoding minimizes; all that it should, if it can do none of that."""
    wanted = [item.name for item in problem.objectives if item.direction is Direction.MINIMIZE]
    return next((name for name in wanted if name in LOCAL_COSTS), ", ".join(wanted))


def local_bound(problem: Problem, tuples: LocalProblem, bound: float) -> float:
    """Return what a bound on the cost says of the measure that is minimized.

    Without what the labels add that decide between equally good classes.
    """
    if local_objective(problem) in ("gl", "glm"):
        return bound * tuples.total * len(tuples.spaces)
    labels = tuples.cell if tuples.square or tuples.each else 0.0
    whole = (bound - labels) * tuples.total
    if tuples.each < 0:
        return tuples.total / max(math.floor(-whole), 1)
    return max(whole, 0.0) if tuples.square else bound


_SIZES, _VALUES, _DISTANCES = (2, 3, 5, 10, 20, 50), (2, 3, 4, 5, 6, 8), (0.5, 0.4, 0.3, 0.2, 0.15, 0.1)
LADDERS: dict[PropertyKind, tuple[float, ...]] = {
    PropertyKind.SIZE: _SIZES,
    **dict.fromkeys(
        (PropertyKind.DISTINCT, PropertyKind.ENTROPY, PropertyKind.SHARE, PropertyKind.RECURSIVE), _VALUES
    ),
    **dict.fromkeys((PropertyKind.T_EQUAL, PropertyKind.T_ORDERED, PropertyKind.T_HIERARCHICAL), _DISTANCES),
}
"""The usual requirements by what they judge, from the weakest."""


def ladder_measure(prepared: Prepared, own: Iterable[Measure] = ()) -> ClassMeasure:
    """Return what a local front is a ladder of: the first objective, else requirement, of classes; else k."""
    spec, named = prepared.spec, {item.name: item for item in own}
    for name in (*spec.objectives.names, *spec.require, "k"):
        measure = _measure(prepared, name, named, "objectives")
        if isinstance(measure, ClassMeasure) and measure.judged.kind in LADDERS:
            return measure
    raise AssertionError("k judges classes")


def make_ladder(prepared: Prepared, measure: ClassMeasure) -> list[float]:
    """Return the requirements of a local front, the strictest first."""
    spec, sign = prepared.spec, 1 if measure.direction is Direction.MAXIMIZE else -1
    least, asked = spec.require.get(measure.name), spec.recoding.ladder
    for limit in asked:
        try:
            _requirement(prepared, measure.name, limit, {measure.name: measure})
        except SpecError as error:
            raise SpecError(error.message, where=spec.where("recoding", "ladder")) from None
    steps = asked or LADDERS[measure.judged.kind]
    if not asked and measure.judged.kind is PropertyKind.SIZE:
        steps = tuple(step for step in steps if step <= prepared.cube.person_count) or (1.0,)
    fitting = [float(step) for step in steps if least is None or sign * step >= sign * least]
    if asked and len(fitting) < len(asked):
        raise SpecError(
            f"a step is weaker than what is required of {measure.name}: {least:g}. Remove it, or lower the "
            "requirement.",
            where=spec.where("recoding", "ladder"),
        )
    known = {*fitting, *([] if asked or least is None else [float(least)])}
    return sorted(known, key=lambda step: -sign * step)


def label_kind(table: Table, name: str) -> str:
    """Return what the labels of a quasi-identifier are: `tree`, `range`, `set`, `suppress` or `keep`."""
    asked, kind = table.spec.attributes[name], table.hierarchies[name].kind
    if asked.keep:
        return "keep"
    # Whoever bounds the levels of a date means them: its exact time may be what must not be shown.
    by_tree = asked.hierarchy is not None and (asked.levels is not None or kind not in ("number", "date"))
    chosen = asked.labels or ("tree" if by_tree else "range" if kind in ("number", "date") else "set")
    if chosen == "range" and kind not in ORDERED:
        raise SpecError(
            "ranges need numbers, dates or an ordinal attribute; the kind here is 'category'. "
            'Use labels = "set" or "tree", or kind = "ordinal" with an order.',
            where=table.spec.where("attributes", name, "labels"),
        )
    for key, needed in (("snap", "range"), ("levels", "tree")):
        if getattr(asked, key) is not None and chosen != needed:
            raise SpecError(
                f"is for labels = {needed!r}; the labels here are {chosen!r}. Remove it, or set labels.",
                where=table.spec.where("attributes", name, key),
            )
    if asked.snap is not None and kind != "number":
        raise SpecError(
            f"needs numbers; the kind here is {kind!r}.", where=table.spec.where("attributes", name, "snap")
        )
    return chosen


def label_space(table: Table, name: str, *, by_width: bool = False) -> LabelSpace:
    """Return the labels that a quasi-identifier may show, with what they cost in `loss`, or in `ncp`."""
    hierarchy, kind = table.hierarchies[name], label_kind(table, name)
    size, missing = hierarchy.size, hierarchy.size - 1 if hierarchy.has_missing else -1
    places = value_places(hierarchy) if by_width else None
    if kind == "tree":
        ladder, costs = _ladder(table, name), None
        if places is not None and size > 1:
            costs = np.zeros(hierarchy.levels.shape)
            for own, level in zip(costs, hierarchy.levels, strict=True):
                apart, whole = block_widths(hierarchy, places, level, shows_missing=missing >= 0)
                own[: len(apart)] = apart / whole
        return LabelSpace.tree(hierarchy.levels, ladder.lowest, ladder.highest, costs)
    if kind == "set" and places is not None:
        raise SpecError(
            'sets of numbers or dates have no width, which "ncp" is about. '
            'Use labels = "range" or "tree", or minimize "loss".',
            where=table.spec.where("attributes", name, "labels"),
        )
    if kind == "set":
        return LabelSpace.set(size, missing)
    if kind != "range":
        return LabelSpace.keep(size) if kind == "keep" else LabelSpace.suppress(size)
    snap = table.spec.attributes[name].snapping
    line = np.arange(size) if places is None else places
    codes = [[*range(size)]] * 2
    if snap is not None:
        values = [Fraction(str(value)) for value in hierarchy.values if value is not None]
        edges = [snapped_edges(value, snap) for value in values]
        # Values are in order: a label costs the values between its edges.
        codes[0] = [bisect.bisect_left(values, low) for low, _ in edges]
        codes[1] = [bisect.bisect_left(values, high) - 1 for _, high in edges]
    ends = [line[[*own, *[size - 1] * (size - len(own))]] / max(line.max(), 1) for own in codes]
    return LabelSpace.range(size, missing, *ends)


Snapping: TypeAlias = tuple[float, float]
"""A step, and one of the places from which steps are counted."""


def snapped_edges(value: Fraction, snap: Snapping) -> tuple[Fraction, Fraction]:
    """Return the steps around a number: the last one up to it, and the first one above it."""
    step, origin = (Fraction(str(number)) for number in snap)
    before = (value - origin) // step * step + origin
    return before, before + step


def snapped_span(hierarchy: Hierarchy, codes: tuple[int, int], snap: Snapping) -> tuple[Fraction, Fraction]:
    """Return where a snapped range over codes begins and, that excluded, ends."""
    first, last = (Fraction(str(hierarchy.values[code])) for code in codes)
    return snapped_edges(first, snap)[0], snapped_edges(last, snap)[1]


def describe_sentences(prepared: Prepared) -> list[dict[str, object]]:
    """Say how many people each confidential sentence protects."""
    secrets = prepared.table.secrets
    if secrets is None:
        return []
    return [
        {
            "sentence": item.formatted,
            "for": item.holders_text or ("everyone" if item.record is None else f"record {item.record}"),
            "people": protected.people,
            "damage": item.damage,
        }
        for item, protected in zip(secrets.statements, count_protected(prepared.cube), strict=True)
    ]


def describe_attributes(prepared: Prepared) -> list[dict[str, object]]:
    """Say what is known about each attribute."""
    table, counts = (
        prepared.table,
        dict(zip(prepared.setting.quasi_identifiers, prepared.counts, strict=True)),
    )
    counts = dict.fromkeys(counts, 0) if prepared.spec.is_local else counts
    described: list[dict[str, object]] = []
    for name, asked in prepared.spec.attributes.items():
        hierarchy = table.hierarchies.get(name) or table.sensitive.get(name)
        described.append(
            {
                "name": name,
                "role": asked.role,
                "kind": hierarchy.kind if hierarchy else asked.kind,
                "scheme": _how(prepared, name) if name in counts else None,
                "values": hierarchy.size if hierarchy else None,
                "levels": hierarchy.height + 1 if name in counts and hierarchy else None,
                "space": whole_text(counts[name]) if counts.get(name) else None,
            }
        )
    return described


def _how(prepared: Prepared, name: str) -> str:
    """Return the scheme of a quasi-identifier; with local recoding, what its labels are."""
    local = prepared.spec.is_local
    return label_kind(prepared.table, name) if local else prepared.spec.attributes[name].scheme
