"""The study of PBG-EA: it runs, and its committed results hold what they must."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.domains import Cube, Ladder
from studies.__main__ import main
from studies.common.results import read_results
from studies.common.verdicts import misses
from studies.pbg_ea import paper
from studies.pbg_ea.billion import make_table
from studies.pbg_ea.check import check, lowest_rr
from studies.pbg_ea.plain import PlainTable
from studies.pbg_ea.study import STUDY
from tests.studies.running import check_readme, compiled, run_quickly

FIGURES = ("billion", "figure-1", "figure-2", "figure-3")

MISSED = [
    *(f"CE of {title}, as printed" for title in ("k, GLM", "k, ℓ, GLM", "S_k, GLM", "S_k, S_ℓ, GLM")),
    *(f"CE of {title}, our variant" for title in ("k, GLM", "k, ℓ, GLM")),
    *(
        f"evaluations for {title}, as printed, within 10 % of the paper's (10 % is ours)"
        for title in ("k, GLM", "k, ℓ, GLM", "S_k, GLM", "S_k, S_ℓ, GLM", "k, GLM, CM")
    ),
]
"""Statements that do not hold."""


@pytest.mark.slow
@compiled
def test_a_quick_run_writes_everything(tmp_path) -> None:
    """results.json, README.md and every figure; the quick numbers are marked as such."""
    results = run_quickly(STUDY, FIGURES, tmp_path)
    assert results["rows"]["k_glm"]["exact_front"] == 37
    assert len(results["rows"]["k_glm"]["variants"]["ours"]["rr"]["values"]) == 2
    assert results["billion"]["nodes"] > 10**9


def test_the_committed_results_hold() -> None:
    """Every requirement, but for those that the README names as missed."""
    results = read_results(STUDY.folder)
    assert not results["quick"]
    assert results["settings"]["seeds"] == list(range(paper.SEEDS))
    assert results["settings"]["iterations"] == paper.ITERATIONS
    assert misses(check(results)) == MISSED
    assert len(check(results)) == 1 + 4 * len(paper.TABLE_1B + paper.TABLE_2A) + 4 + 2 * 5 + 3


def test_a_miss_is_seen() -> None:
    """The check fails where a number does."""
    results = read_results(STUDY.folder)
    results["rows"]["k_glm"]["variants"]["ours"]["rr"]["mean"] = lowest_rr(paper.TABLE_1B[0]) - 1e-6
    results["billion"]["contenders"]["random"]["hypervolume"]["median"] = 2.0
    missed = misses(check(results))
    assert "RR of k, GLM, our variant" in missed
    assert "median hypervolume on more than 10⁹ nodes, against a random sample" in missed


def test_the_readme_belongs_to_the_results(tmp_path) -> None:
    """Written again from results.json it is the same text."""
    check_readme(STUDY, FIGURES, tmp_path)


def test_quick_needs_a_folder(capsys) -> None:
    """So that it never replaces the committed results."""
    with pytest.raises(SystemExit, match="2"):
        main(["pbg-ea", "--quick"])
    assert "--out" in capsys.readouterr().err


def test_the_plain_way_by_hand() -> None:
    """Six rows in classes of 1, 2 and 3: the single one goes, k is 2."""
    levels = np.array([[0, 1, 2], [0, 0, 0]], dtype=np.int32)
    codes = np.array([[0], [1], [1], [2], [2], [2]], dtype=np.int32)
    secret = np.array([0, 0, 1, 0, 0, 1], dtype=np.int32)
    ladders = (Ladder.whole(levels),)
    assert PlainTable(codes, secret, ladders, 1).measure(np.array([0])) == (2.0, 2.0, 1.0)
    assert PlainTable(codes, secret, ladders, 0).measure(np.array([0])) == (1.0, 1.0, 0.0)
    # Not all of one size fit into a budget of 2, so the pair stays.
    assert PlainTable(codes, secret, ladders, 2).measure(np.array([0])) == (2.0, 2.0, 1.0)
    assert PlainTable(codes, secret, ladders, 6).measure(np.array([1])) == (6.0, 2.0, 6.0)


def test_the_large_table_is_the_same_every_time() -> None:
    """Seeded, and larger than a billion nodes."""
    first, second = make_table(200).cube, make_table(200).cube
    assert isinstance(first, Cube)
    assert first.fingerprint == second.fingerprint
    assert make_table(200).lattice.size == 1_185_408_000
