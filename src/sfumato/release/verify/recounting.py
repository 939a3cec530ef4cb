"""From a file and a promise to a recount."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.errors import ParameterError, VerificationError
from sfumato.release.verify.examining import examine
from sfumato.release.verify.loading import (
    BeforehandError,
    Groups,
    UndeterminedError,
    UnstatedError,
    load_groups,
)
from sfumato.release.verify.names import split_name
from sfumato.release.verify.of_attribute import OF_ATTRIBUTE
from sfumato.release.verify.of_table import OF_TABLE
from sfumato.release.verify.promise import Recount
from sfumato.release.verify.reading import (
    check_file,
    enough_room,
    hash_file,
    open_engine,
    open_file,
    readable,
)

if TYPE_CHECKING:
    from sfumato.release.verify.promise import Count, Promise


def recount(path: str | Path, promise: Promise, *, person_column: str | None = None) -> Recount:
    """Read a release again and count every measure that its promise names.

    Missing is a value like any other, in quasi-identifiers and in sensitive attributes. In a
    ``mask`` release, rows that are ``*`` in every quasi-identifier and blank in every sensitive
    attribute are exempt, at most as many as the promise states suppressed.
    """
    path = Path(path)
    if not promise.quasi_identifiers:
        raise ParameterError("a promise names at least one quasi-identifier; found none.")
    check_file(path)
    with open_engine() as connection:
        with readable(path):
            sha256 = hash_file(path)
            groups = load_groups(connection, path, promise, person_column)
        with enough_room(path):
            return _count_all(groups, sha256)


def recount_both(path: str | Path, promise: Promise, other: Promise) -> tuple[Recount, Recount]:
    """Read a release once, and count it by two promises that differ in numbers and reference alone."""
    path = Path(path)
    check_file(path)
    with open_engine() as connection:
        with readable(path):
            sha256 = hash_file(path)
            groups = load_groups(connection, path, promise, None)
        with enough_room(path):
            found = _count_all(groups, sha256)
            return found, _count_all(replace(groups, promise=other, notes=[], contradictions=[]), sha256)


def complete(released: Recount, path: str | Path, checked: str | Path, promise: Promise) -> Recount:
    """Add to the recount of a release what the same rows with the columns that do not leave tell."""
    # What is never published may be in any order.
    wider = recount(checked, replace(promise, order="input"), person_column=promise.person)
    if not _hold_same_rows(Path(path), Path(checked), promise):
        raise VerificationError(
            "the file and the one that was checked beside it hold different rows.", where=str(path)
        )
    gained = {name: number for name, number in wider.counted.items() if name in released.not_recounted}
    return replace(
        released,
        counted={**released.counted, **gained},
        not_recounted={name: why for name, why in released.not_recounted.items() if name not in gained},
        at_most={name: number for name, number in released.at_most.items() if name not in gained},
    )


def recount_beside(path: str | Path, checked: str | Path, promise: Promise) -> Recount:
    """Recount a release together with the same rows and the columns that do not leave; see `complete`."""
    return complete(recount(path, promise), path, checked, promise)


def _hold_same_rows(path: Path, checked: Path, promise: Promise) -> bool:
    """Compare quasi-identifiers and sensitive values as bags of rows."""
    bags = []
    with open_engine() as connection:
        for view, file in (("released", path), ("checked", checked)):
            with readable(file):
                columns = open_file(connection, file, view)
                selected = ", ".join(
                    columns[name] for name in (*promise.quasi_identifiers, *promise.sensitive)
                )
                connection.execute(
                    f"CREATE TEMP TABLE {view}_rows AS SELECT {selected}, count(*) FROM {view} GROUP BY ALL"
                )
                bags.append(f"FROM {view}_rows")
        differences = (f"({bags[0]} EXCEPT {bags[1]})", f"({bags[1]} EXCEPT {bags[0]})")
        found = [connection.execute(f"SELECT count(*) FROM {rows}").fetchall()[0][0] for rows in differences]
    return not any(found)


def _count_all(groups: Groups, sha256: str) -> Recount:
    counted: dict[str, Count] = {}
    not_recounted: dict[str, str] = {}
    at_most: dict[str, Count] = {}
    beforehand = set()
    slack: dict[str, Fraction] = {}
    for text in dict.fromkeys((*groups.promise.require, *groups.promise.measures)):
        groups.slack = Fraction(0)
        try:
            counted[text] = _count(groups, text)
            if groups.slack:
                slack[text] = groups.slack
        except UndeterminedError as error:
            not_recounted[text] = error.reason
            _note_unstated(groups, text, error)
            if isinstance(error, BeforehandError):
                beforehand.add(text)
            if error.at_most is not None:
                at_most[text] = error.at_most
    examined = examine(groups)
    return Recount(
        counted,
        not_recounted,
        at_most,
        _count_rows(groups),
        groups.number("SELECT count(*) FROM sizes"),
        groups.columns,
        sha256,
        tuple(dict.fromkeys(groups.notes)),
        tuple(dict.fromkeys(groups.contradictions)),
        frozenset(beforehand),
        (*groups.ordering, *examined),
        slack,
    )


def _note_unstated(groups: Groups, text: str, error: UndeterminedError) -> None:
    """A manifest that states a number was written with what its recount needs; without, it was changed."""
    stated = groups.promise.measures.get(text) is not None and groups.promise.reference is not None
    if stated and isinstance(error, UnstatedError):
        groups.contradictions.append(f"{text}: a number is stated, and {error.reason}")


def _count(groups: Groups, text: str) -> Count:
    """Count one measure."""
    name, arguments = split_name(text)
    if not arguments:
        if name not in OF_TABLE:
            raise UndeterminedError("no measure of this name can be recounted")
        return OF_TABLE[name](groups)
    measure = OF_ATTRIBUTE.get((name, len(arguments)))
    if measure is None:
        raise UndeterminedError("no measure of this name can be recounted")
    if arguments[0] in groups.promise.quasi_identifiers:
        raise UndeterminedError(f"the column {arguments[0]!r} leaves recoded")
    if arguments[0] not in groups.attributes:
        raise UndeterminedError(f"the column {arguments[0]!r} is not in the file")
    return measure(groups, *arguments)


def _count_rows(groups: Groups) -> dict[str, int]:
    rows = {"out": groups.file_rows}
    try:
        return {"in": groups.input_rows, **rows, "suppressed": groups.suppressed_rows}
    except UndeterminedError:
        return rows
