"""Small functions of this room, each by an example."""

from __future__ import annotations

from sfumato.assess.published import ReleasedAttribute
from sfumato.report.attribute_section import done_words
from sfumato.report.charts import shorten
from sfumato.report.marks import Panel, make_panels
from sfumato.report.phrases import (
    block_words,
    example,
    limit_words,
    measure_words,
    partition_words,
    told_words,
)


def test_done_words() -> None:
    assert done_words(ReleasedAttribute("age", "levels", 2, 6, "label", None, ())) == "level 2 of 6"


def test_shorten() -> None:
    assert (shorten("never married", 80), shorten("single", 80)) == ("never mar…", "single")


def test_make_panels() -> None:
    assert make_panels([480]) == [Panel(low=0.0, high=1.0)]


def test_measure_words() -> None:
    assert (measure_words("k"), measure_words("distinct_l(occupation)"), measure_words("suppressed")) == (
        "smallest class (k)",
        "fewest different values of occupation in a class (distinct_l)",
        "suppressed rows",
    )


def test_partition_words() -> None:
    assert (partition_words(0), partition_words(2, "decade"), partition_words([[1, 4], [5, 9]])) == (
        "level 0",
        "level 2: decade",
        "2 blocks",
    )


def test_example() -> None:
    assert (example(["<20", "20-39", "40+"], 1), example(["*"], 2), example(["a", "b"], 0)) == (
        "20-39",
        "*",
        "unchanged",
    )


def test_block_words() -> None:
    assert (block_words(["17-29", "30-44", None]), block_words(["alpha", "beta", "gamma"], most=14)) == (
        "17-29 | 30-44",
        "alpha | beta …",
    )


def test_told_words() -> None:
    assert (told_words("k"), told_words("k(weight, height)")) == (
        "smallest class (k)",
        "smallest class over weight, height (k)",
    )


def test_limit_words() -> None:
    assert (limit_words("k", 5.0), limit_words("loss", 0.4)) == ("at least 5", "at most 0.4")
