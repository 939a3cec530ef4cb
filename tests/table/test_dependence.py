"""Columns that say the same as others, or less, beside a search with dictionaries."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.table import open_source
from sfumato.table.dependence import code_rows, determined, find_dependences
from tests.examples import examples

CELLS = st.sampled_from(["a", "b", "c", None])


def functional(fine: list[str | None], coarse: list[str | None]) -> bool:
    """Tell by a dictionary whether the first column says what the second is."""
    seen: dict[str | None, str | None] = {}
    return all(seen.setdefault(one, other) == other for one, other in zip(fine, coarse, strict=True))


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12))
@examples(200)
def test_one_column_determines_another(rows: list[tuple[str | None, str | None]]) -> None:
    one, other = map(list, zip(*rows, strict=True))
    table = pa.table({"one": pa.array(one, pa.string()), "other": pa.array(other, pa.string())})
    coded = code_rows(open_source(table), ["one", "other"])
    parents = determined(coded["one"], coded["other"])
    assert (parents is not None) == functional(one, other)
    if parents is not None:
        texts = [*coded["other"].texts, None]
        shown = dict(zip([*coded["one"].texts, None], parents, strict=True))
        assert [texts[shown[text]] for text in one] == other


def relations(columns: dict[str, list[object]], dates: tuple[str, ...] = ()) -> set[tuple[str, str, str]]:
    coded = code_rows(open_source(pa.table(columns)), list(columns))
    return {(item.column, item.of, item.relation) for item in find_dependences(coded, dates)}


def make(seed: int, rows: int = 120) -> dict[str, list[object]]:
    generator = random.Random(seed)
    towns = [generator.randrange(12) for _ in range(rows)]
    return {
        "key": list(range(rows)),
        "town": [f"t{town}" for town in towns],
        "county": [f"c{town // 3}" for town in towns],
        "state": [town // 6 for town in towns],
        "county_code": [100 - town // 3 for town in towns],
        "sex": [generator.choice("fm") for _ in range(rows)],
    }


@pytest.mark.parametrize("seed", range(5))
def test_twins_and_nested_columns(seed: int) -> None:
    """The column that determines another is the coarsest one, and a key determines nothing worth saying."""
    assert relations(make(seed)) == {
        ("county", "town", "nested"),
        ("state", "county", "nested"),
        ("county_code", "county", "twin"),
    }


def test_one_exception_is_enough() -> None:
    columns = make(1)
    columns["county"] = ["c9", *columns["county"][1:]]
    assert not {pair for pair in relations(columns) if pair[:2] == ("county", "town")}


def test_a_year_is_a_part_of_a_date_even_if_all_dates_differ() -> None:
    dates = [f"{1950 + place % 40}-0{1 + place % 9}-{10 + place // 9}" for place in range(120)]
    columns: dict[str, list[object]] = {"born": [*dates], "year": [date[:4] for date in dates]}
    assert relations(columns) == {("year", "born", "nested")}


def test_dates_that_are_mostly_equal() -> None:
    dates = [f"2024-01-{1 + place % 28:02d}" for place in range(100)]
    later = [*dates[:90], *(["2024-02-01", "2024-02-02"] * 5)]
    columns: dict[str, list[object]] = {"seen": [*dates], "told": [*later]}
    assert ("told", "seen", "near") in relations(columns, ("seen", "told"))
    columns["told"] = [*reversed(dates)]
    assert not {item for item in relations(columns, ("seen", "told")) if item[2] == "near"}


def test_missing_is_a_value_of_its_own() -> None:
    columns: dict[str, list[object]] = {
        "one": ["a", None, "b", "a"] * 20,
        "other": ["x", "y", "z", "x"] * 20,
        "third": ["x", None, None, "x"] * 20,
    }
    assert relations(columns) == {("other", "one", "twin"), ("third", "one", "nested")}
