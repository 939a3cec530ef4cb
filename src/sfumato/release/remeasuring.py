"""Measures of a release, computed again from the data that it was made from.

Nothing is searched and no requirement is looked at: the suppressed classes are those that the file does not
show, whatever its manifest asks for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes import Request, Rule
from sfumato.domains import Ladder, Lattice, Partition
from sfumato.errors import ParameterError
from sfumato.hierarchies import RULES, encode
from sfumato.measures import Direction, Measure, make_measure
from sfumato.measures.facts import OF_DOMAINS, OF_SENTENCES
from sfumato.release.grouping import Grouping
from sfumato.release.suppressing import kept_statistics
from sfumato.verifier.checks import broken, held

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, IntArray
    from sfumato.preparing import Prepared
    from sfumato.release.recipe import Generalization, RecipeAttribute
    from sfumato.verifier import Check

HOLDERS = (
    "no manifest says for whom a sentence is confidential; pass the specification of the release with --spec"
)
_UNNAMED = "the recipe does not name the values of {!r} that occur only in suppressed rows"
_DECLARED = (
    "the domain of {!r} is declared outside the recipe and the data; pass the specification of the release "
    "with --spec"
)


@dataclass(frozen=True)
class Remeasured:
    """Measures of a release by its original."""

    exact: Mapping[str, float] = field(default_factory=dict)  # measure → number
    # for measures that are not determined: no value is better than this
    best: Mapping[str, float] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)  # why they are not
    # whether the costs that a manifest states are those of the declared domains
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True, eq=False)
class Shown:
    """The release in codes."""

    recipe: Generalization  # what was done
    recoded: Prepared  # the original, coded by the recipe
    domains: Prepared  # the original, coded with the whole domains
    blocks: IntArray  # the classes that the file shows, by the recipe's blocks; shape (classes, q)
    # quasi-identifiers whose hierarchies come from a specification, so that their domains are in no doubt
    specified: frozenset[str] = frozenset()
    # whether the recipe was found in other data: all values that it does not name are then one block
    is_applied: bool = False


def remeasure(shown: Shown, names: Collection[str], *, holders_known: bool) -> Remeasured:
    """Compute measures of exactly the rows that a file shows."""
    exact, best, reasons = {}, {}, {}
    measures: list[Measure] = []
    for name in names:
        if name in OF_SENTENCES and not holders_known:
            reasons[name] = HOLDERS
            continue
        try:
            measures.append(make_measure(name, shown.domains.setting))
        except ParameterError as error:
            reasons[name] = error.message.rstrip(".")
    columns = [_ShownColumn.of(shown, place) for place in range(len(shown.domains.lattice.ladders))]
    kept = _kept_cells(shown, columns)
    finest, united = (_evaluate(shown, columns, kept, measures, unite=unite) for unite in (False, True))
    unnamed = next((column.name for column in columns if column.is_unnamed), None)
    for number, item in enumerate(measures):
        values = finest[number], united[number]
        doubtful = next((c.name for c in columns if c.is_doubtful_for(item.name)), None)
        before = item.name == "mean_k" and shown.recipe.rule == "below-mean"
        if doubtful is not None:
            reasons[item.name] = _DECLARED.format(doubtful)
        elif unnamed is not None and (item.name in OF_DOMAINS or item.name == "hdm" or before):
            # A value that is not named costs least by itself; the classes before suppression are largest
            # where all such values are one.
            best[item.name] = max(values) if item.direction is Direction.MAXIMIZE else min(values)
            reasons[item.name] = _UNNAMED.format(unnamed)
        else:
            exact[item.name] = values[shown.is_applied]
    return Remeasured(exact, best, reasons)


def judge_costs(shown: Shown, reference: Mapping[str, object]) -> tuple[Check, ...]:
    """Compare the costs in a manifest with those of the declared domains, as far as these are known."""
    stated, checks = reference.get("attributes"), []
    columns = [_ShownColumn.of(shown, place) for place in range(len(shown.domains.lattice.ladders))]
    kept = shown.domains.cube.codes[_kept_cells(shown, columns)]
    for place, column in enumerate(columns):
        domain, done = shown.domains.table.hierarchies[column.name], shown.recipe.attributes[column.name]
        entry = stated.get(column.name) if isinstance(stated, Mapping) else None
        if entry is None or not domain.is_declared:
            continue
        ladder = column.fixed(unite=False)
        node = done.level if done.scheme == "levels" else None
        published = np.bincount(kept[:, place], minlength=domain.size) > 0
        block = ladder.levels[ladder.lowest]
        due = Grouping(domain, str(done.scheme), block, node, published).costs(done.weight, declared=True)
        title = f"costs of {column.name!r} in the original"
        if all(_fractions(entry, kind) == _fractions(due, kind) for kind in ("loss", "extent")):
            checks.append(held(title, "as stated."))
        else:
            checks.append(broken(title, f"{title}: different ones are stated."))
    return tuple(checks)


def _fractions(entry: Mapping[str, object], kind: str) -> list[Fraction]:
    """Return the costs of an attribute without their labels, which may be statistics."""
    table = entry.get(kind)
    cells = table.get("cells") if isinstance(table, Mapping) else None
    return sorted(Fraction(int(cell[1]), int(cell[2])) for cell in cells or ())


@dataclass(frozen=True, eq=False)
class _ShownColumn:
    """A quasi-identifier: its codes in the whole domain, and the recipe's block of each."""

    name: str
    ladder: Ladder  # of the whole domain
    level: int | None  # where the recipe names one
    block: IntArray  # of each code of the domain; -1 where the recipe does not know it
    foreign: BoolArray  # codes whose values the recipe does not name
    is_unnamed: bool
    is_doubtful: bool
    has_heights: bool

    @classmethod
    def of(cls, shown: Shown, place: int) -> _ShownColumn:
        name = shown.domains.setting.quasi_identifiers[place]
        done = shown.recipe.attributes[name]
        ours, theirs = shown.domains.table.hierarchies[name], shown.recoded.table.hierarchies[name]
        ladder = shown.recoded.lattice.ladders[shown.recoded.setting.quasi_identifiers.index(name)]
        codes = encode(theirs, ours.values)
        block = np.where(codes < 0, -1, ladder.levels[ladder.lowest][codes])
        leaf = theirs.size - 1 - theirs.has_missing if "unknown" in theirs.definition else -1
        foreign = (codes < 0) | (codes == leaf)
        is_unnamed = done.level is None and leaf >= 0
        whole = shown.domains.lattice.ladders[place]
        doubtful = name not in shown.specified and _is_doubtful(done, ours.size)
        # Of other schemes than levels a recipe keeps the rules of hierarchies, not their trees.
        has_heights = name in shown.specified or done.level is not None or bool(done.hierarchy)
        # Values that are one block because nobody names them are no part of a level.
        level = None if shown.is_applied and foreign.any() else done.level
        return cls(name, whole, level, block.astype(np.int32), foreign, is_unnamed, doubtful, has_heights)

    def is_doubtful_for(self, measure: str) -> bool:
        """Tell whether a measure depends on what is not known of the column's domain or tree."""
        return (self.is_doubtful and measure in OF_DOMAINS) or (
            measure == "precision" and not self.has_heights
        )

    def fixed(self, *, unite: bool) -> Ladder:
        """Return the one partition of the release; values that are not named united, or each by itself."""
        if self.level is not None and self.level <= self.ladder.height:
            return self.ladder.only(self.level)
        own = np.arange(len(self.block)) + self.block.max(initial=-1) + 1
        rest = np.full(len(own), own[0] if len(own) else 0) if unite else own
        numbers = np.where(self.foreign, rest, self.block)
        return Ladder.listed([Partition.of(numbers)], self.ladder)


