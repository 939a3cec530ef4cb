"""Annealed clusters: never worse than MDAV, the optimum of small tables, a bound below every partition."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sfumato.microaggregation import bound_error, mdav, search_clusters
from tests.examples import examples

if TYPE_CHECKING:
    from numpy.typing import NDArray


def error_of(rows: NDArray[np.float64]) -> float:
    return float(((rows - rows.mean(axis=0)) ** 2).sum())


def total_error(values: NDArray[np.float64], clusters: NDArray[np.int32]) -> float:
    return sum(error_of(values[clusters == c]) for c in np.unique(clusters))


def least_error(values: NDArray[np.float64], k: int) -> float:
    """Return the least error of all partitions, by dynamic programming over subsets."""
    n = len(values)
    members = [[i for i in range(n) if mask >> i & 1] for mask in range(1 << n)]
    errors = [error_of(values[rows]) if len(rows) >= k else np.inf for rows in members]

    @cache
    def best(mask: int) -> float:
        if not mask:
            return 0.0
        first = mask & -mask
        rest = part = mask ^ first
        found = np.inf
        while True:
            if errors[part | first] < found:
                found = min(found, errors[part | first] + best(rest ^ part))
            if not part:
                return found
            part = (part - 1) & rest

    return best((1 << n) - 1)


SMALL = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 9), st.integers(1, 3)),
    elements=st.floats(-50, 50, width=16) | st.integers(-2, 2).map(float),
)


@examples(40)
@given(SMALL, st.integers(2, 3), st.integers(0, 5))
def test_small_tables_are_bounded_and_nearly_always_solved(
    values: NDArray[np.float64], k: int, seed: int
) -> None:
    if k > len(values):
        return
    found, least = search_clusters(values, k, seed=seed, proposals=3000), least_error(values, k)
    assert np.bincount(found.clusters).min() >= k
    assert found.error == pytest.approx(total_error(values, found.clusters), abs=1e-9)
    assert bound_error(values, k) <= least + 1e-9
    assert found.error <= least * 1.05 + 1e-9


@pytest.mark.some(1)
@pytest.mark.parametrize("k", [2, 3])
def test_random_tables_are_solved(k: int) -> None:
    solved = 0
    for seed in range(30):
        values = np.random.default_rng(seed).standard_normal((10, 2))
        found, least = search_clusters(values, k, proposals=20_000).error, least_error(values, k)
        assert found >= least - 1e-9
        solved += found <= least + 1e-9
    assert solved >= 29


@pytest.mark.parametrize("k", [3, 5, 10])
def test_it_is_better_than_mdav(k: int) -> None:
    values = np.random.default_rng(k).standard_normal((600, 6))
    before, found = total_error(values, mdav(values, k)), search_clusters(values, k, proposals=200_000)
    assert np.bincount(found.clusters).min() >= k
    assert 0.5 * found.error < bound_error(values, k) < found.error < 0.88 * before


def test_threads_do_not_matter() -> None:
    values = np.random.default_rng(1).standard_normal((6000, 3))
    one, two = (search_clusters(values, 4, proposals=120_000, threads=threads) for threads in (1, 3))
    assert np.array_equal(one.clusters, two.clusters)
    assert not np.array_equal(one.clusters, search_clusters(values, 4, proposals=120_000, seed=2).clusters)


def test_equal_rows_cost_nothing() -> None:
    values = np.repeat(np.arange(6.0), 5)[:, None]
    assert search_clusters(values, 5, proposals=5000).error == pytest.approx(0)
    assert bound_error(values, 5) == 0.0


def test_seconds_are_kept() -> None:
    import time

    values = np.random.default_rng(1).standard_normal((2000, 4))
    search_clusters(values, 3, proposals=100)
    begin = time.process_time()  # what else the machine does meanwhile does not count
    search_clusters(values, 3, seconds=1.0)
    assert time.process_time() - begin < 5.0
