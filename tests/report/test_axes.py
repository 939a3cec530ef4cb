from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import ParameterError
from sfumato.front import Objective
from sfumato.report.axes import Axis, other_axes, plane_axes
from tests.report.fronts import FOUR, THREE, TWO, make_front

numbers = st.floats(min_value=0.0, max_value=1e12, allow_nan=False).map(lambda value: float(f"{value:.6g}"))


@pytest.mark.parametrize(
    ("objectives", "plane", "others"),
    [
        (TWO, ["k", "loss"], []),
        (THREE, ["k", "loss"], ["distinct_l(illness)"]),
        (FOUR, ["k", "loss"], ["distinct_l(illness)", "t(illness)"]),
        (FOUR[2:], ["loss", "t(illness)"], []),
        (THREE[:2], ["k", "distinct_l(illness)"], []),
        (TWO[1:], ["loss", "suppressed"], []),
        ((Objective("suppressed", maximize=False),), ["suppressed", "suppressed"], []),
    ],
)
def test_what_is_drawn_where(objectives: tuple[Objective, ...], plane: list[str], others: list[str]) -> None:
    front = make_front(objectives)
    assert [axis.name for axis in plane_axes(front)] == plane
    assert [axis.name for axis in other_axes(front)] == others


def test_nothing_has_no_axes() -> None:
    with pytest.raises(ParameterError, match="cannot be drawn"):
        plane_axes(make_front(TWO, 0))


@pytest.mark.parametrize(
    ("values", "is_log"),
    [([2.0, 500.0], True), ([2.0, 200.0], False), ([0.0, 500.0], False), ([3.0], False)],
)
def test_axis_is_logarithmic_if_it_spans_more_than_two_orders(values: list[float], is_log: bool) -> None:
    assert Axis("k", True, np.array(values)).is_log == is_log


def test_shares_lie_between_the_ends() -> None:
    assert Axis("loss", False, np.array([0.0, 0.25, 1.0])).shares.tolist() == [0.0, 0.25, 1.0]
    assert Axis("k", True, np.array([1.0, 100.0, 10000.0])).shares.tolist() == [0.0, 0.5, 1.0]
    assert Axis("k", True, np.array([7.0, 7.0])).shares.tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("values", "count", "ticks"),
    [
        ([0.0, 0.5, 1.0], 5, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        ([0.13, 0.41], 3, [0.2, 0.3, 0.4]),
        ([1.0, 450.0], 20, [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0]),
        ([1.0, 450.0], 3, [1.0, 10.0, 100.0]),
        ([1.0, 4.0], 8, [1.0, 2.0, 3.0, 4.0]),
        ([4.0], 5, [4.0]),
        ([1.0, 1.0 + 2**-52], 5, [1.0]),
        ([0.3, 0.3 + 2**-54], 5, [0.3]),
    ],
)
def test_ticks_are_round(values: list[float], count: int, ticks: list[float]) -> None:
    assert Axis("k", True, np.array(values)).ticks(count) == ticks


@given(st.lists(numbers, min_size=1, max_size=8), st.integers(1, 20))
def test_ticks_lie_within_the_axis_and_are_not_many(values: list[float], count: int) -> None:
    axis = Axis("k", True, np.array(values))
    ticks = axis.ticks(count)
    assert 1 <= len(ticks) <= count + 1
    assert all(axis.low <= tick <= axis.high for tick in ticks)
    assert ticks == sorted(set(ticks))


def test_numbers_that_would_touch_are_left_blank() -> None:
    axis = Axis("k", True, np.array([1.0, 30000.0]))
    labels = axis.tick_labels(20, 60)
    assert list(labels) == axis.ticks(20)
    assert [text for text in labels.values() if text] == [
        *("1", "2", "5", "10", "20", "50", "100", "200", "1,000", "10,000")
    ]
    assert [text for text in axis.tick_labels(20, 8).values() if text] == ["1", "100"]
