from __future__ import annotations

import pytest

from sfumato.errors import ParameterError
from sfumato.front import PlainFront
from sfumato.report.phrases import (
    check_picked,
    front_sentence,
    front_title,
    knee_number,
    measure_words,
    suppressed_words,
)
from tests.report.fronts import FOUR, RUN, THREE, TWO, make_front


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("t(illness)", "largest distance of a class from all rows in illness (t)"),
        ("t(illness, ordered)", "t(illness, ordered)"),
        ("k(illness)", "k(illness)"),
        ("unheard_of", "unheard_of"),
        ("not a measure(", "not a measure("),
        (
            'distinct_l("a, {attribute} (b)")',
            "fewest different values of a, {attribute} (b) in a class (distinct_l)",
        ),
    ],
)
def test_measure_in_words(name: str, words: str) -> None:
    assert measure_words(name) == words


def test_title_says_what_is_shown() -> None:
    assert (
        front_title(make_front(TWO))
        == "5 solutions that no other beats: smallest class against share of detail lost"
    )
    assert front_title(make_front(TWO[1:], 1)) == "The one solution that no other beats: share of detail lost"
    assert front_title(make_front(THREE)).endswith(
        ": smallest class, fewest different values of illness in a class and share of detail lost"
    )


def test_title_of_an_empty_front_claims_no_more_than_is_known() -> None:
    assert "no recoding meets" in front_title(make_front(TWO, 0))
    assert front_title(make_front(TWO, 0, complete=False)) == "No solution was found"


@pytest.mark.parametrize(
    ("run", "sentence"),
    [
        ({}, "Complete: all 24 recodings were evaluated (method exhaustive, 1,000 rows, 0.3 seconds)."),
        (
            {"evaluated": 7, "method": "optimal"},
            "Complete: of 24 recodings 7 were evaluated and the others proven no better "
            "(method optimal, 1,000 rows, 0.3 seconds).",
        ),
        (
            {"complete": False, "evaluated": 7, "space": "1" + "0" * 30, "rows": None, "seconds": None},
            "Not complete: there may be more and better solutions; "
            "7 of 1.00 × 10^30 recodings were evaluated (method exhaustive).",
        ),
    ],
)
def test_sentence_says_how_complete_the_front_is(run: dict[str, object], sentence: str) -> None:
    assert front_sentence(PlainFront((), TWO, {**RUN, **run})) == sentence


def test_sentence_of_a_run_that_tells_nothing() -> None:
    front = make_front(TWO)
    assert front_sentence(PlainFront(front.solutions, front.objectives)).startswith("Not complete")
    assert front_sentence(PlainFront(front.solutions, front.objectives, {"complete": True})) == (
        "Complete: no recoding can add a solution."
    )


def test_suppressed_rows_have_a_share_only_where_the_rows_are_known() -> None:
    assert suppressed_words(make_front(TWO), 12) == "12 (1.20 %)"
    assert suppressed_words(make_front(TWO, rows=None), 1200) == "1,200"


def test_knee_needs_something_between_the_ends() -> None:
    assert knee_number(make_front(FOUR, 2)) is None
    assert knee_number(make_front(TWO)) in range(1, 6)


@pytest.mark.parametrize("picked", [0, 6, -1])
def test_picked_must_be_a_solution(picked: int) -> None:
    with pytest.raises(ParameterError, match="1 to 5"):
        check_picked(make_front(TWO), picked)
