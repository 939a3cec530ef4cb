"""The part of a specification that is about one attribute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import (
    BeforeValidator,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from sfumato.spec.choices import (
    GUIDED_SCHEMES,
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
from sfumato.spec.partitions import Blocks, check_partitions
from sfumato.spec.problems import LocatedError, Problem, found
from sfumato.spec.section import Section

if TYPE_CHECKING:
    from collections.abc import Iterator

_QUASI_IDENTIFIER_ONLY = ("levels", "scheme", "partitions", "weight", "output")


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

    ``levels``, ``scheme``, ``partitions``, ``weight`` and ``output`` change a quasi-identifier only;
    with another role they are refused rather than silently without effect. A sensitive attribute may
    have a hierarchy or an order, which the t measures use.
    """

    # identifier, quasi-identifier, sensitive or other
    role: Annotated[Role, BeforeValidator(choice("role", ROLES))]
    # number, category, ordinal or date; `None` finds it
    kind: Annotated[Kind, BeforeValidator(choice("kind", KINDS))] | None = None
    hierarchy: HierarchySpec | None = None  # how values are generalized
    # the lowest and the highest level allowed; only with the scheme `levels`
    levels: Annotated[tuple[int, int], BeforeValidator(_check_levels)] | None = None
    # the space of partitions; an acronym is turned into the name. Where nothing is said it is `levels`, and
    # `ordered` for numbers with a granularity and without a hierarchy. `cuts`, `guided-ordered` and
    # `guided-sets` need a hierarchy.
    scheme: Annotated[
        Scheme,
        BeforeValidator(choice("scheme", SCHEMES, SUPPORTED_SCHEMES)),
        BeforeValidator(_long_scheme_name),  # the last one named runs first
    ] = "levels"
    # what the scheme `admissible` may choose from: each one a list of blocks, which are lists of values,
    # `[["a", "b"], ["c"]]`; or the number of a level of the hierarchy; or, where that is made of dates, the
    # unit of a level. Each list of blocks holds every value of the domain exactly once, but not missing,
    # which stays apart. The values as they are, and all of them in one block, are added where they lack.
    partitions: Annotated[tuple[int | str | Blocks, ...], BeforeValidator(check_partitions)] | None = None
    weight: Weight = 1.0  # weight in the losses, from 0 to 1,000,000,000; only the ratio of weights counts
    # what stands for a group of values in the release
    output: Annotated[Output, BeforeValidator(choice("output", OUTPUTS, SUPPORTED_OUTPUTS))] = "label"
    # the values of an ordinal attribute from the lowest to the highest
    order: Annotated[tuple[str | int | float, ...], BeforeValidator(_check_order)] | None = None
    granularity: Positive | None = None  # the step to which numbers are rounded first, above 0

    @model_validator(mode="before")
    @classmethod
    def _choose_scheme(cls, keys: object) -> object:
        """Take ``ordered`` for numbers that are only discretized; levels mean the scheme that has some."""
        if not isinstance(keys, Mapping) or keys.get("role") != "quasi-identifier":
            return keys
        said = [key for key in ("hierarchy", "levels", "scheme") if keys.get(key) is not None]
        return keys if keys.get("granularity") is None or said else {**keys, "scheme": "ordered"}

    @model_serializer(mode="wrap")
    def _write_scheme(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        """Write the scheme ``levels`` where it is not what would be taken without saying so."""
        keys: dict[str, object] = write(self)
        is_default = self.granularity is None or self.hierarchy is not None or self.scheme != "levels"
        return keys if is_default or self.role != "quasi-identifier" else {**keys, "scheme": "levels"}

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        problems = [*self._misplaced_keys(), *self._wrong_scheme(), *self._wrong_kind()]
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

    def _wrong_scheme(self) -> Iterator[Problem]:
        """Find keys that do not go with the scheme."""
        if self.role != "quasi-identifier":
            return
        if self.levels is not None and self.scheme != "levels":
            yield Problem(
                ("levels",), f"restricts the scheme 'levels' alone; the scheme here is {self.scheme!r}."
            )
        if self.scheme in GUIDED_SCHEMES and self.hierarchy is None:
            yield Problem(
                ("scheme",),
                f"{self.scheme!r} follows the tree of a hierarchy, and there is none. Add a hierarchy, or "
                "use 'ordered' or 'sets'.",
            )
        if self.scheme == "admissible" and self.partitions is None:
            yield Problem(
                ("scheme",), "'admissible' needs the list of its partitions: add partitions = [...]."
            )
        if self.partitions is not None and self.scheme != "admissible":
            yield Problem(
                ("partitions",), f'goes with scheme = "admissible"; the scheme here is {self.scheme!r}.'
            )

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
