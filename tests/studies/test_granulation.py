"""The study of granulation: it runs, and its committed results hold what they must."""

from __future__ import annotations

import pytest

from studies.common.results import read_results
from studies.common.verdicts import misses
from studies.granulation import census, example, paper
from studies.granulation.check import check
from studies.granulation.study import STUDY
from tests.studies.running import check_readme, compiled, run_quickly

FIGURES = ("census", "example", "tests")

MISSED: list[str] = []
"""Statements that do not hold."""


@pytest.mark.slow
@compiled
def test_a_quick_run_writes_everything(tmp_path) -> None:
    """results.json, README.md and every figure; the quick numbers are marked as such."""
    results = run_quickly(STUDY, FIGURES, tmp_path)
    assert list(results["census"]) == [census.DRAWN]
    assert results["census"][census.DRAWN]["ga"]["runs"] == 2
    assert misses(check(results)) == []


def test_the_committed_results_hold() -> None:
    """Every requirement, but for those that the README names as missed."""
    results = read_results(STUDY.folder)
    assert not results["quick"]
    assert results["settings"]["seeds"] == list(range(paper.SEEDS))
    assert list(results["census"]) == sorted(secret.name for secret in census.SECRETS)
    assert misses(check(results)) == MISSED
    # Eleven about the running example; five about the searches, but for the case without pruning.
    assert len(check(results)) == 11 + 5 * (1 + len(census.SECRETS)) - 1


def test_a_miss_is_seen() -> None:
    """The check fails where a number does."""
    results = read_results(STUDY.folder)
    results["example"]["figure_4"][6][1] = "26617"
    results["census"]["salary"]["incognito"]["specific"].pop()
    results["census"]["both"]["ga"]["secure"] = False
    missed = misses(check(results))
    assert "rows of Figure 4" in missed
    assert "a high salary: Incognito's set" in missed
    assert "a high salary, every occupation: all GA solutions" in missed


def test_the_readme_belongs_to_the_results(tmp_path) -> None:
    """Written again from results.json it is the same text."""
    check_readme(STUDY, FIGURES, tmp_path)


def test_the_partitions_are_those_of_figure_3() -> None:
    """As many levels as the paper has partitions, attribute by attribute."""
    from sfumato.preparing import load

    prepared = load(example.table(), example.specification(sentences=[{"sentence": paper.SECRET}]))
    assert prepared.lattice.counts == tuple(map(len, paper.PARTITIONS.values()))
