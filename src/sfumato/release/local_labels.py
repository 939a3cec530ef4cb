"""What one quasi-identifier shows in a local recoding: the texts of labels, and what each covers.

A label says itself what it covers, so that nothing else has to be published:

- one value has its text, missing has none, and ``*`` is everything;
- a range of numbers is ``30-44`` if all published values are integers, else ``[1.5, 2.75]``; of dates
  ``[2024-01-01, 2024-03-31]``; both ends are included. Ends that are snapped to multiples are
  ``30-44`` too, or ``[1.5, 3.0)``, where the end is not included;
- a set is ``{a, b}``. A member that holds a comma, a brace or a double quote, begins or ends with a blank, or
  reads ``*``, is put in double quotes, and double quotes in it are doubled: ``{"a, b", c}``;
- a single value that would read as a set or as ``*`` is written as a set of one: ``{"*"}``;
- a node of a hierarchy has its name; a larger node with the name of a smaller one is written as a set.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sfumato.hierarchies import ROOT, Hierarchy, text_of, value_places
from sfumato.preparing import Prepared, label_kind, snapped_span
from sfumato.release.recipe import RecipeAttribute
from sfumato.release.reference import kept_attribute
from sfumato.schemes import range_writer
from sfumato.table import Recode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sfumato._typing import BoolArray, LongArray
    from sfumato.local import LocalSolution
    from sfumato.schemes.block_labels import RangeWriter


class Label(NamedTuple):
    """One label with what it covers."""

    text: str | None
    size: int  # values of the domain that it covers
    seen: int  # those that may be named
    is_value: bool  # whether it is a value as it came
    # its first and its last value, and those that may be named
    ends: tuple[int, int, int, int]


@dataclass(frozen=True, eq=False)
class LocalLabels:
    """What one quasi-identifier shows."""

    hierarchy: Hierarchy  # the domain
    scheme: str  # `tree`, `range`, `set`, `suppress` or `keep`
    labels: tuple[str | None, ...]  # the texts, each once, in order, missing last
    sizes: tuple[int, ...]  # how many values of the domain each covers
    seen_sizes: tuple[int, ...]  # how many of the published and declared ones
    ends: LongArray  # the first and the last value of each, and those that may be named, shape (labels, 4)
    number: LongArray  # the number of the label of each class
    seen: BoolArray  # the codes that may be named: published or declared
    is_exact: bool  # whether every published label is one value
    output: str = "label"
    is_narrowed: bool = False

    @property
    def name(self) -> str:
        """The attribute."""
        return self.hierarchy.attribute

    @property
    def keep(self) -> bool:
        """Whether the column is published as it came."""
        return self.is_exact and not self.hierarchy.definition.get("granularity")

    @property
    def level(self) -> int | None:
        """The level 0 for a column that is published as it came; labels belong to no level otherwise."""
        return 0 if self.keep else None

    @property
    def shown(self) -> list[int]:
        """The labels that some published row has: all of them."""
        return list(range(len(self.labels)))

    @property
    def entry(self) -> list[object]:
        """The labels, where a global recoding has blocks."""
        return [*self.labels]

    @property
    def recode(self) -> Recode:
        """What happens to the column: unless it is published as it came, labels come with the tuple."""
        labels = self.hierarchy.labels[0] if self.keep else ()
        return Recode(self.name, np.arange(self.hierarchy.size, dtype=np.int32), labels, self.keep)

    def recipe(self, weight: float) -> RecipeAttribute:
        """Write down what the column shows; no value of the data that the release hides."""
        kind, definition = self.hierarchy.kind, None
        if (self.scheme == "tree" and not self.keep) or "granularity" in self.hierarchy.definition:
            definition = self._definition()
        shown = "keep" if self.keep else self.scheme
        return RecipeAttribute("quasi-identifier", kind, weight, definition, shown, labels=self.labels)

    def _definition(self) -> Mapping[str, object]:
        definition = self.hierarchy.shown_definition(self.seen)
        if "columns" in definition:
            shown = {text for text in self.labels if text is not None}
            return {**definition, "shown": sorted(shown)}
        return dict(definition)

    def costs(self, weight: float, *, declared: bool = False) -> dict[str, object]:
        """State what the cells of the column cost by their labels."""
        if self.keep:
            return {
                key: part for key, part in kept_attribute(height=1, weight=weight).items() if key != "height"
            }
        tops, bottom = self.shares(declared=declared)
        cells = [[text, top, max(bottom, 1)] for text, top in zip(self.labels, tops, strict=True)]
        stated: dict[str, object] = {"weight": weight, "loss": {"cells": cells}}
        apart = self.widths(declared=declared)
        if apart is not None:
            reached = zip(self.labels, apart[0], strict=True)
            stated["extent"] = {"cells": [[text, width, apart[1]] for text, width in reached]}
        return stated

    def widths(self, *, declared: bool = False) -> tuple[list[int], int] | None:
        """Return how far the values of each label lie apart, and all of them; None where nothing is far."""
        places, domain = value_places(self.hierarchy), self.hierarchy
        if places is None or domain.size < 2:
            return None
        known = np.arange(domain.size - domain.has_missing)
        if declared:
            # What lies below or above a declared domain is one step outside of it, as in global recodings.
            first, last = np.flatnonzero(domain.declared)[[0, -1]]
            places[known] = np.clip(known, first - 1, last + 1)
            known = known[self.seen[known]]
        whole = max(int(places[known].max() - places[known].min()), 1)
        low, high = self.ends[:, 2:].T if declared else self.ends[:, :2].T
        apart = places[high] - places[low]
        apart[(places[high] < 0) & (low != high)] = whole  # missing is no place on a line
        apart[[text == ROOT for text in self.labels]] = whole
        return apart.tolist(), whole

    def shares(self, *, declared: bool = False) -> tuple[list[int], int]:
        """Return values beside the own one under each label, and in the domain; ``*`` costs all there is."""
        whole = int(self.seen.sum()) if declared else self.hierarchy.size
        sizes = self.seen_sizes if declared else self.sizes
        pairs = zip(self.labels, sizes, strict=True)
        tops = [whole - 1 if text == ROOT else min(max(size, 1), whole) - 1 for text, size in pairs]
        return tops, whole - 1


def label_attributes(prepared: Prepared, solution: LocalSolution, kept: BoolArray) -> tuple[LocalLabels, ...]:
    """Write the labels of every quasi-identifier; ``kept`` says which cells of the cube are published."""
    found = []
    for place, name in enumerate(prepared.setting.quasi_identifiers):
        hierarchy = prepared.table.hierarchies[name]
        published = np.bincount(prepared.cube.codes[kept, place], minlength=hierarchy.size) > 0
        writer = _Writer(
            hierarchy,
            label_kind(prepared.table, name),
            hierarchy.declared | published,
            prepared.spec.attributes[name].snapping,
        )
        codes, number = np.unique(solution.labels[place], axis=0, return_inverse=True)
        stars = np.zeros(len(codes), dtype=np.bool_)
        stars[number.reshape(-1)] = solution.stars[:, place]
        made = writer.labels(codes, stars)
        is_exact = all(label.is_value for label in made)
        if is_exact:
            made = replace(writer, is_raw=True).labels(codes, stars)
        texts = sorted({label.text for label in made}, key=lambda text: (text is None, text or ""))
        places = {text: number for number, text in enumerate(texts)}
        sizes, seen = [0] * len(texts), [0] * len(texts)
        ends = np.tile([hierarchy.size, -1], (len(texts), 2))
        for label in made:
            own = places[label.text]
            sizes[own], seen[own] = max(sizes[own], label.size), max(seen[own], label.seen)
            ends[own, ::2] = np.minimum(ends[own, ::2], label.ends[::2])
            ends[own, 1::2] = np.maximum(ends[own, 1::2], label.ends[1::2])
        own_number = np.array([places[label.text] for label in made], dtype=np.int64)
        found.append(
            LocalLabels(
                hierarchy,
                writer.kind,
                tuple(texts),
                tuple(sizes),
                tuple(seen),
                ends,
                own_number[number.reshape(-1)],
                writer.seen,
                is_exact,
            )
        )
    return tuple(found)


def shown_alone(
    prepared: Prepared, solution: LocalSolution, own: LongArray
) -> tuple[LocalSolution, LongArray]:
    """Return a solution without what only withheld people had: their classes, and the reach of their labels.

    ``own`` is the class of each cell of the cube, -1 where nobody is published.
    """
    kept, cube = own >= 0, prepared.cube
    shown, number = np.unique(own[kept], return_inverse=True)
    labels = []
    for place, name in enumerate(prepared.setting.quasi_identifiers):
        codes, old = cube.codes[kept, place].astype(np.int64), solution.labels[place][shown]
        kind, new = label_kind(prepared.table, name), old.copy()
        # Nodes of a hierarchy name no values, and a single value is that of everyone in the class.
        if kind == "range":
            new[:] = (prepared.table.hierarchies[name].size, -1)
            np.minimum.at(new[:, 0], number, codes)
            np.maximum.at(new[:, 1], number, codes)
            new[old[:, 0] < 0] = -1
        elif kind == "set":
            new[:] = 0
            np.bitwise_or.at(new, (number, codes // 64), np.left_shift(1, codes % 64).astype(new.dtype))
        labels.append(new)
    renumbered = np.full(len(solution.stars) + 1, -1, dtype=np.int64)
    renumbered[shown] = np.arange(len(shown))
    classes = renumbered[solution.classes].astype(solution.classes.dtype)
    left = replace(solution, classes=classes, labels=tuple(labels), stars=solution.stars[shown])
    return left, renumbered[own]


@dataclass(frozen=True, eq=False)
class _Writer:
    """Writes the labels of one attribute."""

    hierarchy: Hierarchy
    kind: str
    seen: BoolArray
    snap: tuple[float, float] | None
    is_raw: bool = False  # whether the column is published as it came, so that every text is a value

    def labels(self, codes: LongArray, stars: BoolArray) -> list[Label]:
        """Return the label of each row of codes, as `LocalSolution` holds them."""
        if self.kind == "tree":
            return self._nodes(codes)
        members = self._sets(codes) if self.kind == "set" else None
        found = []
        for place, star in enumerate(stars.tolist()):
            if star or (members is not None and self._is_whole(members[place])):
                found.append(self._label(ROOT, np.arange(self.hierarchy.size)))
            elif members is not None:
                own = members[place]
                found.append(self._label(self._set_text(own), own, is_value=len(own) == 1))
            elif self.kind == "range":
                found.append(self._range(int(codes[place, 0]), int(codes[place, 1])))
            else:
                own = codes[place, 1:]
                found.append(self._label(self._value_text(int(own[0])), own, is_value=True))
        return found

    def _label(self, text: str | None, codes: LongArray, *, is_value: bool = False) -> Label:
        named = codes[self.seen[codes]]
        ends = (int(codes[0]), int(codes[-1]), int(named[0]), int(named[-1]))
        return Label(text, len(codes), len(named), is_value, ends)

    def _sets(self, codes: LongArray) -> list[LongArray]:
        words = np.ascontiguousarray(codes).view(np.uint8)
        bits = np.unpackbits(words, axis=1, bitorder="little")[:, : self.hierarchy.size]
        return [np.flatnonzero(row) for row in bits]

    def _is_whole(self, codes: LongArray) -> bool:
        """Tell whether a set holds all values that may be named: whether there are others is hidden."""
        return len(codes) > 1 and int(self.seen[codes].sum()) == int(self.seen.sum())

    def _end_text(self, code: int) -> str | None:
        """Return a value as ranges write their ends: dates in ISO form."""
        value, text = self.hierarchy.values[code], self.hierarchy.labels[0][code]
        return text_of(value) if self.hierarchy.kind == "date" and value is not None else text

    def _value_text(self, code: int) -> str | None:
        """Return the text of one value, in a form that cannot be taken for anything else."""
        text = self.hierarchy.labels[0][code]
        if self.is_raw:
            return text
        is_like_set = text is not None and text.startswith("{") and text.endswith("}")
        return f"{{{_quoted(text)}}}" if text is not None and (is_like_set or text == ROOT) else text

    def _set_text(self, codes: LongArray) -> str | None:
        if len(codes) == 1:
            return self._value_text(int(codes[0]))
        texts = (self.hierarchy.labels[0][code] for code in codes.tolist())
        return "{" + ", ".join(_member(text) for text in texts if text is not None) + "}"

    def _range(self, low: int, high: int) -> Label:
        codes, hierarchy = np.arange(low, high + 1), self.hierarchy
        first, last = self._end_text(low), self._end_text(high)
        if first is None or last is None:
            return self._label(None, codes, is_value=True)
        if self.snap is not None:
            begin, end = snapped_span(hierarchy, (low, high), self.snap)
            codes = np.arange(*(bisect.bisect_left(self._numbers, edge) for edge in (begin, end)))
            if self._are_integers and begin.denominator == end.denominator == 1:
                return self._label(str(begin) if end - begin == 1 else f"{begin}-{end - 1}", codes)
            return self._label(f"[{float(begin)}, {float(end)})", codes)
        if self._write is None:
            return self._label(self._set_text(codes), codes, is_value=low == high)
        text = first if low == high else self._write(first, last, None)
        return self._label(text, codes, is_value=low == high)

    @cached_property
    def _numbers(self) -> list[Fraction]:
        return [Fraction(str(value)) for value in self.hierarchy.values if value is not None]

    @cached_property
    def _write(self) -> RangeWriter | None:
        texts = [self._end_text(code) for code in np.flatnonzero(self.seen).tolist()]
        return range_writer(texts, self.hierarchy.kind)

    @property
    def _are_integers(self) -> bool:
        """Whether all numbers that may be named are whole, or granules of whole numbers."""
        return self._write is not None and self._write("1", "2", None) == "1-2"

    def _nodes(self, codes: LongArray) -> list[Label]:
        """Name nodes; of several with one name only the smallest has it."""
        found: list[Label] = []
        members = [np.flatnonzero(self.hierarchy.levels[level] == block) for level, block in codes.tolist()]
        smallest: dict[str | None, int] = {}
        for (level, block), own in zip(codes.tolist(), members, strict=True):
            text = self.hierarchy.labels[level][block]
            smallest[text] = min(smallest.get(text, len(own)), len(own))
        for (level, block), own in zip(codes.tolist(), members, strict=True):
            text = self.hierarchy.labels[level][block]
            if level == 0:
                text = self._value_text(int(own[0]))
            elif text != ROOT and len(own) > smallest[text]:
                text = self._set_text(own[self.seen[own]])
            found.append(self._label(text, own, is_value=level == 0))
        return found


def _member(text: str) -> str:
    is_plain = text.strip() == text != ROOT and text and not set(text) & set(',{}"')
    return text if is_plain else _quoted(text)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
