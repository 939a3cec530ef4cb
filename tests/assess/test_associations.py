"""Cramér's V beside its definition and beside another library."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats.contingency import association

from sfumato.assess.distributions import compare_associations, cramers_v
from tests.assess.cases import coded, dependent, tables
from tests.oracles import utility as oracle

if TYPE_CHECKING:
    from sfumato.assess.recoded import Recoded


@given(tables(most_attributes=4))
def test_associations_are_those_of_the_definition(case: tuple[oracle.Rows, Recoded]) -> None:
    rows, table = case
    found = compare_associations(table)
    pairs = [*itertools.combinations(range(len(table.attributes)), 2)]
    assert len(found) == len(pairs)
    for item, (a, b) in zip(found, pairs, strict=True):
        told = oracle.shown_blocks(rows, a), oracle.shown_blocks(rows, b)
        assert (item.first, item.second) == (f"a{a}", f"a{b}")
        assert item.before == pytest.approx(oracle.cramers_v(oracle.pairs(rows, a, b)), abs=1e-6)
        after = oracle.cramers_v(oracle.released_pairs(rows, a, b), told)
        assert item.after == pytest.approx(after, abs=1e-6)
        assert item.change == pytest.approx(abs(item.before - item.after))


@given(
    st.integers(2, 5).flatmap(
        lambda width: st.lists(
            st.lists(st.integers(1, 30), min_size=width, max_size=width), min_size=2, max_size=5
        )
    )
)
def test_without_the_correction_it_is_what_scipy_finds(counts: list[list[int]]) -> None:
    table = np.array(counts)
    n, r, c = table.sum(), *table.shape
    plain = association(table, method="cramer") ** 2 * (min(r, c) - 1)
    corrected = max(0.0, plain - (r - 1) * (c - 1) / (n - 1))
    room = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1
    expected = math.sqrt(corrected / room)
    assert cramers_v(table.astype(np.float64)) == pytest.approx(expected, abs=1e-6)


def test_coarser_blocks_tell_less_and_one_block_tells_nothing() -> None:
    finest, keep = range(8), [range(3), range(4)]
    changes = []
    for first in (finest, [code // 3 for code in finest], [code // 4 for code in finest], [0] * 8):
        found = compare_associations(dependent(500, [first, *keep]))
        changes.append(found[1])
    afters = [item.after for item in changes]
    assert afters[0] == changes[0].before > 0.5
    assert afters == sorted(afters, reverse=True)
    assert afters[-1] == 0


def test_large_domains_are_pooled_alike_before_and_after() -> None:
    size = 3000
    cells = [((code, code // 1500), 1, True) for code in range(size)]
    for kind in ("number", "category"):
        table = coded([size, 2], [range(size), range(2)], cells, kinds=[kind, "category"])
        found = compare_associations(table)[0]
        assert found.before == found.after
        # Which of many rare values a row has tells nothing, once they are pooled; which run of an order does.
        assert found.before == pytest.approx(1.0 if kind == "number" else 0.0, abs=0.02)
