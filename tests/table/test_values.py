"""Typed values and orders from raw ones."""

from __future__ import annotations

import datetime as dt
import decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.table.arrow import counts_of, number_array, places_of, text_array
from sfumato.table.keys import Names
from sfumato.table.values import numbers_of, rank, texts_of_array


@given(st.lists(st.one_of(st.none(), st.text())))
def test_texts_come_back(texts):
    assert text_array(texts).to_pylist() == texts


@given(st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=1), st.integers(0, 3))
def test_places_come_back_from_slices(numbers, skipped):
    array = pa.array(numbers, pa.int32()).slice(min(skipped, len(numbers)))
    assert places_of(array).tolist() == [-1 if n is None else n for n in numbers[skipped:]]


@given(st.lists(st.integers(0, 2**31 - 1)))
def test_numbers_come_back(numbers):
    for dtype in (np.int32, np.int64, np.float64):
        array = number_array(np.array(numbers, dtype=dtype))
        assert array.to_pylist() == numbers
    assert counts_of(number_array(np.array(numbers, dtype=np.int64))).tolist() == numbers


@pytest.mark.parametrize(
    ("array", "texts"),
    [
        (pa.array([1.0, -0.5, 1e300]), ["1", "-0.5", str(int(1e300))]),
        (pa.array([decimal.Decimal("10.00"), decimal.Decimal("-1.50")]), ["10", "-1.5"]),
        (pa.array([decimal.Decimal("100")]), ["100"]),
        (
            pa.array([dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 2, 3)]),
            ["2020-01-01", "2020-01-01 02:03:00"],
        ),
        (pa.array([dt.datetime(2020, 1, 1)], pa.timestamp("ms", "Europe/Berlin")), ["2020-01-01 01:00:00"]),
        (pa.array([True, False]), ["true", "false"]),
    ],
)
def test_texts_of_values(array, texts):
    assert texts_of_array(array) == texts


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (pa.array(["10", "9", "-1"]), [2, 1, 0]),
        (pa.array([10, 9, -1]), [2, 1, 0]),
        (pa.array([10.5, 9.0]), [1, 0]),
        (pa.array(["b", "10", "9"]), [2, 0, 1]),
        (pa.array(["1.0", "01", "1"]), [2, 0, 1]),
        (pa.array([True, False]), [1, 0]),
        (pa.array([dt.date(2020, 1, 1), dt.date(1999, 1, 1)]), [1, 0]),
        (pa.array([], pa.string()), []),
    ],
)
def test_ranks(array, expected):
    assert rank(array).tolist() == expected


def test_numbers_of_values():
    assert numbers_of([1, 2]).dtype == np.int64
    assert numbers_of([1, 2.5]).dtype == np.float64
    assert numbers_of([1, None]) is None
    assert numbers_of(["a"]) is None


def test_names_of_our_own_differ_from_all_columns():
    names = Names.beside(["SFUMATO_row", "sfumato__x", "a"])
    assert names.prefix == "sfumato___"
    assert len({names.row, names.flag, names.of("key", 0), names.of("key", 1), names.of("block", 0)}) == 5
