"""Small fronts to draw."""

from __future__ import annotations

from sfumato.front import Objective, PlainFront, PlainSolution

HOSTILE = '</script><script>alert("x")</script> & <b>%{x}</b>'
RUN = {
    "method": "exhaustive",
    "status": "optimal",
    "space": "24",
    "evaluated": 24,
    "complete": True,
    "seconds": 0.26,
    "rows": 1000,
}
TWO = (Objective("k", maximize=True), Objective("loss", maximize=False))
THREE = (TWO[0], Objective("distinct_l(illness)", maximize=True), TWO[1])
FOUR = (*THREE, Objective("t(illness)", maximize=False))

_ROWS = (
    (500.0, 4.0, 0.9, 0.1),
    (60.0, 4.0, 0.4, 0.2),
    (20.0, 3.0, 0.3, 0.35),
    (6.0, 2.0, 0.2, 0.5),
    (2.0, 1.0, 0.0, 0.9),
)


def make_front(
    objectives: tuple[Objective, ...], count: int = 5, *, attribute: str = "zip", **run: object
) -> PlainFront:
    """Make a front of up to five solutions, with the measures of its objectives."""
    names = ("k", "distinct_l(illness)", "loss", "t(illness)")
    wanted = {item.name for item in objectives}
    solutions = tuple(
        PlainSolution(
            number,
            {name: value for name, value in zip(names, row, strict=True) if name in wanted},
            2 * number,
            {"age": 5 - number, attribute: number},
        )
        for number, row in enumerate(_ROWS[:count], start=1)
    )
    return PlainFront(solutions, objectives, {**RUN, **run})
