"""t-closeness: how far a class is from the whole, under three distances.

All three are computed in whole numbers: with c rows of a value in a class of n rows and C of
N rows in the whole, the difference of shares is (c·N − C·n) / (n·N).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from sfumato.release.verify.loading import UndeterminedError, UnstatedError
from sfumato.release.verify.stated import Overall, key_of, stated_overall, text_of

ROUNDING = 1e-9

if TYPE_CHECKING:
    from sfumato.release.verify.loading import Groups
    from sfumato.release.verify.promise import Count


def count_t(groups: Groups, attribute: str, distance: str = "equal") -> Count:
    """Return the largest distance between a class's distribution and the overall one.

    The overall distribution is the one over all input rows. Of suppressed ones a manifest does not tell
    what they hold, so that the file's own distribution stands for it: with S of N rows suppressed
    the number is off by S / N at most. Without a manifest a note says so, and only the
    equal distance is defined.
    """
    if distance not in ("equal", "ordered", "hierarchical"):
        raise UndeterminedError("its second argument is neither ordered nor hierarchical")
    if groups.promise.reference is None:
        return _compare_with_itself(groups, attribute, distance)
    overall = stated_overall(groups.promise, attribute)
    if overall is None:
        raise UnstatedError(f"the manifest does not hold the overall distribution of {attribute!r}")
    fill_overall(groups, attribute, overall)
    if overall.counts is None:
        groups.slack = _slack(groups, overall, distance)
    rows = groups.kept_rows if overall.counts is None else sum(overall.counts)
    if distance == "equal":
        return _largest_equal(groups, rows)
    if distance == "ordered":
        return _largest_ordered(groups, overall, rows)
    return _largest_hierarchical(groups, overall, rows)


def _slack(groups: Groups, overall: Overall, distance: str) -> Fraction:
    """Return how far t over all input rows may be from t over the published ones."""
    slack = Fraction(groups.suppressed_rows, groups.input_rows)
    if distance == "ordered" and slack and None not in overall.values:
        # Missing among suppressed rows would be one more value in the order.
        slack += Fraction(1, len(overall.values))
    return slack


def _compare_with_itself(groups: Groups, attribute: str, distance: str) -> Count:
    if distance != "equal":
        raise UndeterminedError("order and tree of the values stand in the manifest alone")
    column = groups.attributes[attribute]
    _fill_shares(groups, column)
    groups.connection.execute("INSERT INTO overall SELECT value, 0, sum(c) FROM shares GROUP BY value")
    groups.notes.append(
        f"t({attribute}) compares with the file's own distribution: without a manifest there is no other"
    )
    return _largest_equal(groups, groups.kept_rows)


def fill_overall(groups: Groups, attribute: str, overall: Overall) -> bool:
    """Put the overall distribution beside the classes and tell whether the file fits what is stated of it."""
    _fill_shares(groups, key_of(groups.attributes[attribute], overall.values))
    counts = [0] * len(overall.values) if overall.counts is None else list(overall.counts)
    groups.connection.execute(
        f"INSERT INTO overall SELECT {key_of('value', overall.values)}, place, total FROM (SELECT "
        "unnest(?::VARCHAR[]) AS value, unnest(?::BIGINT[]) AS place, unnest(?::BIGINT[]) AS total)",
        [[text_of(value) for value in overall.values], list(range(len(overall.values))), counts],
    )
    found = "(SELECT value, sum(c) AS n FROM shares GROUP BY value) AS found"
    if overall.counts is None:
        same = "found.value IS NOT DISTINCT FROM overall.value"
        groups.connection.execute(f"UPDATE overall SET total = n FROM {found} WHERE {same}")
    excess = groups.number(
        f"SELECT count(*) FROM {found} LEFT JOIN overall ON found.value IS NOT DISTINCT FROM overall.value "
        "WHERE n > coalesce(total, 0)"
    )
    if not excess and _fits_statement(groups, overall):
        return True
    groups.contradictions.append(
        f"the file does not fit the manifest's overall distribution of {attribute!r}"
    )
    return False


def _fits_statement(groups: Groups, overall: Overall) -> bool:
    """Tell whether the stated distribution has as many rows as came in, or the shares of the file."""
    if overall.counts is not None:
        return sum(overall.counts) == groups.input_rows
    totals = [total for (total,) in groups.ask("SELECT total FROM overall ORDER BY place")]
    off = [abs(total / groups.kept_rows - share) for total, share in zip(totals, overall.shares, strict=True)]
    return max(off, default=0.0) <= overall.step / 2 + ROUNDING


def _fill_shares(groups: Groups, value: str) -> None:
    """Make the tables ``shares`` (class, value, c, size) and ``overall`` (value, place, total)."""
    groups.connection.execute(
        "CREATE OR REPLACE TEMP TABLE overall (value VARCHAR, place BIGINT, total HUGEINT)"
    )
    groups.connection.execute(
        f"CREATE OR REPLACE TEMP TABLE shares AS SELECT class, {value} AS value, sum(n) AS c, "
        f"sum(sum(n)) OVER (PARTITION BY class) AS size FROM cells GROUP BY class, {value}"
    )


def _largest(groups: Groups, work: str) -> tuple[int, int]:
    """Return work and size of the class with the largest work / size."""
    found = groups.ask(f"SELECT work, size FROM ({work}) ORDER BY work::DOUBLE / size DESC LIMIT 1")
    return found[0][0], found[0][1]


def _largest_equal(groups: Groups, rows: int) -> Fraction:
    """Half the sum of the absolute differences of shares."""
    # A value that a class does not hold adds its whole share: start from the sum of all and correct.
    gaps = (
        f"SELECT size, {rows} * size + sum(abs(c * {rows} - due) - due) AS work FROM (SELECT class, size, c, "
        "coalesce(total, 0) * size AS due FROM shares LEFT JOIN overall "
        "ON shares.value IS NOT DISTINCT FROM overall.value) GROUP BY class, size"
    )
    work, size = _largest(groups, gaps)
    return Fraction(work, 2 * size * rows)


def _fill_excess(groups: Groups, rows: int) -> None:
    """Make the table ``excess``: for every class and every value, c·N − C·n."""
    groups.connection.execute(
        f"CREATE OR REPLACE TEMP TABLE excess AS SELECT g.class, g.size, place, "
        f"coalesce(c, 0) * {rows} - total * g.size AS excess "
        "FROM (SELECT DISTINCT class, size FROM shares) AS g CROSS JOIN overall LEFT JOIN shares "
        "ON shares.class = g.class AND shares.value IS NOT DISTINCT FROM overall.value"
    )


def _largest_ordered(groups: Groups, overall: Overall, rows: int) -> Fraction:
    """Mean over the m − 1 gaps between neighbours of what has to cross them."""
    _fill_excess(groups, rows)
    so_far = "sum(excess) OVER (PARTITION BY class ORDER BY place)"
    crossing = f"SELECT class, size, abs({so_far}) AS crossing FROM excess"
    work, size = _largest(
        groups, f"SELECT size, sum(crossing) AS work FROM ({crossing}) GROUP BY class, size"
    )
    return Fraction(work, size * rows * max(len(overall.values) - 1, 1))


def _largest_hierarchical(groups: Groups, overall: Overall, rows: int) -> Fraction:
    """Sum over inner nodes of what their children exchange, times the node's height over the tree's."""
    height = len(overall.levels) - 1
    if height < 1:
        raise UnstatedError("the manifest does not hold the tree of the values")
    _fill_excess(groups, rows)
    groups.connection.execute(
        "CREATE OR REPLACE TEMP TABLE tree (level BIGINT, place BIGINT, block BIGINT, parent BIGINT)"
    )
    for level in range(height):
        groups.connection.execute(
            "INSERT INTO tree SELECT ?, unnest(?::BIGINT[]), unnest(?::BIGINT[]), unnest(?::BIGINT[])",
            [
                level,
                list(range(len(overall.values))),
                list(overall.levels[level]),
                list(overall.levels[level + 1]),
            ],
        )
    nodes = (
        "SELECT class, size, level, parent, sum(excess) AS e FROM excess JOIN tree USING (place) "
        "GROUP BY class, size, level, block, parent"
    )
    exchanged = (
        f"SELECT class, size, (level + 1) * least(sum(greatest(e, 0)), sum(greatest(-e, 0))) AS exchanged "
        f"FROM ({nodes}) GROUP BY class, size, level, parent"
    )
    work, size = _largest(
        groups, f"SELECT size, sum(exchanged) AS work FROM ({exchanged}) GROUP BY class, size"
    )
    return Fraction(work, size * rows * height)
