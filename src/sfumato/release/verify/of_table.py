"""Measures of the whole table, by their definitions."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from sfumato.release.verify.loading import UndeterminedError, UnstatedError
from sfumato.release.verify.stated import key_of, stated_costs, stated_weight, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato.release.verify.loading import Groups
    from sfumato.release.verify.promise import Count
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
        raise UndeterminedError("under the rule below-mean it is taken before suppression")
    return _if_visible(groups, Fraction(_summed_size(groups), groups.kept_rows))


def _summed_size(groups: Groups) -> int:
    return groups.number("SELECT sum(rows::HUGEINT * size) FROM sizes")


def _if_visible(groups: Groups, count: Count) -> Count:
    """Pass on a number made of class sizes if the file shows them; rows are never fewer than persons."""
    if groups.promise.person is not None and not groups.has_persons:
        raise UndeterminedError("class size counts persons, whose column does not leave", at_most=count)
    return count


def count_secure(groups: Groups) -> Count:
    """Return 1 if no class discloses a confidential sentence, else 0."""
    if groups.exposing_classes is None:
        raise UndeterminedError("for whom a sentence is true and confidential does not leave")
    return int(groups.exposing_classes == 0)


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
    weights = [stated_weight(groups.promise, name) for name in groups.promise.quasi_identifiers]
    if not sum(weights):
        raise UndeterminedError("all weights are 0")
    sums = _sum_cells(groups, "loss")
    weighted = sum((weight * cells for weight, cells in zip(weights, sums, strict=True)), Fraction(0))
    return weighted * groups.width / sum(weights)


def count_glm(groups: Groups) -> Fraction:
    """Sum the losses of all cells, a suppressed row 1 in each."""
    return count_gl(groups) + count_sl(groups)


def count_loss(groups: Groups) -> Count:
    """Return the mean loss of a cell, Σ w·cell / Σ w over the attributes."""
    return count_glm(groups) / (groups.input_rows * groups.width)


def count_precision(groups: Groups) -> Count:
    """Return 1 − the mean over all cells of height / height of the hierarchy; a suppressed row's is 1."""
    lost = sum(_sum_cells(groups, "height"), Fraction(0)) + count_sl(groups)
    return 1 - lost / (groups.input_rows * groups.width)


def _sum_cells(groups: Groups, kind: str) -> list[Fraction]:
    """Sum the stated costs of the kept cells, column by column."""
    sums = []
    for number, name in enumerate(groups.promise.quasi_identifiers):
        costs = stated_costs(groups.promise, name, kind)
        if costs is None:
            raise UnstatedError(f"what a cell of {name!r} costs stands in the manifest alone")
        sums.append(_sum_column(groups, number, costs))
    return sums


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
    "gl": count_gl,
    "glm": count_glm,
    "k": count_k,
    "loss": count_loss,
    "mean_k": count_mean_k,
    "precision": count_precision,
    "secure": count_secure,
    "sl": count_sl,
    "spread_k": count_spread_k,
    "suppressed": count_suppressed,
}

__all__ = ["OF_TABLE"]
