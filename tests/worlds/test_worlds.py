"""Two worlds that differ in hidden cells alone publish the same: some drawn tables for every change.

``python -m tests.worlds.run`` draws thousands.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.worlds.comparing import compare, find_marks
from tests.worlds.examining import examine
from tests.worlds.flavours import QUASI_IDENTIFIERS
from tests.worlds.microaggregating import examine_microaggregation
from tests.worlds.tables import ENGINES, SETTLED, SUFFIXES, draw_case

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.worlds.examining import Outcome
    from tests.worlds.publishing import Published

TRIES = 480
"""Draws that are made at most to find tables in which a change can be made."""


def compared(change: str, tables: int) -> Iterator[Outcome]:
    """Yield a few tables in which this change could be made and kept the same rows suppressed."""
    found = 0
    for number in range(TRIES):
        seed = f"short:{number}"
        if draw_case(seed, change).change != change:
            continue
        outcome = examine(seed, change)
        if outcome.rejected is None:
            found += 1
            yield outcome
        if found == tables:
            return


def told(outcome: Outcome) -> list[str]:
    """Return what the two worlds tell apart, each with how to see it."""
    again = f"--only {outcome.case.seed} --change {outcome.case.change}"
    return [
        f"{item.kind}: {item.first[:60]!r} / {item.second[:60]!r} ({again})" for item in outcome.differences
    ]


@pytest.mark.some(7)
@pytest.mark.parametrize("tables", [1, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("change", SETTLED)
def test_hidden_cells_change_nothing_that_is_published(change: str, tables: int) -> None:
    outcomes = list(compared(change, tables))
    assert len(outcomes) == tables
    assert [line for outcome in outcomes for line in told(outcome)] == []


def test_microaggregation_publishes_nothing_of_blanked_cells_and_dropped_columns() -> None:
    outcomes = [examine_microaggregation(f"short:{number}:micro") for number in range(6)]
    assert sum(outcome.rejected is None for outcome in outcomes) >= 3
    assert [line for outcome in outcomes for line in told(outcome)] == []


def test_report_tells_nothing_of_hidden_cells() -> None:
    outcomes = [examine(f"report:{number}", "everything", with_report=True) for number in range(3)]
    whole = [outcome for outcome in outcomes if outcome.rejected is None]
    assert whole
    reports = [item for outcome in whole for item in outcome.differences if "report" in item.kind]
    assert [(item.kind, item.first[:80], item.second[:80]) for item in reports] == []


def test_drawn_tables_cover_every_way_in_and_out() -> None:
    cases = [draw_case(f"cover:{number}") for number in range(1500)]
    columns = [column for case in cases for column in case.named("quasi-identifier")]
    assert {case.engine for case in cases} == set(ENGINES)
    assert {case.suffix for case in cases} == set(SUFFIXES)
    assert {case.change for case in cases} == set(SETTLED)
    wanted = {(flavour.name, scheme) for flavour in QUASI_IDENTIFIERS for scheme in flavour.schemes}
    assert {(column.flavour.name, column.scheme) for column in columns if column.flavour} == wanted
    assert {column.output for column in columns} == {"label", "mean", "median", "mode"}
    rules = {(case.spec["suppression"]["rule"], case.spec["suppression"]["output"]) for case in cases}  # type: ignore[index]
    assert len(rules) == 8
    asked = {name.partition("(")[0] for case in cases for name in case.spec["require"]}  # type: ignore[attr-defined]
    assert asked >= {"k", "distinct_l", "entropy_l", "recursive_l", "share_l", "t", "hdm", "loss", "secure"}
    sentences = [item for case in cases for item in case.spec.get("confidential", ())]  # type: ignore[attr-defined]
    assert {"for" in item for item in sentences} == {True, False}


def published(**parts: object) -> Published:
    """Return what a made-up world publishes."""
    manifest = {"recipe": {}, "measures": {"k": 3, "t(s0)": 0.25}, "sha256": "a", **parts}
    rows = b"a,b\n1,x\n2,y\n"
    return {
        "FILE": rows,
        "FILE/rows": rows,
        "FILE.json": json.dumps(manifest).encode(),
        "recipe": b"{}",
        "frame/types": b"{'a': 'int64'}",
        "frame/rows": b"(1, 'x')\n(2, 'y')",
        "frame/bytes": b"0",
    }


@pytest.mark.parametrize(
    ("part", "content", "kind"),
    [
        ("FILE", b"z", "FILE: bytes that no reader shows"),
        ("FILE/rows", b"a,b\n2,y\n1,x\n", "FILE: order of rows"),
        ("FILE/rows", b"a,b\n1,x\n2,z\n", "FILE: cells"),
        ("recipe", b"{1}", "recipe"),
        ("frame/types", b"{'a': 'float64'}", "frame: types"),
        ("frame/rows", b"(2, 'y')\n(1, 'x')", "frame: rows"),
        ("frame/bytes", b"1", "frame: bytes that nothing else shows"),
    ],
)
def test_comparison_sees(part: str, content: bytes, kind: str) -> None:
    """The comparison can fail: a change in any part is a difference of its own kind."""
    other = {**published(), part: content} | ({"FILE": b"other"} if part.startswith("FILE/") else {})
    found = compare(published(), other, same_order=True, rows=(2, 20))
    assert [item.kind for item in found] == [kind]


@pytest.mark.parametrize(
    ("measures", "kinds"),
    [
        ({"k": 4, "t(s0)": 0.25}, {"FILE.json.measures.k": False}),
        ({"k": 3, "t(s0)": 0.26}, {"FILE.json.measures.t(*)": False}),  # finer than a step of 2 in 20 rows
        ({"k": 3, "t(s0)": 0.35}, {"FILE.json.measures.t(*)": True}),
        ({"k": 3}, {"FILE.json.measures.t(*) (only in one world)": False}),
    ],
)
def test_comparison_tells_rounded_numbers_from_exact_ones(measures: object, kinds: dict[str, bool]) -> None:
    found = compare(published(), published(measures=measures), same_order=True, rows=(2, 20))
    assert {item.kind: item.is_step for item in found} == kinds


def test_comparison_takes_equal_worlds_for_equal_and_digests_for_derived() -> None:
    assert compare(published(), published(), same_order=True, rows=(2, 20)) == []
    found = compare(published(), published(sha256="b"), same_order=True, rows=(2, 20))
    assert [item.kind for item in found] == ["FILE.json.sha256"]
    found = compare(published(), published(sha256="b", measures={"k": 4}), same_order=True, rows=(2, 20))
    assert "FILE.json.sha256" not in [item.kind for item in found]


def test_marks_are_found() -> None:
    assert find_marks(published()) == []
    assert [item.kind for item in find_marks(published(note="zzsecret1"))] == ["secret text in FILE.json"]
