"""Small functions that several rooms use, and those of the verifier, each by an example."""

from __future__ import annotations

from pathlib import Path

from sfumato.errors import nearest
from sfumato.verifier.bags import release_suffix
from sfumato.verifier.checks import split_name
from sfumato.verifier.promise import budget
from sfumato.words import (
    count_words,
    huge_words,
    list_words,
    number_words,
    pair_words,
    percent_words,
    printable,
    range_words,
)


def test_nearest() -> None:
    assert nearest("sufficient", ["suppression", "search"]) == "Valid names: 'search', 'suppression'."
    assert nearest("serach", ["suppression", "search"]) == "Did you mean 'search'?"
    assert nearest("Plz", ["PLZ", "Pay"]) == "Did you mean 'PLZ'?"


def test_release_suffix() -> None:
    assert release_suffix(Path("open.data.CSV.gz")) == ".csv.gz"


def test_split_name() -> None:
    assert split_name('t("zip, code", ordered)') == ("t", ("zip, code", "ordered"))


def test_budget() -> None:
    assert budget(0.29, 100) == 29


def test_printable() -> None:
    assert printable("a\n b\x1b[1m") == "a b�[1m"


def test_list_words() -> None:
    assert (list_words(["a"]), list_words(["a", "b", "c"]), list_words(["a", "b"], "against")) == (
        "a",
        "a, b and c",
        "a against b",
    )


def test_count_words() -> None:
    assert (count_words(1, "row"), count_words(30162, "row"), count_words(2, "class")) == (
        "1 row",
        "30,162 rows",
        "2 classes",
    )


def test_range_words() -> None:
    assert (range_words(1, 1), range_words(500, 1999), range_words(1000, None)) == (
        "1",
        "500 to 1,999",
        "1,000 or more",
    )


def test_number_words() -> None:
    assert (number_words(30162.0), number_words(0.402001), number_words(7220555.4), number_words(2e15)) == (
        "30,162",
        "0.402",
        "7,220,555",
        "2e+15",
    )
    assert (number_words(1234.5, tenths=True), number_words(None, none="–")) == ("1,234.5", "–")


def test_pair_words() -> None:
    assert (pair_words(12.0, 31.0), pair_words(0.402001, 0.402004)) == (
        ("12", "31"),
        ("0.402001", "0.402004"),
    )


def test_huge_words() -> None:
    assert (
        huge_words("17920"),
        huge_words(5**38),
        huge_words(1 << 20_000),
        huge_words(5**38, times=True),
    ) == ("17,920", "3.63e26", "3.98e6020", "3.63 × 10^26")


def test_percent_words() -> None:
    assert (percent_words(0.37316), percent_words(0.0041), percent_words(0.00002), percent_words(1.0)) == (
        "37.3 %",
        "0.41 %",
        "below 0.01 %",
        "100 %",
    )
    assert (
        percent_words(0.0042, "rough"),
        percent_words(0.127, "rough"),
        percent_words(0.00001, "rough"),
    ) == ("0.42 %", "13 %", "less than 0.01 %")
    assert (percent_words(0.0625, "risk"), percent_words(0.2, "risk"), percent_words(0.00121, "risk")) == (
        "6.3 %",
        "20 %",
        "0.13 %",
    )
