"""Numbers over seeds: mean, variance, and every value."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studies.common.results import Results


def summarize(values: Sequence[float]) -> Results:
    """Return mean, sample variance and median with the values themselves, in the order of the seeds.

    Examples
    --------
    >>> summary = summarize([1.0, 2.0, 4.5])
    >>> summary["mean"], summary["median"], summary["variance"]
    (2.5, 2.0, 3.25)
    """
    plain = [float(value) for value in values]
    return {
        "mean": statistics.fmean(plain),
        "median": statistics.median(plain),
        "variance": statistics.variance(plain) if len(plain) > 1 else 0.0,
        "values": plain,
    }


def summarize_each(rows: Sequence[dict[str, float]]) -> Results:
    """Summarize each name of several dictionaries with the same names."""
    return {name: summarize([row[name] for row in rows]) for name in rows[0]}


__all__ = ["summarize", "summarize_each"]
