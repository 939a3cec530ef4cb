"""A first specification of a table that nobody has described yet: roles, kinds and hierarchies as guesses."""

from __future__ import annotations

import datetime as dt
import math
import os
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import DataError, ParameterError, SfumatoError
from sfumato.hierarchies import (
    ColumnEvidence,
    Hierarchy,
    Look,
    RoleGuess,
    Value,
    build,
    look_at,
    parse_values,
    suggest_role,
)
from sfumato.hierarchies import suggest as suggest_hierarchy
from sfumato.hierarchies.column_roles import MANY, NEARLY_UNIQUE, OUTSIDE, UNSURE
from sfumato.hierarchies.role_words import hints_at
from sfumato.spec import AttributeSpec, DataSpec, Spec, format_measure_name
from sfumato.table import Source, open_source
from sfumato.table.dependence import CodedRows, Dependence, code_rows, determined, find_dependences
from sfumato.table.keys import key, refuse_both, require_columns
from sfumato.table.sources import guess_source
from sfumato.table.tally import DistinctColumn, as_number, refuse_mixed, tally
from sfumato.table.values import texts_of_array

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import LongArray
    from sfumato.spec.choices import Role

MISSING_WORDS = (
    *("?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null"),
    *("N.A.", "n.a.", "k.A.", "k. A.", "missing", "."),
)
"""Texts that mean missing in most files that hold them. A dash is none: it may be a result, beside a plus."""

SAMPLE = 10_000  # distinct values that are enough to see what kind a column is
LISTED, GROUPED = 20, 60
"""Categories with up to this many values are listed, to be grouped by hand, and grouped by another column."""

MOST_QUASI_IDENTIFIERS = 12  # more columns than this cannot be protected together and still tell anything
MOST_COMPARED = 200  # columns that are compared with each other
K, LIMIT = 5, 0.01  # rows that must look alike, and the share of them that may be suppressed
CENTRAL = 2
"""The weight of ages, dates and places, without which most analyses cannot be made; all else has weight 1."""


@dataclass(frozen=True)
class Guess:
    """What one column seems to be."""

    name: str  # the column
    role: Role  # its role
    why: str  # what speaks for the role, in a few words
    kind: str  # `number`, `category` or `date`
    # number of distinct values and of rows without one
    distinct: int
    missing: int
    # keys of `hierarchy`, empty where the values and `*` are all its levels
    definition: Mapping[str, object] = field(default_factory=dict)
    granularity: int | float | None = None  # the step to which numbers are rounded first, or None
    levels: int = 0  # levels of the hierarchy; 0 where there is none
    values: tuple[str, ...] = ()  # the values of a small category without a hierarchy, for its owner to group
    look: Look = field(default_factory=Look)  # what its texts seem to be: the format of dates, and a hint
    lowest: int = 0  # the lowest level to allow: times of day are not to be published
    weight: int = 1  # how much its detail counts
    note: str = ""  # what it has to do with other columns

    def keys(self, *, show_values: bool = True) -> dict[str, object]:
        """Return what a specification says about the column."""
        if self.role != "quasi-identifier":
            return {"role": self.role}
        # Bands without their tree, which names values, have no order.
        kind = "category" if self.kind == "ordinal" and not show_values else self.kind
        found: dict[str, object] = {"role": self.role, "kind": kind, "weight": self.weight}
        found |= {} if self.look.format is None else {"format": self.look.format}
        found |= {"levels": [self.lowest, self.levels - 1]} if self.lowest else {}
        found |= {} if self.granularity is None else {"granularity": self.granularity}
        is_shown = self.definition and (show_values or "tree" not in self.definition)
        # A tree that was made of the data must not show in a release what only suppressed rows have.
        guessed = {"declared": False} if "tree" in self.definition else {}
        return found | ({"hierarchy": {**self.definition, **guessed}} if is_shown else {})


