"""The tables of a specification; what their keys mean is said in ``keys.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from sfumato.errors import nearest
from sfumato.spec import choices, places

PlainValue: TypeAlias = "str | int | float | bool | list[PlainValue] | dict[str, PlainValue]"


def key_meanings(model: type[BaseModel]) -> dict[str, dict[str, Any]]:
    """Return for each key of a section, as a file spells it, its meaning and an example."""
    text = files(__package__).joinpath("keys.toml").read_text(encoding="utf-8")
    told = tomllib.loads(text).get(model.__name__.removesuffix("Spec").lower(), {})
    return {key: {**item, "meaning": " ".join(item["meaning"].split())} for key, item in told.items()}


def _explain(schema: dict[str, Any], model: type[BaseModel]) -> None:
    """Say in the schema that pydantic makes of a section what its keys mean."""
    told = key_meanings(model)
    for name, field in model.model_fields.items():
        key = field.alias or name
        for place in {key, name} & schema["properties"].keys() if key in told else ():
            more = {"description": told[key]["meaning"], "examples": [told[key]["example"]]}
            schema["properties"][place] |= more


class Section(BaseModel):
    """A frozen part of a specification that takes no unknown key."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, json_schema_extra=_explain)

    _has_tables: ClassVar[bool] = False  # whether the fields of this part are tables of the file

    def __init__(self, **fields: object) -> None:
        try:
            super().__init__(**fields)
        except ValidationError as error:
            raise places.first_problem(
                (places.write_location(problem.location, tables=self._has_tables), problem.sentence)
                for problem in places.collect_problems(type(self), error)
            ) from None

    # Without this mark pydantic calls __init__ for every part of a larger whole as well, and
    # the places of the problems inside that part would be lost.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    def to_dict(self) -> dict[str, PlainValue]:
        """Return plain values that JSON and TOML can write, defaults left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def _check_separator(value: object) -> str:
    text = choices.check_text(value)
    if len(text) != 1 or text in '"\r\n':
        raise ValueError("must be one character, but not a quote or a line end.")
    return text


def _check_encoding(value: object) -> str:
    """Accept the name of a text encoding that Python knows."""
    name = choices.check_text(value)
    try:
        "".encode(name)
    except (LookupError, ValueError):
        raise ValueError("unknown encoding. Common ones: 'utf-8', 'latin-1', 'cp1252'.") from None
    return name


def _check_measures(value: object) -> tuple[str, ...]:
    """Accept distinct names of measures, and write them canonically."""
    return choices.check_distinct(
        value, lambda entry: choices.canonical_measure_name(choices.check_text(entry))
    )


def _check_ladder(value: object) -> tuple[float, ...]:
    return tuple(map(float, choices.check_distinct(value, choices.check_positive)))


def check_numbers(check: Callable[[object], int | float]) -> BeforeValidator:
    """Make the check of a table of measures with numbers; it writes the names canonically."""

    def check_table(value: object) -> dict[str, float]:
        if not isinstance(value, Mapping):
            raise ValueError(f"must be a table; found {places.found(value)}.")
        numbers: dict[str, float] = {}
        problems: list[places.SpecFault] = []
        for key, number in value.items():
            try:
                name = choices.canonical_measure_name(choices.check_text(key))
                if name in numbers:
                    raise ValueError("this measure is named twice.")
                numbers[name] = float(check(number))
            except ValueError as error:
                problems.append(places.SpecFault((str(key),), places.sentence_of(error)))
        places.refuse(problems)
        return numbers

    return BeforeValidator(check_table)


def _check_decimal(value: object) -> str:
    text = choices.check_text(value)
    if text not in (",", "."):
        raise ValueError('must be "," or ".".')
    return text


class CountedUnits:
    """Whoever names a person and a household column: classes count households before persons before rows."""

    if TYPE_CHECKING:
        person: str | None
        household: str | None

    @property
    def unit(self) -> str | None:
        """The column whose values classes count; None where they count rows."""
        return self.household or self.person

    @property
    def unit_word(self) -> Literal["row", "person", "household"]:
        """What classes count, in the singular."""
        return "household" if self.household else "person" if self.person else "row"


class DataSpec(Section, CountedUnits):
    """Where the data are and how they are read: ``[data]``."""

    path: choices.DataPath | None = None
    table: choices.FilledText | None = None
    query: choices.FilledText | None = None
    separator: Annotated[str, BeforeValidator(_check_separator)] | None = None
    encoding: Annotated[str, BeforeValidator(_check_encoding)] = "utf-8"
    decimal: Annotated[str, BeforeValidator(_check_decimal)] | None = None
    skip: choices.Whole = 0
    header: choices.Flag = True
    sheet: choices.FilledText | None = None
    labels: choices.Flag = True
    missing: choices.Texts = ("",)
    person: choices.FilledText | None = None
    household: choices.FilledText | None = None
    weight: choices.FilledText | None = None
    strata: choices.ColumnNames = ()
    key: choices.PathText | None = None

    @model_validator(mode="after")
    def _check_table(self) -> Self:
        named = [key for key in ("table", "query") if getattr(self, key) is not None]
        if len(named) > 1:
            places.refuse([places.SpecFault(("query",), "name a table or a query, not both.")])
        is_database = self.path is None or choices.database_address(self.path) is not None
        if named and not is_database:
            places.refuse([places.SpecFault((named[0],), "is for databases, but path is a file. Remove it.")])
        if is_database and self.path is not None and not named:
            places.refuse([places.SpecFault(("path",), "is a database: name a table or a query too.")])
        return self

    @property
    def uses(self) -> dict[str, str]:
        """The columns that serve a purpose here, each with the key that names it."""
        named = {self.person: "person", self.household: "household", self.weight: "weight"}
        named |= dict.fromkeys(self.strata, "strata")
        return {name: key for name, key in named.items() if name is not None}


class SuppressionSpec(Section):
    """Which rows may be suppressed, and how: ``[suppression]``."""

    limit: choices.Share = 0.0
    rule: choices.SuppressionRule = "auto"
    output: choices.SuppressionOutput = "drop"


class RecodingSpec(Section):
    """Whether one value may have several labels: ``[recoding]``."""

    scope: choices.Scope = "global"
    ladder: Annotated[tuple[float, ...], BeforeValidator(_check_ladder)] = ()
    weighted: choices.Flag = False


class ObjectivesSpec(Section):
    """What the front is about: ``[objectives]``."""

    maximize: Annotated[tuple[str, ...], BeforeValidator(_check_measures)] = ()
    minimize: Annotated[tuple[str, ...], BeforeValidator(_check_measures)] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All objectives, those to maximize first."""
        return self.maximize + self.minimize

    @model_validator(mode="after")
    def _check_directions(self) -> Self:
        both = [position for position, name in enumerate(self.minimize) if name in self.maximize]
        places.refuse(
            places.SpecFault(("minimize", place), "is also listed under maximize.") for place in both
        )
        return self


