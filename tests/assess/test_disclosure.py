"""Homogeneity, skewness and similarity against their plain definitions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.assess.reidentification import Assumptions, attribute_disclosure
from tests.assess.tables import Drawn, cells_of, tables
from tests.oracles import risk as oracle

POSITIONS = np.append(np.arange(32.0), np.nan)
KNOWN = np.arange(33) < 32
BRANCHES = np.array([code // 30 for code in range(32)] + [2], dtype=np.int64)


@given(tables(), st.sampled_from(["0", "0.2", "0.25", "0.5"]), st.sampled_from([(), (1,), (0, 31)]))
def test_all_three_attacks(table: Drawn, limit: str, unknown: tuple[int, ...]) -> None:
    cells, threshold = cells_of(table), float(limit)
    known = ~np.isin(np.arange(33), [*unknown, 32])
    assumed = Assumptions(threshold, positions={"secret": POSITIONS}, known={"secret": known})
    found = attribute_disclosure(cells, cells.classes(table.names), "secret", assumed)
    expected = oracle.disclosure(table.rows, table.secret, Fraction(limit), Fraction(1, 10), unknown)
    assert (found.homogeneous_rows, found.homogeneous_classes) == expected[:2]
    assert found.skewed_rows == expected[2]
    assert found.largest_distance == pytest.approx(float(expected[3]), abs=1e-12)
    assert found.mean_gain == pytest.approx(float(expected[4]), abs=1e-12)
    assert found.similar_rows == expected[5]
    assert found.rows == len(table.rows)


def test_blank_rows_neither_learn_nor_protect() -> None:
    """Five with HIV and five blanks: the five are known; ten blanks: nobody is."""
    table = Drawn([(0,)] * 10 + [(1,)] * 10, [0] * 5 + [None] * 15, None)
    cells = cells_of(table)
    assumed = Assumptions(0.2, known={"secret": KNOWN})
    found = attribute_disclosure(cells, cells.classes(["q0"]), "secret", assumed)
    assert (found.homogeneous_rows, found.homogeneous_classes, found.skewed_rows) == (5, 1, 5)


def test_a_class_may_be_compared_with_another_table() -> None:
    table = Drawn([(0,), (0,)], [0, 1], None)
    cells = cells_of(table)
    overall = np.zeros(33, dtype=np.int64)
    overall[[0, 1, 2]] = [1, 1, 2]
    assumed = Assumptions(0.2, overall={"secret": overall})
    found = attribute_disclosure(cells, cells.classes(["q0"]), "secret", assumed)
    assert (found.largest_distance, found.mean_gain, found.skewed_rows) == (0.5, 0.25, 2)
    assert found.similar_rows is None
    assert found.similarity is None


@given(tables())
def test_values_of_one_branch_are_similar(table: Drawn) -> None:
    """0 to 2 stand under one node, 30 and 31 under another, and missing directly under the root."""
    cells = cells_of(table)
    lines = {"positions": {"secret": POSITIONS}, "branches": {"secret": BRANCHES}}
    assumed = Assumptions(0.2, known={"secret": KNOWN}, **lines)
    found = attribute_disclosure(cells, cells.classes(table.names), "secret", assumed)
    under: dict[object, object] = {0: "low", 1: "low", 2: "low", 30: "high", 31: "high", None: None}
    assert found.similar_rows == oracle.similar_by_branch(table.rows, table.secret, under)
    assert found.similarity == "hierarchy"
    assert found.similar_rows >= found.homogeneous_rows