@dataclass(frozen=True)
class RoleSuggestion:
    """What a table seems to be."""

    rows: int  # number of rows
    missing: tuple[str, ...]  # texts that are read as missing
    guesses: tuple[Guess, ...]  # one for each column that can be counted, in the order of the table
    left_out: Mapping[str, str] = field(default_factory=dict)  # all other columns, each with the reason
    dependences: tuple[Dependence, ...] = ()  # columns that say the same as others, or less
    reading: Mapping[str, object] = field(default_factory=dict)  # keys of `[data]` that were guessed
    notes: tuple[str, ...] = ()  # remarks about the reading
    weight: str | None = None  # the column of survey weights, if there is one

    def with_role(self, role: str) -> tuple[Guess, ...]:
        """Return the columns that were guessed to have a role."""
        return tuple(guess for guess in self.guesses if guess.role == role)

    @property
    def space(self) -> int:
        """Number of recodings that the guessed hierarchies span."""
        return math.prod(guess.levels for guess in self.with_role("quasi-identifier"))

    @property
    def units(self) -> dict[str, str]:
        """Keys of ``[data]`` that say who a row is about, as far as columns seem to be such keys."""
        # A person has more rows than a visit, so the key with the fewest values is taken.
        found: dict[str, str] = {} if self.weight is None else {"weight": self.weight}
        for guess in sorted(self.with_role("identifier"), key=lambda guess: guess.distinct):
            repeats = MANY * self.rows <= guess.distinct < self.rows - guess.missing
            if repeats and hints_at(guess.name, "key", "id", "number"):
                is_home = hints_at(guess.name, "household")
                found.setdefault("household" if is_home else "person", guess.name)
        return found

    @property
    def people(self) -> int:
        """How many rows, persons or households classes count at most."""
        unit = self.units.get("household", self.units.get("person"))
        own = [guess for guess in self.guesses if guess.name == unit]
        return own[0].distinct + (own[0].missing > 0) if own else self.rows

    @property
    def goals(self) -> dict[str, dict[str, object]]:
        """What is required and traded off, section by section."""
        # Of a flag that is set or blank, one value is known, so that its diversity can only be 1.
        diverse = [guess.name for guess in self.with_role("sensitive") if guess.distinct > 1]
        secret = [format_measure_name("distinct_l", (name,)) for name in diverse[:1]]
        return {
            "suppression": {"limit": LIMIT},
            "require": {"k": min(K, self.people)},
            "objectives": {"maximize": ["k", *secret], "minimize": ["loss"]},
        }

    def to_spec(self, reading: DataSpec, path: str | None = None, k: int | None = None) -> Spec:
        """Return the specification; another k is required if one is given."""
        stated = {"path": path, "missing": self.missing, **self.units}
        data = reading.model_copy(update={**self.reading, **stated})
        attributes = {guess.name: guess.keys() for guess in self.guesses}
        asked = self.goals if k is None else {**self.goals, "require": {"k": k}}
        return Spec.from_dict({"data": data.to_dict(), "attributes": attributes, **asked})


