"""The suppression rules on class sizes that can be counted by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.oracles import suppression

if TYPE_CHECKING:
    from tests.oracles.classes import Members


def classes_of(*sizes: int) -> list[Members]:
    """Make classes of the given sizes from consecutive row numbers."""
    classes, start = [], 0
    for size in sizes:
        classes.append(list(range(start, start + size)))
        start += size
    return classes


def sizes_of(classes: list[Members] | None) -> list[int] | None:
    """Return the sizes of what remains."""
    return None if classes is None else [len(members) for members in classes]


@pytest.mark.parametrize(
    ("limit", "rows", "allowed"),
    [
        (0.01, 30162, 301),  # 301.62
        (0.1, 30162, 3016),
        (0.29, 100, 29),  # the float product is 28.999999999999996
        ("0.29", 100, 29),
        (0.57, 100, 57),  # the float product is 56.99999999999999
        (0, 10, 0),
        (1.0, 10, 10),
        (1e-05, 300_000, 3),
    ],
)
def test_budget_is_the_floor_of_the_decimal_product(limit: float | str, rows: int, allowed: int) -> None:
    assert suppression.budget(limit, rows) == allowed


@pytest.mark.parametrize(
    ("allowed", "left"),
    [
        (0, [1, 3, 1, 2, 3]),
        (1, [1, 3, 1, 2, 3]),  # both classes of size 1 or none
        (2, [3, 2, 3]),
        (3, [3, 2, 3]),  # 2 + 2 = 4 does not fit
        (4, [3, 3]),
        (10, [3, 3]),  # the largest size stays
    ],
)
def test_smallest_takes_whole_sizes(allowed: int, left: list[int]) -> None:
    assert sizes_of(suppression.smallest(classes_of(1, 3, 1, 2, 3), allowed)) == left


def test_smallest_stops_at_the_first_size_that_does_not_fit() -> None:
    # Of 6 rows size 1 takes 1; size 2 would take 6 of the 5 left; size 5 would fit but comes later.
    assert sizes_of(suppression.smallest(classes_of(1, 2, 2, 2, 5, 9), 6)) == [2, 2, 2, 5, 9]


def test_smallest_counts_sizes_in_persons_and_the_budget_in_rows() -> None:
    classes = classes_of(3, 2, 1)  # rows 0-2, 3-4, 5
    persons = ["x", "x", "x", "y", "z", "w"]  # sizes 1, 2, 1: size 1 has 3 + 1 rows
    assert suppression.smallest(classes, 3, persons) == classes
    assert suppression.smallest(classes, 4, persons) == [[3, 4]]


def test_smallest_of_nothing_is_nothing() -> None:
    assert suppression.smallest([], 5) == []


def test_failing_takes_every_failing_class_or_is_infeasible() -> None:
    def meets(members: Members) -> bool:
        return len(members) >= 3

    classes = classes_of(1, 3, 1, 2, 3)
    assert sizes_of(suppression.suppress("failing", classes, meets, 4)) == [3, 3]
    assert suppression.suppress("failing", classes, meets, 3) is None


def test_failing_then_smallest_spends_what_is_left() -> None:
    def meets(members: Members) -> bool:
        return len(members) != 2  # any requirement that is not about size

    classes = classes_of(1, 2, 4, 5)
    # Size 2 fails and takes 2 of the budget; with 2 + 1 also size 1; with 2 + 1 + 4 also size 4.
    for allowed, left in [(1, None), (2, [1, 4, 5]), (3, [4, 5]), (6, [4, 5]), (7, [5]), (12, [5])]:
        assert sizes_of(suppression.suppress("failing then smallest", classes, meets, allowed)) == left


def test_below_mean_has_no_budget() -> None:
    # mean_k = (1 + 4 + 9 + 16) / 10 = 3: sizes 1 and 2 go, 3 is not smaller.
    kept = suppression.suppress("below-mean", classes_of(1, 2, 3, 4), lambda _: True, 0)
    assert sizes_of(kept) == [3, 4]


def test_below_mean_with_persons() -> None:
    # Persons 1 in 3 rows, 2 in 2 rows: mean (3·1 + 2·2) / 5 = 7/5, so the larger class by rows goes.
    kept = suppression.suppress("below-mean", classes_of(3, 2), lambda _: True, 0, ["x", "x", "x", "y", "z"])
    assert kept == [[3, 4]]


def test_none_keeps_all_and_is_infeasible_where_a_class_fails() -> None:
    classes = classes_of(1, 3)
    assert suppression.suppress("none", classes, lambda _: True, 4) == classes
    assert suppression.suppress("none", classes, lambda members: len(members) >= 2, 4) is None


def test_what_remains_must_meet_the_requirements_under_every_rule() -> None:
    classes = classes_of(1, 2, 5)
    assert suppression.suppress("smallest", classes, lambda members: len(members) >= 5, 1) is None
    assert sizes_of(suppression.suppress("smallest", classes, lambda members: len(members) >= 5, 3)) == [5]


def test_infeasible_where_no_row_remains() -> None:
    assert suppression.suppress("failing", classes_of(1, 2), lambda _: False, 3) is None
    assert suppression.suppress("failing then smallest", classes_of(1, 2), lambda _: False, 3) is None
    for rule in suppression.RULES:
        assert suppression.suppress(rule, [], lambda _: True, 0) is None


def test_unknown_rule() -> None:
    with pytest.raises(ValueError, match="unknown rule"):
        suppression.suppress("auto", classes_of(1), lambda _: True, 0)


@pytest.mark.parametrize(
    ("requirement", "objective", "means"),
    [
        (False, False, "smallest"),
        (False, True, "smallest"),
        (True, False, "failing"),
        (True, True, "failing then smallest"),
    ],
)
def test_what_auto_means(requirement: bool, objective: bool, means: str) -> None:
    flags = {"class_requirement": requirement, "class_size_objective": objective}
    assert suppression.resolve("auto", **flags) == means
    assert suppression.resolve("below-mean", **flags) == "below-mean"
