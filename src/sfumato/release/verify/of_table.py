"""Measures of the whole table, by their definitions."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from sfumato.release.verify.loading import BeforehandError, UndeterminedError, UnstatedError
from sfumato.release.verify.stated import key_of, stated_costs, stated_weight, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato.release.verify.loading import Groups
    from sfumato.release.verify.promise import Count
    from sfumato.release.verify.sentences import Telling
    from sfumato.release.verify.stated import CostTable


def count_k(groups: Groups) -> Count:
    """Return the smallest class size."""
    return _if_visible(groups, groups.number("SELECT min(size) FROM sizes"))


def count_spread_k(groups: Groups) -> Count:
    """Sum the class size over the rows that remain."""
    return _if_visible(groups, _summed_size(groups))


def count_mean_k(groups: Groups) -> Count:
    """Return the mean of the class size over the rows that remain."""
    if groups.promise.rule == "below-mean":
        raise BeforehandError("under the rule below-mean it is taken before suppression")
    return _if_visible(groups, Fraction(_summed_size(groups), groups.kept_rows))


def _summed_size(groups: Groups) -> int:
    return groups.number("SELECT sum(rows::HUGEINT * size) FROM sizes")


def _if_visible(groups: Groups, count: Count) -> Count:
    """Pass on a number made of class sizes if the file shows them; rows are never fewer than persons."""
    if groups.promise.person is not None and not groups.has_persons:
        raise UndeterminedError("class size counts persons, whose column does not leave", at_most=count)
    return count


def count_secure(groups: Groups) -> Count:
    """Return 1 if no class discloses a confidential sentence to whom it is confidential, else 0."""
    telling = _telling(groups)
    if telling.certain or not telling.possible:
        return int(not telling.possible)
    raise UndeterminedError("for whom a sentence is confidential does not leave")


def count_exposed(groups: Groups) -> Count:
    """Return the people who hold a sentence that their class discloses."""
    telling = _telling(groups)
    if not telling.possible:
        return 0
    if telling.certain < telling.possible:
        raise UndeterminedError("for whom a sentence is confidential does not leave")
    if telling.people is None:
        raise UndeterminedError("it counts persons, whose column does not leave")
    return telling.people


def _telling(groups: Groups) -> Telling:
    if groups.telling is None:
        raise UndeterminedError("the confidential sentences and their columns are not there")
    return groups.telling


def count_sf(groups: Groups) -> Count:
    """Say why it cannot be counted: it compares with how often sentences are true in the whole table."""
    raise BeforehandError("it depends on all input rows and on for whom sentences are confidential")


def count_ql(groups: Groups) -> Count:
    """Say why it cannot be counted: a release does not show all values of the domains."""
    raise BeforehandError("it depends on all values of the domains, which do not leave")


def count_suppressed(groups: Groups) -> Count:
    """Return the number of suppressed rows."""
    return groups.suppressed_rows


def count_dm(groups: Groups) -> Count:
    """Return Σ (rows of the class)² + suppressed × rows."""
    squares = groups.number("SELECT sum(rows::HUGEINT * rows) FROM sizes")
    return squares + groups.suppressed_rows * groups.input_rows


def count_average_class(groups: Groups) -> Count:
    """Return remaining rows / remaining classes."""
    return Fraction(groups.kept_rows, groups.number("SELECT count(*) FROM sizes"))


def count_sl(groups: Groups) -> int:
    """Return attributes × suppressed rows."""
    return groups.width * groups.suppressed_rows


def count_gl(groups: Groups) -> Fraction:
    """Sum the losses of the cells of kept rows, weights scaled to the mean 1."""
    weights = _shares_of_weight(groups)
    sums = _sum_cells(groups, "loss")
    return (
        sum((weight * cells for weight, cells in zip(weights, sums, strict=True)), Fraction(0)) * groups.width
    )


def count_glm(groups: Groups) -> Fraction:
    """Sum the losses of all cells, a suppressed row 1 in each."""
    return count_gl(groups) + count_sl(groups)


def count_loss(groups: Groups) -> Count:
    """Return the mean loss of a cell, Σ w·cell / Σ w over the attributes."""
    return count_glm(groups) / (groups.input_rows * groups.width)


def count_usefulness(groups: Groups) -> Fraction:
    """Return 1 − the mean over rows of Σ w·extent / Σ w over the attributes, a suppressed row 1."""
    weights = _shares_of_weight(groups)
    sums = _sum_cells(groups, "extent")
    lost = sum((weight * cells for weight, cells in zip(weights, sums, strict=True)), Fraction(0))
    return 1 - (lost + groups.suppressed_rows) / groups.input_rows


def count_protection(groups: Groups) -> Count:
    """Return one over the mean over kept rows of one over their diversity; 0 where a class has none."""
    weights = _shares_of_weight(groups)
    _sum_cells(groups, "extent")  # so that labels without a cost are told
    terms, cells = ["0.0"], []
    for number, (name, weight) in enumerate(zip(groups.promise.quasi_identifiers, weights, strict=True)):
        costs = _stated(groups, name, "extent")
        _fill_costs(groups, f"extents{number}", costs)
        cells.append(f"{key_of(f'any_value(q{number})', costs.labels)} AS cell{number}")
        extent = (
            f"(SELECT any_value(cost) FROM extents{number} WHERE label IS NOT DISTINCT FROM cell{number})"
        )
        terms.append(f"{float(weight)!r} * coalesce({extent}, {float(costs.default or 0)!r})")
    classes = f"SELECT sum(n) AS n, {', '.join(cells)} FROM cells GROUP BY class"
    found = f"SELECT n, {' + '.join(terms)} AS diversity FROM ({classes})"
    smallest, inverse = groups.ask(
        f"SELECT min(diversity), sum(CASE WHEN diversity > 0 THEN n / diversity END) FROM ({found})"
    )[0]
    return groups.kept_rows / inverse if smallest > 0 else 0


def _fill_costs(groups: Groups, table: str, costs: CostTable) -> None:
    """Make a table (label, cost) of stated costs."""
    groups.connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT {key_of('label', costs.labels)} AS label, "
        "top::DOUBLE / bottom AS cost FROM (SELECT unnest(?::VARCHAR[]) AS label, "
        "unnest(?::BIGINT[]) AS top, unnest(?::BIGINT[]) AS bottom)",
        [[text_of(label) for label in costs.labels], list(costs.tops), list(costs.bottoms)],
    )


def _shares_of_weight(groups: Groups) -> list[Fraction]:
    """Return the weights of the quasi-identifiers, together 1."""
    weights = [stated_weight(groups.promise, name) for name in groups.promise.quasi_identifiers]
    if not sum(weights):
        raise UndeterminedError("all weights are 0")
    return [weight / sum(weights) for weight in weights]


def count_hdm(groups: Groups) -> Count:
    """Say why the metric cannot be counted: it compares blocks with how frequent original values were."""
    raise BeforehandError("it depends on the original values, which do not leave")


def count_precision(groups: Groups) -> Count:
    """Return 1 − the mean over all cells of height / height of the hierarchy; a suppressed row's is 1."""
    lost = sum(_sum_cells(groups, "height"), Fraction(0)) + count_sl(groups)
    return 1 - lost / (groups.input_rows * groups.width)


