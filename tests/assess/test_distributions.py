"""Distributions before and after, beside loops over rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given

from sfumato.assess.distributions import compare_distribution
from sfumato.assess.recoded import LIMIT
from tests.assess.cases import coded, tables
from tests.oracles import utility as oracle

if TYPE_CHECKING:
    from sfumato.assess.recoded import Recoded


@given(tables())
def test_distributions_and_distances_are_those_of_the_definition(case: tuple[oracle.Rows, Recoded]) -> None:
    rows, table = case
    for place in range(len(table.attributes)):
        found = compare_distribution(table, place)
        before = oracle.distribution(rows, place)
        after = oracle.released_distribution(rows, place, with_suppressed=False)
        spread = oracle.released_distribution(rows, place, with_suppressed=True)
        assert found.before == pytest.approx([*before.values()])
        assert found.after == pytest.approx([*after.values()])
        assert found.distance == pytest.approx(oracle.total_variation(before, after))
        assert found.distance_spread == pytest.approx(oracle.total_variation(before, spread))
        assert found.blocks == oracle.shown_blocks(rows, place)


def test_moments_leave_missing_out() -> None:
    # Numbers are 0, 1, 4 and missing; 0 and 1 share a block.
    cells = [((0,), 2, True), ((2,), 1, True), ((3,), 5, True)]
    table = coded([4], [[0, 0, 1, 2]], cells, kinds=["number"], has_missing=[True])
    found = compare_distribution(table, 0)
    assert found.mean == pytest.approx(4 / 3)
    assert found.deviation == pytest.approx(np.std([0, 0, 4]))
    assert found.mean_after == pytest.approx((0.5 + 0.5 + 4) / 3)
    assert found.deviation_after == pytest.approx(np.std([0, 1, 4]))
    assert found.labels[-1] is None


def test_many_values_are_pooled_for_figures_and_keep_their_sum() -> None:
    size = 200
    cells = [((code,), 1 + code % 7, True) for code in range(size)]
    for kind in ("number", "category"):
        found = compare_distribution(coded([size], [range(size)], cells, kinds=[kind]), 0)
        bars = found.bars()
        assert len(bars) == 60
        assert sum(bar[1] for bar in bars) == pytest.approx(1)
        assert sum(bar[2] for bar in bars) == pytest.approx(1)
        told = found.to_dict(show_values=False)
        assert "labels" not in told
    assert bars[-1][0] == f"{size - 59} others"


def test_a_sample_is_a_part_of_the_rows() -> None:
    cells = [((code,), 3, code % 2 == 0) for code in range(5)]
    table = coded([5], [[0, 0, 1, 1, 2]], cells)
    sample = table.sampled(7, np.random.default_rng(1))
    assert sample.row_count == 7
    assert (sample.rows <= 3).all()
    assert (sample.kept == (sample.codes[:, 0] % 2 == 0)).all()
    assert table.sampled(LIMIT, np.random.default_rng(1)) is table
