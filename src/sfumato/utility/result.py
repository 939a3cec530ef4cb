"""What analyses still give: the numbers that reports show and ``--json`` prints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Task: TypeAlias = Literal["classification", "regression"]
Manner: TypeAlias = Literal["generalized", "microaggregated"]

BARS = 60
"""Most values of a distribution that are written; more are pooled."""


@dataclass(frozen=True)
class AttributeUtility:
    """The distribution of one attribute, before and after.

    Parameters
    ----------
    name
        The attribute.
    role
        ``quasi-identifier`` or ``sensitive``; ``microaggregated`` for a column of that kind.
    kind
        ``number``, ``category``, ``ordinal`` or ``date``.
    size
        Values of its domain, missing included; of a microaggregated column, bins.
    blocks
        Blocks that released rows have; the same as the values that occur where nothing was done.
    distance
        Total variation distance between the original rows and the released ones, 0 to 1: half the sum of
        the absolute differences of the shares. A released row counts in every value of its block alike.
        Suppressed rows are left out.
    distance_spread
        The same, where suppressed rows count in every value of the domain alike.
    labels
        The values in the order of their codes, or the bins; None is missing.
    before, after, after_spread
        The share of each value among original rows, released rows, and released rows together with
        suppressed ones that are spread over the domain.
    mean, mean_after, deviation, deviation_after
        Mean and standard deviation of numbers (of dates in days), original and released; missing left out.
        None for other kinds, and where there is no number.
    is_ordered
        Whether the values have an order, so that neighbours may be pooled.
    """

    name: str
    role: str
    kind: str
    size: int
    blocks: int
    distance: float
    distance_spread: float
    labels: tuple[str | None, ...] = field(repr=False)
    before: tuple[float, ...] = field(repr=False)
    after: tuple[float, ...] = field(repr=False)
    after_spread: tuple[float, ...] = field(repr=False)
    mean: float | None = None
    mean_after: float | None = None
    deviation: float | None = None
    deviation_after: float | None = None
    is_ordered: bool = False

    def bars(self, most: int = BARS) -> list[tuple[str | None, float, float]]:
        """Return label, share before and share after of at most so many bars, for a figure.

        Parameters
        ----------
        most
            How many bars there may be, at least 2. Of more values, neighbours are pooled under the labels of
            the first and the last where there is an order; otherwise all but the most frequent ones.
        """
        rows = list(zip(self.labels, self.before, self.after, strict=True))
        if len(rows) <= most:
            return rows
        groups = _neighbours(rows, most) if self.is_ordered else _rarest(rows, most)
        return [
            (label, sum(row[1] for row in group), sum(row[2] for row in group)) for label, group in groups
        ]

    def to_dict(self, *, show_values: bool = True) -> dict[str, object]:
        """Return plain JSON; without values, labels are left out."""
        bars = self.bars()
        found: dict[str, object] = {
            "name": self.name,
            "role": self.role,
            "kind": self.kind,
            "size": self.size,
            "blocks": self.blocks,
            "distance": self.distance,
            "distance_spread": self.distance_spread,
            "mean": self.mean,
            "mean_after": self.mean_after,
            "deviation": self.deviation,
            "deviation_after": self.deviation_after,
            "before": [before for _, before, _ in bars],
            "after": [after for _, _, after in bars],
        }
        if show_values:
            found["labels"] = [label for label, _, _ in bars]
        return found


_Row: TypeAlias = tuple[str | None, float, float]
_Groups: TypeAlias = list[tuple[str | None, list[_Row]]]


def _neighbours(rows: list[_Row], most: int) -> _Groups:
    """Pool runs of values of nearly equal lengths."""
    groups: _Groups = []
    for place in range(most):
        group = rows[place * len(rows) // most : (place + 1) * len(rows) // most]
        ends = [label for label in (group[0][0], group[-1][0]) if label is not None]
        groups.append((" … ".join(dict.fromkeys(ends)) if ends else None, group))
    return groups


def _rarest(rows: list[_Row], most: int) -> _Groups:
    """Pool all but the most frequent values; of equally frequent ones the first stay."""
    ranked = sorted(range(len(rows)), key=lambda place: (-rows[place][1], place))
    kept, rest = sorted(ranked[: most - 1]), sorted(ranked[most - 1 :])
    groups: _Groups = [(rows[place][0], [rows[place]]) for place in kept]
    return [*groups, (f"{len(rest)} others", [rows[place] for place in rest])]


@dataclass(frozen=True)
class Association:
    """How much two attributes tell of each other, before and after.

    Parameters
    ----------
    first, second
        The attributes.
    before, after
        Cramér's V with bias correction, 0 to 1; of microaggregated columns Pearson's correlation, −1 to 1.
    """

    first: str
    second: str
    before: float
    after: float

    @property
    def change(self) -> float:
        """The absolute difference."""
        return abs(self.after - self.before)

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON."""
        return {
            "first": self.first,
            "second": self.second,
            "before": self.before,
            "after": self.after,
            "change": self.change,
        }


