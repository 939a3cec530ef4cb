"""Counting queries beside a count of every possible world."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.assess.distributions import (
    FLOOR,
    QUERIES,
    compare_queries,
    draw_queries,
    estimated_count,
    summarize_queries,
    suppressed_count,
    true_count,
)
from sfumato.assess.utility import ErrorSummary
from tests.assess.cases import dependent, tables
from tests.examples import examples
from tests.oracles import utility as oracle

if TYPE_CHECKING:
    from sfumato.assess.recoded import Recoded


@given(tables(), st.integers(0, 100))
def test_counts_and_estimates_are_those_of_all_possible_worlds(
    case: tuple[oracle.Rows, Recoded], seed: int
) -> None:
    rows, table = case
    for query in draw_queries(table, np.random.default_rng(seed), 5):
        asked = {
            number: set(np.flatnonzero(members).tolist())
            for number, members in zip(query.attributes, query.members, strict=True)
        }
        left_out = oracle.estimated_count(rows, asked, with_suppressed=False)
        counted = oracle.estimated_count(rows, asked, with_suppressed=True)
        assert true_count(table, query) == oracle.true_count(rows, asked) >= 1
        assert estimated_count(table, query) == pytest.approx(left_out)
        assert estimated_count(table, query) + suppressed_count(table, query) == pytest.approx(counted)


@given(tables(), st.integers(0, 100))
def test_sets_of_an_order_are_ranges_without_missing(case: tuple[oracle.Rows, Recoded], seed: int) -> None:
    _, table = case
    for query in draw_queries(table, np.random.default_rng(seed), 5):
        assert 1 <= len(set(query.attributes)) <= min(3, len(table.attributes))
        for number, members in zip(query.attributes, query.members, strict=True):
            attribute, inside = table.attributes[number], np.flatnonzero(members)
            if attribute.is_ordered and len(inside) > 1:
                assert (np.diff(inside) == 1).all()
                assert inside[-1] < attribute.known


@examples(30)
@given(tables())
def test_errors_are_summarized_over_the_floor(case: tuple[oracle.Rows, Recoded]) -> None:
    found = compare_queries(case[1], np.random.default_rng(1))
    queries = draw_queries(case[1], np.random.default_rng(1))
    truth = [true_count(case[1], query) for query in queries]
    estimates = [estimated_count(case[1], query) for query in queries]
    errors = oracle.relative_errors(truth, estimates, max(1, FLOOR * case[1].row_count))
    assert found.count == len(errors) == QUERIES
    assert found.error.median == pytest.approx(statistics.median(errors))
    assert found.error.mean == pytest.approx(statistics.mean(errors))
    assert found.error.p90 == pytest.approx(sorted(errors)[-(-9 * QUERIES // 10) - 1])


def test_small_counts_are_measured_against_a_thousandth_of_the_rows() -> None:
    truth, estimates = np.array([1.0, 200.0, 0.0]), np.array([3.0, 100.0, 10.0])
    found = summarize_queries(truth, estimates, np.array([1.0, 50.0, 0.0]), 20_000)
    assert found.floor == 20
    assert found.error == ErrorSummary(0.5, pytest.approx((0.1 + 0.5 + 0.5) / 3), 0.5)
    assert found.error_spread == ErrorSummary(0.25, pytest.approx((0.15 + 0.25 + 0.5) / 3), 0.5)
    assert summarize_queries(truth, estimates, truth, 20).floor == 1


def test_the_original_has_no_error_and_coarser_releases_have_more() -> None:
    medians = []
    for blocks in (range(8), [code // 2 for code in range(8)], [0] * 8):
        table = dependent(400, [blocks, range(3), range(4)])
        medians.append(compare_queries(table, np.random.default_rng(1)).error.mean)
    assert medians[0] == 0
    assert medians[0] < medians[1] < medians[2]
