"""Every measure that a file shows, by its definition.

The three distances of t are computed in whole numbers: with c rows of a value in a class of n rows and C of
N rows in the whole, the difference of shares is (c·N − C·n) / (n·N).
"""

from __future__ import annotations

import math
from fractions import Fraction
from heapq import heappush, heapreplace
from itertools import accumulate, chain, product
from typing import TYPE_CHECKING

from sfumato.verifier import promise
from sfumato.verifier.bags import quote
from sfumato.verifier.checks import split_name
from sfumato.verifier.loading import BeforehandError, Groups, UndeterminedError, UnstatedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato.verifier.sentences import Telling

ROUNDING = 1e-9


def count_t(groups: Groups, attribute: str, distance: str = "equal") -> promise.Count:
    """Return the largest distance between a class's distribution and the overall one."""
    # The overall distribution is the one over all input rows. A manifest does not say what suppressed rows
    # hold, so the file's own distribution is used instead: with S of N rows suppressed the number is off
    # by S / N at most. Without a manifest a note says so, and only the equal distance is defined.
    if distance not in ("equal", "ordered", "hierarchical"):
        raise UndeterminedError("its second argument is neither ordered nor hierarchical")
    if groups.promise.reference is None:
        if distance != "equal":
            raise UndeterminedError("order and tree of the values are only in the manifest")
        groups.make("shares", histogram(groups.attributes[attribute]))
        groups.make("overall", "SELECT value, 0 AS place, sum(c) AS total FROM shares GROUP BY value")
        itself = "the file's own distribution: there is no manifest with another one"
        groups.notes.append(f"t({attribute}) compares with {itself}")
        return _largest_equal(groups, groups.kept_rows)
    overall = promise.stated_overall(groups.promise, attribute)
    if overall is None:
        raise UnstatedError(f"the manifest does not hold the overall distribution of {attribute!r}")
    fill_overall(groups, attribute, overall)
    if overall.counts is None:
        groups.slack = Fraction(groups.suppressed_rows, groups.input_rows)
    rows = groups.kept_rows if overall.counts is None else sum(overall.counts)
    if distance == "equal":
        return _largest_equal(groups, rows)
    apart = promise.apart_in(groups.promise, attribute, overall.values)
    groups.make(  # for every class and every value, c·N − C·n
        "excess",
        f"SELECT g.class, g.size, place, coalesce(c, 0) * {rows} - total * g.size AS excess "
        "FROM (SELECT DISTINCT class, size FROM shares) AS g CROSS JOIN overall LEFT JOIN shares "
        "ON shares.class = g.class AND shares.value IS NOT DISTINCT FROM overall.value",
    )
    if distance == "hierarchical":
        return _largest(groups, _HIERARCHICAL, rows * _fill_tree(groups, overall, apart))
    gaps = max(len(overall.values) - len(apart) - 1, 1)
    if apart:
        return _largest_beside(groups, apart, gaps) / rows
    return _largest(groups, _ORDERED, rows * gaps)


def fill_overall(groups: Groups, attribute: str, overall: promise.Overall) -> bool:
    """Load the overall distribution and tell whether the file matches what is stated about it."""
    groups.make("shares", histogram(promise.key_of(groups.attributes[attribute], overall.values)))
    places = range(len(overall.values))
    counts = [0] * len(places) if overall.counts is None else overall.counts
    groups.make_listed("overall", overall.values, place=places, total=counts)
    found = "(SELECT value, sum(c) AS n FROM shares GROUP BY value) AS found"
    same = "found.value IS NOT DISTINCT FROM overall.value"
    if overall.counts is None:
        groups.connection.execute(f"UPDATE overall SET total = n FROM {found} WHERE {same}")
    beyond = f"SELECT count(*) FROM {found} LEFT JOIN overall ON {same} WHERE n > coalesce(total, 0)"
    fits = groups.ask(beyond) == [(0,)]
    if fits and overall.counts is not None:
        fits = sum(overall.counts) == groups.input_rows
    elif fits:
        totals = [total for (total,) in groups.ask("SELECT total FROM overall ORDER BY place")]
        pairs = zip(totals, overall.shares, strict=True)
        off = max((abs(total / groups.kept_rows - share) for total, share in pairs), default=0.0)
        fits = off <= overall.step / 2 + ROUNDING
    if not fits:
        groups.contradictions.append(
            f"the file does not match the manifest's overall distribution of {attribute!r}"
        )
    return fits


