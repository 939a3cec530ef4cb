"""Numbers and changes in words: short, and true of the numbers they are made from."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.front.front import Objective, Solution

FEW = 20
"""Whole numbers below this are told as they are: a share of so few says less."""


def printable(text: str) -> str:
    r"""Return a text on one line and without control characters, which could steer a terminal.

    Examples
    --------
    >>> printable("a\n b\x1b[1m")
    'a b�[1m'
    """
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in " ".join(text.split())
    )


def number_words(value: float) -> str:
    """Return a number as people read it: four digits are enough, thousands are grouped.

    Examples
    --------
    >>> number_words(30162.0), number_words(0.402001), number_words(7220555.4), number_words(2e15)
    ('30,162', '0.402', '7,220,555', '2e+15')
    """
    if abs(value) >= 1e15 or not math.isfinite(value):
        return f"{value:.4g}"
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 1e4 else f"{value:.4g}"


def pair_words(first: float, second: float) -> tuple[str, str]:
    """Return two numbers with as many digits as it takes to tell them apart.

    Examples
    --------
    >>> pair_words(12.0, 31.0), pair_words(0.402001, 0.402004)
    (('12', '31'), ('0.402001', '0.402004'))
    """
    texts = number_words(first), number_words(second)
    if texts[0] != texts[1] or first == second:
        return texts
    return next(
        pair
        for digits in range(5, 18)
        if (pair := (f"{first:.{digits}g}", f"{second:.{digits}g}"))[0] != pair[1]
    )


def percent_words(share: float) -> str:
    """Return a share of at least 0 in percent, with two digits below ten.

    Examples
    --------
    >>> percent_words(0.0042), percent_words(0.127), percent_words(0.014), percent_words(0.00001)
    ('0.42 %', '13 %', '1.4 %', 'less than 0.01 %')
    """
    percent = 100 * share
    if 0 < percent < 0.01:
        return "less than 0.01 %"
    return f"{percent:,.0f} %" if percent >= 9.95 else f"{percent:.2g} %"


def list_words(texts: Sequence[str]) -> str:
    """Return texts joined by commas and a last ``and``.

    Examples
    --------
    >>> list_words(["a"]), list_words(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)


def relative_change(start: float, end: float) -> float:
    """Return how far a value moves as a share of where it starts; infinite from 0 to anything else."""
    if start == end:
        return 0.0
    return abs(end - start) / abs(start) if start else math.inf


def worsening(objective: Objective, start: float, end: float) -> float:
    """Return by how much ``end`` is worse than ``start`` in an objective; below 0 where it is better."""
    return start - end if objective.maximize else end - start


def step_words(objective: Objective, objectives: Sequence[Objective], start: Solution, end: Solution) -> str:
    """Return what a step from one solution to another brings in one objective and costs in the others."""
    name = printable(objective.name)
    old, new = pair_words(start.value(objective.name), end.value(objective.name))
    costs = _cost_words([item for item in objectives if item != objective], start, end)
    return f"{name} from {old} to {new} {list_words(costs) if costs else 'costs nothing'}"


def _cost_words(others: Sequence[Objective], start: Solution, end: Solution) -> list[str]:
    """Return the worsened objectives, first those with percentages under one ``costs``."""
    shares, moves = [], []
    for item in others:
        name, old, new = printable(item.name), start.value(item.name), end.value(item.name)
        if not worsening(item, old, new) > 0:
            continue
        share = relative_change(old, new)
        is_few = float(old).is_integer() and float(new).is_integer() and max(abs(old), abs(new)) < FEW
        if is_few or not share <= 1:
            moves.append("takes {} from {} to {}".format(name, *pair_words(old, new)))
        else:
            shares.append(f"{percent_words(share)} {'less' if item.maximize else 'more'} {name}")
    return [*([f"costs {list_words(shares)}"] if shares else []), *moves]
