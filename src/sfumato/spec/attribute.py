"""The part of a specification that is about one attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Self

from pydantic import BeforeValidator, model_validator

from sfumato.spec.choices import (
    KINDS,
    OUTPUTS,
    ROLES,
    SCHEME_ACRONYMS,
    SCHEMES,
    SUPPORTED_OUTPUTS,
    SUPPORTED_SCHEMES,
    Kind,
    Output,
    Role,
    Scheme,
)
from sfumato.spec.fields import (
    Positive,
    Weight,
    check_entries,
    check_number,
    check_text,
    check_whole,
    choice,
    refuse_repetition,
)
from sfumato.spec.hierarchy import HierarchySpec  # noqa: TC001 (pydantic reads it at run time)
from sfumato.spec.problems import LocatedError, Problem, found
from sfumato.spec.section import Section

if TYPE_CHECKING:
    from collections.abc import Iterator

_QUASI_IDENTIFIER_ONLY = ("levels", "scheme", "weight", "output")


def _check_levels(value: object) -> tuple[int, int]:
    """Accept the lowest and the highest level."""
    levels = [check_whole(level) for level in check_entries(value, check_whole)]
    if len(levels) != 2:
        raise ValueError(f"must hold the lowest and the highest level; found {len(levels)} entries.")
    if levels[0] > levels[1]:
        raise ValueError(f"the lowest level, {levels[0]}, is above the highest, {levels[1]}.")
    return levels[0], levels[1]


def _long_scheme_name(value: object) -> object:
    """Turn the acronym of a scheme into its name."""
    return SCHEME_ACRONYMS.get(value.upper(), value) if isinstance(value, str) else value


def _check_order(value: object) -> tuple[str | int | float, ...]:
    """Accept distinct texts and numbers; 1, 1.0 and "1" are the same value."""
    entries = check_entries(value, _check_ordered_value)
    if not entries:
        raise ValueError("must not be empty.")
    refuse_repetition([str(int(e)) if isinstance(e, float) and e.is_integer() else str(e) for e in entries])
    return tuple(entry for entry in entries if isinstance(entry, (str, int, float)))


def _check_ordered_value(value: object) -> str | int | float:
    """Accept one text or number."""
    if isinstance(value, str):
        return check_text(value)
    if isinstance(value, bool) or found(value) == "a date or time":
        raise ValueError(f"must be text or a number; found {found(value)}.")
    return check_number(value)


class AttributeSpec(Section):
    """What is done with one attribute: ``[attributes.NAME]``.

    Parameters
    ----------
    role
        identifier, quasi-identifier, sensitive or other.
    kind
        number, category, ordinal or date; ``None`` finds it.
    hierarchy
        How values are generalized.
    levels
        The lowest and the highest level allowed.
    scheme
        The space of partitions; an acronym is turned into the name.
    weight
        Weight in the losses, 0 or above.
    output
        What stands for a group of values in the release.
    order
        The values of an ordinal attribute from the lowest to the highest.
    granularity
        The step to which numbers are rounded first, above 0.

    Notes
    -----
    ``levels``, ``scheme``, ``weight`` and ``output`` change a quasi-identifier only; with another role
    they are refused rather than silently without effect. A sensitive attribute may have a hierarchy
    or an order, which the t measures use.
    """

    role: Annotated[Role, BeforeValidator(choice("role", ROLES))]
    kind: Annotated[Kind, BeforeValidator(choice("kind", KINDS))] | None = None
    hierarchy: HierarchySpec | None = None
    levels: Annotated[tuple[int, int], BeforeValidator(_check_levels)] | None = None
    scheme: Annotated[
        Scheme,
        BeforeValidator(choice("scheme", SCHEMES, SUPPORTED_SCHEMES)),
        BeforeValidator(_long_scheme_name),  # the last one named runs first
    ] = "levels"
    weight: Weight = 1.0
    output: Annotated[Output, BeforeValidator(choice("output", OUTPUTS, SUPPORTED_OUTPUTS))] = "label"
    order: Annotated[tuple[str | int | float, ...], BeforeValidator(_check_order)] | None = None
    granularity: Positive | None = None

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        problems = [*self._misplaced_keys(), *self._wrong_kind()]
        if problems:
            raise LocatedError(problems)
        return self

    def _misplaced_keys(self) -> Iterator[Problem]:
        """Find keys that would have no effect with this role."""
        if self.role == "quasi-identifier":
            return
        for name in _QUASI_IDENTIFIER_ONLY:
            if getattr(self, name) != type(self).model_fields[name].default:
                yield Problem((name,), f"goes with quasi-identifiers only; the role here is {self.role!r}.")

    def _wrong_kind(self) -> Iterator[Problem]:
        """Find keys that ask for another kind of attribute."""
        if self.order is not None and self.kind != "ordinal":
            yield Problem(("order",), 'needs kind = "ordinal".')
        if self.granularity is not None and self.kind not in (None, "number"):
            yield Problem(("granularity",), f"needs numbers; the kind here is {self.kind!r}.")
        source = self.hierarchy.source if self.hierarchy else None
        if source == "intervals" and self.kind not in (None, "number"):
            yield Problem(("hierarchy", "intervals"), f"needs numbers; the kind here is {self.kind!r}.")
        if source == "dates" and self.kind not in (None, "date"):
            yield Problem(("hierarchy", "dates"), f"needs dates; the kind here is {self.kind!r}.")


__all__ = ["AttributeSpec"]