def _sum_cells(groups: Groups, kind: str) -> list[Fraction]:
    """Sum the stated costs of the kept cells, column by column."""
    sums = []
    for number, name in enumerate(groups.promise.quasi_identifiers):
        sums.append(_sum_column(groups, number, _stated(groups, name, kind)))
    return sums


def _stated(groups: Groups, name: str, kind: str) -> CostTable:
    """Return the stated costs of a column; the extent is the loss where values do not lie on a line."""
    costs = stated_costs(groups.promise, name, kind)
    if costs is None and kind == "extent":
        costs = stated_costs(groups.promise, name, "loss")
    if costs is None:
        raise UnstatedError(f"what a cell of {name!r} costs stands in the manifest alone")
    return costs


def _sum_column(groups: Groups, number: int, costs: CostTable) -> Fraction:
    labels = [text_of(label) for label in costs.labels]
    found = groups.ask(
        "WITH costs AS (SELECT unnest(?::VARCHAR[]) AS label, unnest(?::BIGINT[]) AS top, "
        "unnest(?::BIGINT[]) AS bottom), found AS "
        f"(SELECT {key_of(f'q{number}', costs.labels)} AS cell, sum(n) AS n FROM cells GROUP BY cell) "
        "SELECT coalesce(top, -1), coalesce(bottom, 1), sum(n) FROM found LEFT JOIN costs "
        f"ON cell IS NOT DISTINCT FROM {key_of('label', costs.labels)} GROUP BY top, bottom",
        (labels, list(costs.tops), list(costs.bottoms)),
    )
    unlisted = sum(count for top, _, count in found if top < 0)
    if unlisted and costs.default is None:
        name = groups.promise.quasi_identifiers[number]
        groups.contradictions.append(f"the column {name!r} holds a label that the manifest does not know")
        raise UndeterminedError(f"the manifest does not know every label of {name!r}")
    listed = sum((Fraction(top, bottom) * count for top, bottom, count in found if top >= 0), Fraction(0))
    return listed + (costs.default or 0) * unlisted


OF_TABLE: dict[str, Callable[[Groups], Count]] = {
    "average_class": count_average_class,
    "dm": count_dm,
    "exposed": count_exposed,
    "gl": count_gl,
    "glm": count_glm,
    "hdm": count_hdm,
    "k": count_k,
    "loss": count_loss,
    "mean_k": count_mean_k,
    "precision": count_precision,
    "protection": count_protection,
    "ql": count_ql,
    "secure": count_secure,
    "sf": count_sf,
    "sl": count_sl,
    "spread_k": count_spread_k,
    "suppressed": count_suppressed,
    "usefulness": count_usefulness,
}
