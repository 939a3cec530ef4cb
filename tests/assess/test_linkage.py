"""Linkage attacks against brute force: who fits, who is nearest, and how sure the rate is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.assess.linkage import (
    draw_subsets,
    knowledge_levels,
    link_classes,
    link_nearest,
    own_chances,
    wilson,
)
from tests.assess.tables import Drawn, cells_of, tables
from tests.examples import examples
from tests.oracles import risk as oracle


@given(st.integers(1, 400), st.data())
def test_wilson_solves_its_equation(attempts: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, attempts))
    low, high = wilson(successes, attempts)
    assert (low, high) == pytest.approx(oracle.wilson(successes, attempts), abs=1e-9)
    assert 0 <= low <= successes / attempts <= high <= 1


@examples(60)
@given(tables(), st.data())
def test_the_expected_rate_is_that_of_trying_all_candidates(table: Drawn, data: st.DataObject) -> None:
    cells = cells_of(table)
    # A class is released as a whole or not at all.
    kept = {row: data.draw(st.booleans()) for row in sorted(set(table.rows))}  # type: ignore[type-var]
    flags = np.array(
        [kept[tuple(int(cells.codes[name][cell]) for name in table.names)] for cell in range(len(cells.rows))]
    )
    found = link_classes(cells, table.names, flags, seed=3)
    released = [kept[row] for row in table.rows]
    random = np.random.default_rng(3)
    everything = [range(len(table.names))]
    assert found[0].expected == pytest.approx(
        float(oracle.linkage(table.rows, released, everything, table.persons)), abs=1e-12
    )
    assert [item.known for item in found] == knowledge_levels(len(table.names))
    for item in found:
        assert item.attempts == len(table.rows)
        assert item.absent == released.count(False)
        every = math.comb(item.of, item.known)
        if item.subsets == every:
            subsets = draw_subsets(range(item.of), item.known, every, random)  # type: ignore[arg-type]
            assert item.expected == pytest.approx(
                float(oracle.linkage(table.rows, released, subsets, table.persons)),
                abs=1e-12,  # type: ignore[arg-type]
            )


def test_uniques_are_found_for_certain_and_the_rest_by_luck() -> None:
    rows: list[tuple[object, ...]] = [(0,)] * 500 + [(1,)] * 500 + [(2,), (3,)]
    table = Drawn(rows, [None] * len(rows), None)
    cells = cells_of(table)
    found = link_classes(cells, ["q0"], np.ones(len(cells.rows), dtype=bool))[0]
    assert found.expected == pytest.approx(4 / 1002)
    assert found.successes >= 2
    assert found.low <= found.expected <= found.high


def test_the_same_seed_finds_the_same_people() -> None:
    random = np.random.default_rng(5)
    rows = [tuple(row) for row in random.integers(0, 4, size=(300, 4)).tolist()]
    cells = cells_of(Drawn(rows, [None] * 300, None))
    everyone = np.ones(len(cells.rows), dtype=bool)
    names = ("q0", "q1", "q2", "q3")
    once = link_classes(cells, names, everyone, seed=9)
    assert once == link_classes(cells, names, everyone, seed=9)
    assert once != link_classes(cells, names, everyone, seed=10)
    for item in once:
        assert item.rate == item.successes / item.attempts
        # Four standard deviations, so that it does not fail by chance.
        assert abs(item.rate - item.expected) < 4 * math.sqrt(item.expected / item.attempts)


@examples(40)
@given(st.integers(2, 25), st.integers(1, 3), st.integers(0, 10_000))
def test_the_nearest_record_is_that_of_comparing_all(rows: int, width: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    original = random.integers(0, 5, size=(rows, width)).astype(np.float64)
    protected = random.integers(0, 9, size=(rows, width)) / 2
    found = own_chances(original, protected, np.arange(rows))
    assert found == pytest.approx(
        [float(chance) for chance in oracle.nearest(original.tolist(), protected.tolist())]
    )


def test_a_table_left_as_it_is_gives_everyone_away() -> None:
    values = np.random.default_rng(1).normal(size=(200, 5))
    found = link_nearest(values, values, tuple("abcde"))
    assert [item.known for item in found] == [5, 3]
    for item in found:
        assert (item.rate, item.expected, item.successes, item.absent) == (1.0, 1.0, 200, 0)


def test_who_lacks_a_value_is_not_found() -> None:
    values = np.random.default_rng(1).normal(size=(50, 2))
    hidden = values.copy()
    hidden[:10, 0] = np.nan
    found = link_nearest(values, hidden, ("a", "b"))[0]
    assert (found.absent, found.successes, found.expected) == (10, 40, 0.8)