@dataclass(frozen=True, eq=False)
class _Observed:
    """The distinct values of a column with their rows."""

    name: str  # the column
    found: DistinctColumn  # its distinct values as the engine holds them
    rows: LongArray  # rows of each of them
    null: int  # rows without a value
    words: tuple[int, ...] = ()  # places of values that are texts for missing

    @cached_property
    def counts(self) -> LongArray:
        """Rows of each value."""
        return np.delete(self.rows, self.words)

    @property
    def filled(self) -> int:
        """Rows with a value."""
        return int(self.counts.sum())

    @property
    def missing(self) -> int:
        """Rows without a value."""
        return self.null + int(self.rows.sum()) - self.filled

    @cached_property
    def texts(self) -> list[str]:
        """All values as texts."""
        return self._first(len(self.rows))

    @cached_property
    def likely_kind(self) -> str:
        """The kind, judged by a part of the values if there are very many."""
        return look_at(self.name, self._first(SAMPLE)).kind

    @cached_property
    def evidence(self) -> ColumnEvidence:
        """What speaks for a role; an address may hide in any text, but numbers are all alike."""
        texts = self.texts if self.likely_kind == "category" else self._first(SAMPLE)
        return ColumnEvidence(self.name, self.likely_kind, self.counts.tolist(), self.missing, texts)

    @property
    def weight(self) -> int:
        """How much the detail of a quasi-identifier counts."""
        is_central = self.evidence.has_dates or hints_at(self.name, "place", "time")
        return CENTRAL if is_central else 1

    @property
    def weighs(self) -> bool:
        """Whether it is a survey weight with a number above 0 in every row."""
        is_weight = self.evidence.is_survey_weight and not self.missing
        return is_weight and all(0 < as_number(value) < math.inf for value in self.found.values.to_pylist())

    @property
    def rank(self) -> tuple[object, ...]:
        """Sort columns by what an outsider may know, then by how much they tell people apart."""
        shares = self.counts / max(self.filled, 1)
        entropy = float(-(shares * np.log2(shares)).sum())
        # What nearly nobody shares with k others is lost in any release.
        is_lost = len(self.counts) * K > self.filled and self.likely_kind == "category"
        return (-self.weight, not hints_at(self.name, *OUTSIDE), is_lost, -entropy)

    def _first(self, many: int) -> list[str]:
        texts = texts_of_array(self.found.values.slice(0, many))
        return [text for place, text in enumerate(texts) if place not in self.words]

    def place(self, text: str) -> int:
        """Return the place of a text among the values; -1 if it does not occur or the column is no text."""
        values = self.found.values
        return int(values.index(text).as_py()) if str(values.type) in ("string", "large_string") else -1

    def without(self, words: Sequence[str]) -> _Observed:
        """Treat texts that mean missing as missing."""
        places = (self.place(word) for word in words)
        return replace(self, words=tuple(place for place in places if place >= 0))


def suggest(data: object, *, spec: Spec | None = None) -> Spec:
    """Look at a table and write a first specification: the guesses of ``sfumato init``.

    Any guess may be wrong, and the roles matter most: look through them before anything is published.
    Nothing is ever guessed to be ``other``, which is published unchanged. Columns that the specification
    does not name are not published; ``sfumato init`` says why each of them is left out.

    Parameters
    ----------
    data
        A frame or a path.
    spec
        How a file is read (separator, encoding, missing), if not by the defaults.

    Returns
    -------
    Spec
        Roles, kinds, hierarchies and weights; k = 5 is required, and 1 % of the rows may be suppressed.

    Raises
    ------
    DataError
        If the data cannot be read, or no column holds text, numbers or dates.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table(
    ...     {"Name": ["A. Ash", "B. Birch"] * 9, "age": [*range(18)], "hiv": ["pos", "neg"] * 9}
    ... )
    >>> spec = suggest(people)
    >>> spec.identifiers, spec.quasi_identifiers, spec.sensitive
    (('Name',), ('age',), ('hiv',))
    """
    reading = DataSpec() if spec is None else spec.data
    path = os.fspath(data) if isinstance(data, str | os.PathLike) else None
    return suggest_specification(data, reading).to_spec(reading, path)


