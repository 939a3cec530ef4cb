"""The tables of a specification."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from sfumato.spec import choices, places

PlainValue: TypeAlias = "str | int | float | bool | list[PlainValue] | dict[str, PlainValue]"


class Section(BaseModel):
    """A frozen part of a specification that takes no unknown key."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

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


def described(default: object, meaning: str, example: object, alias: str | None = None) -> Any:
    """Make a key with its meaning and an example, from which docs/specification.md is made."""
    return Field(default, alias=alias, description=meaning, examples=[example])


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
    names = choices.check_entries(
        value, lambda entry: choices.canonical_measure_name(choices.check_text(entry))
    )
    choices.refuse_repetition(names)
    return tuple(names)


def _check_ladder(value: object) -> tuple[float, ...]:
    steps = choices.check_entries(value, choices.check_positive)
    choices.refuse_repetition(steps)
    return tuple(map(float, steps))


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

    path: choices.DataPath | None = described(
        None,
        "The file, relative to the specification; or a folder, or a pattern such as `data/*.csv`, of files "
        "with the same columns; or `-` for standard input; or the address of a database without a password, "
        "`postgresql://host/name` or `sqlite:///file.db`. Leave it out if you pass a frame in Python.",
        "patients.csv",
    )
    table: choices.FilledText | None = described(
        None,
        "The table of a database, or `schema.table`; a name with a dot stands in double quotes.",
        "visits",
    )
    query: choices.FilledText | None = described(
        None,
        "Instead of a table: one query that only reads.",
        "select age, zip, illness from visits where year = 2025",
    )
    separator: Annotated[str, BeforeValidator(_check_separator)] | None = described(
        None, "The character between two fields of a text file. Found by itself if not given.", ";"
    )
    encoding: Annotated[str, BeforeValidator(_check_encoding)] = described(
        "utf-8", "The encoding of a text file.", "cp1252"
    )
    decimal: Annotated[str, BeforeValidator(_check_decimal)] | None = described(
        None,
        "The decimal mark of a text file. If not given it is found where the separator is `;`: a comma, if "
        "all cells of some column are then numbers.",
        ",",
    )
    skip: choices.Whole = described(0, "Lines above the header, such as a title; `sep=` is not counted.", 2)
    header: choices.Flag = described(
        True, "Whether names of columns come first. Without them columns are `column_1`, `column_2`, …", False
    )
    sheet: choices.FilledText | None = described(
        None, "The sheet of a workbook. Needed only if it has several.", "Patients"
    )
    labels: choices.Flag = described(
        True, "Whether coded values of SPSS, Stata and SAS files are read as their labels.", False
    )
    missing: choices.Texts = described(
        ("",), "The texts that are read as missing. Your list replaces the default.", ["", "NA", "-9"]
    )
    person: choices.FilledText | None = described(
        None,
        "The column that says whose row it is, if people have several rows: classes then count people. It is "
        "not published, and need not be listed among the attributes.",
        "patient_id",
    )
    household: choices.FilledText | None = described(
        None,
        "The column that says which household a row belongs to: classes then count households, also if "
        "`person` is given. It is not published.",
        "household_id",
    )
    weight: choices.FilledText | None = described(
        None,
        "The column of survey weights: how many people of the population a row stands for, a number above 0. "
        "It is published only if it is listed among the attributes.",
        "weight",
    )
    strata: choices.ColumnNames = described(
        (),
        "The columns whose values together say which stratum a row was drawn from. They need not be listed "
        "among the attributes, and are published only then. A single name needs no brackets.",
        ["region", "urban"],
    )

    key: choices.PathText | None = described(
        None,
        "The file with the secret key of pseudonyms and ledgers, relative to the specification; made with 32 "
        "random bytes if there is none yet. Never publish it: whoever has it can tell whose a pseudonym is.",
        "people.key",
    )

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

    limit: choices.Share = described(
        0.0, "The share of rows that may be suppressed, rounded down to whole rows.", 0.01
    )
    rule: choices.SuppressionRule = described("auto", "Which rows are suppressed.", "failing")
    output: choices.SuppressionOutput = described(
        "drop",
        "`drop` removes suppressed rows. `mask` keeps them, with `*` in every quasi-identifier and without "
        "sensitive values.",
        "mask",
    )


