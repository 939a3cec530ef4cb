from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import HierarchyError
from tests.hierarchies.shapes import make


def test_values_and_everything() -> None:
    sex = make(["Male", "Female"], has_missing=True)
    assert sex.values == ("Female", "Male", None)
    assert sex.labels == (("Female", "Male", None), ("*",))
    assert sex.levels.tolist() == [[0, 1, 2], [0, 0, 0]]
    assert (sex.kind, sex.definition) == ("category", {"values": ["Female", "Male"]})


def test_missing_alone_is_a_domain() -> None:
    nothing = make([None], has_missing=True)
    assert nothing.labels == ((None,), ("*",))


def test_numbers_by_size_dates_by_time_texts_by_code_point() -> None:
    assert make([10, 9.0, 100]).values == (9, 10, 100)
    assert make([dt.date(2000, 1, 1), dt.datetime(1999, 1, 1)]).values == (
        dt.date(1999, 1, 1),
        dt.date(2000, 1, 1),
    )
    assert make(["10", "9", "ä", "Z", "a"]).values == ("10", "9", "Z", "a", "ä")


def test_a_number_that_is_said_to_be_a_category_is_a_text() -> None:
    codes = make([10, 9], kind="category")
    assert codes.values == ("10", "9")


def test_dates_are_recorded_as_texts() -> None:
    assert make([dt.date(2000, 1, 1)]).definition == {"values": ["2000-01-01"]}


def test_an_order_declares_its_values_whether_they_occur_or_not() -> None:
    income = make(["high", "low"], kind="ordinal", order=["low", "mid", "high"], has_missing=True)
    assert income.values == ("low", "mid", "high", None)
    assert (income.kind, income.definition) == ("ordinal", {"values": ["low", "mid", "high"]})
    assert income.declared.tolist() == [True, True, True, False]


def test_an_order_of_numbers_matches_by_text() -> None:
    assert make([3.0, 1], kind="ordinal", order=[3, 2, "1"]).values == ("3", "2", "1")


@given(st.lists(st.text(max_size=3), min_size=1), st.booleans())
def test_any_texts_make_a_hierarchy(values: list[str], has_missing: bool) -> None:
    made = make(list(values), has_missing=has_missing)
    assert list(made.values)[: len(set(values))] == sorted(set(values))


def test_values_that_an_order_lacks_are_named() -> None:
    with pytest.raises(HierarchyError) as caught:
        make(["low", "huge", "tiny"], kind="ordinal", order=["low", "mid"])
    assert str(caught.value) == (
        "a: 2 of 3 distinct values of the data are missing from the order. Add them to order."
    )
    assert caught.value.values == ("huge", "tiny")
