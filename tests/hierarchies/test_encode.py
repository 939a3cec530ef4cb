from __future__ import annotations

import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from sfumato.hierarchies import UNKNOWN, Value, encode
from tests.hierarchies.oracle import exact
from tests.hierarchies.shapes import make


def test_each_value_has_its_own_code() -> None:
    for hierarchy in (make([3, 1.5, 17]), make(["x", "y"]), make([dt.date(2000, 1, 1), dt.date(1999, 1, 1)])):
        assert encode(hierarchy, hierarchy.values).tolist() == list(range(hierarchy.size))


def test_values_match_by_text_size_or_time() -> None:
    assert encode(make([39, 40]), [39.0, 40]).tolist() == [0, 1]
    assert encode(make(["39", "40"]), [39.0, 40, "39"]).tolist() == [0, 1, 0]
    days = make([dt.date(1999, 1, 1), dt.date(2000, 1, 1)])
    noon = dt.datetime(2000, 1, 1, 12)
    zoned = dt.datetime(2000, 1, 1, 0, tzinfo=dt.timezone(dt.timedelta(hours=1)))
    assert encode(days, [dt.datetime(2000, 1, 1), noon, zoned]).tolist() == [1, UNKNOWN, 1]


def test_missing_is_the_last_code_or_unknown() -> None:
    missing: list[Value] = [None, float("nan")]
    assert encode(make([1, 2], has_missing=True), missing).tolist() == [2, 2]
    assert encode(make([1, 2]), missing).tolist() == [UNKNOWN, UNKNOWN]
    assert encode(make(["nan"], has_missing=True), [*missing, "nan"]).tolist() == [1, 1, 0]


def test_what_is_not_there_is_unknown() -> None:
    assert encode(make([1, 5]), [0, 3, 6, "x", float("inf")]).tolist() == [UNKNOWN] * 5
    assert encode(make(["x"]), ["y", ""]).tolist() == [UNKNOWN] * 2
    assert encode(make([1]), []).tolist() == []


def test_a_value_may_reach_up_to_the_next() -> None:
    assert encode(make([1, 5]), [0, 1, 3, 5, 6, "x"], reach=True).tolist() == [-1, 0, 0, 1, -1, -1]
    days = make([dt.date(1999, 1, 1), dt.date(2000, 1, 1)], has_missing=True)
    new: list[Value] = [dt.date(1999, 6, 1), dt.date(2001, 1, 1), dt.datetime(1999, 12, 31, 23), None]
    assert encode(days, new, reach=True).tolist() == [0, -1, 0, 2]
    assert encode(make(["a", "c"]), ["b"], reach=True).tolist() == [UNKNOWN]


@given(
    st.lists(st.integers(-300, 300).map(lambda n: n / 10), min_size=1),
    st.sampled_from([1, 5, 0.5, 0.3]),
)
def test_numbers_have_the_code_of_their_granule(values: list[float], granularity: float) -> None:
    made = make(list(values), granularity=granularity)
    width = exact(granularity)
    starts = [exact(value) // width * width for value in values]
    assert [exact(float(str(made.values[code]))) for code in encode(made, list(values)).tolist()] == starts
