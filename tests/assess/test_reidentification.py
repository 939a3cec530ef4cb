"""Prosecutor, journalist and marketer against their plain definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.assess.reidentification import (
    Assumptions,
    assess,
    class_sizes,
    expected_chance,
    marketer,
    of_chances,
)
from tests.assess.tables import Drawn, cells_of, tables
from tests.oracles import risk as oracle


@given(tables(), st.sampled_from([0.0, 0.1, 0.2, 0.34, 0.5]))
def test_prosecutor_and_marketer_are_those_of_the_definition(table: Drawn, threshold: float) -> None:
    sizes = oracle.class_sizes(table.rows, table.persons)
    found = assess(cells_of(table), table.names, (), Assumptions(threshold))
    highest, average, at_risk = oracle.prosecutor(sizes, threshold)
    assert found.prosecutor.highest == pytest.approx(float(highest), rel=1e-12)
    assert found.prosecutor.average == pytest.approx(float(average), rel=1e-12)
    assert found.prosecutor.records_at_risk == at_risk
    assert found.prosecutor.share_at_risk == at_risk / found.records
    assert found.marketer == pytest.approx(len(sizes) / sum(sizes.values()), rel=1e-12)
    assert found.records == sum(sizes.values())
    assert found.uniques.sample == sum(size == 1 for size in sizes.values())
    assert found.journalist is None


@given(tables(persons=False), tables(persons=False), st.sampled_from([0.1, 0.2, 0.5]))
def test_journalist_counts_in_the_population(table: Drawn, other: Drawn, threshold: float) -> None:
    width = min(len(table.names), len(other.names))
    rows, others = ([row[:width] for row in item.rows] for item in (table, other))
    sizes, population = oracle.class_sizes(rows), oracle.class_sizes(others)
    names = table.names[:width]
    found = assess(cells_of(table), names, (), Assumptions(threshold), population=cells_of(other))
    highest, average, at_risk, share = oracle.journalist(sizes, population, threshold)
    assert found.journalist is not None
    assert found.journalist.highest == pytest.approx(float(highest), rel=1e-12)
    assert found.journalist.average == pytest.approx(float(average), rel=1e-12)
    assert found.journalist.records_at_risk == at_risk
    assert found.marketer == pytest.approx(float(share), rel=1e-12)
    unique = sum(size == 1 and population.get(row, 0) <= 1 for row, size in sizes.items())
    assert found.uniques.in_population == unique


@given(tables())
def test_sizes_are_spread_over_bins(table: Drawn) -> None:
    sizes = sorted(oracle.class_sizes(table.rows, table.persons).values())
    found = class_sizes(np.array(sizes))
    assert (found.classes, found.smallest, found.largest) == (len(sizes), sizes[0], sizes[-1])
    assert found.mean == pytest.approx(sum(sizes) / len(sizes))
    for item in found.bins:
        inside = [size for size in sizes if item.smallest <= size <= (item.largest or 10**9)]
        assert (item.classes, item.records) == (len(inside), sum(inside))
    assert sum(item.records for item in found.bins) == sum(sizes)


@pytest.mark.parametrize("fraction", [0.01, 0.1, 0.5, 0.93])
@pytest.mark.parametrize("size", [1, 2, 7, 49, 50, 400])
def test_the_chance_by_a_fraction_is_the_sum_over_all_population_sizes(size: int, fraction: float) -> None:
    found = expected_chance(np.array([size]), fraction)[0]
    assert found == pytest.approx(oracle.expected_chance(size, fraction, terms=150_000), rel=1e-9)
    # By Jensen's inequality it is above that of the expected size; and no class is smaller than its sample.
    assert fraction / size < found < 1 / size


def test_a_fraction_of_one_is_the_table_itself() -> None:
    sizes = np.array([1, 3, 5000])
    assert expected_chance(sizes, 1.0) == pytest.approx(1 / sizes, rel=1e-15)
    found = of_chances(sizes, expected_chance(sizes, 1.0), 0.2, "fraction")
    assert found.average == pytest.approx(3 / 5004)
    assert marketer(sizes, 1 / sizes) == pytest.approx(3 / 5004)