class RecodingSpec(Section):
    """Whether one value may have several labels: ``[recoding]``."""

    scope: choices.Scope = described(
        "global",
        "`global` gives every occurrence of a value the same label. `local` forms groups of similar rows, "
        "each with its own labels, and keeps much more detail.",
        "local",
    )
    ladder: Annotated[tuple[float, ...], BeforeValidator(_check_ladder)] = described(
        (),
        'With `scope = "local"`, the requirements that `sfumato explore` tries, each one solution: values of '
        "the first objective, else of the first requirement, that judges classes, such as `k`. If it is not "
        "given, usual values from the requirement on.",
        [5, 10, 20],
    )
    weighted: choices.Flag = described(
        False,
        'With `scope = "local"`, whether a row counts by its survey weight (`[data] weight`) in the loss '
        "that the search keeps small. The `loss` that is stated counts every row alike.",
        True,
    )


class ObjectivesSpec(Section):
    """What the front is about: ``[objectives]``."""

    maximize: Annotated[tuple[str, ...], BeforeValidator(_check_measures)] = described(
        (), "Measures that are better when larger.", ["k", "distinct_l(diagnosis)"]
    )
    minimize: Annotated[tuple[str, ...], BeforeValidator(_check_measures)] = described(
        (),
        "Measures that are better when smaller. `sfumato anonymize` looks for the least of the first one.",
        ["loss"],
    )

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

    method: choices.Method = described("auto", "The search; `auto` decides by counted work.", "optimal")
    variant: choices.Variant | None = described(
        None,
        "Only for `lattice`: `incognito` decides many recodings without testing them, `breadth-first` tests "
        "more. Both find the same.",
        "breadth-first",
    )
    seed: choices.Whole = described(
        1, "Where random choices start: the same seed gives the same result, if time allows.", 7
    )
    time_limit: choices.Seconds = described(
        60.0, "Seconds after which the search stops with the best so far.", 600
    )
    population: Annotated[int, choices.at_least(2)] | None = described(
        None, "Recodings that an evolutionary search keeps at a time.", 100
    )
    iterations: choices.Whole | None = described(
        None,
        "Populations made after the first one; for `descent`, new starts after the first one; with `scope = "
        '"local"`, moves tried.',
        500,
    )
    crossover: choices.Share | None = described(None, "Probability that two recodings exchange parts.", 0.9)
    mutation: choices.Share | None = described(
        None, "Probability that a part of a recoding changes at random.", 0.1
    )
    walk: choices.Whole | None = described(
        None, "Random steps that a recoding seen before may take to reach a new one. 0 switches this off.", 5
    )
    constrained_mutation: choices.Share | None = described(
        None, "Probability that an attribute under `cuts` or `guided-ordered` changes at random.", 0.05
    )
    screening: choices.Flag | None = described(
        None, "Whether recodings that look dominated are passed over before they are evaluated.", False
    )
    direction: choices.ProofDirection | None = described(
        None,
        "Only for `optimal` over partitions: by joins from the finest recoding, by splits from the coarsest, "
        "or whichever says more.",
        "bottom-up",
    )
    seeds: choices.Whole | None = described(
        None,
        "Recodings drawn at random before `bottom-up` and `top-down` begin; the best is to be beaten.",
        100,
    )
    requeue: choices.Flag | None = described(
        None, "Whether a node is put back once before a proof looks below it.", True
    )
    node_pruning: choices.Flag | None = described(
        None, "Whether a proof leaves nodes by their bounds.", False
    )
    node_rearrangement: choices.Flag | None = described(
        None, "Whether a proof takes the node with the least bound first, not the oldest.", False
    )
    applicator_rearrangement: choices.Flag | None = described(
        None, "Whether a proof decides first what says most, not what comes first.", False
    )
    useless_applicators: choices.Flag | None = described(
        None, "Whether a proof drops what cannot lead to a better recoding.", False
    )
    useful_applicators: choices.Flag | None = described(
        None, "Whether a proof decides at once what every recoding that is allowed must do.", False
    )
    elite: choices.Whole | None = described(None, "How many of the best granulations go on unchanged.", 0)
    seeding: choices.Flag | None = described(
        None,
        "Whether half of the first population comes from the best recodings by levels; for `optimal` over "
        "partitions, whether a good recoding is looked for before the proof begins.",
        False,
    )
    patience: Annotated[int, choices.at_least(1)] | None = described(
        None,
        "The search ends after this many populations, or starts, in a row that find nothing better.",
        30,
    )
    boxes: Annotated[dict[str, float], check_numbers(choices.check_positive)] = described(
        {},
        "Keep one solution in each box of this width in a measure, instead of all of them, whatever the "
        "search.",
        {"k": 5, "loss": 0.01},
    )