def _largest(groups: Groups, work: str, whole: int) -> Fraction:
    """Return the largest work / (size × whole) of any class."""
    found = groups.ask(f"SELECT work, size FROM ({work}) ORDER BY work::DOUBLE / size DESC LIMIT 1")
    return Fraction(found[0][0], found[0][1] * whole)


def _largest_equal(groups: Groups, rows: int) -> Fraction:
    """Half the sum of the absolute differences of shares."""
    # A value that a class does not hold adds its whole share: start from the sum of all and correct.
    gaps = (
        f"SELECT size, {rows} * size + sum(abs(c * {rows} - due) - due) AS work FROM (SELECT class, size, c, "
        "coalesce(total, 0) * size AS due FROM shares LEFT JOIN overall "
        "ON shares.value IS NOT DISTINCT FROM overall.value) GROUP BY class, size"
    )
    return _largest(groups, gaps, 2 * rows)


# Over the m − 1 gaps between neighbours, what has to cross them.
_ORDERED = (
    "SELECT size, sum(crossing) AS work FROM (SELECT class, size, "
    "abs(sum(excess) OVER (PARTITION BY class ORDER BY place)) AS crossing FROM excess) GROUP BY class, size"
)


def _largest_beside(groups: Groups, apart: list[int], gaps: int) -> Fraction:
    """Return the largest ordered work of a class over its size, where some values are 1 apart from all."""
    largest = Fraction(0)
    by_class = "SELECT size, list(excess ORDER BY place) FROM excess GROUP BY class, size"
    for size, excess in groups.connection.execute(by_class).fetchall():
        beside = [excess[place] for place in apart]
        moved = _least_carried([amount for place, amount in enumerate(excess) if place not in apart])
        exchanged = Fraction(sum(map(abs, beside)) + abs(sum(beside)), 2)
        largest = max(largest, (exchanged + Fraction(moved, gaps)) / size)
    return largest


def _least_carried(excess: list[int]) -> int:
    """Return what values in a row carry to their neighbours at least, if the rest may leave anywhere."""
    # What has left up to each value starts at 0, never falls, and ends at the whole. The least that makes a
    # sequence nowhere fall is found with the largest so far.
    whole = sum(excess)
    carried, left = 0, list[int]()
    for here in accumulate(amount if whole > 0 else -amount for amount in excess):
        due = min(max(here, 0), abs(whole))
        heappush(left, -due)
        carried += abs(here - due) - left[0] - due
        heapreplace(left, -due)
    return carried


# Over the inner nodes of the tree, what their children exchange, times the node's height.
_HIERARCHICAL = (
    "SELECT size, sum(exchanged) AS work FROM (SELECT class, size, "
    "(level + 1) * least(sum(greatest(e, 0)), sum(greatest(-e, 0))) AS exchanged FROM ("
    "SELECT class, size, level, parent, sum(excess) AS e FROM excess JOIN tree USING (place) "
    "GROUP BY class, size, level, block, parent) GROUP BY class, size, level, parent) GROUP BY class, size"
)


def _fill_tree(groups: Groups, overall: promise.Overall, apart: list[int]) -> int:
    """Make the table ``tree``: the blocks of every value at each level and above it; return the height."""
    height, places = len(overall.levels) - 1, range(len(overall.values))
    if height < 1:
        raise UnstatedError("the manifest does not hold the tree of the values")
    levels = [list(level) for level in overall.levels]
    for level, place in product(levels[:-1], apart):
        level[place] = -1 - place  # a block of its own
    groups.make_listed(
        "tree",
        overall.values * height,
        level=[level for level in range(height) for _ in places],
        place=[*places] * height,
        block=[*chain(*levels[:-1])],
        parent=[*chain(*levels[1:])],
    )
    return height


