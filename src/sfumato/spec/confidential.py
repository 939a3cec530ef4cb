"""The part of a specification that says what must stay unknown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from sfumato.spec.fields import FilledText, Positive, check_whole, optional
from sfumato.spec.problems import LocatedError, found
from sfumato.spec.section import Section


def check_statements(value: object) -> object:
    """Accept a list; one table is a common mistake."""
    if isinstance(value, Mapping):
        raise ValueError("must be a list of tables: write [[confidential]] with two brackets.")
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"must be a list of tables ([[confidential]]); found {found(value)}.")
    return tuple(value)


class ConfidentialSpec(Section):
    """A sentence that must stay unknown, and for whom: ``[[confidential]]``."""

    model_config = ConfigDict(populate_by_name=True)

    # comparisons of sensitive attributes, joined by and, or and not. It is read when the data are.
    sentence: FilledText
    # for whom: a condition over any columns, under the key `for` in the file. Without it and `record`, for
    # everyone.
    holders: FilledText | None = Field(default=None, alias="for")
    # for the person of one row only, counted from 1 in the order of the data
    record: Annotated[int | None, BeforeValidator(optional(lambda value: check_whole(value, 1)))] = None
    damage: Positive = 1.0  # what it costs a holder if it becomes known, above 0; only proportions count

    def __init__(self, **fields: object) -> None:
        # Declared again so that type checkers accept the key of the file and the name of the field.
        super().__init__(**fields)

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        if self.holders is not None and self.record is not None:
            raise LocatedError.at(
                ("record",), "goes without 'for': name the people by a condition or a record."
            )
        return self
