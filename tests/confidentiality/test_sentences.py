"""Sentences: read, written, and refused with the place."""

from __future__ import annotations

import datetime as dt
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.confidentiality import (
    Junction,
    Membership,
    Negation,
    Relation,
    SentenceError,
    format_sentence,
    names_of,
    parse_sentence,
)

WORDS = st.one_of(
    st.sampled_from(["health", "native-country", "and", "not", "missing", "in", "a b", 'say "x"', "ü.1", ""]),
    st.text(max_size=8),
)
CONSTANTS = st.one_of(
    st.none(),
    WORDS,
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.dates(),
    st.sampled_from(["1", "1.5", "2020-01-01", "-3", "1e5", "<=50K", "'"]),
)
ATOMS = st.one_of(
    st.builds(Relation, WORDS, st.sampled_from(["==", "!="]), CONSTANTS),
    st.builds(
        Relation, WORDS, st.sampled_from(["<", "<=", ">", ">="]), CONSTANTS.filter(lambda x: x is not None)
    ),
    st.builds(Membership, WORDS, st.lists(CONSTANTS, min_size=1, max_size=3).map(tuple)),
)
SENTENCES = st.recursive(
    ATOMS,
    lambda part: st.one_of(
        st.builds(Negation, part),
        st.builds(
            Junction, st.sampled_from(["and", "or"]), st.lists(part, min_size=2, max_size=3).map(tuple)
        ),
    ),
    max_leaves=12,
)


@given(SENTENCES)
def test_reading_what_was_written_gives_the_same(sentence) -> None:
    """For every structure, every name and every constant."""
    assert parse_sentence(format_sentence(sentence)) == sentence


@given(st.text(alphabet=string.printable + "αß≤", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing but our own error, with a place within the text."""
    try:
        sentence = parse_sentence(text)
    except SentenceError as error:
        place, sentence = error.position, None
    else:
        place = 0
    assert 0 <= place <= len(text)
    assert sentence is None or parse_sentence(format_sentence(sentence)) == sentence


def test_the_sentence_of_the_contract() -> None:
    """And binds closer than or, not closer than both."""
    found = parse_sentence("health == 2 or (income >= 400 and not smoker == 1)")
    assert found == Junction(
        "or",
        (
            Relation("health", "==", 2),
            Junction("and", (Relation("income", ">=", 400), Negation(Relation("smoker", "==", 1)))),
        ),
    )
    assert names_of(found) == ("health", "income", "smoker")
    assert format_sentence(found) == "health == 2 or income >= 400 and not smoker == 1"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a == b", Relation("a", "==", "b")),
        ("a=='b''c'", Relation("a", "==", "b'c")),
        ('"a ""b"""=="and"', Relation('a "b"', "==", "and")),
        ("marital-status == Never-married", Relation("marital-status", "==", "Never-married")),
        ("a<-1.5e3", Relation("a", "<", -1500.0)),
        ("born >= 1987-03-14", Relation("born", ">=", dt.date(1987, 3, 14))),
        ("a in {1, x, missing}", Membership("a", (1, "x", None))),
        ("a != missing", Relation("a", "!=", None)),
        ("not not a == 1", Negation(Negation(Relation("a", "==", 1)))),
        ("((a == 1))", Relation("a", "==", 1)),
        (
            "a == 1 and b == 2 or\n\tc == 3",
            Junction(
                "or",
                (
                    Junction("and", (Relation("a", "==", 1), Relation("b", "==", 2))),
                    Relation("c", "==", 3),
                ),
            ),
        ),
    ],
)
def test_what_may_be_written(text: str, sentence: object) -> None:
    """Every form once."""
    assert parse_sentence(text) == sentence


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", 0, "the sentence is empty"),
        ("health = 2", 7, "Compare with '=='"),
        ("health == 2 adn x == 1", 12, "Did you mean 'and'"),
        ("health == 2 AND x == 1", 12, "in small letters"),
        ("health == 2 && x == 1", 12, "Join with 'and'"),
        ("health ==", 9, "a value is expected, not the end"),
        ("health 2", 7, "'in' is expected, not '2'"),
        ("(health == 2", 12, "')' is expected, not the end"),
        ("health == 2)", 11, "'and', 'or' or the end is expected"),
        ("health in (1, 2)", 10, "'{' is expected, not '('"),
        ("health in {}", 11, "a value is expected, not '}'"),
        ("health in {1 2}", 13, "',' or '}' is expected"),
        ("2 == health", 0, "the name of an attribute is expected"),
        ("health < missing", 9, "neither less nor more"),
        ("health == 12ab", 10, "is not allowed"),
        ("health == 'x", 10, "not closed"),
        ("born == 2020-02-30", 8, "there is no date"),
        ("a == 1e999", 5, "too large"),
        ("a == " + "9" * 5000, 5, "too large"),
        ("(" * 5000 + "a == 1", 100, "are nested"),
        ("not " * 5000 + "a == 1", 400, "are nested"),
        ("__import__('os')", 10, "'in' is expected"),
    ],
)
def test_what_may_not(text: str, position: int, message: str) -> None:
    """One line that says what, and where."""
    with pytest.raises(SentenceError, match=r".") as caught:
        parse_sentence(text)
    assert message in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.position == position


def test_the_picture_points_at_the_place() -> None:
    """The caret stands below it, also in a sentence of several lines."""
    with pytest.raises(SentenceError) as caught:
        parse_sentence("health == 1\nor health = 2\nor x == 3")
    assert caught.value.picture == ("or health = 2", "          ^")
    assert str(caught.value.located("a.toml:3: sentence")).startswith(
        "a.toml:3: sentence, line 2, column 11: "
    )