@dataclass(frozen=True)
class ModelUtility:
    """A model trained on the release and the same trained on the original, tested on the same original rows.

    Parameters
    ----------
    target
        The attribute that is predicted.
    task
        ``classification``, or ``regression`` for numbers and dates.
    model
        What is trained, in words.
    features
        The attributes it is predicted from.
    classes
        Classes of a classification; 0 for a regression.
    train_rows, release_rows, test_rows
        Rows to train on, those of them that the release still has, and rows of the test. No row is in both
        parts.
    original, release, baseline
        Score → number, by models trained on the original and on the release, and by a guess that looks at no
        feature: the most frequent class, or the mean, of the original's training part. ``accuracy``,
        ``balanced_accuracy`` and ``auc`` of a classification; ``r2`` and ``mae`` of a regression.
    """

    target: str
    task: Task
    model: str
    features: tuple[str, ...]
    classes: int
    train_rows: int
    release_rows: int
    test_rows: int
    original: dict[str, float]
    release: dict[str, float]
    baseline: dict[str, float]

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON."""
        return {
            "target": self.target,
            "task": self.task,
            "model": self.model,
            "features": list(self.features),
            "classes": self.classes,
            "train_rows": self.train_rows,
            "release_rows": self.release_rows,
            "test_rows": self.test_rows,
            "original": dict(self.original),
            "release": dict(self.release),
            "baseline": dict(self.baseline),
        }


@dataclass(frozen=True)
class ErrorSummary:
    """Relative errors of many queries.

    Parameters
    ----------
    median, mean, p90
        Median, mean, and the error that nine of ten queries do not exceed.
    """

    median: float
    mean: float
    p90: float

    def to_dict(self) -> dict[str, float]:
        """Return plain JSON."""
        return {"median": self.median, "mean": self.mean, "p90": self.p90}


@dataclass(frozen=True)
class QueryUtility:
    """Counts of rows with values in random ranges and sets, asked of the original and of the release.

    Parameters
    ----------
    count
        Number of queries.
    floor
        Smallest count that an error is divided by, in rows: the error of a query is its absolute error over
        its true count, or over this where that is larger.
    error
        Errors where suppressed rows are left out.
    error_spread
        Errors where every suppressed row counts in all values of all domains alike.
    truth, estimates
        The true count and the estimate (suppressed rows left out) of each query. Not written to JSON.
    """

    count: int
    floor: float
    error: ErrorSummary
    error_spread: ErrorSummary
    truth: tuple[float, ...] = field(repr=False)
    estimates: tuple[float, ...] = field(repr=False)

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON."""
        return {
            "count": self.count,
            "floor": self.floor,
            "error": self.error.to_dict(),
            "error_spread": self.error_spread.to_dict(),
        }


@dataclass(frozen=True)
class Utility:
    """What analyses of a release still give, beside the same analyses of the original.

    Parameters
    ----------
    manner
        ``generalized`` or ``microaggregated``.
    rows, kept, suppressed
        Rows of the original, rows that the release keeps, and rows that it suppressed.
    used
        Original rows that models and queries saw: all, or a random sample of a large table. Distributions and
        associations are of all rows.
    seed
        Of the sample, the split and the queries.
    attributes
        The distribution of each attribute.
    associations
        Every pair of attributes.
    model
        What a model learns; None where there is nothing to predict or nothing to predict it from.
    queries
        Errors of counting queries; None without attributes.
    """

    manner: Manner
    rows: int
    kept: int
    suppressed: int
    used: int
    seed: int
    attributes: tuple[AttributeUtility, ...]
    associations: tuple[Association, ...]
    model: ModelUtility | None
    queries: QueryUtility | None

    @property
    def association_measure(self) -> str:
        """What the associations are: ``cramers_v`` or ``correlation``."""
        return "cramers_v" if self.manner == "generalized" else "correlation"

    @property
    def distance(self) -> float:
        """The mean of the attributes' distances; 0 without attributes."""
        return _mean([item.distance for item in self.attributes])

    @property
    def distance_spread(self) -> float:
        """The same with suppressed rows spread over the domains."""
        return _mean([item.distance_spread for item in self.attributes])

    @property
    def association_change(self) -> float:
        """The mean absolute difference of the associations; 0 without pairs."""
        return _mean([item.change for item in self.associations])

    def to_dict(self, *, show_values: bool = True) -> dict[str, object]:
        """Return plain JSON with stable names.

        Parameters
        ----------
        show_values
            Whether distributions name the values of the domains, which may be values of the data.
        """
        return {
            "manner": self.manner,
            "rows": {"in": self.rows, "kept": self.kept, "suppressed": self.suppressed, "used": self.used},
            "seed": self.seed,
            "distance": self.distance,
            "distance_spread": self.distance_spread,
            "attributes": [item.to_dict(show_values=show_values) for item in self.attributes],
            "association_measure": self.association_measure,
            "association_change": self.association_change,
            "associations": [item.to_dict() for item in self.associations],
            "model": None if self.model is None else self.model.to_dict(),
            "queries": None if self.queries is None else self.queries.to_dict(),
        }


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


__all__ = [
    "Association",
    "AttributeUtility",
    "ErrorSummary",
    "Manner",
    "ModelUtility",
    "QueryUtility",
    "Task",
    "Utility",
]
