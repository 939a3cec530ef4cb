"""The tables of a specification."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, ClassVar, Self, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from sfumato.spec.choices import (
    FilledText,
    Flag,
    Formulas,
    Method,
    PathText,
    Positive,
    ReleaseChoice,
    RowOrder,
    Seconds,
    Share,
    SuppressionOutput,
    SuppressionRule,
    Texts,
    Variant,
    Whole,
    at_least,
    canonical_measure_name,
    check_entries,
    check_positive,
    check_text,
    refuse_repetition,
)
from sfumato.spec.places import (
    LocatedError,
    SpecFault,
    collect_problems,
    first_problem,
    found,
    refuse,
    sentence_of,
    write_location,
)

PlainValue: TypeAlias = "str | int | float | bool | list[PlainValue] | dict[str, PlainValue]"


class Section(BaseModel):
    """A frozen part of a specification that takes no unknown key."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    _has_tables: ClassVar[bool] = False  # whether the fields of this part are tables of the file

    def __init__(self, **fields: object) -> None:
        try:
            super().__init__(**fields)
        except ValidationError as error:
            raise first_problem(
                (write_location(problem.location, tables=self._has_tables), problem.sentence)
                for problem in collect_problems(type(self), error)
            ) from None

    # Without this mark pydantic calls __init__ for every part of a larger whole as well, and
    # the places of the problems inside that part would be lost.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    def to_dict(self) -> dict[str, PlainValue]:
        """Return plain values that JSON and TOML can write, defaults left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def _check_separator(value: object) -> str:
    text = check_text(value)
    if len(text) != 1 or text in '"\r\n':
        raise ValueError("must be one character, but not a quote or a line end.")
    return text


def _check_encoding(value: object) -> str:
    """Accept the name of a text encoding that Python knows."""
    name = check_text(value)
    try:
        "".encode(name)
    except (LookupError, ValueError):
        raise ValueError("unknown encoding. Common ones: 'utf-8', 'latin-1', 'cp1252'.") from None
    return name


def _check_measures(value: object) -> tuple[str, ...]:
    """Accept distinct names of measures, and write them canonically."""
    names = check_entries(value, lambda entry: canonical_measure_name(check_text(entry)))
    refuse_repetition(names)
    return tuple(names)


def check_numbers(check: Callable[[object], int | float]) -> BeforeValidator:
    """Make the check of a table of measures with numbers; it writes the names canonically."""

    def check_table(value: object) -> dict[str, float]:
        if not isinstance(value, Mapping):
            raise ValueError(f"must be a table; found {found(value)}.")
        numbers: dict[str, float] = {}
        problems: list[SpecFault] = []
        for key, number in value.items():
            try:
                name = canonical_measure_name(check_text(key))
                if name in numbers:
                    raise ValueError("this measure is named twice.")
                numbers[name] = float(check(number))
            except ValueError as error:
                problems.append(SpecFault((str(key),), sentence_of(error)))
        refuse(problems)
        return numbers

    return BeforeValidator(check_table)


class DataSpec(Section):
    """Where the data are and how they are read: ``[data]``."""

    # the file or folder, relative to the specification; `None` if a frame is passed instead
    path: PathText | None = None
    # the character between two fields; `None` finds it
    separator: Annotated[str, BeforeValidator(_check_separator)] | None = None
    encoding: Annotated[str, BeforeValidator(_check_encoding)] = "utf-8"  # the text encoding
    missing: Texts = ("",)  # the texts that are read as missing
    # the column that identifies the person of each row. It is treated like an identifier, and need not be
    # named among the attributes.
    person: FilledText | None = None


class SuppressionSpec(Section):
    """Which rows may be suppressed, and how: ``[suppression]``."""

    limit: Share = 0.0  # the share of rows that may be suppressed, in [0, 1]
    # auto, none, failing, smallest or below-mean
    rule: SuppressionRule = "auto"
    # whether suppressed rows are dropped or masked
    output: SuppressionOutput = "drop"


class ObjectivesSpec(Section):
    """What the front is about: ``[objectives]``."""

    # canonical names of measures, no measure twice
    maximize: Annotated[tuple[str, ...], BeforeValidator(_check_measures)] = ()
    minimize: Annotated[tuple[str, ...], BeforeValidator(_check_measures)] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All objectives, those to maximize first."""
        return self.maximize + self.minimize

    @model_validator(mode="after")
    def _check_directions(self) -> Self:
        both = [position for position, name in enumerate(self.minimize) if name in self.maximize]
        refuse(SpecFault(("minimize", place), "is also listed under maximize.") for place in both)
        return self


class SearchSpec(Section):
    """How the best recodings are looked for: ``[search]``."""

    # the search; auto decides by counted work
    method: Method = "auto"
    # of `lattice`: incognito, which decides many recodings without testing them, or breadth-first. Both find
    # the same.
    variant: Variant | None = None
    seed: Whole = 1  # where random choices start, 0 or above
    time_limit: Seconds = 60.0  # seconds, above 0
    # parameters of evolutionary searches; the method's own by default
    population: Annotated[int, at_least(2)] | None = None
    iterations: Whole | None = None
    crossover: Share | None = None
    mutation: Share | None = None
    walk: Whole | None = None
    # probability that an attribute under `cuts` or `guided-ordered` mutates; for `nsga2` and the other
    # algorithms of its kind, as the next two
    constrained_mutation: Share | None = None
    # whether the search sets out from the best full-domain recodings
    seeding: Flag | None = None
    # iterations in a row without a gain in hypervolume after which the search ends, at least 1
    patience: Annotated[int, at_least(1)] | None = None
    # measure → width of its boxes, above 0: keep one solution in each box rather than all
    boxes: Annotated[dict[str, float], check_numbers(check_positive)] = Field(default={})


class ReleaseSpec(Section):
    """How a release is written: ``[release]``."""

    # whether the rows of a written file are sorted by all its columns, so that their order reveals nothing,
    # or keep the order of the input, which may reveal something
    order: RowOrder = "sorted"
    # `optimal`: the best recoding that was found. `near-optimal`: one drawn at random among those that meet
    # the requirements and are within the tolerance of the best, so that a release no longer reveals
    # that everything finer was impossible.
    choice: ReleaseChoice = "optimal"
    # how much worse the drawn one may be, as a share of the best one's value: at most value + tolerance ×
    # |value| of an objective to minimize, at least value − tolerance × |value| of one to maximize. 0 draws
    # among equally good ones.
    tolerance: Share = 0.05
    # makes the draw repeatable. Anyone who knows it can repeat the draw, so it is never published; without it
    # the operating system's randomness decides.
    seed: Whole | None = None
    # whether texts in CSV and TSV files that a spreadsheet would run as formulas (they begin with `=`, `+`,
    # `-`, `@`, a tab or a carriage return, and are no numbers) are kept, or escaped with an apostrophe in
    # front
    formulas: Formulas = "keep"


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
    record: Annotated[int, at_least(1)] | None = None
    damage: Positive = 1.0  # what it costs a holder if it becomes known, above 0; only proportions count

    def __init__(self, **fields: object) -> None:
        # Declared again so that type checkers accept the key of the file and the name of the field.
        super().__init__(**fields)

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        if self.holders is not None and self.record is not None:
            raise LocatedError.at(
                ("record",), "cannot be combined with 'for': name the people by a condition or a record."
            )
        return self
