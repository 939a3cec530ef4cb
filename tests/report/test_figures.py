from __future__ import annotations

import json
from typing import Any

import pytest

from sfumato.errors import ParameterError
from sfumato.report.page import front_figure
from sfumato.report.phrases import knee_number
from tests.report.fronts import FOUR, HOSTILE, THREE, TWO, make_front


def trace(figure: Any, name: str) -> Any:
    (found,) = [item for item in figure.data if (item.name or "").startswith(name)]
    return found


def test_two_objectives_are_points_and_the_border_of_what_can_be_reached() -> None:
    figure = front_figure(make_front(TWO))
    points, border = trace(figure, "solution"), trace(figure, "best within reach")
    assert list(points.x) == [500, 60, 20, 6, 2]
    assert list(points.y) == [0.9, 0.4, 0.3, 0.2, 0.0]
    assert list(border.x) == [2, 6, 20, 60, 500]
    assert border.line.shape == "vh"
    assert figure.layout.xaxis.title.text.startswith("smallest class (k)")
    assert figure.layout.yaxis.title.text.startswith("share of detail lost (loss)")


def test_border_turns_the_other_way_where_smaller_is_better() -> None:
    assert trace(front_figure(make_front(FOUR[2:])), "best within reach").line.shape == "hv"


def test_wide_axis_is_logarithmic() -> None:
    layout = front_figure(make_front(TWO)).layout
    assert layout.xaxis.type == "log"
    assert layout.yaxis.type is None


def test_third_objective_is_the_colour() -> None:
    points = trace(front_figure(make_front(THREE)), "solution")
    assert list(points.marker.color) == [4, 4, 3, 2, 1]
    assert "illness" in points.marker.colorbar.title.text
    assert not points.showlegend


def test_objective_that_is_the_same_everywhere_is_no_colour() -> None:
    points = trace(front_figure(make_front(THREE, 2)), "solution")  # both have four values in each class
    assert points.marker.colorbar.thickness is None
    assert points.showlegend


def test_four_objectives_are_also_lines() -> None:
    figure = front_figure(make_front(FOUR), 2)
    lines = [item for item in figure.data if item.xaxis == "x2" and item.hoverinfo == "text"]
    assert sum(len(item.x) for item in lines) == 5 * (4 + 1)
    headings = figure.layout.xaxis2.ticktext
    assert headings[0].split("<br>")[0] == "smallest class (k)"
    assert len(headings) == 4
    # The first solution is the best one in k and the worst one in loss: at the top, at the bottom.
    first = next(item for item in lines if "Solution 1<" in item.hovertext[0])
    assert (first.y[0], first.y[3]) == (1.0, 0.0)


def test_knee_and_picked_are_named() -> None:
    front = make_front(THREE)
    figure = front_figure(front, 1)
    knee = knee_number(front)
    assert knee is not None
    assert trace(figure, "picked").name == "picked: solution 1"
    assert trace(figure, "knee").name == f"knee: solution {knee}"
    assert list(trace(figure, "knee").x) == [front[knee - 1].value("k")]


def test_hover_shows_the_solution() -> None:
    labels = {2: {"age": "ten years", "unknown": "x"}}
    texts = trace(front_figure(make_front(THREE), 2, labels=labels), "solution").hovertext
    assert texts[1].split("<br>") == [
        "<b>Solution 2</b> (picked, the knee)"
        if knee_number(make_front(THREE)) == 2
        else "<b>Solution 2</b> (picked)",
        "smallest class (k): 60",
        "fewest different values of illness in a class",
        "(distinct_l): 4",
        "share of detail lost (loss): 0.4",
        "suppressed rows: 4 (0.40 %)",
        "",
        "age: level 3: ten years",
        "zip: level 2",
    ]


def test_hover_of_blocks_counts_them() -> None:
    front = make_front(TWO, 1)
    front[0].recoding["age"] = [[1, 4], [5, 9]]  # type: ignore[index]
    assert "age: 2 blocks" in trace(front_figure(front), "solution").hovertext[0]


def test_hover_stays_small_with_many_attributes_and_long_names() -> None:
    front = make_front(TWO, 1)
    front[0].recoding.update({f"{number} " + "x" * 500: 1 for number in range(60)})  # type: ignore[attr-defined]
    lines = trace(front_figure(front), "solution").hovertext[0].split("<br>")
    assert len(lines) < 60
    assert max(map(len, lines)) <= 64
    assert lines[-1] == "and 38 more attributes"


@pytest.mark.parametrize("objectives", [TWO, THREE, FOUR])
def test_foreign_text_is_escaped(objectives: Any) -> None:
    front = make_front(objectives, attribute=HOSTILE)
    texts = trace(front_figure(front), "solution").hovertext
    assert all("script" in text and "<script" not in text and "<b>%" not in text for text in texts)


def test_title_tells_completeness() -> None:
    assert "Complete: all 24 recodings" in front_figure(make_front(TWO)).layout.title.text
    assert "Not complete" in front_figure(make_front(TWO, complete=False)).layout.title.text


def test_figure_offers_no_button_that_sends_data_away() -> None:
    assert "sendChartToCloud" in front_figure(make_front(TWO)).layout.modebar.remove


@pytest.mark.parametrize("objectives", [TWO[1:], TWO, THREE, FOUR])
@pytest.mark.parametrize("count", [0, 1, 2])
def test_small_fronts_are_drawn(objectives: Any, count: int) -> None:
    figure = front_figure(make_front(objectives, count), 1 if count else None)
    assert json.loads(figure.to_json())["layout"]["title"]["text"]
    assert bool(figure.data) == bool(count)


def test_unknown_pick_is_refused() -> None:
    with pytest.raises(ParameterError, match="picked"):
        front_figure(make_front(TWO), 9)
