"""Indices of property vectors."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.measures import mean, spread, worst


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=10))
def test_indices_are_those_of_the_vector_written_out(classes) -> None:
    """A class of n rows stands for n equal entries."""
    values, rows = (np.array(column, dtype=np.float64) for column in zip(*classes, strict=True))
    written = [value for value, count in classes for _ in range(count)]
    assert worst(values, rows) == min(written)
    assert spread(values, rows) == sum(written)
    assert abs(mean(values, rows) - sum(written) / len(written)) < 1e-9
