"""Partitions that a specification lists."""

from __future__ import annotations

import pytest

from sfumato.errors import HierarchyError
from sfumato.hierarchies import Hierarchy, listed_partitions
from sfumato.hierarchies.builders import Definition, build_dates, of_values
from sfumato.hierarchies.intervals import build_intervals
from sfumato.hierarchies.kinds import parse_values


def where(*inside: int) -> str:
    return f"s.toml:{inside}"


def blocks(hierarchy: Hierarchy, *listed: object) -> list[list[int]]:
    return [item.block.tolist() for item in listed_partitions(hierarchy, listed, where)]  # type: ignore[arg-type]


LETTERS = of_values("a", ["a", "b", "c"], "category", has_missing=True)


def test_finest_and_coarsest_are_added_and_missing_stays_apart() -> None:
    assert blocks(LETTERS, (("a", "c"), ("b",))) == [[0, 1, 2, 3], [0, 1, 0, 2], [0, 0, 0, 0]]
    assert blocks(LETTERS, (("a", "b", "c"),), (("a",), ("b",), ("c",))) == [[0, 1, 2, 3], [0, 0, 0, 0]]


def test_levels_by_number_and_dates_by_unit() -> None:
    dates = build_dates(
        "born",
        parse_values(["2001-01-03", "2001-02-07", "2002-02-09"], "date"),
        Definition(dates=["month", "year"]),
        has_missing=False,
    )
    expected = [[0, 1, 2], [0, 0, 1], [0, 0, 0]]
    assert blocks(dates, "year") == blocks(dates, 2) == expected
    assert blocks(dates, (("2001-01-03", "2001-02-07"), ("2002-02-09",))) == expected


def test_granules_are_known_by_their_starts() -> None:
    heights = build_intervals("h", [161, 164, 170], Definition(granularity=5), has_missing=False)
    assert blocks(heights, ((160, 170.0),)) == [[0, 1], [0, 0]]


@pytest.mark.parametrize(
    ("listed", "place", "message", "values"),
    [
        ([(("a", "b"), ("d",))], (0, 1, 0), "not among the 3 of the domain", ("d",)),
        ([1, (("a", "b"), ("c", "b"))], (1, 1, 1), "occurs twice", ("b",)),
        ([(("a",), ("c",))], (0,), "1 of the 3 values", ("b",)),
        ([2], (0,), "no level 2; the hierarchy has levels 0 to 1", ()),
        (["month"], (0,), "the hierarchy has none", ()),
    ],
)
def test_mistakes_have_a_place_and_show_values_apart(
    listed: list[object], place: tuple[int, ...], message: str, values: tuple[str, ...]
) -> None:
    with pytest.raises(HierarchyError, match=message) as caught:
        blocks(LETTERS, *listed)
    assert caught.value.where == f"s.toml:{place}"
    assert caught.value.values == values


def test_nearest_unit() -> None:
    dates = build_dates(
        "born", parse_values(["2001-01-03"], "date"), Definition(dates=["month"]), has_missing=False
    )
    with pytest.raises(HierarchyError, match="Did you mean 'month'"):
        blocks(dates, "months")
