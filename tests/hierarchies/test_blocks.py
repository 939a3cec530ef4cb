"""Partitions written with values and read back."""

from __future__ import annotations

import datetime as dt
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.domains import Partition
from sfumato.errors import DataError
from sfumato.hierarchies import Hierarchy, plain_values, read_blocks, write_blocks
from sfumato.hierarchies.builders import of_values, sorted_values

DOMAINS = st.one_of(
    st.tuples(st.just("number"), st.lists(st.integers(-99, 99), min_size=1, max_size=9, unique=True)),
    st.tuples(
        st.just("number"),
        st.lists(
            st.floats(-9, 9, allow_nan=False).map(lambda x: x + 0.0), min_size=1, max_size=9, unique=True
        ),
    ),
    st.tuples(st.just("category"), st.lists(st.text(max_size=4), min_size=1, max_size=9, unique=True)),
    st.tuples(st.just("date"), st.lists(st.dates(), min_size=1, max_size=9, unique=True)),
    st.tuples(st.just("date"), st.lists(st.datetimes(), min_size=1, max_size=9, unique=True)),
)


def make(kind: str, values: list[object], *, missing: bool) -> Hierarchy:
    return of_values("a", sorted_values(values, kind), kind, has_missing=missing)  # type: ignore[arg-type]


@given(DOMAINS, st.booleans(), st.lists(st.integers(0, 4), min_size=10, max_size=10), st.booleans())
def test_what_is_written_reads_back(
    domain: tuple[str, list[object]], missing: bool, numbers: list[int], ranges: bool
) -> None:
    values = plain_values(make(*domain, missing=missing))
    blocks = np.sort(numbers[: len(values)]) if ranges else np.array(numbers[: len(values)])
    partition = Partition.of(blocks)
    entry = json.loads(json.dumps(write_blocks(values, partition.block, ranges=ranges)))
    assert len(entry) == partition.count
    assert read_blocks(values, entry, ranges=ranges) == partition


def test_forms() -> None:
    dates = plain_values(make("date", [dt.date(2001, 2, 3), dt.date(2001, 2, 4)], missing=True))
    assert write_blocks(dates, Partition.of([0, 0, 1]).block, ranges=True) == [
        ["2001-02-03", "2001-02-04"],
        [None, None],
    ]
    assert write_blocks(dates, Partition.of([0, 1, 0]).block, ranges=False) == [
        ["2001-02-03", None],
        ["2001-02-04"],
    ]
    assert read_blocks([17, 18], [[17.0], [18]], ranges=False) == Partition.of([0, 1])


@pytest.mark.parametrize(
    ("entry", "ranges", "message"),
    [
        (3, False, "a list of blocks is expected"),
        ([1, 2], False, "a list of blocks is expected"),
        ([[1, 2], []], False, "a list of blocks is expected"),
        ([[1, True], [2, 3]], False, "a list of blocks is expected"),
        ([[1, 2], [3, 9]], False, "1 of the values in its blocks are not in the domain"),
        ([[1, 2], [2, 3]], False, "overlap"),
        ([[1, 2]], False, "1 of the 3 values are missing"),
        ([[1, 2, 3]], True, "first and its last"),
        ([[2, 1], [3, 3]], True, "first and its last"),
        ([[1, 2], [2, 3]], True, "overlap"),
        ([[1, 1], [3, 3]], True, "1 of the 3 values are missing"),
    ],
)
def test_what_is_no_partition(entry: object, ranges: bool, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read_blocks([1, 2, 3], entry, ranges=ranges)
    assert "9" not in str(caught.value)