def histogram(column: str) -> str:
    """Write the query for the rows c of every value in every class, with the rows of the class."""
    return (
        f"(SELECT class, {column} AS value, sum(n) AS c, sum(sum(n)) OVER (PARTITION BY class) AS size "
        f"FROM cells GROUP BY class, {column})"
    )


def _spread(groups: Groups, column: str, is_told: str = "true", amount: str = "n") -> tuple[str, str]:
    """Name two tables about the values of a column: their rows c in each class, and all classes with some.

    With the amount v, votes of persons stand for rows.

    Of a class the second says how many values it has, m, the rows of the largest, first, and its sums over
    all of them.
    """
    made = f"counts{len(groups.known)}", f"spread{len(groups.known)}"
    names: tuple[str, str] = groups.known.setdefault((column, is_told, amount), made)
    if names is not made:
        return names
    by_value = f"SELECT class, {amount} AS c FROM cells WHERE {is_told}"
    if len(groups.attributes) > 1:
        values = (
            f"SELECT class, sum({amount})::BIGINT AS c FROM cells WHERE {is_told} GROUP BY class, {column}"
        )
        by_value = f"SELECT class, c FROM ({values})"
    groups.make(names[0], f"SELECT class, c, count(*) AS u FROM ({by_value}) GROUP BY class, c")
    groups.make(
        names[1],
        "SELECT class, sum(u)::BIGINT AS m, max(c) AS first, sum(u * c)::BIGINT AS size, "
        f"sum(u * c * c) AS squares, sum(u * (c * ln(c))) AS logs FROM {names[0]} GROUP BY class",
    )
    return names


def _known(groups: Groups, attribute: str, *, by_persons: bool = False) -> tuple[str, str, bool]:
    """Spread the known values; whether every class has one is the last answer, else some class has ℓ = 1."""
    by_votes = by_persons and groups.promise.person is not None
    if by_votes and not groups.has_votes:
        words = f"each of the {groups.promise.units} has one vote in it, and their column is not published"
        raise UndeterminedError(words)
    column, listed = groups.attributes[attribute], groups.promise.unknown.get(attribute, ())
    silent = [*listed, *groups.promise.missing]
    texts = [promise.key_of(quote(str(promise.text_of(value))), silent) for value in silent]
    is_told = " AND ".join(
        [f"{column} IS NOT NULL", *(f"{promise.key_of(column, silent)} <> {text}" for text in texts)]
    )
    counts, spread = _spread(groups, column, is_told, "v" if by_votes else "n")
    classes = groups.number(f"SELECT count(*) FROM {spread}")
    return counts, spread, classes == groups.number("SELECT count(*) FROM sizes")


def count_distinct_l(groups: Groups, attribute: str) -> promise.Count:
    """Return the smallest number of distinct known values in a class."""
    _, spread, is_everywhere = _known(groups, attribute)
    return groups.number(f"SELECT min(m) FROM {spread}") if is_everywhere else 1


def count_share_l(groups: Groups, attribute: str) -> promise.Count:
    """Return one over the largest share that a value has in a class."""
    _, spread, is_everywhere = _known(groups, attribute, by_persons=True)
    if not is_everywhere:
        return 1
    largest = f"SELECT first, size FROM {spread} ORDER BY first::DOUBLE / size DESC LIMIT 1"
    count, size = groups.once(largest)[0]
    return Fraction(size, count)


def count_entropy_l(groups: Groups, attribute: str) -> promise.Count:
    """Return the smallest exp(entropy) of the values of a class."""
    _, spread, is_everywhere = _known(groups, attribute, by_persons=True)
    if not is_everywhere:
        return 1
    # The engine adds in any order, so that the last digits differ from run to run.
    return float(f"{math.exp(groups.number(f'SELECT min(ln(size) - logs / size) FROM {spread}')):.12g}")


