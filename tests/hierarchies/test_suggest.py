from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.hierarchies import Value, suggest
from tests.hierarchies.shapes import make

if TYPE_CHECKING:
    from collections.abc import Sequence


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (range(17, 91), {"intervals": [5, 10, 20, 40], "origin": 0}),
        (range(1, 17), {"intervals": [2, 4, 8], "origin": 0}),
        ([1, 2], {}),
        ([1, 1.0, 2], {}),
        ([1, 2, 3], {"intervals": [2], "origin": 0}),
        ([0.5, 1.25, 2.5], {"intervals": [0.1, 0.2, 0.4, 0.8], "origin": 0}),
        (
            [0, 5, 1_000_000],
            {"intervals": [100_000, 200_000, 400_000, 800_000], "origin": 0, "granularity": 20_000},
        ),
    ],
)
def test_intervals_by_nice_steps(values: Sequence[int | float], expected: dict[str, object]) -> None:
    assert suggest("age", list(values), "number") == expected


def test_thin_ends_get_a_bottom_and_a_top() -> None:
    ages: list[Value] = [1, 4, 12, *range(20, 80), 93, 99]
    counts = [1, 1, 1, *[100] * 60, 1, 1]
    assert suggest("age", ages, "number", counts) == {
        "intervals": [5, 10, 20, 40],
        "origin": 0,
        "bottom": 25,
        "top": 75,
    }
    assert suggest("age", ages, "number", [100] * len(ages)) == {"intervals": [5, 10, 20, 40], "origin": 0}
    assert "top" not in suggest("age", [1, 2, 50], "number", [1, 1, 1])


@given(
    st.lists(st.integers(-(10**9), 10**9), min_size=1)
    | st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), min_size=1)
)
def test_what_is_suggested_for_numbers_can_be_built(numbers: list[int | float]) -> None:
    values: list[Value] = list(dict.fromkeys(numbers))
    found = suggest("x", values, "number", [3] * len(values))
    granularity = found.pop("granularity", None)
    made = make(values, found or None, granularity=granularity)
    assert made.size <= 100_000 or not all(float(number).is_integer() for number in numbers)


def test_codes_of_equal_length_get_a_mask() -> None:
    zips: list[Value] = [f"{number:05d}" for number in range(0, 99_999, 5_000)]
    assert suggest("x", zips, "category") == {"mask": 5}
    assert suggest("plz", zips[:3], "category") == {"mask": 5}
    assert suggest("zip_code", [24126, 24127], "number") == {"mask": 5}
    assert suggest("zip", ["24126", "2412"], "category") == {}
    assert suggest("x", zips[:3], "category") == {}
    assert "mask" not in suggest("x", list(range(10_000, 10_050)), "number")


@pytest.mark.parametrize(
    ("values", "units"),
    [
        ([dt.date(2020, 1, 1), dt.date(2021, 1, 1)], ["month", "quarter", "year"]),
        ([dt.date(1950, 1, 1), dt.date(2021, 1, 1)], ["month", "year", "decade"]),
        ([dt.date(1850, 1, 1), dt.date(2021, 1, 1)], ["month", "year", "decade", "century"]),
        ([dt.datetime(2020, 1, 1, 8), dt.date(2021, 1, 1)], ["day", "month", "quarter", "year"]),
    ],
)
def test_units_of_dates(values: list[Value], units: list[str]) -> None:
    assert suggest("born", values, "date") == {"dates": units}
    assert make(values, {"dates": units}).height == len(units) + 1


def test_one_date_needs_no_units() -> None:
    assert suggest("born", [dt.date(2020, 1, 1)], "date") == {}


def test_categories_are_grouped_by_their_first_words() -> None:
    marital: list[Value] = ["Married-civ", "Divorced", "Married-AF", "Widowed", "Married-absent", "Single"]
    found = suggest("marital", marital, "category")
    assert found == {
        "tree": {
            "Divorced": ["Divorced"],
            "Married": ["Married-AF", "Married-absent", "Married-civ"],
            "Single": ["Single"],
            "Widowed": ["Widowed"],
        }
    }
    assert make(marital, found).height == 2


@pytest.mark.parametrize(
    "values",
    [
        ["Male", "Female"],
        ["a", "b", "c", "d", "e"],
        [f"v {n}" for n in range(100)],
        ["* 1", "* 2", "*", "*3", "x"],
    ],
)
def test_other_categories_stay_as_they_are(values: list[Value]) -> None:
    assert suggest("x", values, "category") == {}
    assert suggest("x", values, "ordinal") == {}


@given(st.lists(st.text("ab -_*", max_size=4), unique=True))
def test_what_is_suggested_for_texts_can_be_built(texts: list[str]) -> None:
    made = make(list(texts), suggest("x", list(texts), "category") or None, has_missing=True)
    assert {str(value) for value in made.values if value is not None} >= set(texts)
    assert made.labels[-1] == ("*",)
