"""Local releases of two worlds that differ in hidden cells alone are the same to the byte."""

from __future__ import annotations

import pytest

from tests.worlds.local_worlds import LABELS, draw_local, examine_local

COUNT = 60


@pytest.mark.parametrize("count", [15, pytest.param(COUNT, marks=pytest.mark.slow)])
def test_hidden_cells_change_nothing_that_a_local_release_publishes(count: int) -> None:
    """``python -m tests.worlds.local_worlds`` draws many."""
    outcomes = [examine_local(f"local:{number}") for number in range(count)]
    assert sum(outcome.rejected is None for outcome in outcomes) >= count // 4
    told = [
        f"{item.kind}: {item.first[:60]!r} / {item.second[:60]!r} (--only {outcome.case.seed})"
        for outcome in outcomes
        for item in outcome.differences
    ]
    assert told == []


def test_drawn_tables_have_labels_of_every_kind() -> None:
    entries = [
        entry
        for number in range(COUNT * 5)
        for entry in draw_local(f"local:{number}").spec["attributes"].values()
    ]
    for drawn in LABELS:
        assert any(all(entry.get(key) == value for key, value in drawn.items()) for entry in entries)


def test_a_published_cell_is_seen() -> None:
    """Otherwise the first test could not fail."""
    outcomes = [examine_local(f"local:{number}", is_open=True) for number in range(10)]
    compared = [outcome for outcome in outcomes if outcome.rejected is None]
    assert compared
    assert all(outcome.differences for outcome in compared)