def count_recursive_l(groups: Groups, attribute: str, factor: str) -> promise.Count:
    """Return the smallest over the classes of the largest ℓ with r₁ < c · (r_ℓ + … + r_m), or 0."""
    try:
        c = Fraction(factor)
    except (ValueError, ZeroDivisionError):
        raise UndeterminedError("its second argument is not a number") from None
    counts, spread, is_everywhere = _known(groups, attribute, by_persons=True)
    # Summed from the rarest value on, the tail r_ℓ + … + r_m is the sum of m − ℓ + 1 counts. Of u values
    # with the same count c, all rarer ones together being the tail before, the j-th is the first to do.
    tails = (
        "SELECT class, c, u, sum(u * c) OVER rarest - u * c AS before, sum(u) OVER rarest - u AS rarer "
        f"FROM {counts} WINDOW rarest AS (PARTITION BY class ORDER BY c ROWS UNBOUNDED PRECEDING)"
    )
    top, bottom = max(c.numerator, 0), c.denominator
    last = f"greatest(1, (first::HUGEINT * {bottom} - before * {top}) // (c * {top}) + 1)"
    reached = (
        "SELECT coalesce(max(m - rarer - j + 1) FILTER (WHERE j <= u), 0) AS ell FROM "
        f"(SELECT class, m, u, rarer, {last} AS j FROM ({tails}) JOIN {spread} USING (class)) GROUP BY class"
    )
    found = groups.number(f"SELECT coalesce(min(ell), 1) FROM ({reached})")
    return found if is_everywhere else min(found, 1)


def count_spread_l(groups: Groups, attribute: str) -> promise.Count:
    """Sum over the rows how often the row's own value occurs in its class."""
    return groups.number(f"SELECT coalesce(sum(squares), 0) FROM {_known(groups, attribute)[1]}")


def count_cm(groups: Groups, attribute: str) -> promise.Count:
    """Count the rows that are suppressed or do not hold the most frequent value of their class."""
    _, spread = _spread(groups, groups.attributes[attribute])
    return groups.number(f"SELECT sum(size - first) FROM {spread}") + groups.suppressed_rows


def count_k(groups: Groups) -> promise.Count:
    """Return the smallest class size."""
    return _if_visible(groups, groups.number("SELECT min(size) FROM sizes"))


def count_spread_k(groups: Groups) -> promise.Count:
    """Sum the class size over the rows that remain."""
    return _if_visible(groups, _summed_size(groups))


def count_mean_k(groups: Groups) -> promise.Count:
    """Return the mean of the class size over the rows that remain."""
    if groups.promise.rule == "below-mean":
        raise BeforehandError("under the rule below-mean it is taken before suppression")
    return _if_visible(groups, Fraction(_summed_size(groups), groups.kept_rows))


def _summed_size(groups: Groups) -> int:
    return groups.number("SELECT sum(rows::HUGEINT * size) FROM sizes")


def _if_visible(groups: Groups, count: promise.Count) -> promise.Count:
    """Pass on a number made of class sizes if the file shows them; rows are never fewer than persons."""
    if groups.promise.person is not None and not groups.has_persons:
        words = f"class size counts {groups.promise.units}, whose column is not published"
        raise UndeterminedError(words, at_most=count)
    return count


def count_secure(groups: Groups) -> promise.Count:
    """Return 1 if no class discloses a confidential sentence to whom it is confidential, else 0."""
    telling = _telling(groups)
    if telling.certain or not telling.possible:
        return int(not telling.possible)
    raise UndeterminedError("for whom a sentence is confidential is not published")


def count_exposed(groups: Groups) -> promise.Count:
    """Return the people who hold a sentence that their class discloses."""
    telling = _telling(groups)
    if not telling.possible:
        return 0
    if telling.certain < telling.possible:
        raise UndeterminedError("for whom a sentence is confidential is not published")
    if telling.people is None:
        raise UndeterminedError(f"it counts {groups.promise.units}, whose column is not published")
    return telling.people


