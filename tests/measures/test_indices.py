"""Indices of property vectors."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.measures import mean, spread, worst

vectors = st.integers(1, 20).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 50), min_size=n, max_size=n)] * 2)
)


@given(vectors)
def test_the_sum_orders_as_the_binary_spread_index_does(pair) -> None:
    """The observation of section 4.1: I(a, b) > I(b, a) if and only if Σ a > Σ b."""
    first, second = (np.array(vector, dtype=np.float64) for vector in pair)
    each = np.ones(len(first), dtype=np.int64)
    excess, lack = (np.maximum(difference, 0.0).sum() for difference in (first - second, second - first))
    assert (excess > lack) == (spread(first, each) > spread(second, each))


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=10))
def test_indices_are_those_of_the_vector_written_out(classes) -> None:
    """A class of n rows stands for n equal entries."""
    values, rows = (np.array(column, dtype=np.float64) for column in zip(*classes, strict=True))
    written = [value for value, count in classes for _ in range(count)]
    assert worst(values, rows) == min(written)
    assert spread(values, rows) == sum(written)
    assert abs(mean(values, rows) - sum(written) / len(written)) < 1e-9
