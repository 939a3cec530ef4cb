"""The recount equals the definitions, whatever the format of the file."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from sfumato.errors import ParameterError, VerificationError
from sfumato.verifier import Promise, Secret, holds, recount, recount_beside
from tests.examples import examples
from tests.release.cases import cases, promise_of
from tests.release.oracle_release import Case, attribute_measures, class_sizes, table_measures, write_csv

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLES = examples(20)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def measures_of(case: Case, *, by_person: bool = False) -> dict[str, int | float | Fraction]:
    expected: dict[str, int | float | Fraction] = dict(table_measures(case, by_person=by_person))
    for number in range(len(case.sensitive)):
        expected |= attribute_measures(case, number, by_person=by_person)
    return expected


def write(case: Case, path: Path, *, persons: bool) -> Path:
    header, lines = case.released()
    end = None if persons else -2
    write_csv(path, header[:end], [line[:end] for line in lines])
    return path


@EXAMPLES
@given(case=cases())
def test_every_measure_is_what_its_definition_says(folder: Path, case: Case) -> None:
    expected = measures_of(case)
    path = write(case, folder / "all.csv", persons=False)
    found = recount(path, promise_of(case, expected))
    inexact = ("entropy", "protection")
    entropies = {name: found.counted[name] for name in expected if name.startswith(inexact)}
    assert entropies == pytest.approx({name: float(expected[name]) for name in entropies})
    assert {**found.counted, **entropies} == {**expected, **entropies}
    assert found.rows == case.rows_stated()
    assert found.classes == len(case.classes())
    assert (found.not_recounted, found.contradictions, found.notes) == ({}, (), ())


@EXAMPLES
@given(case=cases())
def test_persons_count_as_class_size_where_their_column_is_there(folder: Path, case: Case) -> None:
    expected = measures_of(case, by_person=True)
    promise = promise_of(case, expected, person="person", person_rows="person_rows")
    found = recount(write(case, folder / "wide.csv", persons=True), promise, person_column="person")
    assert found.counted == pytest.approx(expected)
    narrow = write(case, folder / "narrow.csv", persons=False)
    less = recount(narrow, promise)
    by_votes = {name for name in expected if name.startswith(("share_l", "entropy_l", "recursive_l"))}
    assert set(less.not_recounted) == {"k", "mean_k", "spread_k"} | by_votes
    assert less.at_most["k"] == min(rows for rows, _ in class_sizes(case, by_person=False))
    assert recount_beside(narrow, folder / "wide.csv", promise).counted == pytest.approx(expected)


@EXAMPLES
@given(case=cases())
def test_requirements_are_judged_exactly(folder: Path, case: Case) -> None:
    inexact = ("entropy", "protection")
    expected = {name: number for name, number in measures_of(case).items() if not name.startswith(inexact)}
    path = write(case, folder / "judged.csv", persons=False)
    exact = {
        name: float(number) for name, number in expected.items() if Fraction(str(float(number))) == number
    }
    met = promise_of(case, (), require=exact)
    assert holds(recount(path, met), met) == []
    rising = ("k", "mean_k", "spread", "distinct", "share", "recursive", "precision", "usefulness")
    tighter = {name: number + (0.5 if name.startswith(rising) else -0.5) for name, number in exact.items()}
    missed = promise_of(case, (), require=tighter)
    assert len(holds(recount(path, missed), missed)) == len(tighter)


def simple(**others: object) -> Promise:
    return Promise(("q",), ("s",), measures={"k": None, "distinct_l(s)": None}, **others)  # type: ignore[arg-type]


def test_a_wholly_general_class_is_not_taken_for_suppressed_rows(tmp_path: Path) -> None:
    path = tmp_path / "general.csv"
    write_csv(path, ["q", "s"], [["*", "flu"], ["*", "gout"], ["*", None], ["*", None]])
    stated = {"in": 4, "out": 4, "suppressed": 1}
    found = recount(path, simple(output="mask", rows=stated))
    assert found.counted == {"k": 3, "distinct_l(s)": 2}
    assert found.rows == stated
    none_gone = recount(path, simple(output="mask", rows={**stated, "suppressed": 0}))
    assert none_gone.counted == {"k": 4, "distinct_l(s)": 2}


def test_a_row_that_still_shows_its_sensitive_value_is_not_masked(tmp_path: Path) -> None:
    path = tmp_path / "shown.csv"
    write_csv(path, ["q", "s"], [["a", "flu"], ["a", "gout"], ["*", "flu"]])
    promise = simple(output="mask", rows={"in": 3, "out": 3, "suppressed": 1}, require={"k": 2})
    found = recount(path, promise)
    assert found.counted["k"] == 1
    assert any(text.startswith("k: at least 2 promised, 1 counted") for text in holds(found, promise))
    assert any(text.startswith("rows suppressed: 1 stated, 0 counted") for text in holds(found, promise))


def test_stars_in_a_file_without_masking_are_a_class(tmp_path: Path) -> None:
    path = tmp_path / "stars.csv"
    write_csv(path, ["q", "s"], [["a", "flu"], ["a", "gout"], ["*", None]])
    assert recount(path, simple()).counted["k"] == 1


def test_without_a_manifest_the_limit_says_how_many_rows_may_be_masked(tmp_path: Path) -> None:
    path = tmp_path / "limit.csv"
    write_csv(path, ["q", "s"], [["a", "flu"]] * 8 + [["*", None]] * 2)
    assert recount(path, simple(output="mask", limit=0.2)).counted["k"] == 8
    assert recount(path, simple(output="mask", limit=0.1)).counted["k"] == 1


def test_without_a_manifest_t_says_that_it_compares_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    write_csv(path, ["q", "s"], [["a", "flu"], ["a", "gout"], ["b", "flu"], ["b", "flu"]])
    names = ("t(s)", "t(s, ordered)", "dm", "loss", "suppressed", "average_class")
    found = recount(path, Promise(("q",), ("s",), measures=dict.fromkeys(names)))
    assert found.counted == {"t(s)": Fraction(1, 4), "average_class": 2}
    assert "own distribution" in found.notes[0]
    assert set(found.not_recounted) == {"t(s, ordered)", "dm", "loss", "suppressed"}


def test_a_required_measure_that_cannot_be_recounted_fails(tmp_path: Path) -> None:
    path = tmp_path / "unknown.csv"
    write_csv(path, ["q", "s"], [["a", "flu"]] * 3)
    names = ("hdm", "sf", "t(q)", "t(absent)", "t(s, sideways)", "recursive_l(s, many)", "k(s)", "nonsense((")
    promise = simple(require=dict.fromkeys(names, 0.5))
    found = recount(path, promise)
    assert set(found.not_recounted) == set(names)
    assert len(holds(found, promise)) == len(names)
    assert all("cannot be recounted" in text for text in holds(found, promise))


def test_mean_k_that_decides_suppression_is_not_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "mean.csv"
    write_csv(path, ["q", "s"], [["a", "flu"]] * 3)
    promise = Promise(("q",), ("s",), measures={"mean_k": None}, rule="below-mean")
    assert "before suppression" in recount(path, promise).not_recounted["mean_k"]


@pytest.mark.parametrize(
    ("secrets", "factor", "expected"),
    [
        ("aab", "2", 1),
        ("aabc", "2", 2),
        ("aaab", "2", 1),
        ("aab", "2.01", 2),
        ("aaab", "0.5", 0),
        ("abc", "2", 3),
    ],
)
def test_recursive_l_is_strict(tmp_path: Path, secrets: str, factor: str, expected: int) -> None:
    path = tmp_path / "recursive.csv"
    write_csv(path, ["q", "s"], [["a", secret] for secret in secrets])
    name = f"recursive_l(s, {factor})"
    assert recount(path, Promise(("q",), ("s",), measures={name: None})).counted == {name: expected}


def test_missing_persons_are_the_masked_ones(tmp_path: Path) -> None:
    path = tmp_path / "masked.csv"
    write_csv(path, ["q", "s", "p"], [["*", None, "1"], ["*", None, None], ["*", None, "2"]])
    rows = {"in": 3, "out": 3, "suppressed": 1}
    promise = Promise(("q",), ("s",), measures={"k": None}, rows=rows, output="mask", person="p")
    assert recount(path, promise, person_column="p").counted == {"k": 2}
    write_csv(path, ["q", "s", "p"], [["*", None, "1"], ["*", None, None], ["*", None, "1"]])
    assert recount(path, promise, person_column="p").counted == {"k": 1}


def test_a_label_that_the_reference_does_not_know_is_a_contradiction(tmp_path: Path) -> None:
    path = tmp_path / "label.csv"
    write_csv(path, ["q"], [["a"], ["b"]])
    reference = {"attributes": {"q": {"loss": {"cells": [["a", 0, 1]]}}}}
    promise = Promise(("q",), measures={"gl": None}, reference=reference)
    found = recount(path, promise)
    assert "gl" in found.not_recounted
    assert holds(found, promise) == ["the column 'q' holds a label that the manifest does not know."]


@pytest.mark.parametrize("counts", [[3, 1], [1, 3], [3, 2]])
def test_a_distribution_that_the_file_does_not_fit_is_a_contradiction(
    tmp_path: Path, counts: list[int]
) -> None:
    path = tmp_path / "distribution.csv"
    write_csv(path, ["q", "s"], [["a", "flu"], ["a", "flu"], ["a", "gout"]])
    reference = {"distributions": {"s": {"values": ["flu", "gout"], "counts": counts}}}
    rows = {"in": 4, "out": 3, "suppressed": 1}
    found = recount(path, Promise(("q",), ("s",), measures={"t(s)": None}, reference=reference, rows=rows))
    assert bool(found.contradictions) == (counts != [3, 1])


@pytest.mark.parametrize(
    ("truth", "secret", "secure"),
    [("110", "100", 1), ("111", "100", 0), ("111", "000", 1), ("111", "001", 0)],
)
def test_secure_is_counted_where_the_sentences_are_there(
    tmp_path: Path, truth: str, secret: str, secure: int
) -> None:
    narrow, wide = tmp_path / "narrow.csv", tmp_path / "wide.csv"
    write_csv(narrow, ["q", "t"], [["a", t] for t in truth])
    write_csv(wide, ["q", "t", "c"], [["a", t, c] for t, c in zip(truth, secret, strict=True)])
    held = Secret(["==", "t", "category", "1"], False, holders=["==", "c", "category", "1"])
    promise = Promise(("q",), ("t",), require={"secure": True}, sentences=(held,))
    # Where no class tells anything, it does not matter who holds it.
    assert ("secure" in recount(narrow, promise).not_recounted) == (truth == "111")
    found = recount_beside(narrow, wide, promise)
    assert found.counted == {"secure": secure}
    assert holds(found, promise) == ([] if secure else ["secure: at least 1 promised, 0 counted."])


def test_the_checked_file_must_hold_the_same_rows(tmp_path: Path) -> None:
    narrow, wide = tmp_path / "narrow.csv", tmp_path / "wide.csv"
    write_csv(narrow, ["q"], [["a"], ["a"], ["b"]])
    write_csv(wide, ["q", "p"], [["a", "1"], ["b", "2"], ["b", "3"]])
    with pytest.raises(VerificationError, match="different rows"):
        recount_beside(narrow, wide, Promise(("q",), person="p"))


def test_a_measure_name_can_hold_any_attribute(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    name = 'odd, "name" (x)'
    write_csv(path, ["q", name], [["a", "1"], ["a", "2"]])
    text = 'distinct_l("odd, ""name"" (x)")'
    assert recount(path, Promise(("q",), (name,), measures={text: None})).counted == {text: 2}


def test_a_promise_names_a_quasi_identifier(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="at least one"):
        recount(tmp_path / "x.csv", Promise(()))