def suggest_specification(data: object, reading: DataSpec | None = None) -> RoleSuggestion:
    """Look at a table and guess what a specification would say about it."""
    source, guessed, notes = guess_source(data, reading)
    columns, odd, missing = _observe(source, source.columns)
    if not columns:
        raise DataError("no column holds text, numbers or dates.", where=source.name)
    roles = _roles(columns)
    # The rows are numbered of what may be published, and of keys that repeat.
    names = [
        column.name
        for column in columns
        if (role := roles[column.name].role) is not None
        and (role != "identifier" or 2 * len(column.counts) < column.filled)
    ]
    coded = code_rows(source, names[:MOST_COMPARED]) if names else {}
    dates = [column.name for column in columns if column.name in coded and column.evidence.has_dates]
    dependences = [item for item in find_dependences(coded, dates) if _is_telling(item, roles)]
    roles |= _dependent_roles(dependences, roles)
    roles = _with_quasi_identifier(columns, _narrowed(columns, roles))
    found = {name: role for name, role in roles.items() if role.role is not None}
    guesses = {column.name: _guess(column, found[column.name]) for column in columns if column.name in found}
    nested = _nest(guesses, dependences, coded)
    reasons = dict.fromkeys(odd, "it holds neither text nor numbers nor dates")
    reasons |= {name: role.why for name, role in roles.items() if role.role is None} | nested
    left_out = {name: reasons[name] for name in source.columns if name in reasons}
    rows = columns[0].filled + columns[0].missing
    kept = tuple(guess for name, guess in guesses.items() if name not in left_out)
    weights = [column.name for column in columns if column.name in left_out and column.weighs]
    weight = weights[0] if len(weights) == 1 else None
    made = RoleSuggestion(rows, missing, kept, left_out, tuple(dependences), guessed, notes, weight)
    if made.people == 1:
        words = "has a single row" if rows == 1 else "is about a single person or household"
        raise DataError(f"the table {words}, which nothing can hide. Take a larger one.", where=source.name)
    return made


def specify(
    data: object,
    k: int | None,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    spec: Spec | None = None,
) -> Spec:
    """Write a specification for named columns, with guessed hierarchies; nothing else is published."""
    if spec is not None:
        raise ParameterError(
            "k, quasi_identifiers and sensitive cannot be combined with a specification, which says them."
        )
    is_text = isinstance(quasi_identifiers, str) or isinstance(sensitive, str)
    if data is None or is_text or not quasi_identifiers:
        raise ParameterError(
            "pass a specification, such as sf.suggest(data), or data and lists of columns: "
            "quasi_identifiers=[...], and sensitive=[...]."
        )
    refuse_both(quasi_identifiers, sensitive)
    source = open_source(data)
    named: dict[str, Role] = {**dict.fromkeys(quasi_identifiers, "quasi-identifier")}
    named |= dict.fromkeys(sensitive, "sensitive")
    require_columns(list(named), source.columns)
    columns, odd, missing = _observe(source, list(named))
    if odd:
        raise DataError(
            f"the column {odd[0]!r} holds neither text nor numbers nor dates. Convert it first.",
            where=source.name,
        )
    guesses = tuple(_guess(column, RoleGuess(named[column.name], "named")) for column in columns)
    found = RoleSuggestion(columns[0].filled + columns[0].missing, missing, guesses)
    path = os.fspath(data) if isinstance(data, str | os.PathLike) else None
    return found.to_spec(DataSpec(), path, K if k is None else k)


def _observe(
    source: Source, names: Sequence[str]
) -> tuple[list[_Observed], tuple[str, ...], tuple[str, ...]]:
    """Look at columns; return those that can be counted, those that cannot, and the texts for missing."""
    columns, odd = [], []
    parsed = source.parsed() if len(names) > 1 else source
    for name in names:
        try:
            key(parsed, name)
            refuse_mixed(parsed, (name,))
        except DataError:
            odd.append(name)
            continue
        try:
            counted = tally(parsed, (name,))
        except TypeError:  # a pandas column of lists and the like
            odd.append(name)
            continue
        column = counted.columns[name]
        known = column.places >= 0
        rows = np.zeros(len(column.values), dtype=np.int64)
        np.add.at(rows, column.places[known], counted.rows[known])
        columns.append(_Observed(name, column, rows, int(counted.rows[~known].sum())))
    words = [word for word in MISSING_WORDS if any(column.place(word) >= 0 for column in columns)]
    return [column.without(words) for column in columns], tuple(odd), (*source.missing, *words)