def _telling(groups: Groups) -> Telling:
    if groups.telling is None:
        raise UndeterminedError("the confidential sentences and their columns are missing")
    return groups.telling


def count_suppressed(groups: Groups) -> promise.Count:
    """Return the number of suppressed rows."""
    return groups.suppressed_rows


def count_dm(groups: Groups) -> promise.Count:
    """Return Σ (rows of the class)² + suppressed × rows."""
    squares = groups.number("SELECT sum(rows::HUGEINT * rows) FROM sizes")
    return squares + groups.suppressed_rows * groups.input_rows


def count_average_class(groups: Groups) -> promise.Count:
    """Return remaining rows / remaining classes."""
    return Fraction(groups.kept_rows, groups.number("SELECT count(*) FROM sizes"))


def count_sl(groups: Groups) -> int:
    """Return attributes × suppressed rows."""
    return groups.width * groups.suppressed_rows


def count_gl(groups: Groups) -> Fraction:
    """Sum the losses of the cells of kept rows, weights scaled to the mean 1."""
    return _sum_weighted(groups, "loss") * groups.width


def count_glm(groups: Groups) -> Fraction:
    """Sum the losses of all cells, a suppressed row 1 in each."""
    return count_gl(groups) + count_sl(groups)


def count_loss(groups: Groups) -> promise.Count:
    """Return the mean loss of a cell, Σ w·cell / Σ w over the attributes."""
    return count_glm(groups) / (groups.input_rows * groups.width)


def count_usefulness(groups: Groups) -> Fraction:
    """Return 1 − the mean over rows of Σ w·extent / Σ w over the attributes, a suppressed row 1."""
    return 1 - (_sum_weighted(groups, "extent") + groups.suppressed_rows) / groups.input_rows


def count_ncp(groups: Groups) -> Fraction:
    """Return the mean over rows of Σ w·extent / Σ w over the attributes, a suppressed row 1."""
    return 1 - count_usefulness(groups)


def count_protection(groups: Groups) -> promise.Count:
    """Return one over the mean over kept rows of one over their diversity; 0 where a class has none."""
    weights = _shares_of_weight(groups)
    _sum_cells(groups, "extent")  # so that labels without a cost are reported
    terms, joins = ["0.0"], []
    for number, (name, weight) in enumerate(zip(groups.promise.quasi_identifiers, weights, strict=True)):
        costs = _stated(groups, name, "extent")
        table, _ = _price(groups, number, costs)
        same = f"{_cell(number, costs)} IS NOT DISTINCT FROM t{number}.value"
        joins.append(f"LEFT JOIN {table} AS t{number} ON {same}")
        extent = f"t{number}.top::DOUBLE / t{number}.bottom"
        terms.append(f"{float(weight)!r} * coalesce({extent}, {float(costs.default or 0)!r})")
    found = f"SELECT class, n, {' + '.join(terms)} AS diversity FROM classes {' '.join(joins)}"
    # In one order, so that the last digits are the same in every run.
    inverses = "sum(CASE WHEN diversity > 0 THEN n / diversity END ORDER BY class)"
    smallest, inverse = groups.once(f"SELECT min(diversity), {inverses} FROM ({found})")[0]
    return groups.kept_rows / inverse if smallest > 0 else 0


def _shares_of_weight(groups: Groups) -> list[Fraction]:
    """Return the weights of the quasi-identifiers, together 1."""
    weights = [promise.stated_weight(groups.promise, name) for name in groups.promise.quasi_identifiers]
    if not sum(weights):
        raise UndeterminedError("all weights are 0")
    return [weight / sum(weights) for weight in weights]


def count_precision(groups: Groups) -> promise.Count:
    """Return 1 − the mean over all cells of height / height of the hierarchy; a suppressed row's is 1."""
    lost = sum(_sum_cells(groups, "height"), Fraction(0)) + count_sl(groups)
    return 1 - lost / (groups.input_rows * groups.width)