class SearchSpec(Section):
    """How the best recodings are looked for: ``[search]``. A key that the search does not use is an error."""

    method: choices.Method = "auto"
    variant: choices.Variant | None = None
    seed: choices.Whole = 1
    time_limit: choices.Seconds = 60.0
    population: Annotated[int, choices.at_least(2)] | None = None
    iterations: choices.Whole | None = None
    crossover: choices.Share | None = None
    mutation: choices.Share | None = None
    walk: choices.Whole | None = None
    constrained_mutation: choices.Share | None = None
    screening: choices.Flag | None = None
    direction: choices.ProofDirection | None = None
    seeds: choices.Whole | None = None
    requeue: choices.Flag | None = None
    node_pruning: choices.Flag | None = None
    node_rearrangement: choices.Flag | None = None
    applicator_rearrangement: choices.Flag | None = None
    useless_applicators: choices.Flag | None = None
    useful_applicators: choices.Flag | None = None
    elite: choices.Whole | None = None
    seeding: choices.Flag | None = None
    patience: Annotated[int, choices.at_least(1)] | None = None
    boxes: Annotated[dict[str, float], check_numbers(choices.check_positive)] = {}


class ReleaseSpec(Section):
    """How a release is written: ``[release]``."""

    order: choices.RowOrder = "sorted"
    choice: choices.ReleaseChoice = "optimal"
    tolerance: choices.Share = 0.05
    seed: choices.Whole | None = None
    organisation: str | None = None
    purpose: str | None = None
    recipient: str | None = None
    contact: str | None = None
    formulas: choices.Formulas = "keep"
    rows_per_file: choices.Whole = 0
    partition_by: choices.ColumnNames = ()

    def unfit_folders(self, published: Collection[str]) -> Iterator[places.SpecFault]:
        """Find what folders cannot be named by, of the columns that are published."""
        for place, name in enumerate(self.partition_by):
            if name not in published:
                yield places.SpecFault(
                    ("release", "partition_by", place),
                    f"the column {name!r} is not published. {nearest(name, published)}",
                )
        if self.partition_by and self.order == "input":
            yield places.SpecFault(
                ("release", "partition_by"),
                'rows in folders are sorted. Remove it, or order = "input" from [release].',
            )
        if self.partition_by and len(self.partition_by) == len(published):
            yield places.SpecFault(
                ("release", "partition_by"), "needs a column beside them for the files. Remove a name."
            )


def check_statements(value: object) -> object:
    """Accept a list; one table is a common mistake."""
    if isinstance(value, Mapping):
        raise ValueError("must be a list of tables: write [[confidential]] with two brackets.")
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"must be a list of tables ([[confidential]]); found {places.found(value)}.")
    return tuple(value)


class ConfidentialSpec(Section):
    """A sentence that must stay unknown, and for whom: ``[[confidential]]``."""

    model_config = ConfigDict(populate_by_name=True)

    sentence: choices.FilledText
    holders: choices.FilledText | None = Field(None, alias="for")
    record: Annotated[int, choices.at_least(1)] | None = None
    damage: choices.Positive = 1.0

    def __init__(self, **fields: object) -> None:
        # Declared again so that type checkers accept the key of the file and the name of the field.
        super().__init__(**fields)

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        if self.holders is not None and self.record is not None:
            raise places.LocatedError.at(
                ("record",), "cannot be combined with 'for': name the people by a condition or a record."
            )
        return self
