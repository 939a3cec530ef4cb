from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.hierarchies import Value, suggest
from sfumato.hierarchies.suggest import dwarfing_ends
from tests.hierarchies.shapes import make

if TYPE_CHECKING:
    from collections.abc import Sequence


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (range(17, 91), {"intervals": [5, 10, 20, 40], "origin": 0, "bottom": 15, "top": 95}),
        (range(1, 17), {"intervals": [2, 4, 8], "origin": 0, "bottom": 0, "top": 18}),
        ([1, 2], {}),
        ([1, 1.0, 2], {}),
        ([1, 2, 3], {"intervals": [2], "origin": 0, "bottom": 0, "top": 4}),
        ([0.5, 1.25, 2.5], {"intervals": [0.1, 0.2, 0.4, 0.8], "origin": 0, "bottom": 0.5, "top": 2.6}),
        (
            [0, 500_000, 1_000_000],
            {
                "intervals": [100_000, 200_000, 400_000, 800_000],
                "origin": 0,
                "bottom": 0,
                "top": 1_100_000,
                "granularity": 20_000,
            },
        ),
    ],
)
def test_intervals_by_nice_steps(values: Sequence[int | float], expected: dict[str, object]) -> None:
    assert suggest("age", list(values), "number") == expected


def test_one_row_in_a_thousand_may_lie_beyond_bottom_and_top() -> None:
    ages: list[Value] = [1, 4, 12, *range(20, 80), 93, 99]
    counts = [1, 2, 3, *[100] * 60, 6, 1]  # 6,013 rows, of which six may lie on either side
    found = suggest("age", ages, "number", counts)
    assert found == {"intervals": [5, 10, 20, 40], "origin": 0, "bottom": 20, "top": 95}
    found = suggest("age", ages, "number", [100] * len(ages))
    assert (found["bottom"], found["top"]) == (0, 100)


def test_one_number_that_dwarfs_all_others_lies_beyond_the_top() -> None:
    ages: list[Value] = [*range(20, 80), 35_109]
    found = suggest("age", ages, "number", [10] * 60 + [1])
    assert found == {"intervals": [5, 10, 20, 40], "origin": 0, "bottom": 20, "top": 80}
    assert suggest("age", ages, "number", [10] * 61)["top"] == 36_000  # ten rows are no typing error
    assert suggest("children", [0, 1, 2, 3, 99], "number", [50, 40, 9, 2, 1])["top"] == 4


@given(
    st.dictionaries(
        st.integers(-(10**6), 10**6) | st.floats(-1e5, 1e5).map(lambda x: round(x, 2)),
        st.integers(1, 50_000), min_size=3, max_size=30,
    )
)  # fmt: skip
def test_bottom_and_top_leave_nearly_all_rows_between_them(rows: dict[int | float, int]) -> None:
    found = suggest("x", list(rows), "number", list(rows.values()))
    if not found:
        return
    total = sum(rows.values())
    below = sum(count for value, count in rows.items() if value < found["bottom"])  # type: ignore[operator]
    above = sum(count for value, count in rows.items() if value >= found["top"])  # type: ignore[operator]
    assert max(below, above) <= max(4, total // 1000)
    assert found["bottom"] < found["top"]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("beyond", "keys", "found"),
    [
        ({}, {}, []),
        ({999: 1}, {}, []),  # not ten times as far
        ({35_109: 1}, {}, ["top"]),
        ({35_109: 1}, {"top": 100}, []),
        ({35_109: 1}, {"bottom": 0}, ["top"]),
        ({-9_999: 50, 35_109: 3}, {}, ["bottom", "top"]),
        ({35_109: 1_000}, {}, []),  # one row in a hundred is no exception
    ],
)
def test_ends_that_dwarf_the_others_are_told(
    beyond: dict[int, int], keys: dict[str, int], found: list[str]
) -> None:
    rows = dict.fromkeys(range(100), 1000) | beyond
    ages = make(list(rows), {"intervals": [5], **keys}, has_missing=True)
    assert dwarfing_ends(ages, [rows.get(value, 0) for value in ages.values[:-1]] + [7]) == found
    assert dwarfing_ends(make(list(rows)), [*rows.values()]) == []


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


def test_postal_codes_of_equal_length_get_a_mask() -> None:
    zips: list[Value] = [f"{number:05d}" for number in range(0, 99_999, 5_000)]
    assert suggest("x", zips, "category") == {"prefix": [1]}
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


def test_guesses_follow_only_from_what_five_rows_show() -> None:
    """A release publishes the ends of intervals, and the names of groups."""
    ages = dict.fromkeys(range(20, 60), 10) | {3: 2, 7: 2, 61: 3, 97: 1}
    found = suggest("age", [*ages], "number", [*ages.values()])
    assert found == {"intervals": [2, 4, 8, 16], "origin": 0, "bottom": 20, "top": 60}
    few = {0: 90, 40: 3, 700: 1}  # neither side has five rows beside the number that most have
    assert suggest("capital", [*few], "number", [*few.values()]) == {}
    days = dict.fromkeys([dt.date(2020, 1, 1), dt.date(2021, 1, 1)], 5) | {dt.date(1820, 1, 1): 4}
    assert suggest("born", [*days], "date", [*days.values()]) == {"dates": ["month", "quarter", "year"]}
    jobs = {"self-a": 5, "self-b": 5, "public": 9, "priest": 7, "cook": 4, "self-c": 1, "cook-c": 1}
    assert suggest("job", [*jobs], "category", [*jobs.values()]) == {
        "tree": {
            "cook": ["cook"],
            "cook-c": ["cook-c"],
            "priest": ["priest"],
            "public": ["public"],
            "self": ["self-a", "self-b", "self-c"],
        }
    }
    assert suggest("job", [*jobs], "category", [5, 4, 9, 7, 4, 1, 1]) == {}


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
