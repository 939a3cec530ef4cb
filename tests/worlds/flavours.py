"""What a column of a drawn table may be: ordinary values, values that nobody else has, a specification."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

Cell: TypeAlias = str | int | float | bool | dt.date | None
Draw: TypeAlias = Callable[[Random], Cell]

MARK = "zzsecret"
"""Begins every text that only hidden cells hold, so that it can be searched for in what is published."""

TREE = {"north": {"coast": ["a1", "a2", "a3"], "hills": ["b1", "b2"]}, "south": {"plain": ["c1", "c2", "c3"]}}
GUESSED = {
    "g": ["g1", "g2", "g3", *(f"{MARK}g{number}" for number in range(4))],
    "h": ["h1", "h2", *(f"{MARK}h{number}" for number in range(4))],
}
TREE_LEAVES = ("a1", "a2", "a3", "b1", "b2", "c1", "c2", "c3")
FILE_ROWS = [
    *(["d1", "d", "*"], ["d2", "d", "*"], ["d3", "d", "*"], ["e1", "e", "*"], ["e2", "e", "*"]),
    *(["f1", "f", "*"], ["f2", "f", "*"], ["f3", "f", "*"]),
]
ORDER = ("none", "little", "some", "much", "most", "all")


@dataclass(frozen=True)
class Flavour:
    """A kind of column.

    Parameters
    ----------
    name
        How summaries call it.
    pool
        Draws the few values that ordinary rows have.
    fresh
        Draws a value that ordinary rows seldom or never have.
    entry
        What the specification says, besides role, scheme and output.
    schemes, outputs
        What may be asked of it.
    odd
        Name of a change → draws a value of another shape than all others.
    partitions
        Draws what the scheme ``admissible`` may choose from.
    above
        What another column, which is not published, says about a value, where that makes the levels.
    """

    name: str
    pool: Callable[[Random], list[Cell]]
    fresh: Draw
    entry: dict[str, object] = field(default_factory=dict)
    schemes: tuple[str, ...] = ("levels",)
    outputs: tuple[str, ...] = ("label", "mode")
    odd: dict[str, Draw] = field(default_factory=dict)
    partitions: tuple[object, ...] = ()
    above: Callable[[Cell], Cell] | None = None

    @property
    def is_lined(self) -> bool:
        """Whether new values are new extremes, rather than new categories."""
        return isinstance(self.fresh(Random(0)), int | float | dt.date) and self.name != "bool"


def some(values: list[Cell], least: int = 2, most: int = 4) -> Callable[[Random], list[Cell]]:
    """Return what draws a few of these values."""
    return lambda rng: rng.sample(values, rng.randint(least, min(most, len(values))))


def secret(rng: Random) -> str:
    return f"{MARK}{rng.randrange(1000):03d}"


def far_integer(rng: Random) -> int:
    return rng.choice([rng.randint(1, 19), rng.randint(60, 99), rng.randint(20, 59)])


def near_integer(rng: Random) -> int:
    """Stay close: under schemes that list values, the domain must stay small."""
    return rng.choice([rng.randint(14, 19), rng.randint(32, 37), rng.randint(20, 31)])


def far_float(rng: Random) -> float:
    """Never whole: whether a column has fractions is public, as its type is."""
    return rng.choice([rng.randint(5, 49), rng.randint(250, 494), rng.randint(50, 249)]) / 4 + 0.125


def far_date(rng: Random) -> dt.date:
    return dt.date(rng.choice([1931, 1968, 1999, 2001, 2019, 2031]), rng.randint(1, 12), rng.randint(1, 28))


def far_time(rng: Random) -> dt.datetime:
    day = far_date(rng)
    return dt.datetime(day.year, day.month, day.day, rng.randint(0, 23), rng.choice([0, 15, 30]))


def far_code(rng: Random) -> str:
    return f"{rng.choice([0, 2, 3, 9])}{rng.randrange(1000):03d}"


def far_town(rng: Random) -> str:
    return f"{rng.choice('klmn')}{MARK}{rng.randrange(100):02d}"


def area_of(town: Cell) -> Cell:
    """Return the area that a town lies in, by its first letter."""
    return None if town is None else f"area {str(town)[0]}"


def far_german_date(rng: Random) -> str:
    return far_date(rng).strftime("%d.%m.%Y")


DATES: list[Cell] = [dt.date(2000, month, day) for month in (1, 2, 5) for day in (3, 17)]
TIMES: list[Cell] = [dt.datetime(2000, month, 3, hour, 30) for month in (1, 2, 5) for hour in (8, 9)]
INTEGERS: list[Cell] = list(range(21, 58, 3))
FEW_INTEGERS: list[Cell] = [20, 21, 24, 27, 28, 31]
FLOATS: list[Cell] = [12.5, 20.25, 30.125, 33.5, 41.75, 50.5]
FEW_FLOATS: list[Cell] = [20.5, 21.25, 24.5]
CODES: list[Cell] = ["2011", "2012", "2021", "2111", "3011"]
ODD_NUMBER: dict[str, Draw] = {
    "fraction": lambda rng: rng.randint(20, 50) + 0.5,
    "text": secret,
    "zeros": lambda rng: f"0{rng.randint(20, 50)}",
    "huge": lambda rng: 9_007_199_254_740_993 + rng.randrange(1000),
}
ODD_DATE: dict[str, Draw] = {
    "time": lambda rng: dt.datetime(2000, 2, rng.randint(1, 28), rng.randint(1, 23), 45),
    "text": secret,
}

QUASI_IDENTIFIERS: tuple[Flavour, ...] = (
    Flavour(
        "intervals",
        some(INTEGERS),
        far_integer,
        {"hierarchy": {"intervals": [5, 10, 20]}},
        ("levels", "levels", "cuts"),
        ("label", "label", "mean", "median", "mode"),
        ODD_NUMBER,
    ),
    Flavour(
        "few-intervals",
        some(FEW_INTEGERS),
        near_integer,
        {"hierarchy": {"intervals": [5, 10]}},
        ("guided-ordered", "guided-sets", "cuts", "admissible"),
        ("label", "label", "mean", "median"),
        {"fraction": ODD_NUMBER["fraction"]},
        (1, 2),
    ),
    Flavour(
        "intervals-declared",
        some(INTEGERS),
        far_integer,
        {"hierarchy": {"intervals": [5, 10, 20], "bottom": 20, "top": 60}},
        ("levels", "cuts"),
        ("label", "label", "median"),
        ODD_NUMBER,
    ),
    Flavour(
        "intervals-top",
        some(INTEGERS),
        far_integer,
        {"hierarchy": {"intervals": [10, 20], "top": 50}},
        ("levels",),
        ("label",),
    ),
    Flavour(
        "integers",
        some(FEW_INTEGERS),
        far_integer,
        {},
        ("levels", "ordered", "sets"),
        ("label", "label", "mean", "median", "mode"),
        ODD_NUMBER,
    ),
    Flavour(
        "float-intervals",
        some(FLOATS),
        far_float,
        {"hierarchy": {"intervals": [10, 20]}},
        ("levels", "cuts", "guided-ordered"),
        ("label", "label", "mean", "median"),
        {"text": secret},
    ),
    Flavour(
        "float-intervals-declared",
        some(FLOATS),
        far_float,
        {"hierarchy": {"intervals": [10, 20], "bottom": 10, "top": 60}},
        ("levels",),
    ),
    Flavour("floats", some(FEW_FLOATS), far_float, {}, ("levels", "ordered", "sets"), ("label", "mean")),
    Flavour(
        "granularity",
        some(INTEGERS),
        far_integer,
        {"granularity": 5},
        ("ordered", "levels", "sets"),
        ("label", "label", "mean"),
        {"fraction": ODD_NUMBER["fraction"]},
    ),
    Flavour(
        "granular-intervals",
        some(INTEGERS),
        far_integer,
        {"granularity": 5, "hierarchy": {"intervals": [10, 20]}},
        ("levels", "cuts"),
    ),
    Flavour(
        "dates",
        some(DATES),
        far_date,
        {"hierarchy": {"dates": ["month", "year", "decade"]}},
        ("levels", "levels", "cuts", "guided-ordered"),
        ("label", "label", "median", "mode"),
        ODD_DATE,
    ),
    Flavour("plain-dates", some(DATES), far_date, {}, ("levels", "ordered", "sets"), odd=ODD_DATE),
    Flavour(
        "times", some(TIMES), far_time, {"hierarchy": {"dates": ["day", "month", "year"]}}, ("levels", "cuts")
    ),
    Flavour("plain-times", some(TIMES), far_time, {}, ("levels", "ordered"), ("label", "median")),
    Flavour(
        "category",
        some(["u", "v", "w", "x"]),
        secret,
        {},
        ("levels", "sets", "sets", "ordered"),
        ("label", "label", "mode", "median"),
    ),
    Flavour(
        "order",
        some([*ORDER], 2, 3),
        lambda rng: rng.choice(ORDER),
        {"kind": "ordinal", "order": list(ORDER)},
        ("levels", "ordered", "sets"),
        ("label", "label", "median"),
    ),
    Flavour(
        "mask",
        some(CODES),
        far_code,
        {"hierarchy": {"mask": 4}},
        ("levels", "levels", "cuts", "guided-sets"),
        odd={"long": lambda rng: f"{far_code(rng)}{MARK}", "text": secret},
    ),
    Flavour(
        "tree",
        some([*TREE_LEAVES], 2, 4),
        lambda rng: rng.choice(TREE_LEAVES),
        {"hierarchy": {"tree": TREE}},
        ("levels", "cuts", "sets", "guided-sets", "guided-ordered", "admissible"),
        ("label", "label", "mode"),
        partitions=(1, [["a1", "a2", "a3", "b1", "b2"], ["c1", "c2", "c3"]]),
    ),
    Flavour(
        "guessed-tree",
        some(["g1", "g2", "g3", "h1", "h2"], 2, 4),
        lambda rng: rng.choice([*GUESSED["g"][3:], *GUESSED["h"][2:]]),
        {"hierarchy": {"tree": GUESSED, "declared": False}},
        ("levels", "levels", "cuts", "sets", "guided-sets", "guided-ordered"),
    ),
    Flavour(
        "file",
        some([row[0] for row in FILE_ROWS], 2, 4),
        lambda rng: rng.choice(FILE_ROWS)[0],
        {"hierarchy": {"file": "FILE"}},
        ("levels", "cuts", "ordered", "guided-sets", "admissible"),
        partitions=(1,),
    ),
    Flavour(
        "prefix",
        some(["J45.0", "J45.1", "J46.0", "K20.1", "K21.0"]),
        lambda rng: f"{rng.choice('JKLZ')}{rng.randrange(100):02d}.{rng.randrange(10)}",
        {"hierarchy": {"prefix": [3, 1]}},
        ("levels", "levels", "cuts", "guided-sets"),
    ),
    Flavour(
        "german-dates",
        some(["03.01.2000", "17.01.2000", "03.02.2000", "17.05.2000"]),
        far_german_date,
        {"kind": "date", "format": "%d.%m.%Y", "hierarchy": {"dates": ["month", "year", "decade"]}},
        ("levels", "levels", "cuts"),
    ),
    Flavour(
        "columns",
        some(["k1", "k2", "l1", "l2", "m1"], 2, 5),
        far_town,
        {"hierarchy": {"columns": ["COLUMN above"]}},
        ("levels",),
        above=area_of,
    ),
    Flavour("bool", some([True, False], 1, 2), lambda rng: rng.random() < 0.5),
)

SENSITIVE: tuple[Flavour, ...] = (
    Flavour("category", some(["flu", "cold", "burn", "scar"], 2, 4), secret),
    Flavour("unknown", some(["flu", "cold", "not tested"], 2, 3), secret, {"unknown": ["not tested", "?"]}),
    Flavour("number", some([100, 200, 300, 400], 2, 4), lambda rng: rng.randint(500, 900)),
    Flavour(
        "order",
        some([*ORDER], 2, 4),
        lambda rng: rng.choice(ORDER),
        {"kind": "ordinal", "order": list(ORDER)},
    ),
    Flavour(
        "tree",
        some([*TREE_LEAVES], 2, 4),
        lambda rng: rng.choice(TREE_LEAVES),
        {"hierarchy": {"tree": TREE}},
    ),
)

OTHERS: tuple[Flavour, ...] = (
    Flavour("text", some(["red", "green", "blue"]), secret),
    Flavour(
        "number",
        some([1, 2, 3, 7]),
        lambda rng: rng.randint(100, 900),
        odd={"fraction": lambda rng: rng.randint(1, 9) + 0.25, "huge": lambda rng: 2**62 + rng.randrange(99)},
    ),
    Flavour("float", some([0.5, 1.25, 2.0]), lambda rng: rng.randint(100, 900) / 7),
    Flavour("date", some(DATES), far_date, odd={"time": ODD_DATE["time"]}),
)
