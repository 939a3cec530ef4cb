"""A local front beside the global one: what the pictures draw of both."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.front import Objective, PlainFront, PlainSolution, certainty_words, non_dominated
from sfumato.report.axes import beside_line, plane_scale, proven_bounds
from sfumato.report.charts import front_chart
from sfumato.report.page import front_figure
from sfumato.report.terminal import front_text

OBJECTIVES = (Objective("k", maximize=True), Objective("loss", maximize=False))


def front_of(points: list[tuple[float, float]], scope: str, beside: PlainFront | None = None) -> PlainFront:
    """Return a front of points (k, loss), best k first."""
    costs = np.array([[-k, loss] for k, loss in points])
    kept = [points[place] for place in non_dominated(costs)]
    recoding = {"age": {"labels": "range", "loss": 0.1} if scope == "local" else 1}
    solutions = tuple(
        PlainSolution(number, {"k": k, "loss": loss}, 0, recoding, 0.25 if scope == "local" else None)
        for number, (k, loss) in enumerate(kept, 1)
    )
    return PlainFront(solutions, OBJECTIVES, {"scope": scope, "complete": scope == "global"}, beside)


@pytest.mark.parametrize("seed", range(30))
def test_the_other_curve_is_the_best_that_meets_each_requirement(seed: int) -> None:
    rng = np.random.default_rng(seed)
    draw = [(float(k), float(loss)) for k, loss in zip(rng.integers(2, 60, 12), rng.random(12), strict=True)]
    beside = front_of(draw, "global")
    own = [(float(k), float(k) / 200) for k in sorted(set(rng.integers(2, 60, 4).tolist()))]
    front = front_of(own, "local", beside)
    line = beside_line(front)
    low, high = own[0][0], own[-1][0]
    reached = [item for item in beside if item.value("k") >= low]
    if not reached:
        assert line is None
        return
    assert line is not None
    # From the strictest k on, the last place whose k is at least the one asked for holds.
    for asked in range(int(low), int(high) + 1):
        fitting = [item.value("loss") for item in beside if item.value("k") >= asked]
        places = [y for x, y in zip(line.x.tolist(), line.y.tolist(), strict=True) if x >= asked]
        assert bool(places) == bool(fitting)
        if fitting:
            assert places[-1] == min(fitting)
    assert low <= line.x.min() <= line.x.max() <= high
    named = [number for number in line.numbers if number is not None]
    inside = [item for item in beside if low <= item.value("k") <= high]
    assert sorted(named) == sorted(item.number for item in inside)


def test_pictures_show_both_curves_and_the_proven_bounds() -> None:
    beside = front_of([(5, 0.3), (10, 0.4), (40, 0.6)], "global")
    front = front_of([(5, 0.02), (10, 0.04), (20, 0.08)], "local", beside)
    assert proven_bounds(front).tolist() == pytest.approx([0.064, 0.032, 0.016])
    assert plane_scale(front)[1].high == 0.6, "what the next stricter global recoding loses"
    figure = front_figure(front)
    names = [trace.name for trace in figure.data]  # type: ignore[attr-defined]
    assert any("global" in str(name) for name in names)
    assert any("local" in str(name) for name in names)
    svg = front_chart(front, 2).render("one", "two", "three")
    assert "best global recoding" in svg
    text = front_text(front, 80, 20)
    assert "3 local recodings" in text
    assert "best global recodings" in text
    assert text.count("○") == 2 + 1, "those within the stretch of the local front, and the legend"
    assert "best global recoding" not in front_chart(beside, None).render("one", "two", "three")


@pytest.mark.parametrize(
    ("gap", "words"),
    [
        (None, "distance from the optimum not known"),
        (12.0, "distance from the optimum not known"),
        (1.714, "at most 2.8 times the optimum"),
        (0.0742, "at most 7.5 % above the optimum"),
        (0.075, "at most 7.5 % above the optimum"),
        (0.0, "proven optimal"),
        (-1e-12, "proven optimal"),
        (1e-6, "at most 0.1 % above the optimum"),
    ],
)
def test_certainty_is_never_overstated(gap: float | None, words: str) -> None:
    assert certainty_words(gap) == words
