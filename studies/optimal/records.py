"""Finding runs among the results."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studies.common.results import Results


def pick(runs: Sequence[Results], **wanted: object) -> list[Results]:
    """Return the runs that agree with all that is wanted, in their order."""
    return [run for run in runs if all(run.get(name) == value for name, value in wanted.items())]


def one(runs: Sequence[Results], **wanted: object) -> Results:
    """Return the only run that agrees with all that is wanted.

    Raises
    ------
    LookupError
        If there is none, or more than one.
    """
    found = pick(runs, **wanted)
    if len(found) != 1:
        raise LookupError(f"{len(found)} runs agree with {wanted}.")
    return found[0]


def distinct(runs: Sequence[Results], name: str) -> list[object]:
    """Return the values of one name in the order in which they come."""
    return list(dict.fromkeys(run[name] for run in runs))


__all__ = ["distinct", "one", "pick"]
