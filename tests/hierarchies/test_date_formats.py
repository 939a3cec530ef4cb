"""Formats of dates against a writer of its own, which knows neither strptime nor strftime."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.hierarchies.kinds import UNDECIDED, find_format, parse_values, read_dates

MONTHS = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
]  # fmt: skip
DAYS = st.dates(dt.date(1969, 1, 1), dt.date(2068, 12, 31))


def written(day: dt.date, words: str) -> str:
    """Write a date word by word."""
    month = MONTHS[day.month - 1]
    parts = {
        "dd": f"{day.day:02d}", "d": str(day.day), "mm": f"{day.month:02d}", "m": str(day.month),
        "yyyy": str(day.year), "yy": str(day.year)[2:], "Mon": month[:3], "Month": month,
    }  # fmt: skip
    return "".join(parts.get(word, word) for word in words.split("|"))


DAY_FORMS = {
    "dd|.|mm|.|yyyy": "%d.%m.%Y",
    "d|.|m|.|yy": "%d.%m.%y",
    "d|.|m|.|yyyy": "%d.%m.%Y",
    "dd|/|mm|/|yyyy": "%d/%m/%Y",
    "mm|/|dd|/|yyyy": "%m/%d/%Y",
    "m|/|d|/|yy": "%m/%d/%y",
    "dd|-|mm|-|yyyy": "%d-%m-%Y",
    "yyyy|/|mm|/|dd": "%Y/%m/%d",
    "yyyy|.|mm|.|dd": "%Y.%m.%d",
    "yyyy|mm|dd": "%Y%m%d",
    "yyyy|年|m|月|d|日": "%Y年%m月%d日",
    "yyyy|년| |mm|월| |dd|일": "%Y년 %m월 %d일",
    "d| |Mon| |yyyy": "%d %b %Y",
    "dd|-|Mon|-|yyyy": "%d-%b-%Y",
    "dd|-|Mon|-|yy": "%d-%b-%y",
    "Month| |d|, |yyyy": "%B %d, %Y",
    "d|. |Month| |yyyy": "%d. %B %Y",
}
MONTH_FORMS = {"yyyy|-|mm": "%Y-%m", "mm|/|yyyy": "%m/%Y", "Mon| |yyyy": "%b %Y"}
# A day above 12 decides which of two numbers is the day; a month with a long name, how it is written.
DECIDING = [dt.date(1999, 9, 30), dt.date(2004, 8, 13)]


@pytest.mark.parametrize(("words", "expected"), [*DAY_FORMS.items()])
@given(days=st.lists(DAYS, max_size=12), place=st.integers(0, 12))
def test_the_format_that_wrote_dates_is_found_and_reads_them(words, expected, days, place):
    days = [*days[:place], *DECIDING, *days[place:]]
    texts = [written(day, words) for day in days]
    assert find_format(texts) == (expected, "")
    assert parse_values(texts, "date", expected) == days


@pytest.mark.parametrize(("words", "expected"), [*MONTH_FORMS.items()])
@given(days=st.lists(DAYS, max_size=12))
def test_months_are_found(words, expected, days):
    days = [*days, *DECIDING]
    texts = [written(day, words) for day in days]
    assert find_format(texts) == (expected, "")
    assert parse_values(texts, "date", expected) == [day.replace(day=1) for day in days]


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ("T08:05", "T%H:%M"),
        (" 08:05:59", " %H:%M:%S"),
        (" 08:05:59.25", " %H:%M:%S.%f"),
        (" 8:05 PM", " %I:%M %p"),
        ("T08:05:59+02:00", "T%H:%M:%S%z"),
        (" 08:05:59Z", " %H:%M:%S%z"),
    ],
)
@pytest.mark.parametrize("words", ["dd|.|mm|.|yyyy", "mm|/|dd|/|yyyy", "yyyy|-|mm|-|dd"])
def test_times_are_found(words, time, expected):
    texts = [written(day, words) + time for day in DECIDING]
    date = {**DAY_FORMS, "yyyy|-|mm|-|dd": "%Y-%m-%d"}[words]
    assert find_format(texts) == (date + expected, "")
    read = parse_values(texts, "date", date + expected)
    assert [value.date() for value in read] == DECIDING
    assert all(value.tzinfo is None and value.hour in (8, 20) and value.minute == 5 for value in read)


@given(st.lists(st.tuples(st.integers(1, 12), st.integers(1, 12), st.integers(1990, 2020)), min_size=2))
def test_where_nothing_decides_the_day_is_first_and_that_is_said(parts):
    texts = [f"{one:02d}/{two:02d}/{year}" for one, two, year in parts]
    if all(two == 1 for _, two, _ in parts):  # all are the first of a month
        assert find_format(texts) == ("%m/%d/%Y", UNDECIDED.format("the month"))
    else:
        assert find_format(texts) == ("%d/%m/%Y", UNDECIDED.format("the day"))


def test_halves_of_a_day_speak_for_the_month_first():
    assert find_format(["03/04/2024 9:15 AM"]) == ("%m/%d/%Y %I:%M %p", UNDECIDED.format("the month"))


@pytest.mark.parametrize(
    "texts",
    [
        [], ["a"], [""], ["14.03.1987", "soon"], ["14.03.1987", "03/14/1987"], ["31.02.2020"], ["13/13/2020"],
        ["12345678"], ["20240101", "2024111"], ["24126", "24127"], ["10.11", "10.12"], ["J45.0"], ["20-24"],
        ["14.03.1987 25:00"], ["1987"], ["12 Foo 2024"],
    ],
)  # fmt: skip
def test_other_texts_have_no_format(texts):
    assert find_format(texts) is None


@pytest.mark.parametrize(("text", "year"), [("68", 2068), ("69", 1969), ("99", 1999), ("00", 2000)])
def test_two_digits_of_a_year_have_the_century_that_the_docs_say(text, year):
    assert read_dates([f"01.02.{text}"], "%d.%m.%y")[0] == dt.datetime(year, 2, 1)
