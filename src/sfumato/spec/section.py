"""What all parts of a specification have in common."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import BaseModel, ConfigDict, ValidationError

from sfumato.spec.problems import collect_problems, first_problem, write_location

PlainValue: TypeAlias = "str | int | float | bool | list[PlainValue] | dict[str, PlainValue]"


class Section(BaseModel):
    """A frozen part of a specification that takes no unknown key."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def __init__(self, **fields: object) -> None:
        try:
            super().__init__(**fields)
        except ValidationError as error:
            raise first_problem(
                (write_location(problem.location, tables=self._has_tables()), problem.sentence)
                for problem in collect_problems(type(self), error)
            ) from None

    # Without this mark pydantic calls __init__ for every part of a larger whole as well, and
    # the places of the problems inside that part would be lost.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    def _has_tables(cls) -> bool:
        """Whether the fields of this part are tables of the file."""
        return False

    def to_dict(self) -> dict[str, PlainValue]:
        """Return plain values that JSON and TOML can write, defaults left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)
