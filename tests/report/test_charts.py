"""Drawings of the report: everything lies inside, nothing is lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.report.charts import (
    Bar,
    Curve,
    Drawing,
    Pair,
    Ruler,
    bar_chart,
    front_chart,
    pair_chart,
    shorten,
    step_chart,
)
from tests.report.fronts import FOUR, TWO, make_front

FINITE = st.floats(-1e6, 1e6, allow_nan=False)


def _inside(drawing: Drawing) -> str:
    """Check that every coordinate lies in the picture; return it."""
    text = drawing.render("x", "title", "description")
    for name, value in re.findall(r'\b(x|y|x1|x2|cx|y1|y2|cy)="([^"]+)"', text):
        most = drawing.width if "x" in name else drawing.height
        assert -0.5 <= float(value) <= most + 0.5, (name, value)
    for points in re.findall(r'points="([^"]+)"', text):
        for pair in points.split():
            x, y = map(float, pair.split(","))
            assert -0.5 <= x <= drawing.width + 0.5
            assert -0.5 <= y <= drawing.height + 0.5
    return text


@given(st.lists(st.tuples(FINITE, FINITE), min_size=1, max_size=8))
def test_pairs_lie_inside_whatever_their_numbers(numbers: list[tuple[float, float]]) -> None:
    pairs = [Pair(f"line {x:g}", x, y, f"{x:g}", f"{y:g}", 50.0) for x, y in numbers]
    text = _inside(pair_chart(pairs, reference="guessing"))
    assert text.count("after-mark") == len(pairs) + 1  # one is the legend's


def test_a_pair_without_before_has_no_line() -> None:
    text = _inside(pair_chart([Pair("only after", None, 10.0, "", "10 %")]))
    assert "joint" not in text
    assert "→" not in text


@given(st.lists(st.tuples(st.integers(1, 10**6), st.floats(0, 100)), min_size=1, max_size=20))
def test_steps_lie_inside(points: list[tuple[int, float]]) -> None:
    rising = sorted((float(size), share) for size, share in points)
    _inside(step_chart([Curve("after", "after", rising)], "size", "share", (5.0, "required: 5")))


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=12))
def test_bars_lie_inside(values: list[float]) -> None:
    text = _inside(
        bar_chart([Bar("a name that is much too long for its place", value, "1") for value in values])
    )
    assert text.count("<rect") == len(values)
    assert "…" in text


def test_bars_of_nothing_are_drawn() -> None:
    assert _inside(bar_chart([Bar("none", 0.0, "0")])).count("<rect") == 1


@pytest.mark.parametrize("objectives", [TWO, TWO[1:], FOUR])
@pytest.mark.parametrize("count", [1, 5])
def test_front_is_drawn_with_its_point(objectives: tuple[object, ...], count: int) -> None:
    front = make_front(objectives, count)  # type: ignore[arg-type]
    text = _inside(front_chart(front, 1))
    assert text.count('class="point"') == count
    assert "released: solution 1" in text
    assert "picked" not in front_chart(front, None).render("x", "t", "d")


def test_scales_have_round_ticks() -> None:
    assert Ruler(1.0, 1000.0, 0.0, 600.0, is_log=True).ticks.keys() == {
        1,
        2,
        5,
        10,
        20,
        50,
        100,
        200,
        500,
        1000,
    }
    assert list(Ruler(0.0, 1.0, 0.0, 600.0).ticks.values()) == ["0", "0.2", "0.4", "0.6", "0.8", "1"]
    assert list(Ruler(0.0, 4.0, 0.0, 600.0, is_whole=True).ticks.values()) == ["0", "1", "2", "3", "4"]


def test_texts_are_escaped_and_cut() -> None:
    drawing = Drawing(100, 20)
    drawing.text((0, 10), "<b>&\x1b long enough to be cut", "name", room=60)
    text = drawing.render("x", "<t>", "<d>")
    assert "<b>" not in text
    assert "\x1b" not in text
    assert "&lt;b&gt;" in text
    assert "<title>&lt;b&gt;&amp;" in text
    assert shorten("short", 100) == "short"
