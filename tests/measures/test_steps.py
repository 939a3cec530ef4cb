"""The step between two recodings: information for anonymity."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import ParameterError
from sfumato.measures import gain_per_loss
from tests.oracles.classes import group, recoding_at
from tests.oracles.lattice import Problem as Asked
from tests.oracles.measures import known
from tests.package import problem_of
from tests.strategies import Case, cases, levels_of, tables


def undetermined(classes: list[list[int]], values: list[str | None], unknown: frozenset[str | None]) -> float:
    """Return Σ n_c·H_c / n in bits, H_c being the entropy of the known values."""
    total = 0.0
    for members in classes:
        told = known(members, values, unknown)
        for count in Counter(told).values():
            total -= len(members) * count / len(told) * math.log2(count / len(told))
    return total / sum(map(len, classes))


@given(cases(tables(min_sensitive=1, persons=False)), st.data())
@settings(max_examples=60)
def test_a_step_equals_its_definition(case: Case, data: st.DataObject) -> None:
    """From any node to any node above it; the gain is never negative."""
    table = case.table
    low = data.draw(levels_of(table))
    high = tuple(data.draw(st.integers(level, a.height)) for level, a in zip(low, table.ladders, strict=True))
    batch = problem_of(case, Asked(table, maximize=("entropy_l(s1)",))).batch(threads=1)
    finer, coarser = (batch.classes(np.array(node, dtype=np.int64)) for node in (low, high))
    step = gain_per_loss(finer, coarser, 0)
    plain = [list(group(table.rows, recoding_at(table.ladders, node)).values()) for node in (low, high)]
    coarse, fine = (
        undetermined(item, table.sensitive["s1"], table.unknown["s1"]) for item in (plain[1], plain[0])
    )
    gain = max(coarse - fine, 0.0)
    loss = min(map(len, plain[1])) - min(map(len, plain[0]))
    assert step.gain == pytest.approx(gain, abs=1e-9)
    assert step.gain >= 0
    assert step.loss == loss >= 0
    assert step.ratio == pytest.approx(gain / loss if loss else gain, abs=1e-9)


@given(cases(tables(min_sensitive=1, max_rows=5)))
@settings(max_examples=5)
def test_the_entropy_must_have_been_collected(case: Case) -> None:
    """One clear message."""
    batch = problem_of(case, Asked(case.table, maximize=("k",))).batch(threads=1)
    classes = batch.classes(np.zeros(len(case.names), dtype=np.int64))
    with pytest.raises(ParameterError, match="the entropy of the attribute"):
        gain_per_loss(classes, classes, 0)