def _sum_weighted(groups: Groups, kind: str) -> Fraction:
    """Sum the stated costs of the kept cells, each column by its share of all weight."""
    sums = zip(_shares_of_weight(groups), _sum_cells(groups, kind), strict=True)
    return sum((weight * cells for weight, cells in sums), Fraction(0))


def _sum_cells(groups: Groups, kind: str) -> list[Fraction]:
    """Sum the stated costs of the kept cells, column by column."""
    sums = []
    for number, name in enumerate(groups.promise.quasi_identifiers):
        costs = _stated(groups, name, kind)
        _, found = _price(groups, number, costs)
        unlisted = sum(count for top, _, count in found if top < 0)
        if unlisted and costs.default is None:
            groups.contradictions.append(f"the column {name!r} holds a label that the manifest does not know")
            raise UndeterminedError(f"the manifest does not know every label of {name!r}")
        listed = (Fraction(top, bottom) * count for top, bottom, count in found if top >= 0)
        sums.append(sum(listed, Fraction(0)) + (costs.default or 0) * unlisted)
    return sums


def _stated(groups: Groups, name: str, kind: str) -> promise.CostTable:
    """Return the stated costs of a column; the extent is the loss where values do not lie on a line."""
    costs = promise.stated_costs(groups.promise, name, kind)
    if costs is None and kind == "extent":
        costs = promise.stated_costs(groups.promise, name, "loss")
    if costs is None:
        raise UnstatedError(f"what a cell of {name!r} costs is only in the manifest")
    return costs


def _cell(number: int, costs: promise.CostTable) -> str:
    """Write a cell as it is compared with the labels that have a cost."""
    return promise.key_of(f"q{number}", costs.labels)


def _price(groups: Groups, number: int, costs: promise.CostTable) -> tuple[str, list[tuple[int, ...]]]:
    """Name the table of a column's costs; return what cells cost with their rows, -1 if nothing is said."""
    key, table = (_cell(number, costs), costs), f"costs{len(groups.known)}"
    if key not in groups.known:
        groups.make_listed(table, costs.labels, top=costs.tops, bottom=costs.bottoms)
        cells = f"SELECT {key[0]} AS cell, sum(n) AS n FROM classes GROUP BY cell"
        found = groups.ask(
            f"SELECT coalesce(top, -1), coalesce(bottom, 1), sum(n) FROM ({cells}) LEFT JOIN {table} "
            "ON cell IS NOT DISTINCT FROM value GROUP BY top, bottom"
        )
        groups.known[key] = table, found
    known: tuple[str, list[tuple[int, ...]]] = groups.known[key]
    return known


def _by_name(
    arguments: int, *counts: Callable[..., promise.Count]
) -> dict[tuple[str, int], Callable[..., promise.Count]]:
    return {(count.__name__.removeprefix("count_"), arguments): count for count in counts}


# Name and number of arguments → how it is counted.
COUNT_OF = {
    **_by_name(0, count_average_class, count_dm, count_exposed, count_gl, count_glm, count_k, count_loss),
    **_by_name(0, count_mean_k, count_precision, count_protection, count_secure, count_sl, count_spread_k),
    **_by_name(0, count_suppressed, count_usefulness, count_ncp),
    **_by_name(1, count_cm, count_distinct_l, count_entropy_l, count_share_l, count_spread_l, count_t),
    **_by_name(2, count_recursive_l, count_t),
}

LARGER_IS_BETTER = {
    *("distinct_l", "entropy_l", "k", "mean_k", "precision", "protection", "ql", "recursive_l", "secure"),
    *("sf", "share_l", "spread_k", "spread_l", "usefulness"),
}

# Name → why it needs the original data.
BEFOREHAND = {
    "hdm": "it depends on the original values, which are not published",
    "ql": "it depends on all values of the domains, which are not published",
    "sf": "it depends on all input rows and on for whom sentences are confidential",
}


def larger_is_better(text: str) -> bool:
    """Tell whether a requirement on this measure is a lower limit."""
    return split_name(text)[0] in LARGER_IS_BETTER