def _roles(columns: Sequence[_Observed]) -> dict[str, RoleGuess]:
    """Guess the role of each column by itself, and find coordinates, which come in pairs."""
    roles = {column.name: suggest_role(column.evidence) for column in columns}
    for one, other in pairwise(columns):
        if one.evidence.has_degrees and other.evidence.has_degrees:
            for name, partner in ((one.name, other.name), (other.name, one.name)):
                if roles[name].why == UNSURE:
                    roles[name] = RoleGuess(None, f"it looks like coordinates, together with {partner}")
    return roles


def _is_telling(item: Dependence, roles: Mapping[str, RoleGuess]) -> bool:
    """Tell whether a dependence matters: everything about a person follows from the key, which is removed."""
    keys = sum(roles[name].role == "identifier" for name in (item.column, item.of))
    return keys == 0 or (keys == 1 and item.relation == "twin")


def _dependent_roles(
    dependences: Sequence[Dependence], roles: Mapping[str, RoleGuess]
) -> dict[str, RoleGuess]:
    """Leave twins out, and what follows from something sensitive."""
    found: dict[str, RoleGuess] = {}
    for item in dependences:
        name, of = item.column, item.of
        own, other = roles[name], roles[of]
        if item.relation == "twin":
            # A second name of a key is one too; else, of two names for the same thing, the known one stays.
            is_key = "identifier" in (own.role, other.role)
            if own.role == "identifier" or (not is_key and own.why != UNSURE and other.why == UNSURE):
                name, of = of, name
            found[name] = RoleGuess("identifier" if is_key else None, f"the same as {of} up to names")
        elif item.relation == "nested" and own.why == UNSURE and other.role == "sensitive":
            found[name] = RoleGuess(None, f"determined by {of}, which is sensitive")
    return found


def _narrowed(columns: Sequence[_Observed], roles: dict[str, RoleGuess]) -> dict[str, RoleGuess]:
    """Of many quasi-identifiers keep those that outsiders know best and that distinguish most."""
    chosen = [column for column in columns if roles[column.name].role == "quasi-identifier"]
    if len(chosen) <= MOST_QUASI_IDENTIFIERS:
        return roles
    dropped = {column.name for column in sorted(chosen, key=lambda item: item.rank)[MOST_QUASI_IDENTIFIERS:]}
    # Flags without a telling name are too many then to be published on suspicion.
    dropped |= {name for name in roles if roles[name].role == "sensitive" and not hints_at(name, "sensitive")}
    why = f"{len(columns)} columns are more than can be protected together"
    return roles | dict.fromkeys(dropped, RoleGuess(None, why))


def _with_quasi_identifier(columns: Sequence[_Observed], roles: dict[str, RoleGuess]) -> dict[str, RoleGuess]:
    """See that one column at least is a quasi-identifier, without which there is nothing to protect."""
    if any(role.role == "quasi-identifier" for role in roles.values()):
        return roles
    # In need, what tells least about a person; what is sensitive by its name, and keys, come last.
    ranks = {
        column.name: (
            hints_at(column.name, "sensitive"),
            roles[column.name].role == "identifier",
            not 2 <= len(column.counts) < NEARLY_UNIQUE * column.filled,
            len(column.counts),
        )
        for column in columns
    }
    chosen = [name for name in ranks if ranks[name][:3] == (False, False, False)]
    need = RoleGuess("quasi-identifier", UNSURE)
    last = min(ranks, key=lambda name: ranks[name])
    return roles | dict.fromkeys(chosen[:MOST_QUASI_IDENTIFIERS] or [last], need)


