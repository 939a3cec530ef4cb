from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import DataError, HierarchyError
from sfumato.hierarchies.kinds import infer_kind, kind_of, parse_values, sorted_numbers, text_of, unify_dates

DAY = dt.date(1987, 3, 14)
NOON = dt.datetime(1987, 3, 14, 12, 0)


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["17", "0", "-3"], "number"),
        (["17", "0.5", ".5", "5.", "1e-05"], "number"),
        (["9223372036854775807", "-9223372036854775808"], "number"),
        (["9223372036854775808"], "category"),  # one more than 64 bits hold
        (["007", "123"], "category"),
        (["01234", "24126"], "category"),
        (["01.5"], "category"),
        (["+49123"], "category"),
        ([" 39"], "category"),
        (["1_000"], "category"),
        (["٣"], "category"),  # a digit, but not one that the engines read
        (["1e999"], "category"),
        (["nan", "1.5"], "category"),
        (["inf"], "category"),
        (["1987-03-14", "2000-02-29"], "date"),
        (["1987-03-14", "1987-03-14 10:15:00", "1987-03-14T10:15", "1987-03-14T10:15:00.5Z"], "date"),
        (["2001-02-29"], "category"),
        (["0000-01-01"], "category"),
        (["1987-3-14"], "category"),
        (["1987-03-14", "1987"], "category"),
        (["1987", "x"], "category"),
        ([""], "category"),
        ([], "category"),
    ],
)
def test_kind_of_texts(texts: list[str], kind: str) -> None:
    assert infer_kind(texts) == kind


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_integers_come_back(numbers: list[int]) -> None:
    texts = [str(number) for number in numbers]
    assert infer_kind(texts) == "number"
    assert parse_values(texts, "number") == numbers


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_floats_come_back(numbers: list[float]) -> None:
    texts = [repr(number) for number in numbers]
    assert infer_kind(texts) == "number"
    assert parse_values(texts, "number") == numbers


@given(st.lists(st.dates(), min_size=1))
def test_dates_come_back(dates: list[dt.date]) -> None:
    texts = [date.isoformat() for date in dates]
    assert infer_kind(texts) == "date"
    assert parse_values(texts, "date") == dates
    assert [text_of(date) for date in dates] == texts


def test_a_declared_number_may_be_written_in_more_ways() -> None:
    assert parse_values(["007", "+5", " 39 "], "number") == [7, 5, 39]
    assert parse_values(["007", "1.5"], "number") == [7.0, 1.5]


def test_categories_stay_texts() -> None:
    assert parse_values(["007", "1.50"], "category") == ["007", "1.50"]
    assert parse_values(["3", "1"], "ordinal") == ["3", "1"]


def test_what_is_no_number_is_counted_and_not_shown() -> None:
    with pytest.raises(DataError) as caught:
        parse_values(["17", "secret", "1e999"], "number")
    assert caught.value.message == (
        "2 of 3 distinct values are not numbers (integers of up to 64 bits, or finite decimals). "
        'Set kind = "category", or list them as missing.'
    )
    assert caught.value.values == ()


def test_integers_beyond_64_bits_are_refused() -> None:
    with pytest.raises(DataError, match="1 of 2 distinct values are not numbers"):
        parse_values(["17", "9" * 5000], "number")


def test_what_is_no_date_is_counted_and_not_shown() -> None:
    with pytest.raises(DataError) as caught:
        parse_values(["1987-03-14", "14.03.1987"], "date")
    assert caught.value.message == (
        "1 of 2 distinct values are not dates (such as 1987-03-14). "
        'Set kind = "category" or a format, or list them as missing.'
    )
    assert caught.value.values == ()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("007", "007"),
        (39, "39"),
        (39.0, "39"),
        (-0.0, "0"),
        (1e16, "10000000000000000"),
        (0.1, "0.1"),
        (True, "true"),
        (DAY, "1987-03-14"),
        (dt.datetime(1987, 3, 14), "1987-03-14"),
        (NOON, "1987-03-14 12:00:00"),
    ],
)
def test_text_of(value: str | int | float | dt.date, text: str) -> None:
    assert text_of(value) == text


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2.5], "number"),
        (["1"], "category"),
        ([DAY, NOON], "date"),
        ([True, 1], "category"),
        ([], "category"),
    ],
)
def test_kind_of_typed_values(values: list[str | int | float | dt.date | None], kind: str) -> None:
    assert kind_of(values) == kind


def test_times_at_midnight_are_dates() -> None:
    assert parse_values(["1987-03-14 00:00:00", "1990-01-01"], "date") == [DAY, dt.date(1990, 1, 1)]


def test_one_real_time_makes_all_of_them_times() -> None:
    assert unify_dates([DAY, NOON]) == [dt.datetime(1987, 3, 14), NOON]


def test_times_with_a_zone_are_what_its_clock_showed() -> None:
    east = dt.timezone(dt.timedelta(hours=2))
    assert unify_dates([NOON.replace(tzinfo=east)]) == [NOON]
    assert unify_dates([dt.datetime(1987, 3, 14, tzinfo=east)]) == [DAY]


def test_times_with_and_without_zone_have_no_order() -> None:
    with pytest.raises(HierarchyError) as caught:
        unify_dates([NOON, NOON.replace(tzinfo=dt.UTC)], where="born")
    assert str(caught.value) == (
        "born: some times have a zone and some have none, so they have no common order. Write all with a "
        "zone, or none."
    )


def test_equal_numbers_are_one_value() -> None:
    assert sorted_numbers([39.0, 17, 39]) == [17, 39]
    assert [type(number) for number in sorted_numbers([39.0, 17, 39])] == [int, int]
    assert [type(number) for number in sorted_numbers([39, 17.5])] == [float, float]


def test_undefined_numbers_are_refused() -> None:
    with pytest.raises(HierarchyError) as caught:
        sorted_numbers([1.0, float("nan"), float("inf"), "x"], where="age")
    assert str(caught.value) == (
        "age: 3 of 4 distinct values are not finite numbers. Use another hierarchy, or list them as missing."
    )
    assert caught.value.values == ("nan", "inf", "x")
