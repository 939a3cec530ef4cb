"""Roles of columns, by their names and by the shapes of their values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sfumato.hierarchies import ColumnEvidence, infer_kind, suggest_role

if TYPE_CHECKING:
    from collections.abc import Sequence


def role_of(
    name: str, texts: Sequence[str], *, rows: int | None = None, missing: int = 0, kind: str | None = None
) -> str | None:
    """Guess the role of a column whose values are about equally frequent."""
    rows = len(texts) if rows is None else rows
    counts = [rows // len(texts) + (place < rows % len(texts)) for place in range(len(texts))]
    return suggest_role(ColumnEvidence(name, kind or infer_kind(texts), counts, missing, texts)).role


@pytest.mark.parametrize(
    ("name", "distinct", "kind", "role"),
    [
        ("name", 990, "category", "identifier"),
        ("Nachname", 400, "category", "identifier"),
        ("prénom", 300, "category", "identifier"),
        ("apellido", 300, "category", "identifier"),
        ("eMail", 1000, "category", "identifier"),
        ("ssn", 1000, "number", "identifier"),
        ("customerId", 500, "number", "identifier"),
        ("tax_id", 1000, "category", "identifier"),
        ("serial", 1000, "number", "identifier"),  # nearly unique
        ("age", 72, "number", "quasi-identifier"),
        ("Geburtsdatum", 990, "date", "quasi-identifier"),
        ("date_of_birth", 1000, "date", "quasi-identifier"),
        ("zip", 700, "category", "quasi-identifier"),
        ("PLZ", 700, "category", "quasi-identifier"),
        ("sexe", 2, "category", "quasi-identifier"),
        ("estado_civil", 5, "category", "quasi-identifier"),
        ("native-country", 41, "category", "quasi-identifier"),
        ("country_name", 41, "category", "quasi-identifier"),
        ("patient_age", 72, "number", "quasi-identifier"),
        ("package", 7, "category", "quasi-identifier"),  # no hint, so the careful guess
        ("diagnosis", 40, "category", "sensitive"),
        ("Krankheit", 40, "category", "sensitive"),
        ("salary-class", 2, "category", "sensitive"),
        ("salary", 1000, "number", "sensitive"),  # nearly unique, but no identifier
        ("revenu", 800, "number", "sensitive"),
        ("constant", 1, "category", None),
        ("Nachname", 1, "category", "identifier"),  # names first, however few values
        ("telephone", 2, "category", "quasi-identifier"),  # whether there is one
        ("Platelet_Count", 300, "number", "sensitive"),
        ("tournament", 12, "category", "quasi-identifier"),
        ("lab_id", 300, "category", "identifier"),  # not the result of a laboratory
        ("patient_type", 4, "category", "quasi-identifier"),
        ("number_of_visits", 150, "number", "quasi-identifier"),
        ("imię", 90, "category", "identifier"),
        ("płeć", 2, "category", "quasi-identifier"),
        ("Schwerbehinderung", 3, "category", "sensitive"),
        ("hiv", 1, "category", "sensitive"),
        ("flag", 2, "category", "quasi-identifier"),
    ],
)
def test_roles_by_name_and_number_of_values(name: str, distinct: int, kind: str, role: str | None) -> None:
    texts = [f"v{place}" if kind == "category" else str(place) for place in range(distinct)]
    assert role_of(name, texts, rows=1000, kind=kind) == role


def test_a_few_rows_are_not_nearly_unique() -> None:
    assert role_of("colour", ["red", "blue", "green", "grey", "pink"]) == "quasi-identifier"


@pytest.mark.parametrize(
    ("texts", "role"),
    [
        ([f"u{place}@mail.example" for place in range(30)], "identifier"),
        ([f"https://example.org/{place}" for place in range(30)], "identifier"),
        ([f"+48 22 {place:06d}" for place in range(30)], "identifier"),
        ([f"{place:032x}" for place in range(30)], "identifier"),
        ([f"192.168.0.{place}" for place in range(30)], "identifier"),
        ([f"{48 + place / 7:.5f}, {11 + place / 9:.5f}" for place in range(30)], "identifier"),
        ([f"AB{place:06d}" for place in range(30)], "identifier"),
        ([f"{place:02d}.03.1987" for place in range(1, 30)], "quasi-identifier"),
        ([f"{place} Mar 2024" for place in range(1, 30)], "quasi-identifier"),
        ([f"A{place}" for place in range(30)], "quasi-identifier"),
        ([f"{place / 7:.3f}" for place in range(1, 30)], "quasi-identifier"),
    ],
)
def test_shapes_decide_where_the_name_says_nothing(texts: list[str], role: str) -> None:
    assert role_of("v1", texts, rows=90) == role


def test_a_flag_that_is_set_or_blank_says_who_has_it() -> None:
    assert role_of("v1", ["x"], rows=10, missing=90) == "sensitive"
    assert role_of("married", ["x"], rows=10, missing=90) == "quasi-identifier"
    assert role_of("e-mail", ["x"], rows=10, missing=90) == "sensitive"
    assert role_of("v1", ["Meier"], rows=1, missing=90) == "quasi-identifier"  # not published as it is
    assert role_of("v1", [], missing=90) is None


def test_telephone_with_one_real_number_is_no_flag() -> None:
    assert role_of("telephone", ["0171 234567", "none"], rows=60) == "identifier"


def test_weights_of_bodies_are_no_weights_of_a_survey() -> None:
    kilos = [f"{40 + place / 2:.1f}" for place in range(120)]
    assert role_of("weight", kilos, rows=300) == "quasi-identifier"
    assert role_of("weight", [f"{1000 + place * 3.7:.2f}" for place in range(120)], rows=300) is None
    assert role_of("body weight", [f"{1000 + place * 3.7:.2f}" for place in range(120)], rows=300) is not None
    assert role_of("PERWT", [str(place) for place in range(120)], rows=300) is None


def test_free_text_is_left_out_whatever_its_name() -> None:
    prose = [f"came back after {place} days and felt well" for place in range(40)]
    assert role_of("v1", prose) is None
    assert role_of("diagnosis", prose) is None
    assert role_of("address in one cell", ["fine", "bad", "write to a@b.example"], rows=60) is None


@pytest.mark.parametrize("letter", ["A", "a", "A ", "a.", "-", "7", "Ab", "A1", "@", "www."])
def test_long_texts_take_no_time(letter: str) -> None:
    """A pattern that tries all ways to split a text would not end."""
    texts = [letter * 20_000 + "!", *(letter * (30 + place) + "!" for place in range(24))]
    assert role_of("v1", [*texts, *(f"{text} x" for text in texts)], rows=80) != "sensitive"


def test_a_word_among_numbers_is_no_mistake() -> None:
    degrees = [f"{48 + place / 7:.5f}" for place in range(30)]
    assert ColumnEvidence("v1", "category", [1] * 31, 0, [*degrees, "n/a"]).has_degrees
    assert (
        role_of("weight", [*(str(2000 + place) for place in range(30)), "-", "500+"], kind="number") is None
    )


@pytest.mark.parametrize(
    ("numbers", "role"),
    [
        (range(7, 607), "identifier"),  # rows that are counted
        (range(1_000_000, 9_000_000, 15_000), "identifier"),  # all of one length
        (range(300, 150_000, 270), "quasi-identifier"),  # amounts
    ],
)
def test_amounts_that_nobody_shares_are_generalized_and_not_removed(numbers: range, role: str) -> None:
    assert role_of("column", [str(number) for number in numbers]) == role
