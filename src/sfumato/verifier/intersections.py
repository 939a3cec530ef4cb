"""Recount a release together with the earlier ones: who cannot be told apart over all of them.

People are in one *cell* if they were in the same classes of every release, and in none of the same others.
Nothing that was ever published tells the people of a cell apart, so that a cell is what the smallest set of
candidates can be, for a person in several releases as for one who left or arrived. docs/series.md has the
definition; what is known of earlier releases comes from a ledger (see `sfumato.release.series`).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from sfumato.errors import VerificationError
from sfumato.verifier.bags import check_file, open_engine, readable
from sfumato.verifier.checks import split_name
from sfumato.verifier.loading import load_groups
from sfumato.verifier.promise import Promise, apart_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sfumato.verifier.spark_rows import SparkRows

Cell: TypeAlias = "tuple[int, frozenset[tuple[object, int]]]"
NEW = -1  # the earlier cell of those who were in no earlier release
_WHOLE = re.compile(r"(-?[0-9]+)[.]0+")
_DIVERSE = ("distinct_l", "entropy_l", "recursive_l")


@dataclass(frozen=True)
class SeriesCount:
    """What was found of a release and all before it."""

    persons: int  # persons whom this release shows
    known: int  # those of them whom an earlier one shows too
    violations: tuple[str, ...]  # what does not hold, in words
    # cells with what everyone may know of their values, and the cell of each person; for the ledger
    cells: list[dict[str, Any]] = field(repr=False)
    tokens: dict[str, int] = field(repr=False)


@dataclass
class _People:
    """The people of a release: classes, values, and the values of each class."""

    classes: dict[str, Counter[object]]
    values: dict[str, dict[str, Counter[str]]]
    of_class: dict[object, dict[str, set[str]]]


def recount_series(
    path: str | Path | SparkRows,
    promise: Promise,
    earlier: Mapping[str, Any],
    key: bytes,
    units: str = "persons",
) -> SeriesCount:
    """Count over all releases what the rows of a file, with their persons, leave of k and l."""
    shown = _read(Path(path) if isinstance(path, str) else path, promise, key)
    cells: dict[Cell, list[str]] = defaultdict(list)
    known: Mapping[str, int] = earlier["persons"]
    for token, classes in shown.classes.items():
        cells[known.get(token, NEW), frozenset(classes.items())].append(token)
    left: dict[int, int] = Counter(cell for token, cell in known.items() if token not in shown.classes)
    # Of an earlier cell of which nobody stays this release tells nothing.
    split = sorted({before for before, _ in cells} & left.keys())
    least, diverse = _least(promise)
    sizes = [*map(len, cells.values()), *(left[cell] for cell in split)]
    found = list(_below("candidates", units, least, sizes, sizes))
    states = [_state(earlier, shown, cell, people) for cell, people in cells.items()]
    staying: dict[int, list[str]] = defaultdict(list)
    for token in shown.classes:
        staying[known.get(token, NEW)].append(token)
    lost = {cell: _lost(earlier["cells"][cell], shown, staying[cell]) for cell in left}
    for name, limit in diverse.items():
        weight = [len(people) for people in cells.values()]
        own = [len(state["bag"].get(name, ())) for state in states]
        common = [len(state["common"].get(name, ())) for state in states]
        found += _below(f"values of {name!r}", units, limit, own, weight)
        found += _below(f"common values of {name!r}", units, limit, common, weight)
        gone = [len(lost[cell]["bag"].get(name, ())) for cell in split]
        found += _below(
            f"values of {name!r} after leaving", units, limit, gone, [left[cell] for cell in split]
        )
    number = {cell: place for place, cell in enumerate(left)}
    tokens = {token: number[cell] for token, cell in known.items() if token not in shown.classes}
    for place, people in enumerate(cells.values(), start=len(left)):
        tokens |= dict.fromkeys(people, place)
    both = sum(token in known for token in shown.classes)
    return SeriesCount(len(shown.classes), both, tuple(found), [*lost.values(), *states], tokens)


def _least(promise: Promise) -> tuple[int, dict[str, int]]:
    """Return the smallest number of candidates, and of values of each sensitive attribute."""
    diverse: dict[str, int] = {}
    for text, limit in promise.require.items():
        name, arguments = split_name(text)
        if name in _DIVERSE:
            diverse[arguments[0]] = max(diverse.get(arguments[0], 1), math.ceil(limit))
    return max(math.ceil(promise.require.get("k", 1)), 1), diverse


def _below(what: str, units: str, limit: int, found: Sequence[int], people: Sequence[int]) -> Iterator[str]:
    """Say how many people have too few of something."""
    short = [(many, own) for many, own in zip(people, found, strict=True) if own < limit]
    if short:
        count, smallest = sum(many for many, _ in short), min(own for _, own in short)
        yield (
            f"{count} {units} have fewer than {limit} {what} over all releases together; the smallest "
            f"number is {smallest}."
        )


def _read(path: Path | SparkRows, promise: Promise, key: bytes) -> _People:
    check_file(path)
    shown = _People(defaultdict(Counter), {}, {})
    with open_engine() as connection:
        with readable(path):
            groups = load_groups(connection, path, replace(promise, order="input"), promise.person)
        silent = {}  # the texts that tell nothing about a person: missing ones, and those declared unknown
        for name, alias in groups.attributes.items():
            values = [value for (value,) in groups.once(f"SELECT DISTINCT {alias} FROM kept")]
            silent[alias] = {None, *(values[place] for place in apart_in(promise, name, values))}
        labels = ", ".join(f"q{place}" for place in range(groups.width))
        names = ", ".join(groups.attributes.values())
        rows = connection.execute(
            f"SELECT person, [{labels}], [{names}]::VARCHAR[], sum(n)::BIGINT FROM kept GROUP BY ALL"
        )
        while batch := rows.fetchmany(50_000):
            for person, own, cells, count in batch:
                known = zip(groups.attributes.items(), cells, strict=True)
                texts = {name: text for (name, alias), text in known if text not in silent[alias]}
                _add(shown, token_of(key, person), tuple(own), texts, count)
    return shown


def _add(shown: _People, token: str, own: object, values: Mapping[str, str], count: int) -> None:
    shown.classes[token][own] += count
    people, of_class = shown.values.setdefault(token, {}), shown.of_class.setdefault(own, {})
    for name, text in values.items():
        people.setdefault(name, Counter())[plain_text(text)] += count
        of_class.setdefault(name, set()).add(plain_text(text))


def _state(earlier: Mapping[str, Any], shown: _People, cell: Cell, people: Sequence[str]) -> dict[str, Any]:
    """Return the values of a cell that this release shows, and those its people may have had all along."""
    before, own = cell
    bag: dict[str, Counter[str]] = defaultdict(Counter)
    for token in people:
        for name, values in shown.values[token].items():
            bag[name] += values
    common: dict[str, set[str]] = defaultdict(set)
    for label, _ in own:
        for name, held in shown.of_class[label].items():
            common[name] |= held
    if before != NEW:
        for name, values in earlier["cells"][before]["common"].items():
            common[name] = common[name] & set(values) if name in common else set(values)
    return {
        "common": {name: sorted(values) for name, values in sorted(common.items())},
        "bag": {name: dict(sorted(values.items())) for name, values in sorted(bag.items())},
    }


def _lost(before: Mapping[str, Any], shown: _People, staying: Sequence[str]) -> dict[str, Any]:
    """Return the values that are left of an earlier cell without those of the people who stay."""
    bag = {name: Counter(values) for name, values in before["bag"].items()}
    for token in staying:
        for name, values in shown.values[token].items():
            bag[name] = bag.get(name, Counter()) - values
    return {
        "common": before["common"],
        "bag": {name: dict(sorted(bag[name].items())) for name in sorted(bag)},
    }


def plain_text(text: str) -> str:
    """Write whole numbers without a point, so that every format of a file gives the same text."""
    whole = _WHOLE.fullmatch(text)
    return text if whole is None else whole.group(1)


def token_of(key: bytes, person: str | None) -> str:
    """Return what stands for a person in a ledger; never the pseudonym that a release may show."""
    if person is None:
        raise VerificationError("a row says no person, so that releases cannot be compared person by person.")
    digest = hmac.new(key, b"sfumato ledger\0" + plain_text(person).encode(), hashlib.sha256).digest()
    return base64.b32encode(digest[:20]).decode().lower()