def _nest(
    guesses: dict[str, Guess], dependences: Sequence[Dependence], coded: Mapping[str, CodedRows]
) -> dict[str, str]:
    """Note what columns have to do with each other; return why those are left out that another contains."""
    left_out: dict[str, str] = {}
    # From the coarsest on, so that a country is above the region when the region is above the town.
    for item in sorted(dependences, key=lambda item: coded[item.column].distinct):
        coarse, fine = guesses.get(item.column), guesses.get(item.of)
        if coarse is None or fine is None:
            continue
        note = f"equal to {item.of} in most rows" if item.relation == "near" else f"determined by {item.of}"
        guesses[item.column] = replace(coarse, note=note)
        if item.relation != "nested" or {coarse.role, fine.role} != {"quasi-identifier"}:
            continue
        if fine.kind == "category" and "mask" not in fine.definition:
            tree = _tree(coded[item.of], coded[item.column], coarse.definition.get("tree"))
            tried, hierarchy = _try(fine, {"tree": tree}, coded[item.of].texts) if tree else (fine, None)
            if hierarchy is None:
                continue  # both stay, since the finer one alone could only be kept or lost
            guesses[item.of] = replace(tried, values=())
            note += ", whose levels it makes"
        left_out[item.column] = note
    return left_out


def _tree(fine: CodedRows, coarse: CodedRows, above: object) -> object:
    """Group the values of a column by those of another, and these as they are grouped; None if impossible."""
    parents = determined(fine, coarse)
    groups: dict[str, list[str]] = {}
    if parents is None or not 2 < len(fine.texts) <= GROUPED:
        return None
    for text, parent in zip(fine.texts, parents, strict=False):
        if text not in MISSING_WORDS:
            if parent == len(coarse.texts) or coarse.texts[parent] in MISSING_WORDS:
                return None
            groups.setdefault(coarse.texts[parent], []).append(text)
    return _graft(above if above else sorted(groups), groups)


def _graft(tree: object, groups: Mapping[str, list[str]]) -> dict[str, object]:
    """Put groups of values in place of the leaves of a tree."""
    if isinstance(tree, dict):
        return {name: _graft(branch, groups) for name, branch in tree.items()}
    leaves = map(str, tree if isinstance(tree, list) else [tree])
    return {leaf: sorted(groups[leaf]) for leaf in leaves if leaf in groups}


def _guess(column: _Observed, found: RoleGuess) -> Guess:
    """Guess the kind and, for a quasi-identifier, the hierarchy."""
    role = found.role or "identifier"
    guess = Guess(column.name, role, found.why, column.likely_kind, len(column.counts), column.missing)
    if role != "quasi-identifier":
        return guess
    look = look_at(column.name, column.texts)
    kind = look.kind
    guess = replace(guess, weight=column.weight)
    typed = parse_values(column.texts, kind, look.format)
    counts: dict[Value, int] = {}
    for value, count in zip(typed, column.counts, strict=True):
        counts[value] = counts.get(value, 0) + int(count)
    definition = suggest_hierarchy(column.name, list(counts), kind, list(counts.values()))
    for tried in (definition, {}):
        guess, hierarchy = _try(replace(guess, kind=kind, look=look), tried, typed)
        if hierarchy is not None:
            has_times = "dates" in tried and isinstance(hierarchy.values[0], dt.datetime)
            guess = replace(guess, lowest=int(has_times))
            listed = kind == "category" and not tried and 3 <= hierarchy.size <= LISTED
            return replace(guess, values=tuple(sorted(column.texts)) if listed else ())
    return guess


def _try(
    guess: Guess, definition: Mapping[str, object], values: Sequence[Value]
) -> tuple[Guess, Hierarchy | None]:
    """Build the hierarchy that a definition describes, as the search will; None if that fails."""
    keys = dict(definition)
    granularity = keys.pop("granularity", None)
    is_text = guess.kind != "ordinal" and not {"mask", "prefix", "tree"}.isdisjoint(keys)
    kind = "category" if is_text else guess.kind
    asked = {"role": guess.role, "kind": kind, "hierarchy": keys or None, "granularity": granularity}
    try:
        hierarchy = build(
            guess.name,
            AttributeSpec(**asked),  # type: ignore[arg-type]
            values,
            has_missing=guess.missing > 0,
            kind=kind,
            resolve=Path,
        )
    except SfumatoError:
        return guess, None
    step = granularity if isinstance(granularity, int | float) else None
    levels = hierarchy.height + 1
    return replace(guess, kind=kind, definition=keys, granularity=step, levels=levels), hierarchy
