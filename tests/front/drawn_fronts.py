"""Fronts that hypothesis draws: few objectives, any direction, equal and widely spread values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from sfumato.front import Objective, PlainFront, PlainSolution

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMES = ("k", "distinct_l(a)", "loss", "dm")
values = st.one_of(
    st.integers(0, 6).map(float),
    st.integers(1, 100_000).map(float),
    st.integers(0, 1000).map(lambda number: number / 1000),
)


def beats(first: Sequence[float], second: Sequence[float], maximize: Sequence[bool]) -> bool:
    """As good in everything and better in something, by definition."""
    pairs = list(zip(first, second, maximize, strict=True))
    return all(a >= b if up else a <= b for a, b, up in pairs) and any(a != b for a, b, _ in pairs)


def front_of(rows: Sequence[Sequence[float]], maximize: Sequence[bool], **run: object) -> PlainFront:
    """Make a front of some rows of objective values, which stay in their order."""
    objectives = tuple(Objective(name, up) for name, up in zip(NAMES, maximize, strict=False))
    solutions = tuple(
        PlainSolution(
            number,
            dict(zip(NAMES, row, strict=False)),
            number % 3,
            {"age": number % 4, "zip": [[1, number], [number + 1, 99]]},
        )
        for number, row in enumerate(rows, start=1)
    )
    return PlainFront(solutions, objectives, {"complete": True, **run})


@st.composite
def fronts(draw: st.DrawFn, least: int = 0, objectives: tuple[int, int] = (1, 4)) -> PlainFront:
    """Draw solutions of which none beats another."""
    maximize = draw(st.lists(st.booleans(), min_size=objectives[0], max_size=objectives[1]))
    row = st.tuples(*(values for _ in maximize))
    drawn = draw(st.lists(row, min_size=max(least, 0), max_size=14, unique=True))
    kept = [row for row in drawn if not any(beats(other, row, maximize) for other in drawn)]
    return front_of(kept, maximize)
