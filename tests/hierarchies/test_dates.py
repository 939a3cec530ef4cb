from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import HierarchyError
from sfumato.hierarchies.builders import UNITS, Definition, build_dates
from tests.hierarchies.oracle import unit
from tests.hierarchies.shapes import check, make, shown


def test_labels_of_the_contract() -> None:
    units = ["month", "quarter", "year", "decade", "century"]
    born = make([dt.date(1987, 3, 14)], {"dates": units}, has_missing=True)
    assert [labels[0] for labels in born.labels] == [
        "1987-03-14", "1987-03", "1987-Q1", "1987", "1980s", "1900-1999", "*",
    ]  # fmt: skip
    assert born.labels[3] == ("1987", None)
    assert (born.kind, born.definition) == ("date", {"dates": units})


@given(
    st.lists(st.dates() | st.datetimes(), min_size=1, max_size=20),
    st.lists(st.sampled_from([unit for unit in UNITS if unit != "week"]), unique=True).map(
        lambda units: sorted(units, key=list(UNITS).index)
    ),
    st.booleans(),
)
def test_dates_agree_with_the_oracle(values: list[dt.date], units: list[str], has_missing: bool) -> None:
    rule = Definition.model_construct(dates=tuple(units))
    made = build_dates("born", values, rule, has_missing=has_missing)
    check(made)
    known = list(made.values)[: made.size - has_missing]
    moments = {
        value if isinstance(value, dt.datetime) else dt.datetime(value.year, value.month, value.day)
        for value in values
    }
    if all(moment.time() == dt.time.min for moment in moments):
        assert known == sorted(moment.date() for moment in moments)
    else:
        assert known == sorted(moments)
    for level, name in enumerate(units, start=1):
        assert shown(made, level)[: len(known)] == [unit(moment, name) for moment in sorted(moments)]


def test_times_stay_at_level_0_and_days_take_them_to_dates() -> None:
    morning, evening = dt.datetime(2020, 1, 1, 8), dt.datetime(2020, 1, 1, 20)
    visits = make([evening, morning], {"dates": ["day", "year"]})
    assert visits.values == (morning, evening)
    assert visits.labels == (
        ("2020-01-01 08:00:00", "2020-01-01 20:00:00"),
        ("2020-01-01",),
        ("2020",),
        ("*",),
    )


def test_times_with_zones_lie_on_the_day_of_their_clock() -> None:
    east = dt.timezone(dt.timedelta(hours=2))
    values = [
        dt.datetime(2020, 1, 1, 0, 30, tzinfo=east),  # 2019 in UTC
        dt.datetime(2019, 12, 31, 23, 45, tzinfo=dt.UTC),
        dt.datetime(2020, 1, 1, 0, 30, tzinfo=dt.UTC),
    ]
    made = make(values, {"dates": ["year"]})
    assert made.labels == (("2019-12-31 23:45:00", "2020-01-01 00:30:00"), ("2019", "2020"), ("*",))


@given(st.lists(st.dates(), min_size=1, max_size=20))
def test_weeks_lie_in_the_year_of_their_thursday(values: list[dt.date]) -> None:
    made = make(values, {"dates": ["day", "week", "year", "decade"]})
    check(made)
    days = sorted(set(values))
    assert shown(made, 2) == [unit(day, "week") for day in days]
    assert shown(made, 3) == [day.strftime("%G").zfill(4) for day in days]


def test_what_is_no_date_is_named() -> None:
    with pytest.raises(HierarchyError) as caught:
        make([dt.date(1987, 3, 14), "soon", 1990], {"dates": ["year"]})
    assert str(caught.value) == (
        "a: 2 of 3 distinct values are not dates. Use another hierarchy, or list them as missing."
    )
    assert caught.value.values == ("soon", "1990")
