"""What the strategies promise of the tables they draw."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.oracles.lattice import AT_MOST, Problem, parse
from tests.strategies import (
    MAX_ATTRIBUTES,
    MAX_DOMAIN,
    MAX_LEVELS,
    MAX_ROWS,
    Case,
    cases,
    ladders,
    off_grid,
    problems,
    tables,
)

if TYPE_CHECKING:
    from tests.oracles.classes import Ladder, Table


@examples(100)
@given(case=cases())
def test_ladders_nest_from_identity_to_one_block(case: Case) -> None:
    for ladder, matrix in zip(case.table.ladders, case.matrices, strict=True):
        assert matrix.shape == (len(ladder.levels), len(ladder.values))
        assert 1 <= matrix.shape[0] <= MAX_LEVELS
        assert 1 <= matrix.shape[1] <= MAX_DOMAIN
        assert matrix[0].tolist() == list(range(len(ladder.values)))
        assert not matrix[-1].any()
        for below, above in pairwise(matrix):
            assert len({*zip(below.tolist(), above.tolist(), strict=True)}) == below.max() + 1
        for row in matrix:
            first = [row.tolist().index(block) for block in range(row.max() + 1)]
            assert first == sorted(first)


@examples(100)
@given(case=cases())
def test_codes_and_texts_are_the_same_table(case: Case) -> None:
    table = case.table
    assert 1 <= len(table.rows) <= MAX_ROWS
    assert 1 <= len(table.ladders) <= MAX_ATTRIBUTES
    for row, codes in zip(table.rows, case.codes, strict=True):
        assert row == tuple(a.values[c] for a, c in zip(table.ladders, codes, strict=True))
    for place, (name, column) in enumerate(table.sensitive.items()):
        values = case.sensitive_values[name]
        assert column == [values[code] for code in case.sensitive_codes[:, place]]
    assert (table.persons is None) == (case.person_codes is None)
    if table.persons is not None:
        assert case.person_codes is not None
        assert len(set(table.persons)) == len(np.unique(case.person_codes)) == case.person_codes.max() + 1


@examples(100)
@given(case=cases())
def test_missing_is_last_by_itself_below_the_root_and_occurs(case: Case) -> None:
    for place, ladder in enumerate(case.table.ladders):
        if None not in ladder.values:
            continue
        assert ladder.values.index(None) == len(ladder.values) - 1
        assert None in [row[place] for row in case.table.rows]
        for level in ladder.levels[:-1]:
            assert [value for value, label in level.items() if label == level[None]] == [None]
        assert ladder.levels[-1][None] == "*"


@examples(50)
@given(table=tables(max_rows=5, max_attributes=2, max_domain=3, max_levels=3, missing=False, persons=False))
def test_tables_keep_the_sizes_asked_for(table: Table) -> None:
    assert len(table.rows) <= 5
    assert len(table.ladders) <= 2
    assert table.persons is None
    for ladder in table.ladders:
        assert len(ladder.values) <= 3
        assert len(ladder.levels) <= 3
        assert None not in ladder.values


@examples(50)
@given(ladder=ladders(contiguous=True))
def test_contiguous_blocks_never_come_back(ladder: Ladder) -> None:
    for level in ladder.levels:
        labels = [level[value] for value in ladder.values]
        changes = sum(a != b for a, b in pairwise(labels))
        assert changes == len(set(labels)) - 1


@examples(50)
@given(bound=off_grid(0, 8))
def test_off_grid_bounds_are_no_ratio_of_small_counts(bound: float) -> None:
    assert Fraction(str(bound)).denominator == 100_000


@examples(50)
@given(drawn=problems())
def test_objectives_have_their_own_direction(drawn: tuple[Case, Problem]) -> None:
    problem = drawn[1]
    assert problem.objectives
    assert all(parse(name)[0] not in AT_MOST for name in problem.maximize)
    assert all(parse(name)[0] in AT_MOST for name in problem.minimize)
    assert 0 <= float(problem.limit) <= 1


@examples(20)
@given(st.data())
def test_a_domain_of_one_value_may_have_one_level(data: st.DataObject) -> None:
    ladder = data.draw(ladders(max_domain=1))
    assert len(ladder.values) == 1
    assert 1 <= len(ladder.levels) <= MAX_LEVELS
