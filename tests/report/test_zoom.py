from __future__ import annotations

import json
import math

import numpy as np
import pytest

from sfumato.front import PlainFront, PlainSolution
from sfumato.report.axes import Axis
from sfumato.report.marks import make_panels
from sfumato.report.page import front_figure, front_html
from sfumato.report.plane import steepest_part
from sfumato.report.terminal import front_text
from tests.report.fronts import FOUR, THREE, TWO, make_front


def plane(x: list[float], y: list[float]) -> tuple[Axis, Axis]:
    return Axis("k", True, np.array(x, dtype=float)), Axis("loss", False, np.array(y, dtype=float))


STEEP = plane([*range(1, 11), 50, 100], [0.0, 0.3, 0.4, 0.5, 0.55, 0.6, 0.62, 0.64, 0.66, 0.68, 0.9, 1.0])


def test_the_steepest_fifth_is_magnified() -> None:
    part = steepest_part(*STEEP)
    assert part is not None
    assert part.places == tuple(range(10))
    assert (part.x, part.y) == ((1.0, 10.0), (0.0, 0.68))


def test_what_lies_beyond_the_border_comes_along() -> None:
    """A third objective lets solutions stand above the border; they do not make it steep."""
    x, y = STEEP
    part = steepest_part(*plane([*x.values, 5.5, 60, 61], [*y.values, 0.95, 0.91, 1.0]))
    assert part is not None
    assert part.places == (*range(10), 12)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([1, 2, 3], [0, 0.5, 1]),
        (range(1, 101), [i / 100 for i in range(1, 101)]),
        ([1] * 9, [0.5] * 9),
        ([math.nan] * 9, range(9)),
    ],
)
def test_few_straight_and_equal_ones_need_no_magnification(x: list[float], y: list[float]) -> None:
    assert steepest_part(*plane([*x], [*y])) is None


def test_an_only_objective_has_no_steep_part() -> None:
    x, y = STEEP
    assert steepest_part(x, Axis("suppressed", None, y.values)) is None


def steep_front() -> PlainFront:
    x, y = STEEP
    rows = zip(x.values.tolist(), y.values.tolist(), strict=True)
    solutions = [
        PlainSolution(number, {"k": k, "loss": loss}, 0, {"age": 1})
        for number, (k, loss) in enumerate(rows, start=1)
    ]
    return PlainFront(tuple(solutions), TWO, {"complete": True})


def test_figure_has_a_second_panel_and_a_frame() -> None:
    figure = front_figure(steep_front(), 2)
    inside = [item for item in figure.data if item.xaxis == "x3"]
    assert [len(item.x) for item in inside if item.name == "solution"] == [10]
    assert any("".join(item.text or ()).startswith("1") for item in inside)
    (frame,) = figure.layout.shapes
    assert frame.x0 < 1 < 10 < frame.x1
    assert figure.layout.yaxis3.domain[1] < figure.layout.yaxis.domain[0]
    assert figure.layout.height > front_figure(make_front(TWO)).layout.height


def test_panels_do_not_touch() -> None:
    first, second, third = make_panels([480, 300, 330])
    assert (first.high, third.low) == (1.0, 0.0)
    assert first.low > second.high > second.low > third.high


@pytest.mark.parametrize("objectives", [TWO, THREE, FOUR])
@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_values_that_are_no_numbers_are_left_out(objectives: tuple, bad: float) -> None:  # type: ignore[type-arg]
    front = make_front(objectives)
    front[1].measures["loss"] = bad  # type: ignore[index]
    front[3].measures["k"] = bad  # type: ignore[index]
    text = front_figure(front).to_json()
    assert "NaN" not in text
    assert "Infinity" not in text
    json.loads(text)
    assert "solution" in front_text(front, 80, 20)
    assert "</html>" in front_html(front)


def test_equal_columns_are_drawn_in_the_middle() -> None:
    front = make_front(FOUR)
    for item in front:
        item.measures["distinct_l(illness)"] = 3.0  # type: ignore[index]
    lines = [item for item in front_figure(front).data if item.xaxis == "x2" and item.hoverinfo == "text"]
    assert {item.y[1] for item in lines} == {0.5}
