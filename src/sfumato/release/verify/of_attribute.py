"""Measures of a sensitive attribute, by their definitions. Missing is a value of its own."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from sfumato.release.verify.closeness import count_t
from sfumato.release.verify.loading import UndeterminedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato.release.verify.loading import Groups
    from sfumato.release.verify.promise import Count


def histogram(column: str) -> str:
    """Write the query for the rows c of every value in every class, with the rows of the class."""
    return (
        f"(SELECT class, {column} AS value, sum(n) AS c, sum(sum(n)) OVER (PARTITION BY class) AS size "
        f"FROM cells GROUP BY class, {column})"
    )


def count_distinct_l(groups: Groups, attribute: str) -> Count:
    """Return the smallest number of distinct values in a class."""
    counts = f"SELECT count(*) AS d FROM {histogram(groups.attributes[attribute])} GROUP BY class"
    return groups.number(f"SELECT min(d) FROM ({counts})")


def count_share_l(groups: Groups, attribute: str) -> Count:
    """Return one over the largest share that a value has in a class."""
    shares = histogram(groups.attributes[attribute])
    count, size = groups.ask(f"SELECT c, size FROM {shares} ORDER BY c::DOUBLE / size DESC LIMIT 1")[0]
    return Fraction(size, count)


def count_entropy_l(groups: Groups, attribute: str) -> Count:
    """Return the smallest exp(entropy) of the values of a class."""
    counts = histogram(groups.attributes[attribute])
    entropies = f"SELECT ln(size) - sum(c * ln(c)) / size AS h FROM {counts} GROUP BY class, size"
    # The engine adds in any order, so that the last digits differ from run to run.
    return float(f"{math.exp(groups.number(f'SELECT min(h) FROM ({entropies})')):.12g}")


def count_recursive_l(groups: Groups, attribute: str, factor: str) -> Count:
    """Return the smallest over the classes of the largest ℓ with r₁ < c · (r_ℓ + … + r_m), or 0."""
    try:
        c = Fraction(factor)
    except (ValueError, ZeroDivisionError):
        raise UndeterminedError("its second argument is not a number") from None
    # Summed from the rarest value on, the tail r_ℓ + … + r_m is the sum of m − ℓ + 1 counts.
    tails = (
        "SELECT class, c AS count, sum(c) OVER rarest AS tail, row_number() OVER rarest AS members "
        f"FROM {histogram(groups.attributes[attribute])} "
        "WINDOW rarest AS (PARTITION BY class ORDER BY c, value ROWS UNBOUNDED PRECEDING)"
    )
    largest = "SELECT class, max(count) AS first, count(*) AS m FROM tails GROUP BY class"
    fits = f"WHERE first * {c.denominator} < tail * {c.numerator}"
    reached = (
        f"SELECT coalesce(max(m - members + 1) FILTER ({fits}), 0) AS ell "
        "FROM tails JOIN largest USING (class) GROUP BY class"
    )
    return groups.number(f"WITH tails AS ({tails}), largest AS ({largest}) SELECT min(ell) FROM ({reached})")


def count_spread_l(groups: Groups, attribute: str) -> Count:
    """Sum over the rows how often the row's own value occurs in its class."""
    return groups.number(f"SELECT sum(c * c) FROM {histogram(groups.attributes[attribute])}")


def count_cm(groups: Groups, attribute: str) -> Count:
    """Count the rows that are suppressed or do not hold the most frequent value of their class."""
    counts = histogram(groups.attributes[attribute])
    minority = f"SELECT size - max(c) AS rows FROM {counts} GROUP BY class, size"
    return groups.number(f"SELECT sum(rows) FROM ({minority})") + groups.suppressed_rows


OF_ATTRIBUTE: dict[tuple[str, int], Callable[..., Count]] = {
    ("cm", 1): count_cm,
    ("distinct_l", 1): count_distinct_l,
    ("entropy_l", 1): count_entropy_l,
    ("recursive_l", 2): count_recursive_l,
    ("share_l", 1): count_share_l,
    ("spread_l", 1): count_spread_l,
    ("t", 1): count_t,
    ("t", 2): count_t,
}