class ReleaseSpec(Section):
    """How a release is written: ``[release]``."""

    order: choices.RowOrder = described(
        "sorted",
        "`sorted` sorts the rows of a written file by all columns, so that their order reveals nothing. "
        "`input` keeps the order of the input, which may reveal something.",
        "input",
    )
    choice: choices.ReleaseChoice = described(
        "optimal",
        "`optimal` releases the best recoding that was found. `near-optimal` releases one drawn at random "
        "among those that meet the requirements and are within the tolerance of the best.",
        "near-optimal",
    )
    tolerance: choices.Share = described(
        0.05,
        "How much worse the drawn recoding may be, as a share of the best one's value. 0 draws among equally "
        "good ones.",
        0.1,
    )
    seed: choices.Whole | None = described(
        None,
        "Makes the draw repeatable. Anyone who knows it can repeat the draw, so it is never published. "
        "Without it the operating system's randomness decides.",
        20240311,
    )
    organisation: str | None = described(
        None,
        "Who releases the data. It is published in FILE.json and in the report, as the next three are.",
        "City Hospital",
    )
    purpose: str | None = described(None, "What the release is for.", "Research on waiting times")
    recipient: str | None = described(None, "Who receives it.", "Institute of Public Health")
    contact: str | None = described(None, "Whom to ask about it.", "data@hospital.example")
    formulas: choices.Formulas = described(
        "keep",
        "What happens to texts in CSV and TSV files that a spreadsheet would run as formulas (they begin "
        "with `=`, `+`, `-`, `@`, a tab or a carriage return, and are not numbers) or turn into dates "
        "(`5-9`, `2024-03`, `May 7`): `keep` leaves them as they are, `escape` puts an apostrophe in front.",
        "escape",
    )
    rows_per_file: choices.Whole = described(
        0,
        "Writes a folder of files with at most this many rows each, instead of one file: Parquet, or plain "
        "CSV or TSV. 0 writes one file.",
        5_000_000,
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

    sentence: choices.FilledText = Field(
        description="What must stay unknown: comparisons of sensitive attributes with `and`, `or`, `not`.",
        examples=["diagnosis == HIV"],
    )
    holders: choices.FilledText | None = described(
        None,
        "For whom: a condition over any columns of the data. Without it and without `record`, for everyone.",
        "age < 18",
        alias="for",
    )
    record: Annotated[int, choices.at_least(1)] | None = described(
        None, "For the person of this row only, counted from 1 in the order of the data.", 17
    )
    damage: choices.Positive = described(
        1.0, "What it costs a person if it becomes known. Only the ratio of damages counts, in `sf`.", 2
    )

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
