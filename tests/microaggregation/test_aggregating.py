"""Strata, missing values, scales and centres."""

from __future__ import annotations

import statistics
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sfumato.errors import DataError, ParameterError
from sfumato.microaggregation.aggregating import Manner, blank_rare, centres, make_clusters, smallest_class
from sfumato.microaggregation.protection import standard_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

NAN = float("nan")


@st.composite
def gappy(draw: st.DrawFn) -> NDArray[np.float64]:
    shape = draw(st.tuples(st.integers(2, 40), st.integers(1, 4)))
    cell = st.one_of(st.integers(-3, 3).map(float), st.just(NAN))
    return draw(hnp.arrays(np.float64, shape, elements=cell))


@given(gappy(), st.data())
def test_no_pattern_of_missing_columns_is_rare(values: NDArray[np.float64], data: st.DataObject) -> None:
    k = data.draw(st.integers(2, len(values)))
    blank = blank_rare(values, k)
    assert (blank | ~np.isnan(values)).all()
    assert min(Counter(map(tuple, blank.tolist())).values()) >= k


@given(gappy(), st.data())
def test_nothing_is_blanked_without_need(values: NDArray[np.float64], data: st.DataObject) -> None:
    k = data.draw(st.integers(2, len(values)))
    patterns = Counter(map(tuple, np.isnan(values).tolist()))
    if min(patterns.values()) >= k:
        assert (blank_rare(values, k) == np.isnan(values)).all()


@given(gappy(), st.data())
def test_clusters_keep_to_strata_and_patterns(values: NDArray[np.float64], data: st.DataObject) -> None:
    k = data.draw(st.integers(2, max(2, len(values) // 2)))
    strata = np.arange(len(values), dtype=np.int32) % data.draw(st.integers(1, max(1, len(values) // k)))
    width = values.shape[1]
    groups = [list(range(width))] if data.draw(st.booleans()) else [[place] for place in range(width)]
    method = "univariate" if len(groups[0]) == 1 and data.draw(st.booleans()) else "mdav"
    found = make_clusters(values, groups, Manner(k, method), strata=strata)
    for clusters in found:
        assert min(Counter(clusters.labels.tolist()).values()) >= k
        assert set(clusters.labels.tolist()) == set(range(clusters.count))
        for label in range(clusters.count):
            rows = clusters.labels == label
            assert len(set(strata[rows].tolist())) == 1
            assert len(set(map(tuple, clusters.blank[rows].tolist()))) == 1


def test_threads_change_nothing() -> None:
    values = np.random.default_rng(1).standard_normal((500, 4))
    strata = (np.arange(500) % 7).astype(np.int32)
    groups = [[0, 1], [2], [3]]
    one, four = (
        make_clusters(values, groups, Manner(3, threads=threads), strata=strata) for threads in (1, 4)
    )
    for first, second in zip(one, four, strict=True):
        assert np.array_equal(first.labels, second.labels)


def test_small_strata_are_refused_without_naming_them() -> None:
    strata = np.array([0] * 5 + [1] * 2, dtype=np.int32)
    with pytest.raises(DataError, match="1 of 2 strata have fewer than k = 3 rows, 2 in all"):
        make_clusters(np.zeros((7, 1)), [[0]], Manner(3), strata=strata)


@pytest.mark.parametrize("k", [1, 8])
def test_k_is_from_2_to_the_rows(k: int) -> None:
    with pytest.raises(ParameterError, match="from 2 to the 7 rows"):
        make_clusters(np.zeros((7, 1)), [[0]], Manner(k))


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=30), st.data())
def test_centres(values: list[float], data: st.DataObject) -> None:
    labels = data.draw(st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values)))
    numbers = {label: number for number, label in enumerate(sorted(set(labels)))}
    labels = [numbers[label] for label in labels]
    members = [[v for v, o in zip(values, labels, strict=True) if o == label] for label in labels]
    oracles = {"mean": statistics.fmean, "median": statistics.median, "low": statistics.median_low}
    for middle, oracle in oracles.items():
        found = centres(np.array(values), np.array(labels), middle=middle)  # type: ignore[arg-type]
        assert found.tolist() == pytest.approx([oracle(group) for group in members], abs=1e-12)


def test_centre_of_equal_values_is_that_value() -> None:
    labels = np.zeros(3, dtype=np.int32)
    assert centres(np.full(3, 0.1), labels, middle="mean").tolist() == [0.1] * 3


def test_standard_scores() -> None:
    values = np.array([[1.0, 7.0, NAN, 1e300], [2.0, 7.0, NAN, -1e300], [6.0, 7.0, NAN, NAN]])
    scores = standard_scores(values)
    assert scores[:, 0].mean() == pytest.approx(0)
    assert scores[:, 0].std() == pytest.approx(1)
    assert scores[:, 1].tolist() == [0, 0, 0]
    assert np.isnan(scores[:, 2]).all()
    assert scores[:2, 3].tolist() == [1, -1]
    assert standard_scores(np.array([[3.0, 7.0]]), values[:, :2])[0, 0] == pytest.approx(0)


@given(gappy())
def test_smallest_class(values: NDArray[np.float64]) -> None:
    texts = Counter(map(repr, values.tolist()))
    assert smallest_class(list(values.T)) == (min(texts.values()), len(texts))