def _is_doubtful(done: RecipeAttribute, size: int) -> bool:
    """Tell whether a domain may hold values that neither recipe nor data have."""
    definition = done.hierarchy or {}
    if done.level == 0:
        return False  # single values keep everything, however many there are
    if "root" in definition:
        return size < 2  # one block loses everything, unless one value is all there is
    if definition.get("declared") is False:
        return True
    # Blocks without a rule may be those of a file, a tree or an order that the recipe does not hold.
    return not any(key in definition for key in (*RULES, "granularity", "leaves"))


def _kept_cells(shown: Shown, columns: Sequence[_ShownColumn]) -> BoolArray:
    """Tell which cells of the cube are in a class that the file shows."""
    cube = shown.domains.cube
    order = [shown.recoded.setting.quasi_identifiers.index(column.name) for column in columns]
    theirs = {tuple(row) for row in shown.blocks[:, order].tolist()}
    own = np.column_stack([column.block[cube.codes[:, place]] for place, column in enumerate(columns)])
    distinct, number = np.unique(own, axis=0, return_inverse=True)
    return np.array([tuple(row) in theirs for row in distinct.tolist()], dtype=bool)[number.reshape(-1)]


def _evaluate(
    shown: Shown,
    columns: Sequence[_ShownColumn],
    kept: BoolArray,
    measures: Sequence[Measure],
    *,
    unite: bool,
) -> list[float]:
    """Compute measures of the rows of some cells."""
    cube = shown.domains.cube
    lattice = Lattice(tuple(column.fixed(unite=unite) for column in columns))
    request = Request(
        tuple(dict.fromkeys(item for measure in measures for item in measure.properties)),
        tuple(dict.fromkeys(cost for measure in measures for cost in measure.costs)),
    )
    rule = Rule.BELOW_MEAN if shown.recipe.rule == "below-mean" else Rule.NONE
    found = kept_statistics(cube, lattice, kept, request, rule)
    return [float(item.value(found)[0]) for item in measures]
