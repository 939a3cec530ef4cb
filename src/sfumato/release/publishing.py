"""What may be published about a release: nothing about suppressed rows except how many there are.

A number is published if file and specification determine it. One that depends on a domain which the
specification does not declare is withheld: its size and its ends are those of the data. One that depends on
suppressed rows in another way is published as the most cautious number that any values in these rows could
lead to, with the tolerance within which the true one lies; it is a function of the other rows alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes.packing import group_keys, pack_fields, pack_keys
from sfumato.measures.facts import OF_DOMAINS
from sfumato.release.grouping import Grouping
from sfumato.release.reference import distribution, make_reference, shown_values, stated_sentences
from sfumato.spec import parse_measure_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sfumato._typing import BoolArray, FloatArray, IntArray, LongArray
    from sfumato.classes import Classes
    from sfumato.hierarchies import Hierarchy
    from sfumato.preparing import Prepared
    from sfumato.release.local_labels import LocalLabels

_TO_DECLARE = {
    "number": "intervals with bottom and top, and granularity unless the numbers are whole",
    "date": "a hierarchy file",
    "ordinal": "an order, a tree or a hierarchy file",
    "category": "a tree, an order or a hierarchy file",
}


@dataclass(frozen=True)
class Publication:
    """What a manifest says besides the recipe."""

    reference: Mapping[str, object]  # what a recount of the file needs
    # measure → why its number is not published, and what to do about it
    withheld: Mapping[str, str] = field(default_factory=dict)
    # measure → its number for the most cautious and for the least cautious values of suppressed rows, where
    # neither file nor manifest show what it is made of
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def class_of_tuples(codes: IntArray, blocks: Sequence[IntArray], classes: Classes) -> LongArray:
    """Return the number of the class in which each tuple of codes lies; −1 where it lies in none."""
    own = np.column_stack([block[codes[:, a]] for a, block in enumerate(blocks)])
    fields = pack_fields(tuple(int(block.max(initial=0)) + 1 for block in blocks))
    _, group = group_keys(pack_keys(np.concatenate([classes.blocks, own]).astype(np.int32), fields))
    number = np.full(int(group.max(initial=-1)) + 1, -1, dtype=np.int64)
    number[group[: len(classes)]] = np.arange(len(classes))
    return number[group[len(classes) :]]


def kept_tuples(codes: IntArray, blocks: Sequence[IntArray], classes: Classes) -> BoolArray:
    """Tell which tuples of codes lie in classes that are not suppressed."""
    number = class_of_tuples(codes, blocks, classes)
    is_kept: BoolArray = ~np.append(classes.suppressed, True)  # what lies in no class is at the last place
    return is_kept[number]


def publish(
    prepared: Prepared,
    groupings: Sequence[Grouping | LocalLabels],
    classes: Classes,
    kept: BoolArray,
    measures: Mapping[str, float],
) -> Publication:
    """Decide what is published of a release."""
    view = _View(prepared, groupings, classes, kept, measures)
    asked = tuple(measures)
    withheld = {name: reason for name in asked if (reason := view.why_withheld(name))}
    # What a cell costs is of use only where every column says it.
    attributes = {
        item.name: item.costs(weight, declared=True)
        for item, weight in zip(groupings, prepared.setting.weights.tolist(), strict=True)
        if all(other.hierarchy.is_declared for other in groupings)
    }
    found = {name: view.bounds_of(name) for name in asked if name not in withheld}
    return Publication(
        make_reference(attributes, view.distributions(asked, withheld), stated_sentences(prepared.table)),
        withheld,
        {name: bounds for name, bounds in found.items() if bounds is not None},
    )


@dataclass(frozen=True, eq=False)
class _View:
    """A release as far as everyone may see it."""

    prepared: Prepared
    groupings: Sequence[Grouping | LocalLabels]
    classes: Classes
    kept: BoolArray
    measures: Mapping[str, float]

    @cached_property
    def suppressed(self) -> int:
        """Suppressed rows."""
        return int(self.prepared.cube.rows[~self.kept].sum())

    @property
    def _partitions(self) -> list[Grouping]:
        """What measures of partitions are about; a local recoding has none, nor such measures."""
        return [item for item in self.groupings if isinstance(item, Grouping)]

    def why_withheld(self, name: str) -> str | None:
        """Say why a measure is not published; None where it is."""
        word, arguments = parse_measure_name(name)
        if word in OF_DOMAINS:
            return _undeclared([item.hierarchy for item in self.groupings])
        if word == "t" and arguments[1:] == ("ordered",) and self.suppressed:
            return _undeclared([self.prepared.table.sensitive[arguments[0]]])
        if word == "sf" and self.suppressed:
            return "it compares with how often sentences are true of suppressed rows."
        return None

    def bounds_of(self, name: str) -> tuple[float, float] | None:
        """Return the most and the least cautious number; None where the file shows all that it takes."""
        if name == "hdm":
            return self._bounds_of_hdm()
        if name == "sf":
            return self.measures[name], self.measures[name]
        if name == "mean_k" and self.prepared.spec.suppression.rule == "below-mean":
            return self._bounds_of_mean_k()
        if name == "ql":
            weights = self.prepared.setting.weights
            shares = (
                item.detail * weight for item, weight in zip(self._partitions, weights.tolist(), strict=True)
            )
            return (detail := float(sum(shares) / weights.sum())), detail
        return None

    def _bounds_of_hdm(self) -> tuple[float, float]:
        """A cell costs (N_e − N_v) / (N − N_v); a suppressed row may be in both, in N_e or in neither."""
        cube, hidden = self.prepared.cube, self.suppressed
        weights = self.prepared.setting.weights / self.prepared.setting.weights.sum()
        most = least = float(hidden)
        for a, (item, weight) in enumerate(zip(self._partitions, weights.tolist(), strict=True)):
            rows = cube.rows[self.kept].astype(np.float64)
            value = np.bincount(cube.codes[self.kept, a], rows, minlength=cube.sizes[a]).astype(np.float64)
            others: FloatArray = np.bincount(item.block, value)[item.block] - value
            beside = cube.row_count - value
            # Exact sums: values that no published row has add nothing, wherever they stand.
            least += weight * math.fsum(value * _ratio(others, beside))
            highest = np.maximum(_ratio(others + hidden, beside), _ratio(others, beside - hidden))
            most += weight * math.fsum(value * highest)
        return most, least

    def _bounds_of_mean_k(self) -> tuple[float, float]:
        """Taken before suppression: suppressed rows were at least classes of one, at most one class."""
        kept, rows = ~self.classes.suppressed, self.prepared.cube.row_count
        remaining = int((self.classes.rows[kept] * self.classes.sizes[kept]).sum())
        return (remaining + self.suppressed) / rows, (remaining + self.suppressed**2) / rows

    def distributions(
        self, names: Iterable[str], withheld: Mapping[str, str]
    ) -> dict[str, dict[str, object]]:
        """State what t needs: values that are published or declared, with rounded shares."""
        cube, table = self.prepared.cube, self.prepared.table
        found = {}
        for number, name in enumerate(self.prepared.setting.sensitive):
            asked = distances(name, (text for text in names if text not in withheld))
            if not asked:
                continue
            domain = table.sensitive[name]
            counts = np.bincount(
                cube.sensitive_codes[self.kept, number], cube.rows[self.kept], minlength=domain.size
            )
            shown = (counts > 0) | domain.declared
            rows = self.prepared.cube.row_count
            found[name] = distribution(
                [value for value, is_shown in zip(shown_values(domain), shown, strict=True) if is_shown],
                counts[shown].astype(np.int64).tolist(),
                domain.only(shown).levels.tolist() if "hierarchical" in asked else (),
                step=step_above(self.suppressed / rows),
            )
        return found


def step_above(share: float) -> float:
    """Return the next larger step of 1, 2 or 5 units of some decimal place; 0 for 0."""
    if not share:
        return 0.0
    unit = math.floor(math.log10(share))
    return next(
        step
        for tens in (unit, unit + 1)
        for digit in (1, 2, 5)
        if (step := float(f"{digit}e{tens}")) >= share
    )


def _ratio(top: FloatArray, bottom: FloatArray) -> FloatArray:
    """Return shares of at most 1; nothing of nothing is 0."""
    return np.minimum(np.divide(top, bottom, out=np.where(top > 0, 1.0, 0.0), where=bottom > 0), 1.0)


def _undeclared(domains: Sequence[Hierarchy]) -> str | None:
    """Say which domains are those of the data and how to declare them; None where all are declared."""
    found = [f"{item.attribute!r} ({_TO_DECLARE[item.kind]})" for item in domains if not item.is_declared]
    if not found:
        return None
    return f"it depends on domains that are taken from the data. To publish it, declare {', '.join(found)}."


def distances(attribute: str, names: Iterable[str]) -> set[str]:
    """Return the distances by which measures compare a sensitive attribute with the whole table."""
    parsed = (parse_measure_name(name) for name in names if name.startswith("t("))
    return {(*arguments, "equal")[1] for _, arguments in parsed if arguments[0] == attribute}
