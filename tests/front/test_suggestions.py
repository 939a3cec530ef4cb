"""Suggestions are different solutions, and what they say is true."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import ParameterError
from sfumato.front import PlainFront, find_flat_regions, find_knee, make_suggestions
from sfumato.words import number_words
from tests.front.drawn_fronts import front_of, fronts
from tests.front.test_flat_regions import scaled


def test_knee_flat_and_least_loss() -> None:
    rows = [(900, 9, 1.0), (310, 8, 0.704), (120, 8, 0.7024), (50, 4, 0.4), (12, 2, 0.2), (1, 1, 0.0)]
    front = front_of(rows, (True, True, False))
    knee, flat, least = make_suggestions(front)
    assert [knee.name, flat.name, least.name] == ["knee", "flat", "least loss"]
    assert knee.solution.number == find_knee(front) + 1
    assert flat.solution.number == find_flat_regions(front)[0].end.number
    assert least.solution.number == 5
    assert least.why == "The least loss (0.2) of all solutions with k >= 10 and distinct_l(a) >= 2."
    assert str(least).startswith("solution 5 (least loss): The least")


def test_a_class_of_ten_is_asked_for_only_where_there_is_one() -> None:
    front = front_of([(7, 1, 0.9), (6, 1, 0.7), (5, 1, 0.6), (4, 1, 0.2), (1, 1, 0.0)], (True, True, False))
    (least,) = [item for item in make_suggestions(front, 9) if item.name == "least loss"]
    assert least.why == "The least loss (0.6) of all solutions with k >= 5."


def test_small_fronts() -> None:
    assert make_suggestions(front_of([], (True, False))) == []
    (only,) = make_suggestions(front_of([(3, 0.1)], (True, False)))
    assert only.why == "The only solution."
    with pytest.raises(ParameterError, match="at least one"):
        make_suggestions(front_of([], (True, False)), 0)


@settings(deadline=None)
@given(fronts(), st.integers(1, 6))
def test_suggestions_are_different_and_true(front: PlainFront, count: int) -> None:
    found = make_suggestions(front, count)
    numbers = [item.solution.number for item in found]
    assert len(set(numbers)) == len(numbers) <= min(count, len(front))
    assert bool(found) == bool(len(front))
    for item in found:
        assert item.why.endswith(".")
        if item.name == "knee":
            (percent,) = re.findall(r"at least (\d+) %", item.why)
            place = item.solution.number - 1
            reached = min(
                scaled(front, o.name)[place] if len(set(scaled(front, o.name))) > 1 else 1.0
                for o in front.objectives
            )
            assert int(percent) <= 100 * reached + 1e-6 < int(percent) + 1 + 1e-5
        for way in ("best", "least"):
            name = item.name.removeprefix(f"{way} ")
            if (
                name in item.solution.measures
                and item.why == f"The {way} {name}: {number_words(item.solution.value(name))}."
            ):
                every = [other.value(name) for other in front]
                assert item.solution.value(name) == (max(every) if way == "best" else min(every))
