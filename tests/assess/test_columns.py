"""The analyses of microaggregated columns."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.assess.analysing import NumberPairs, analyse_columns, count_ranges, draw_ranges
from sfumato.errors import DataError
from tests.examples import examples


def made(rows: int = 300, *, cluster: int = 1, missing: float = 0.0) -> NumberPairs:
    """Return columns of which the last follows the others, and means of runs of the first."""
    rng = np.random.default_rng(3)
    before = rng.normal(size=(rows, 3)) * [1, 10, 1] + [0, 50, 0]
    before[:, 2] += before[:, 0] + before[:, 1] / 10
    before = before[np.argsort(before[:, 0])]
    labels = np.arange(rows) // cluster
    after = np.column_stack(
        [(np.bincount(labels, column) / np.bincount(labels))[labels] for column in before.T]
    )
    if cluster == 1:
        after = before.copy()
    blank = rng.random(before.shape) < missing
    before[blank], after[blank] = np.nan, np.nan
    return NumberPairs(("x", "y", "z"), ("number",) * 3, before, after)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_columns_that_stay_lose_nothing(missing: float) -> None:
    found = analyse_columns(made(missing=missing))
    assert found.distance == found.association_change == 0
    assert found.queries is not None
    assert found.queries.error.p90 == 0
    assert found.model is not None
    assert found.model.release == found.model.original
    assert found.model.target == "z"
    assert found.model.original["r2"] > 0.2
    assert found.suppressed == 0
    json.dumps(found.to_dict(), allow_nan=False)


def test_larger_clusters_lose_more() -> None:
    found = [analyse_columns(made(cluster=cluster)) for cluster in (1, 5, 60)]
    errors = [item.queries.error.mean for item in found if item.queries is not None]
    assert errors == sorted(errors)
    scores = [item.model.release["r2"] for item in found if item.model is not None]
    assert scores == sorted(scores, reverse=True)
    distances = [item.distance for item in found]
    assert distances == sorted(distances)
    for item in found:
        for attribute in item.attributes:
            assert attribute.mean_after == pytest.approx(attribute.mean)
            assert attribute.deviation_after is not None
            assert attribute.deviation is not None
            assert attribute.deviation_after <= attribute.deviation + 1e-12


@given(
    st.lists(st.lists(st.sampled_from([None, 1, 2, 5, 9]), min_size=2, max_size=2), min_size=1, max_size=20),
    st.integers(0, 50),
)
def test_ranges_hold_a_row_and_are_counted_one_by_one(rows: list[list[int | None]], seed: int) -> None:
    before = np.array(rows, dtype=np.float64)
    columns = NumberPairs(("x", "y"), ("number",) * 2, before, before)
    for ranges in draw_ranges(columns, np.random.default_rng(seed), 5):
        fits = [
            all(
                math.isnan(low) if row[number] is None else low <= row[number] <= high
                for number, (low, high) in ranges.items()
            )
            for row in rows
        ]
        assert count_ranges(before, ranges) == sum(fits) >= 1


@examples(30)
@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=30))
def test_distances_and_correlations_are_those_of_the_definition(rows: list[tuple[int, int]]) -> None:
    before = np.array(rows, dtype=np.float64)
    after = np.roll(before, 1, axis=0) + np.array([0.0, 1.0])
    found = analyse_columns(NumberPairs(("x", "y"), ("number",) * 2, before, after))
    # Rows in another order have the same distribution.
    assert found.attributes[0].distance == 0
    starts = sorted({sorted(row[1] for row in rows)[place * len(rows) // 20] for place in range(20)})
    counts = []
    for values in ([row[1] for row in rows], [row[1] + 1 for row in rows]):
        bins = [max((place for place, start in enumerate(starts) if start <= v), default=0) for v in values]
        counts.append([bins.count(place) / len(rows) for place in range(len(starts))])
    assert found.attributes[1].distance == pytest.approx(
        sum(abs(a - b) for a, b in zip(*counts, strict=True)) / 2
    )
    if (before.std(axis=0) > 0).all():
        expected = np.corrcoef(before.T)[0, 1]
        assert found.associations[0].before == pytest.approx(expected, abs=1e-9)
        assert found.associations[0].after == pytest.approx(expected, abs=1e-9)


def test_constant_columns_and_a_lone_column() -> None:
    constant = np.full((5, 2), 0.1)
    found = analyse_columns(NumberPairs(("x", "y"), ("number",) * 2, constant, constant))
    assert found.associations[0].before == 0
    lone = analyse_columns(NumberPairs(("x",), ("number",), constant[:, :1], constant[:, :1]))
    assert lone.model is None
    assert lone.associations == ()


def test_a_sample_and_its_size_are_told() -> None:
    found = analyse_columns(made(), limit=100)
    assert (found.rows, found.used) == (300, 100)
    assert found.model is not None
    assert found.model.target == "z"


def test_wrong_use() -> None:
    columns = made(10)
    with pytest.raises(DataError, match="same rows"):
        analyse_columns(NumberPairs(columns.names, columns.kinds, columns.before, columns.after[1:]))
