"""Small functions of this room, each by an example."""

from __future__ import annotations

from fractions import Fraction

from sfumato.spec.attribute import value_text
from sfumato.spec.choices import exact, format_measure_name, is_multiple, parse_measure_name


def test_value_text() -> None:
    assert (value_text(39.0), value_text("39"), value_text(0.5)) == ("39", "39", "0.5")


def test_parse_measure_name() -> None:
    assert parse_measure_name('t("zip, code",ordered)') == ("t", ("zip, code", "ordered"))


def test_format_measure_name() -> None:
    assert format_measure_name("t", ["zip, code", "ordered"]) == 't("zip, code", ordered)'


def test_exact() -> None:
    assert exact(0.1) == Fraction(1, 10)


def test_is_multiple() -> None:
    assert (is_multiple(0.3, 0.1), is_multiple(12, 5)) == (True, False)
