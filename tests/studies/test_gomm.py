"""The study of GOMM: it runs, and its committed results hold what they must."""

from __future__ import annotations

import pytest

from sfumato.microaggregation.column_groups.chromosome import is_valid
from sfumato.microaggregation.column_groups.evaluation import Evaluator
from sfumato.microaggregation.protection import Scores
from studies.common.results import read_results
from studies.common.verdicts import misses
from studies.gomm import data as tables
from studies.gomm import paper
from studies.gomm.check import check, last_gain
from studies.gomm.figures import FIGURES
from studies.gomm.study import PRINTED, STUDY
from tests.studies.running import check_readme, compiled, run_quickly

AGAINST = "against the best ad-hoc grouping"
MISSED = [
    f"Water-treatment, k = 25: GOMM's largest score over the seeds, {AGAINST}",
    "runs in which D-GOMM's score is GOMM's",
    "group split, after generation 25: children discarded unused, at least",
    "group split, after generation 25: longest mean life time",
    "element move: last generation with better children, 0.5 % of them (ours)",
    "crossover: children discarded unused, least and largest generation",
    "crossover: life time, least and largest generation",
    "crossover: improved children after generation 20, least and largest generation",
]
"""Statements that do not hold."""


@pytest.mark.slow
@compiled
def test_a_quick_run_writes_everything(tmp_path) -> None:
    """results.json, README.md and every figure, without the data; the quick numbers are marked as such."""
    results = run_quickly(STUDY, FIGURES, tmp_path)
    assert results["data"]["water"] == {"rows": 60, "attributes": 10}
    assert set(results["runs"]["census"]) == {"5", "25"}
    assert len(results["runs"]["water"]["5"]["dynamic"]["score"]["values"]) == 2


def test_the_committed_results_hold() -> None:
    """Every requirement, but for those that the README names as missed."""
    results = read_results(STUDY.folder)
    settings = results["settings"]
    assert not results["quick"]
    assert settings["seeds"] == list(range(1, 11))
    assert tuple(settings["ks"]) == paper.KS
    asked = (settings["population"], settings["generations"], settings["crossovers"], settings["mutations"])
    assert asked == (PRINTED.population, PRINTED.generations, PRINTED.crossovers, PRINTED.mutations)
    for data in paper.DATA:
        assert results["data"][data.name] == {"rows": data.rows, "attributes": data.attributes}
    assert misses(check(results)) == MISSED
    assert len(check(results)) == 3 * 2 * len(paper.KS) + 1 + 1 + 2 + 8 + 3 + 1


def test_a_miss_is_seen() -> None:
    """The check fails where a number does."""
    results = read_results(STUDY.folder)
    found = results["runs"]["census"]["50"]
    found["printed"]["score"]["values"][3] = found["ad_hoc"]["G12"]["score"] + 1e-6
    found["dynamic"]["evaluated"]["median"] = found["printed"]["evaluated"]["median"]
    found["unwanted_in_first_populations"] = 1
    missed = misses(check(results))
    assert len(missed) == 3 + len(MISSED)
    assert any(name.startswith("Census, k = 50: GOMM's largest score") for name in missed)
    assert "Census, k = 50: median evaluations of D-GOMM, against GOMM's" in missed


def test_the_readme_belongs_to_the_results(tmp_path) -> None:
    """Written again from results.json it is the same text."""
    check_readme(STUDY, FIGURES, tmp_path)


@pytest.mark.parametrize("data", paper.DATA, ids=lambda data: data.name)
def test_tables_are_copied_without_slips(data) -> None:
    """Ad-hoc groupings hold every attribute once; scores of Tables 1 and 2 follow from their parts."""
    for name, grouping in data.ad_hoc(data.attributes).items():
        assert is_valid(grouping, data.attributes), name
    assert list(data.scores) == [*data.names, "GOMM"]
    for il, interval, dld, score, _ in data.solutions.values():
        assert Scores(il, interval, dld).score == pytest.approx(score, abs=0.011)


def test_the_last_gain_is_a_share_of_the_children() -> None:
    """One better child of 200 is half a per cent, one of 201 is less."""
    assert last_gain({"made": 50, "improved": [3.0, 0.25, 0.2, 0.0]}) == 2
    assert last_gain({"made": 10, "improved": [0.04, 0.0]}) == 0


def test_fewer_attributes_leave_valid_groupings() -> None:
    """For a quick run."""
    assert all(is_valid(grouping, 10) for grouping in paper.WATER.ad_hoc(10).values())


@compiled
@pytest.mark.parametrize("data", paper.DATA, ids=lambda data: data.name)
def test_the_committed_scores_come_from_the_data(data, data_folder, monkeypatch) -> None:
    """The ad-hoc groupings, measured again for one k."""
    monkeypatch.setenv(tables.VARIABLE, str(data_folder))
    values = tables.load(data)
    committed = read_results(STUDY.folder)["runs"][data.name]["25"]["ad_hoc"]
    groupings = data.ad_hoc(data.attributes)
    found = Evaluator(values, 25).evaluate(list(groupings.values()))
    for name, scores in zip(groupings, found, strict=True):
        assert scores.score == pytest.approx(committed[name]["score"], abs=0.05), name


def test_absent_data_are_named(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv(tables.VARIABLE, str(tmp_path))
    with pytest.raises(FileNotFoundError, match="is needed: set SFUMATO_TEST_DATA"):
        tables.load(paper.WATER)
