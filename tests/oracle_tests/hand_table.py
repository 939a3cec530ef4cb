"""A table small enough to compute everything by hand."""

from __future__ import annotations

from tests.oracles.classes import Ladder, Row, Table, Value

CITY = Ladder(
    "city",
    ("a", "b", "c", "d"),
    (
        {"a": "a", "b": "b", "c": "c", "d": "d"},
        {"a": "ab", "b": "ab", "c": "cd", "d": "cd"},
        {"a": "*", "b": "*", "c": "*", "d": "*"},
    ),
)
SEX = Ladder("sex", ("f", "m"), ({"f": "f", "m": "m"}, {"f": "*", "m": "*"}))

ROWS: list[Row] = [("a", "f"), ("b", "f"), ("a", "f"), ("c", "m"), ("d", "m"), ("c", "f")]
ILLNESS: list[Value] = ["flu", "flu", "cold", "flu", None, "cold"]
PERSONS = ["x", "x", "y", "z", "z", "w"]

TABLE = Table((CITY, SEX), ROWS, {"illness": [value or "cough" for value in ILLNESS]})
PERSONS_TABLE = Table((CITY, SEX), ROWS, {"illness": ILLNESS}, PERSONS)

# At city level 1 and sex level 0 the classes are (ab, f), (cd, m), (cd, f).
RECODING = [CITY.levels[1], SEX.levels[0]]
ALL = [[0, 1, 2], [3, 4], [5]]
# The same with row 5 suppressed.
KEPT = [[0, 1, 2], [3, 4]]
