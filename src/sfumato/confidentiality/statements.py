"""What a specification says must stay unknown, and for whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.confidentiality.errors import SentenceError
from sfumato.confidentiality.reading import parse_sentence
from sfumato.confidentiality.sentence import atoms_of, names_of
from sfumato.confidentiality.writing import format_sentence
from sfumato.errors import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato.confidentiality.sentence import Sentence
    from sfumato.spec import Spec


@dataclass(frozen=True)
class Statement:
    """One confidential sentence."""

    sentence: Sentence  # what must stay unknown; over sensitive attributes
    text: str  # as it was written
    where: str = ""  # its place in the specification
    holders: Sentence | None = None  # for whom: a condition over any columns; None for everyone
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
        return format_sentence(self.sentence)

    @property
    def needed_columns(self) -> tuple[str, ...]:
        """The columns that tell who holds it."""
        return () if self.holders is None else names_of(self.holders)


def read_statements(spec: Spec) -> tuple[Statement, ...]:
    """Read the confidential sentences of a specification."""
    roles = {name: attribute.role for name, attribute in spec.attributes.items()}
    return tuple(_read(spec, number, roles) for number in range(len(spec.confidential)))


def _read(spec: Spec, number: int, roles: Mapping[str, str]) -> Statement:
    asked = spec.confidential[number]
    where = spec.where("confidential", number, "sentence")
    sentence = _parse(asked.sentence, where)
    _refuse_insensitive(sentence, asked.sentence, roles, where)
    holders_where = spec.where("confidential", number, "for")
    return Statement(
        sentence,
        asked.sentence,
        where,
        None if asked.holders is None else _parse(asked.holders, holders_where),
        asked.holders or "",
        holders_where,
        asked.record,
        spec.where("confidential", number, "record"),
        float(asked.damage),
    )


def _parse(text: str, where: str) -> Sentence:
    try:
        return parse_sentence(text)
    except SentenceError as error:
        raise error.located(where) from None


def _refuse_insensitive(sentence: Sentence, text: str, roles: Mapping[str, str], where: str) -> None:
    """Refuse a name that is no sensitive attribute."""
    sensitive = [name for name, role in roles.items() if role == "sensitive"]
    for atom in atoms_of(sentence):
        if atom.name in sensitive:
            continue
        if atom.name in roles:
            message = (
                f"{atom.name!r} has the role {roles[atom.name]!r}; sentences are about sensitive attributes."
            )
        elif not sensitive:
            message = f"unknown attribute {atom.name!r}: sentences need attributes with the role 'sensitive'."
        else:
            message = f"unknown attribute {atom.name!r}. {nearest(atom.name, sensitive)}"
        raise SentenceError(message, text, atom.at, where=where)


def refuse_unknown_columns(statement: Statement, columns: Sequence[str]) -> None:
    """Refuse a condition over columns that a table does not have."""
    for atom in () if statement.holders is None else atoms_of(statement.holders):
        if atom.name not in columns:
            raise SentenceError(
                f"the data have no column {atom.name!r}. {nearest(atom.name, columns)}",
                statement.holders_text,
                atom.at,
                where=statement.holders_where,
            )
