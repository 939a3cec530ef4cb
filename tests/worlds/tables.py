"""Draw a table with its specification, and draw a second world that differs in hidden cells alone."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING

from tests.worlds.flavours import MARK, OTHERS, QUASI_IDENTIFIERS, SENSITIVE, secret

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.worlds.flavours import Cell, Flavour

FRAMES = (
    *("pandas", "pandas-category", "pandas-arrow", "polars", "polars-lazy", "polars-enum"),
    *("polars-categorical", "pyarrow", "pyarrow-dictionary", "duckdb", "duckdb-enum"),
)
FILES = ("csv", "csv.gz", "parquet", "arrow", "jsonl", "german.csv")
ENGINES = (*FRAMES, *FILES, *FILES)
CARRIERS = ("pandas-category", "pyarrow-dictionary", "parquet", "arrow")  # an index, attributes, metadata
SUFFIXES = ("csv", "csv.gz", "parquet", "arrow", "jsonl", "xlsx")

SETTLED = {
    "extremes": 5,
    "categories": 5,
    "inside": 2,
    "sensitive": 4,
    "other": 2,
    "removed": 2,
    "order": 2,
    "places": 1,
    "carrier": 2,
    "everything": 6,
    "missing": 2,
    "huge": 1,
    "long": 1,
}
# The type of a column is taken for public: these are made only where they are asked for.
OF_TYPE = {"fraction": 0, "time": 0, "text": 0, "zeros": 0}
CHANGES = SETTLED | OF_TYPE
ODD = ("huge", "long", *OF_TYPE)


@dataclass(frozen=True)
class Column:
    """A column of a drawn table; without a flavour it is removed from every release."""

    name: str
    role: str
    flavour: Flavour | None = None
    scheme: str = "levels"
    output: str = "label"


@dataclass(frozen=True)
class World:
    """One state of the hidden cells.

    Parameters
    ----------
    cells
        Column → the value of each person's row, by the number of the row.
    order
        The numbers of the rows as they stand in the data.
    place
        What folders and files are called, and what frames carry beside their cells.
    """

    cells: dict[str, list[Cell]]
    order: tuple[int, ...]
    place: str

    def rows(self, name: str) -> list[Cell]:
        """Return a column in the order of the data."""
        column = self.cells[name]
        return [column[row] for row in self.order]


@dataclass(frozen=True)
class Case:
    """A drawn table with what is asked of it."""

    seed: str
    columns: tuple[Column, ...]
    spec: dict[str, object]
    engine: str
    suffix: str
    change: str
    route: str
    world: World
    notes: tuple[str, ...] = field(default=())

    def named(self, *roles: str) -> list[Column]:
        """Return the columns with one of these roles."""
        return [column for column in self.columns if column.role in roles]

    @property
    def masks(self) -> bool:
        """Whether suppressed rows stay, so that their other columns are published."""
        return self.spec["suppression"]["output"] == "mask"  # type: ignore[index]

    @property
    def is_file(self) -> bool:
        return self.engine in FILES

    @property
    def keeps_input_order(self) -> bool:
        return self.spec["release"]["order"] == "input"  # type: ignore[index]


def draw_case(seed: str, change: str | None = None) -> Case:
    """Draw a table, a specification, how it comes in and goes out, and what will be changed."""
    rng = Random(seed)
    columns = _draw_columns(rng)
    count = rng.randint(6, 60)
    cells = {column.name: _draw_cells(rng, column, count) for column in columns}
    _draw_quasi_identifiers(rng, [column for column in columns if column.role == "quasi-identifier"], cells)
    columns += [
        Column(f"{item.name} above", "derived") for item in columns if item.flavour and item.flavour.above
    ]
    _derive(columns, cells)
    engine = rng.choice(ENGINES)
    case = Case(
        seed,
        tuple(rng.sample(columns, len(columns))),
        _draw_spec(rng, columns, cells),
        engine,
        rng.choice(SUFFIXES),
        "",
        rng.choices(("draw", "apply", "search"), (30, 3, 1))[0],
        World(cells, tuple(range(count)), f"{MARK}first"),
    )
    possible = _possible_changes(case)
    drawn = rng.choices(list(possible), list(possible.values()))[0]
    return replace(case, change=change if change in possible else drawn)


def _derive(columns: Sequence[Column], cells: dict[str, list[Cell]]) -> None:
    """Fill the columns that say where the values of others belong."""
    for column in columns:
        if column.flavour and column.flavour.above:
            cells[f"{column.name} above"] = [column.flavour.above(value) for value in cells[column.name]]


def _draw_columns(rng: Random) -> list[Column]:
    found = []
    for number in range(rng.choice([1, 1, 2, 2, 3, 4])):
        flavour = rng.choice(QUASI_IDENTIFIERS)
        output = rng.choice(flavour.outputs)
        found.append(Column(f"q{number}", "quasi-identifier", flavour, rng.choice(flavour.schemes), output))
    for number in range(rng.choice([0, 1, 1, 2])):
        found.append(Column(f"s{number}", "sensitive", rng.choice(SENSITIVE)))
    for number in range(rng.choice([0, 1, 1, 2])):
        found.append(Column(f"o{number}", "other", rng.choice(OTHERS)))
    removed = [("name", "identifier"), ("note", "unnamed"), ("ward", "unnamed")]
    found += [Column(name, role) for name, role in removed if rng.random() < 0.6]
    if rng.random() < 0.2:
        found.append(Column("pid", "person"))
    return found


def _draw_cells(rng: Random, column: Column, count: int) -> list[Cell]:
    """Draw all cells of a column that is no quasi-identifier."""
    if column.role == "person":
        return [rng.randrange(2 * count) for _ in range(count)]
    if column.name == "ward":
        return [rng.randrange(5) for _ in range(count)]
    if column.flavour is None:
        return [f"{MARK}{column.name}{rng.randrange(10**6)}" for _ in range(count)]
    pool = column.flavour.pool(rng)
    missing = rng.choice([0.0, 0.0, 0.0, 0.1])
    return [None if rng.random() < missing else rng.choice(pool) for _ in range(count)]


def _draw_quasi_identifiers(rng: Random, columns: Sequence[Column], cells: dict[str, list[Cell]]) -> None:
    """Let most rows resemble a few people, and some rows nobody."""
    count = len(cells[columns[0].name])
    pools = {column.name: column.flavour.pool(rng) for column in columns if column.flavour}
    for name, pool in pools.items():
        if rng.random() < 0.2 and len(pool) > 1:
            pool[-1] = None
            assert name in cells
    people = [
        {name: rng.choice(pool) for name, pool in pools.items()}
        for _ in range(rng.randint(1, 1 + count // 6))
    ]
    lonely = set(rng.sample(range(count), rng.randint(1, max(1, count // 5))))
    for row in range(count):
        drawn = dict(rng.choice(people))
        for column in columns:
            if rng.random() < 0.08:
                drawn[column.name] = rng.choice(pools[column.name])
            if row in lonely and rng.random() < 0.6 and column.flavour:
                drawn[column.name] = column.flavour.fresh(rng)
            cells[column.name][row] = drawn[column.name]


def _draw_spec(rng: Random, columns: Sequence[Column], cells: dict[str, list[Cell]]) -> dict[str, object]:
    attributes: dict[str, object] = {}
    for column in columns:
        if column.role in ("unnamed", "person", "derived"):
            continue
        entry: dict[str, object] = {"role": column.role}
        if column.flavour and column.role != "other":
            entry |= column.flavour.entry
        if column.flavour and column.flavour.above:
            entry["hierarchy"] = {"columns": [f"{column.name} above"]}
        if column.role == "quasi-identifier":
            entry |= {"scheme": column.scheme, "output": column.output}
            if column.scheme == "admissible" and column.flavour:
                entry["partitions"] = list(column.flavour.partitions)
            if rng.random() < 0.2:
                entry["weight"] = rng.choice([0.5, 2.0])
        attributes[column.name] = entry
    sensitive = [column for column in columns if column.role == "sensitive"]
    confidential = _draw_sentences(rng, columns, cells)
    require = _draw_requirements(rng, sensitive)
    if confidential:
        require |= {"secure": 1} if rng.random() < 0.7 else {}
    rule = rng.choice(["failing", "failing", "auto", "auto", "smallest", "below-mean"])
    spec: dict[str, object] = {
        "attributes": attributes,
        "suppression": {
            "limit": rng.choice([0.3, 0.5, 0.8]),
            "rule": rule,
            "output": rng.choice(["drop", "drop", "mask"]),
        },
        "require": {} if rule in ("smallest", "below-mean") and rng.random() < 0.5 else require,
        "objectives": _draw_objectives(rng, sensitive, confidential),
        "release": {"order": "input" if rng.random() < 0.08 else "sorted"},
        "search": {"time_limit": 5},
    }
    if any(column.role == "person" for column in columns):
        spec["data"] = {"person": "pid"}
    return spec | ({"confidential": confidential} if confidential else {})


def _draw_requirements(rng: Random, sensitive: Sequence[Column]) -> dict[str, object]:
    found: dict[str, object] = {"k": rng.choice([2, 2, 3, 4])}
    for column in sensitive:
        name, flavour = column.name, column.flavour.name if column.flavour else ""
        possible: list[tuple[str, float]] = [
            (f"distinct_l({name})", 2),
            (f"entropy_l({name})", 1.3),
            (f"recursive_l({name}, 3)", 2),
            (f"share_l({name})", 1.2),
            (f"t({name})", rng.choice([0.5, 0.7])),
        ]
        if flavour in ("number", "order", "tree"):
            possible.append((f"t({name}, ordered)", 0.6))
        if flavour == "tree":
            possible.append((f"t({name}, hierarchical)", 0.6))
        found |= dict(rng.sample(possible, rng.choice([0, 1, 1, 2])))
    if rng.random() < 0.1:
        found["hdm"] = 1000.0
    if rng.random() < 0.1:
        found["loss"] = 0.97
    if len(found) > 1 and rng.random() < 0.2:
        del found["k"]
    return found


def _draw_objectives(
    rng: Random, sensitive: Sequence[Column], confidential: Sequence[object]
) -> dict[str, list[str]]:
    worse = ["loss", "dm", "glm", "hdm", "gl", "sl", "average_class", "suppressed"]
    better = ["k", "mean_k", "spread_k", "usefulness", "ql"]
    for column in sensitive:
        worse.append(f"cm({column.name})")
        worse.append(f"t({column.name})")
        better.append(f"spread_l({column.name})")
    if confidential:
        worse.append("exposed")
        better.append("sf")
    minimize = ["loss"] if rng.random() < 0.6 else rng.sample(worse, rng.randint(1, 3))
    return {"minimize": minimize, "maximize": rng.sample(better, rng.choice([0, 0, 1, 2]))}


def _draw_sentences(
    rng: Random, columns: Sequence[Column], cells: dict[str, list[Cell]]
) -> list[dict[str, object]]:
    """Draw confidential sentences about values that occur, for everyone or for some."""
    found: list[dict[str, object]] = []
    for column in columns:
        known = [value for value in cells[column.name] if value is not None]
        if column.role != "sensitive" or not known or rng.random() < 0.75:
            continue
        sentence: dict[str, object] = {"sentence": f"{column.name} == {rng.choice(known)}"}
        if "ward" in cells and rng.random() < 0.5:
            sentence["for"] = f"ward < {rng.randint(1, 4)}"
        found.append(sentence)
    return found


def _possible_changes(case: Case) -> dict[str, int]:
    """Return the changes that this table allows, with their weights."""
    lined = [column.flavour.is_lined for column in case.named("quasi-identifier") if column.flavour]
    odd = {name for column in _oddly_changed(case) if column.flavour for name in column.flavour.odd}
    typed = case.engine not in ("csv", "csv.gz", "jsonl", "pandas", "german.csv")
    absent = {
        "extremes": not any(lined),
        "categories": all(lined),
        "sensitive": not case.named("sensitive"),
        "other": case.masks or not case.named("other"),
        "removed": not case.named("identifier", "unnamed", "person"),
        "order": case.keeps_input_order,
        "places": not case.is_file,
        "carrier": case.engine not in CARRIERS,
        # Where columns have types, a text among numbers is another table altogether.
        "text": typed,
        "zeros": typed,
    }
    return {
        name: weight
        for name, weight in CHANGES.items()
        if not absent.get(name) and (name not in ODD or name in odd)
    }


def _oddly_changed(case: Case) -> list[Column]:
    return case.named("quasi-identifier", *(() if case.masks else ("other",)))


def change_world(case: Case, hidden: Sequence[int], rng: Random) -> World:
    """Return the second world: what is hidden of these rows, or removed from all, is drawn anew."""
    world = replace(case.world, cells={name: list(column) for name, column in case.world.cells.items()})
    changed = rng.sample(list(hidden), max(1, round(len(hidden) * rng.choice([0.3, 0.7, 1.0]))))
    whole = case.change == "everything"
    if whole or case.change in ("extremes", "categories", "inside"):
        _change_quasi_identifiers(case, world, changed, rng)
    for role in ("sensitive", "other"):
        if case.change == role or (whole and not (role == "other" and case.masks)):
            _draw_anew(world, case.named(role), changed, rng)
    if whole or case.change == "removed":
        _change_removed(case, world, hidden, rng)
    if case.change == "missing":
        _change_missing(case, world, changed, rng)
    if case.change in ODD:
        able = [
            column for column in _oddly_changed(case) if column.flavour and case.change in column.flavour.odd
        ]
        column = rng.choice(able)
        assert column.flavour is not None
        world.cells[column.name][changed[0]] = column.flavour.odd[case.change](rng)
    _derive(case.columns, world.cells)
    place = f"{MARK}second" if whole or case.change in ("places", "carrier") else world.place
    return replace(world, place=place, order=_change_order(case, hidden, rng))


def _change_quasi_identifiers(case: Case, world: World, rows: Sequence[int], rng: Random) -> None:
    columns = case.named("quasi-identifier")
    if case.change in ("extremes", "categories"):
        wanted = case.change == "extremes"
        columns = [column for column in columns if column.flavour and column.flavour.is_lined == wanted]
    for row in rows:
        for column in rng.sample(columns, rng.randint(1, len(columns))):
            if case.change == "inside":
                # A value that some other row has: no value is new, but counts and orders are others.
                world.cells[column.name][row] = rng.choice(case.world.cells[column.name])
            elif column.flavour:
                world.cells[column.name][row] = column.flavour.fresh(rng)


def _draw_anew(world: World, columns: Sequence[Column], rows: Sequence[int], rng: Random) -> None:
    for column in columns:
        for row in rows:
            if column.flavour:
                known = rng.random() < 0.3
                drawn = rng.choice(world.cells[column.name]) if known else column.flavour.fresh(rng)
                world.cells[column.name][row] = drawn


def _change_removed(case: Case, world: World, hidden: Sequence[int], rng: Random) -> None:
    for column in case.named("identifier", "unnamed", "person"):
        cells = world.cells[column.name]
        if column.role == "person":
            # Who is the same person stays; only what they are called, and the order of that, are others.
            names = {person: 1000 + place for place, person in enumerate(rng.sample(cells, len(cells)))}
            world.cells[column.name] = [names[person] for person in cells]
        elif column.name == "ward":
            # Sentences may be for some wards alone: of published rows, and of people who have some, this is
            # no hidden matter.
            for row in hidden if not case.named("person") else ():
                cells[row] = rng.randrange(5)
        else:
            world.cells[column.name] = [secret(rng) + column.name for _ in cells]


def _change_missing(case: Case, world: World, rows: Sequence[int], rng: Random) -> None:
    roles = ("quasi-identifier", "sensitive", *(() if case.masks else ("other",)))
    columns = case.named(*roles)
    for column in rng.sample(columns, rng.randint(1, len(columns))):
        for row in rows:
            cells = world.cells[column.name]
            if column.flavour:
                cells[row] = column.flavour.fresh(rng) if cells[row] is None else None


def _change_order(case: Case, hidden: Sequence[int], rng: Random) -> tuple[int, ...]:
    """Shuffle all rows, or move the hidden ones between the others, or leave the order alone."""
    order = list(case.world.order)
    if case.change == "order":
        return tuple(rng.sample(order, len(order)))
    if case.change != "everything" or case.masks:
        # Where masked rows stand is published with a frame, and with a file in the order of the input.
        return tuple(order)
    gone = set(hidden)
    kept = [row for row in order if row not in gone]
    for row in hidden:
        kept.insert(rng.randint(0, len(kept)), row)
    return tuple(kept)
