"""What is better than a point, and what a little more costs."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import InfeasibleError, ParameterError
from sfumato.front import ClassSizes, PlainFront, find_better, find_trades, pick_solution
from tests.front.drawn_fronts import beats, front_of, fronts, values

ROWS = [(100, 0.9), (20, 0.5), (18, 0.49), (5, 0.3), (2, 0.1)]


@pytest.fixture
def front() -> PlainFront:
    return front_of(ROWS, (True, False))


def numbers(found: list[object]) -> list[int]:
    return [item.number for item in found]  # type: ignore[attr-defined]


class Released:
    """What a release shows of itself."""

    measures = {"k": 5.0, "loss": 0.55, "rows": 12.0}  # noqa: RUF012


@settings(deadline=None)
@given(fronts(objectives=(1, 3)), st.lists(values, min_size=3, max_size=3))
def test_better_is_dominance(front: PlainFront, point: list[float]) -> None:
    names = [item.name for item in front.objectives]
    directions = [item.maximize for item in front.objectives]
    given_values = dict(zip(names, point, strict=False))
    found = {item.number for item in find_better(front, given_values)}
    for item in front:
        row = [item.value(name) for name in names]
        assert (item.number in found) == beats(row, [given_values[name] for name in names], directions)
        assert find_better(front, item) == []


def test_better_than_an_existing_release(front: PlainFront) -> None:
    assert numbers([*find_better(front, {"k": 5, "distinct_l(a)": 0.55})]) == [4, 3, 2]
    assert numbers([*find_better(front, {"k": 5}, objectives=["k"])]) == [3, 2, 1]
    objectives = front_of([(100, 1, 0.9), (20, 1, 0.5), (5, 1, 0.3)], (True, True, False))
    assert numbers([*find_better(objectives, Released(), objectives=["k", "loss"])]) == [3, 2]


def test_rounding_is_no_improvement(front: PlainFront) -> None:
    assert find_better(front, {"k": 20 * (1 - 1e-12), "distinct_l(a)": 0.5 * (1 + 1e-12)}) == []


@pytest.mark.parametrize(
    ("point", "message"),
    [
        ({"k": 5}, "do not include 'distinct_l.a.'"),
        ({"k": math.nan, "distinct_l(a)": 0.1}, "'k' of the point is not a number"),
        (9, "no solution 9"),
    ],
)
def test_a_point_must_be_whole(front: PlainFront, point: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        find_better(front, point)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="no objective 'x'"):
        find_better(front, 1, objectives=["x"])


@pytest.mark.parametrize(
    ("point", "at_most", "expected"),
    [(3, 0.02, [2]), (3, "2 %", []), (3, "3%", [2]), (4, 0.2, [2, 3]), (4, "0.19", [3]), ("knee", 0.0, [])],
)
def test_trades_stay_within_what_is_allowed(
    front: PlainFront, point: int | str, at_most: float | str, expected: list[int]
) -> None:
    assert numbers([*find_trades(front, point, "k", "distinct_l(a)", at_most=at_most)]) == expected


def test_objectives_that_are_not_named_stay_as_good() -> None:
    front = front_of([(9, 3, 0.5), (8, 2, 0.4), (5, 3, 0.4), (4, 1, 0.1)], (True, True, False))
    assert numbers([*find_trades(front, 3, "k", "loss", at_most=0.2)]) == [1]
    assert numbers([*find_trades(front, 3, "k", at_most=1)]) == [1, 2]
    assert numbers([*find_trades(front, 3, "k", ["loss", "distinct_l(a)"], at_most=1)]) == [1, 2]
    assert numbers([*find_trades(front, 1, "suppressed", at_most=100)]) == [3]


@settings(deadline=None)
@given(fronts(least=2, objectives=(2, 3)), st.sampled_from([0.0, 0.5, 3.0]), st.data())
def test_trades_are_what_they_say(front: PlainFront, room: float, data: st.DataObject) -> None:
    for item in front:
        gaining = data.draw(st.sampled_from(front.objectives))
        found = {other.number for other in find_trades(front, item, gaining.name, at_most=room)}
        for other in front:
            gain, *losses = (
                (other.value(o.name) - item.value(o.name)) * (1 if o.maximize else -1)
                for o in sorted(front.objectives, key=lambda o: o != gaining)
            )
            assert (other.number in found) == (gain > 0 and all(-loss <= room + 1e-9 for loss in losses))


@pytest.mark.parametrize("at_most", [-1.0, math.nan, math.inf, "much", "-2 %", ""])
def test_amounts_must_be_read(front: PlainFront, at_most: float | str) -> None:
    with pytest.raises(ParameterError, match="at_most must be"):
        find_trades(front, 1, "k", at_most=at_most)


def test_nothing_is_better_and_worse(front: PlainFront) -> None:
    with pytest.raises(ParameterError, match="both better and worse"):
        find_trades(front, 1, "k", "k")
    with pytest.raises(ParameterError, match="Did you mean 'k'"):
        find_trades(front, 1, "kk")


def test_flat_can_be_picked(front: PlainFront) -> None:
    rows = [(80, 1.0), (31, 0.404), (12, 0.4024), (5, 0.2), (1, 0.0)]
    assert pick_solution(front_of(rows, (True, False)), "flat").number == 2
    with pytest.raises(InfeasibleError, match="no flat region"):
        pick_solution(front_of(rows[-2:], (True, False)), "flat")
    with pytest.raises(ParameterError):
        pick_solution(front, "²")


@given(st.lists(st.tuples(st.integers(1, 500), st.integers(1, 9)), max_size=200), st.integers(2, 20))
def test_class_sizes_count_every_row(classes: list[tuple[int, int]], most: int) -> None:
    import numpy as np

    sizes = np.array([size for size, _ in classes], dtype=np.int64)
    rows = np.array([size * times for size, times in classes], dtype=np.int64)
    found = ClassSizes.count(sizes, rows, 7)
    assert found.total == rows.sum()
    assert sum(found.classes) == len(classes)
    assert list(found.sizes) == sorted(set(sizes.tolist()))
    for size, up_to in zip(found.sizes, found.cumulative, strict=True):
        assert up_to == rows[sizes <= size].sum() == found.rows_between(0, size)
    thin = found.thinned(most)
    assert len(thin.sizes) <= most
    assert (thin.total, sum(thin.classes), thin.suppressed) == (found.total, len(classes), 7)
    whole = dict(zip(found.sizes, found.cumulative, strict=True))
    assert all(whole[size] == rows for size, rows in zip(thin.sizes, thin.cumulative, strict=True))
