"""The sentences of a specification, and for how many rows each is true."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.confidentiality import grammar
from sfumato.confidentiality.truth import SentenceColumn, evaluate
from sfumato.domains import Confidential, Cube
from sfumato.errors import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sfumato._typing import BoolArray, IntArray
    from sfumato.spec import Spec


@dataclass(frozen=True)
class Statement:
    """One confidential sentence."""

    sentence: grammar.Sentence  # what must stay unknown; over sensitive attributes
    text: str  # as it was written
    where: str = ""  # its place in the specification
    holders: grammar.Sentence | None = None  # for whom: a condition over any columns; None for everyone
    # the condition as it was written, and its place
    holders_text: str = ""
    holders_where: str = ""
    record: int | None = None  # for the person of one row only, counted from 1; None otherwise
    record_where: str = ""  # its place
    # what it costs a holder if it becomes known; only its proportion to the person's other ones counts
    damage: float = 1.0

    @property
    def is_for_everyone(self) -> bool:
        """Whether everyone holds it."""
        return self.holders is None and self.record is None

    @property
    def formatted(self) -> str:
        """The sentence in its regular form."""
        return grammar.format_sentence(self.sentence)

    @property
    def needed_columns(self) -> tuple[str, ...]:
        """The columns that say who holds it."""
        return () if self.holders is None else grammar.names_of(self.holders)


def read_statements(spec: Spec) -> tuple[Statement, ...]:
    """Read the confidential sentences of a specification."""
    roles = {name: attribute.role for name, attribute in spec.attributes.items()}
    found = []
    for number, asked in enumerate(spec.confidential):
        where, holders_where, record_where = (
            spec.where("confidential", number, key) for key in ("sentence", "for", "record")
        )
        with _located(where):
            sentence = grammar.parse_sentence(asked.sentence)
            _refuse_insensitive(sentence, asked.sentence, roles)
        with _located(holders_where):
            holders = None if asked.holders is None else grammar.parse_sentence(asked.holders)
        what, whom = (sentence, asked.sentence, where), (holders, asked.holders or "", holders_where)
        found.append(Statement(*what, *whom, asked.record, record_where, float(asked.damage)))
    return tuple(found)


@contextmanager
def _located(where: str) -> Iterator[None]:
    """Let errors about a sentence name its place in the specification."""
    try:
        yield
    except grammar.SentenceError as error:
        raise error.located(where) from None


def _refuse_insensitive(sentence: grammar.Sentence, text: str, roles: Mapping[str, str]) -> None:
    sensitive = [name for name, role in roles.items() if role == "sensitive"]
    for atom in grammar.atoms_of(sentence):
        if atom.name in sensitive:
            continue
        message = f"unknown attribute {atom.name!r}"
        if atom.name in roles:
            role = roles[atom.name]
            message = f"{atom.name!r} has the role {role!r}; sentences are about sensitive attributes."
        elif not sensitive:
            message += ": sentences need attributes with the role 'sensitive'."
        else:
            message += f". {nearest(atom.name, sensitive)}"
        raise grammar.SentenceError(message, text, atom.at)


def refuse_unknown_columns(statement: Statement, columns: Sequence[str]) -> None:
    """Refuse a condition over columns that a table does not have."""
    for atom in () if statement.holders is None else grammar.atoms_of(statement.holders):
        if atom.name not in columns:
            raise grammar.SentenceError(
                f"the data have no column {atom.name!r}. {nearest(atom.name, columns)}",
                statement.holders_text,
                atom.at,
                where=statement.holders_where,
            )


def compile_statements(
    statements: Sequence[Statement],
    sensitive: Mapping[str, SentenceColumn],
    others: Mapping[str, SentenceColumn],
    records: Mapping[int, BoolArray],
    persons: IntArray | None,
) -> tuple[IntArray, Confidential]:
    """Judge every tuple by every sentence, once."""
    truths, holdings = [], []
    for item in statements:
        with _located(item.where):
            truths.append(evaluate(item.sentence, sensitive, item.text))
        holdings.append(_held(item, others, records, len(truths[0])))
    truth, held = np.column_stack(truths), np.column_stack(holdings)
    if persons is not None:
        # Who holds a sentence in one row holds it in all.
        found = np.zeros((int(persons.max(initial=-1)) + 1, held.shape[1]), dtype=bool)
        np.logical_or.at(found, persons, held)
        held = found[persons]
    both = np.concatenate([truth, held], axis=1).astype(np.uint8)
    combinations, codes = np.unique(both, axis=0, return_inverse=True)
    count = len(statements)
    damage = np.array([item.damage for item in statements], dtype=np.float64)
    meaning = Confidential(combinations[:, :count] == 1, combinations[:, count:] == 1, damage)
    return codes.reshape(-1).astype(np.int32), meaning


def _held(
    statement: Statement, columns: Mapping[str, SentenceColumn], records: Mapping[int, BoolArray], count: int
) -> BoolArray:
    if statement.record is not None:
        return records[statement.record]
    if statement.holders is None:
        return np.ones(count, dtype=bool)
    with _located(statement.holders_where):
        return evaluate(statement.holders, columns, statement.holders_text)


@dataclass(frozen=True)
class Protected:
    """How many people a sentence protects."""

    people: int  # those who hold it: rows, or persons where they are named
    rows: int  # all rows for which it is true, no matter who holds it


def count_protected(cube: Cube) -> tuple[Protected, ...]:
    """Count the people whom each sentence of a cube protects; nothing where there are no sentences."""
    own = cube.confidential
    if own is None:
        return ()
    codes, found = cube.sensitive_codes[:, cube.hidden], []
    for true, held in zip(own.truth[codes].T, own.held[codes].T, strict=True):
        people = cube.rows[held].sum() if cube.persons is None else len(np.unique(cube.persons[held]))
        found.append(Protected(int(people), int(cube.rows[true].sum())))
    return tuple(found)


def find_warnings(statements: Sequence[Statement], cube: Cube) -> Iterator[str]:
    """Say what about the sentences looks like a mistake; numbers of sentences and counts only."""
    for number, (statement, found) in enumerate(zip(statements, count_protected(cube), strict=True), start=1):
        if not found.people:
            yield f"sentence {number} protects nobody: {statement.holders_text!r} is true for no row."
        if not found.rows:
            yield f"sentence {number} is true for no row, so it can never become known."
        elif found.rows == cube.row_count and found.people:
            yield f"sentence {number} is true for every row, so no recoding can keep it secret."
