"""The rules that decide which classes go."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from .classes import class_size
from .measures import mean_k

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .classes import Members

RULES = ("none", "failing", "smallest", "below-mean", "failing then smallest")


def budget(limit: float | str, rows: int) -> int:
    """Return floor(limit × rows), the number of rows that may be suppressed.

    The limit is the decimal that its text shows: ``Fraction(str(limit))``. In
    binary numbers 0.29 × 100 is 28.999999999999996, which would lose a row;
    here it is 29, and so it is in the package.
    """
    return int(Fraction(str(limit)) * rows)


def resolve(rule: str, *, class_requirement: bool, class_size_objective: bool) -> str:
    """Say what ``auto`` means; every other rule means itself.

    Parameters
    ----------
    rule
        The rule of the specification.
    class_requirement
        Whether a requirement judges each class.
    class_size_objective
        Whether k, mean_k, spread_k, distinct_l or spread_l is an objective.
    """
    if rule != "auto":
        return rule
    if not class_requirement:
        return "smallest"
    return "failing then smallest" if class_size_objective else "failing"


def failing(
    classes: Sequence[Members], meets: Callable[[Members], bool], allowed: int
) -> list[Members] | None:
    """Drop every class that fails a requirement; None where that takes more rows than allowed."""
    kept = [members for members in classes if meets(members)]
    dropped = sum(len(members) for members in classes) - sum(len(members) for members in kept)
    return None if dropped > allowed else kept


def smallest(classes: Sequence[Members], allowed: int, persons: Sequence[str] | None = None) -> list[Members]:
    """Drop whole class sizes, smallest first, while the rows dropped stay within ``allowed``.

    All classes of one size go or none, the first size that does not fit ends
    it, and the largest size always stays. With persons a size counts persons,
    and the budget rows.
    """
    sizes = sorted({class_size(members, persons) for members in classes})
    kept = list(classes)
    for size in sizes[:-1]:
        going = sum(len(members) for members in kept if class_size(members, persons) == size)
        if going > allowed:
            break
        allowed -= going
        kept = [members for members in kept if class_size(members, persons) != size]
    return kept


def below_mean(classes: Sequence[Members], persons: Sequence[str] | None = None) -> list[Members]:
    """Drop every class smaller than ``mean_k`` of all classes, without a budget."""
    mean = mean_k(classes, persons)
    return [members for members in classes if class_size(members, persons) >= mean]


def suppress(
    rule: str,
    classes: Sequence[Members],
    meets: Callable[[Members], bool],
    allowed: int,
    persons: Sequence[str] | None = None,
) -> list[Members] | None:
    """Apply one of :data:`RULES` to the classes of a table.

    Parameters
    ----------
    rule
        A resolved rule, not ``auto``.
    classes
        All classes.
    meets
        Whether a class meets every requirement that judges classes.
    allowed
        The budget in rows.
    persons
        The person of every row, if persons are named.

    Returns
    -------
    list or None
        The classes that remain; None where the recoding is infeasible: too many
        rows fail, a class that remains fails, or no row remains.
    """
    kept: list[Members] | None
    if rule == "none":
        kept = list(classes)
    elif rule == "smallest":
        kept = smallest(classes, allowed, persons)
    elif rule == "below-mean":
        kept = below_mean(classes, persons) if classes else []
    elif rule == "failing":
        kept = failing(classes, meets, allowed)
    elif rule == "failing then smallest":
        kept = failing(classes, meets, allowed)
        if kept is not None:
            gone = sum(len(members) for members in classes) - sum(len(members) for members in kept)
            kept = smallest(kept, allowed - gone, persons)
    else:
        raise ValueError(f"unknown rule {rule!r}; use one of {RULES}")
    if not kept or not all(meets(members) for members in kept):
        return None
    return kept


__all__ = ["RULES", "below_mean", "budget", "failing", "resolve", "smallest", "suppress"]
