"""What a hierarchy is made from: one definition for specifications and recipes."""

from __future__ import annotations

from typing import Any, Self

from pydantic import ConfigDict, Field, StrictBool, ValidationError, model_validator

from sfumato.errors import HierarchyError
from sfumato.spec.attribute import SOURCES, HierarchySpec
from sfumato.spec.choices import Positive, Whole  # noqa: TC001 (pydantic reads them at run time)

RULES = tuple(source for source in SOURCES if source not in ("file", "tree", "columns"))
"""Hierarchies that know what becomes of values which they have not seen."""


class Definition(HierarchySpec):
    """The section of a specification, trees and files as their leaves, with what only recipes say."""

    # a recipe may say more: how many blocks there were, that some values were unknown
    model_config = ConfigDict(extra="ignore")

    granularity: Positive | None = None  # the width of the intervals that replace the values at level 0
    # whether labels are written for integers, `35-39`. Recipes say so; a specification leaves it to the data.
    integer: StrictBool | None = None
    values: list[Any] | None = None  # the whole domain in its order, dates as texts; the root follows
    leaves: dict[str, list[str]] | None = None  # leaf → its labels by level, the last one the root's
    depths: dict[str, int] = Field(
        default={}
    )  # the depth of those leaves that lie less deep than the deepest
    # the label of a root to which everything is generalized, and its level
    root: str | None = None
    height: Whole = 0

    @model_validator(mode="after")
    def _check_source(self) -> Self:
        sources = ("root", "leaves", "values", "granularity", *RULES)
        if all(getattr(self, source) is None for source in sources):
            raise ValueError("nothing is defined")
        if self.root is not None and not self.height:
            raise ValueError("a root has a level")
        return self


def read_definition(attribute: str, recorded: object) -> Definition:
    """Read the definition that a recipe recorded."""
    try:
        definition = Definition.model_validate(recorded)
    except ValidationError:
        raise damaged(attribute) from None
    is_of_numbers = definition.intervals is not None or definition.granularity is not None
    if is_of_numbers and definition.integer is None:
        raise damaged(attribute)
    return definition


def damaged(attribute: str) -> HierarchyError:
    """Say that this is not a definition."""
    return HierarchyError("the recipe does not define a hierarchy: it is damaged.", where=attribute)
