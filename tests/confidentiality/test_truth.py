"""For whom sentences are true, against the definition."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.confidentiality import (
    SentenceColumn,
    SentenceError,
    evaluate,
    parse_sentence,
    plain_form,
    without_orders,
)
from tests.oracles import confidentiality as oracle

ROWS = st.lists(
    st.tuples(st.sampled_from([None, 0, 1, 2.5, -3]), st.sampled_from([None, "x", "y", "3", "it's"])),
    min_size=1,
    max_size=12,
)
NUMBERS = st.sampled_from([0, 1, 2.5, 7, -3])
ATOMS = st.one_of(
    st.tuples(st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), st.just("n"), NUMBERS),
    st.tuples(st.sampled_from(["==", "!="]), st.just("t"), st.sampled_from(["x", "y", "3", "z"])),
    st.tuples(st.sampled_from(["==", "!="]), st.sampled_from(["n", "t"]), st.none()),
    st.tuples(st.just("in"), st.just("n"), st.lists(st.one_of(NUMBERS, st.none()), min_size=1).map(tuple)),
    st.tuples(st.just("in"), st.just("t"), st.sampled_from([("x",), ("y", "q"), (None, "3")])),
)
SENTENCES = st.recursive(
    ATOMS,
    lambda part: st.one_of(
        st.tuples(st.just("not"), part),
        st.tuples(st.sampled_from(["and", "or"]), part, part),
        st.tuples(st.sampled_from(["and", "or"]), part, part, part),
    ),
    max_leaves=8,
)


def _column(kind: str, cells: list[object]) -> SentenceColumn:
    values = list(dict.fromkeys(cells))
    return SentenceColumn(kind, values, np.array([values.index(cell) for cell in cells], dtype=np.int32))


@given(ROWS, SENTENCES)
def test_truth_is_that_of_the_definition(rows, sentence) -> None:
    """Read from text, judged on distinct values, compared row by row."""
    rows = [(number, None if text == "it's" else text) for number, text in rows]
    columns = {
        "n": _column("number", [row[0] for row in rows]),
        "t": _column("category", [row[1] for row in rows]),
    }
    found = evaluate(parse_sentence(oracle.write(sentence)), columns)
    assert found.tolist() == [oracle.holds(sentence, {"n": n, "t": t}) for n, t in rows]


def test_not_and_not_equal_differ_for_missing() -> None:
    """`!=` is a comparison, and false for missing; `not` turns false into true."""
    columns = {"h": _column("number", [1, 2, None])}
    assert evaluate(parse_sentence("h != 2"), columns).tolist() == [True, False, False]
    assert evaluate(parse_sentence("not h == 2"), columns).tolist() == [True, False, True]


def test_dates_and_times() -> None:
    """A date is the beginning of its day; texts that are dates will do."""
    day = _column("date", [dt.date(2020, 1, 1), dt.date(2020, 1, 2), None])
    time = _column("date", [dt.datetime(2020, 1, 1, 0), dt.datetime(2020, 1, 1, 13), None])
    zoned = _column(
        "date", [dt.datetime(2020, 1, 1, tzinfo=dt.UTC), dt.datetime(2020, 1, 2, tzinfo=dt.UTC), None]
    )
    for text in ("d <= 2020-01-01", "d <= '2020-01-01'", "d == 2020-01-01"):
        assert evaluate(parse_sentence(text), {"d": day}).tolist() == [True, False, False]
        assert evaluate(parse_sentence(text), {"d": time}).tolist() == [True, False, False]
        assert evaluate(parse_sentence(text), {"d": zoned}).tolist() == [True, False, False]
    assert evaluate(parse_sentence("d > '2020-01-01 12:00'"), {"d": time}).tolist() == [False, True, False]


def test_ordinals_follow_their_order() -> None:
    """Also written without it."""
    column = SentenceColumn("ordinal", ["low", "mid", "high", None], np.arange(4, dtype=np.int32))
    sentence = parse_sentence("s >= mid and not s == high")
    assert evaluate(sentence, {"s": column}).tolist() == [False, True, False, False]
    plain = SentenceColumn("category", column.values, column.codes)
    for text in ("s >= mid", "s < low", "s <= high", "not s < low"):
        lowered = without_orders(parse_sentence(text), {"s": column})
        assert (evaluate(lowered, {"s": plain}) == evaluate(parse_sentence(text), {"s": column})).all()
    assert plain_form(sentence, {"s": column}) == [
        "and",
        ["in", "s", "category", ["mid", "high"]],
        ["not", ["==", "s", "category", "high"]],
    ]


def test_numbers_and_categories_match_by_text() -> None:
    """2 and 2.0 are both ``2``; a number may stand in quotes."""
    category = SentenceColumn("category", ["2", "02", "2.5"], np.arange(3, dtype=np.int32))
    assert evaluate(parse_sentence("c in {2.0, 2.5}"), {"c": category}).tolist() == [True, False, True]
    number = SentenceColumn("number", [2, 3], np.arange(2, dtype=np.int32))
    assert evaluate(parse_sentence("c == '2'"), {"c": number}).tolist() == [True, False]


@pytest.mark.parametrize(
    ("text", "kind", "position", "message"),
    [
        ("x == 1 or c == abc", "number", 15, "is compared with a number"),
        ("x == 1 or c == abc", "date", 15, "is compared with a date"),
        ("x == 1 or c == 5", "date", 15, "is compared with a date"),
        ("x == 1 or c < abc", "category", 10, "have no order"),
        ("x == 1 or c < none", "ordinal", 14, "not in the order"),
    ],
)
def test_constants_that_do_not_fit(text: str, kind: str, position: int, message: str) -> None:
    """The place of the constant, or of the column that has no order."""
    columns = {
        "x": SentenceColumn("number", [1], np.zeros(1, dtype=np.int32)),
        "c": SentenceColumn(
            kind, ["abc"] if kind in ("category", "ordinal") else [None], np.zeros(1, dtype=np.int32)
        ),
    }
    with pytest.raises(SentenceError) as caught:
        evaluate(parse_sentence(text), columns, text)
    assert message in caught.value.message
    assert caught.value.position == position
