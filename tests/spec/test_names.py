"""The names of measures have one spelling, and it reads back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import SpecError
from sfumato.spec import canonical_measure_name, format_measure_name, parse_measure_name

BARE_NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,9}", fullmatch=True)
ARGUMENTS = st.lists(st.text(st.sampled_from('ab ,()"\t\n3é') | st.characters(codec="utf-8"), max_size=8))


@given(BARE_NAMES, ARGUMENTS)
def test_a_written_name_reads_back(name: str, arguments: list[str]) -> None:
    assert parse_measure_name(format_measure_name(name, arguments)) == (name, tuple(arguments))


@given(BARE_NAMES, ARGUMENTS)
def test_the_canonical_spelling_is_a_fixed_point(name: str, arguments: list[str]) -> None:
    written = format_measure_name(name, arguments)
    assert canonical_measure_name(written) == written


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("k", "k"),
        ("  mean_k ", "mean_k"),
        ("distinct_l(occupation)", "distinct_l(occupation)"),
        ("distinct_l ( occupation )", "distinct_l(occupation)"),
        ("recursive_l(occupation,3)", "recursive_l(occupation, 3)"),
        ("t(marital status ,  ordered)", "t(marital status, ordered)"),
        ('t("occupation")', "t(occupation)"),
        ('t("a, b")', 't("a, b")'),
        ('t("say ""so""", ordered)', 't("say ""so""", ordered)'),
        ('t("(a)")', 't("(a)")'),
        ('t("")', 't("")'),
        ('t(" a")', 't(" a")'),
    ],
)
def test_spellings(text: str, canonical: str) -> None:
    assert canonical_measure_name(text) == canonical


SHAPE = "a measure is written name, name(attribute) or name(attribute, option); "


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "this does not start with a name."),
        ("5", "this does not start with a name."),
        ("(a)", "this does not start with a name."),
        ("k >= 5", "a pair of parentheses is expected after the name."),
        ("t(a", "a pair of parentheses is expected after the name."),
        ("t(a) b", "a pair of parentheses is expected after the name."),
        ("t()", "argument 1 is empty or is missing its double quotes."),
        ("t(a,)", "argument 2 is empty or is missing its double quotes."),
        ("t(,a)", "argument 1 is empty or is missing its double quotes."),
        ('t("a)', "argument 1 is empty or is missing its double quotes."),
        ("t(a(b))", "a comma is expected after argument 1."),
        ('t("a"b)', "a comma is expected after argument 1."),
        ("t(a)(b)", "a comma is expected after argument 1."),
    ],
)
def test_wrong_shapes(text: str, complaint: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_measure_name(text)
    assert caught.value.message == SHAPE + complaint
