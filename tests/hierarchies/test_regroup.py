"""The blocks of a recipe on new data."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.domains import Partition
from sfumato.errors import HierarchyError
from sfumato.hierarchies import RecordedBlocks, encode, fill_values, regroup
from sfumato.schemes import partition_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.hierarchies import Value


def labels_of(recorded: RecordedBlocks, values: Sequence[Value], *, unknown: str = "*") -> list[str | None]:
    """Return the label of each value; every one of them is asked at once."""
    hierarchy = regroup("a", recorded, values, has_missing=False, unknown=unknown)  # type: ignore[arg-type]
    codes = encode(hierarchy, values)
    return [hierarchy.labels[1][block] for block in hierarchy.levels[1][codes].tolist()]


def test_numbers_reach_up_to_the_next_block() -> None:
    recorded = RecordedBlocks("number", [[17, 20], [30, 44]], ["17-29", "30-44"], reach=True)
    assert labels_of(recorded, [16, 17, 19, 25, 29.5, 30, 44, 45]) == [
        "*",
        *["17-29"] * 4,
        *["30-44"] * 2,
        "*",
    ]


def test_a_block_before_a_hidden_one_ends_with_itself() -> None:
    recorded = RecordedBlocks(
        "number", [[17, 20], [], [40, 44], [None, None]], ["17-20", None, "40-44", None], reach=True
    )
    assert labels_of(recorded, [20, 21, 39, 40]) == ["17-20", "*", "*", "40-44"]


def test_dates_reach_too() -> None:
    recorded = RecordedBlocks(
        "date", [["2001-01-03", "2001-01-05"], ["2002-01-01", "2002-01-01"]], ["one", "two"], reach=True
    )
    days = [dt.date(2001, 1, 2), dt.date(2001, 12, 31), dt.date(2002, 1, 1), dt.date(2002, 1, 2)]
    assert labels_of(recorded, days) == ["*", "one", "two", "*"]


def test_granules_reach_by_their_starts() -> None:
    recorded = RecordedBlocks(
        "number", [[160, 165], [180, 180]], ["160-179", "180-184"], reach=True, definition={"granularity": 5}
    )
    assert labels_of(recorded, [159, 160, 174, 184, 185]) == ["*", "160-179", "160-179", "180-184", "*"]


def test_integers_with_intervals_keep_their_domain() -> None:
    rule = {"intervals": [10], "integer": True}
    recorded = RecordedBlocks("number", [[17, 29], [30, 44]], ["17-29", "30-44"], True, rule)
    assert regroup("a", recorded, [20], has_missing=False).size == 28


def test_lists_know_what_they_list() -> None:
    recorded = RecordedBlocks("category", [["a", "c"], ["b"]], ["{a, c}", "b"])
    assert labels_of(recorded, ["a", "b", "c", "d"]) == ["{a, c}", "b", "{a, c}", "*"]
    with pytest.raises(HierarchyError, match="1 of 2 distinct values have no place") as caught:
        labels_of(recorded, ["a", "d"], unknown="error")
    assert caught.value.values == ()


def test_a_block_that_is_a_node_of_a_rule_takes_what_is_below_it() -> None:
    masked = RecordedBlocks(
        "category",
        [["24126", "24127"], ["24130"], ["25000", "26000"]],
        ["2412*", "24130", "{25000, 26000}"],
        definition={"mask": 5},
    )
    assert labels_of(masked, ["24128", "24130", "24131", "25001", "2"]) == ["2412*", "24130", "*", "*", "*"]
    months = RecordedBlocks(
        "date",
        [["2001-01-03", "2001-01-05"], ["2002-01-01"]],
        ["2001-01", "2002-01-01"],
        definition={"dates": ["month", "year"]},
    )
    days = [dt.date(2001, 1, 30), dt.date(2001, 2, 1), dt.date(2002, 1, 2)]
    assert labels_of(months, days) == ["2001-01", "*", "*"]


def test_missing_stays_missing_even_if_it_is_new() -> None:
    recorded = RecordedBlocks("category", [["a", "b"]], ["{a, b}"])
    hierarchy = regroup("a", recorded, ["a"], has_missing=True)
    assert hierarchy.labels[1] == ("{a, b}", None)
    assert hierarchy.has_missing


def test_values_between_are_kept_where_all_are() -> None:
    assert fill_values({"values": [17, 30]}, "number", [16, 20, 30.0, 31])["values"] == [17, 20, 30]
    dates = fill_values(
        {"values": ["2001-01-03", "2002-01-01"]}, "date", [dt.date(2001, 5, 5), dt.date(2003, 1, 1)]
    )
    assert dates["values"] == ["2001-01-03", "2001-05-05", "2002-01-01"]


@given(
    st.lists(st.integers(-30, 30), min_size=2, max_size=8, unique=True).map(sorted),
    st.lists(st.integers(0, 3), min_size=8, max_size=8).map(sorted),
    st.lists(st.integers(-40, 40), min_size=1, max_size=20, unique=True),
    st.sampled_from([1, 4]),
)
def test_labels_are_true_of_what_is_put_under_them(
    values: list[int], numbers: list[int], new: list[int], parts: int
) -> None:
    """The range that a label states holds every number that gets the label, and no other number."""
    scaled: list[float] = [value if parts == 1 else value / parts for value in values]
    asked: list[float] = [value if parts == 1 else value / parts for value in new]
    if parts > 1:
        scaled = [value + 0.125 for value in scaled]  # so that none is whole
    partition = Partition.of(numbers[: len(values)])
    texts = [str(value) for value in scaled]
    labels = partition_labels(partition, texts, ordered=True, kind="number", reach=True)
    if partition.count == 1:
        return
    members = [
        [v for v, b in zip(scaled, partition.block, strict=True) if b == n] for n in range(partition.count)
    ]
    recorded = RecordedBlocks("number", [[m[0], m[-1]] for m in members], labels, reach=True)
    for value, found in zip(asked, labels_of(recorded, asked), strict=True):
        is_inside = scaled[0] <= value <= scaled[-1]
        assert (found != "*") == is_inside
        if is_inside:
            assert found is not None
            assert [text for text in labels if _holds(text, value)] == [found]


def _holds(label: str | None, value: float) -> bool:
    """Read a label as a person would."""
    assert label is not None
    if label.startswith("["):
        low, high = label[1:-1].split(", ")
        return float(low) <= value < float(high) or (label.endswith("]") and value == float(high))
    low, dash, high = (
        label[:1] + label[1:].partition("-")[0],
        label[1:].partition("-")[1],
        label[1:].partition("-")[2],
    )
    return float(low) <= value <= (float(high) if dash else float(low))
