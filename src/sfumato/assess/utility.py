"""What analyses still give: the numbers that reports show and ``--json`` prints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from sfumato.assess.risk_results import Plain

Task: TypeAlias = Literal["classification", "regression"]
Manner: TypeAlias = Literal["generalized", "microaggregated"]

BARS = 60  # most values of a distribution that are written; more are pooled


@dataclass(frozen=True)
class AttributeUtility(Plain):
    """The distribution of one attribute, before and after."""

    name: str  # the attribute
    role: str  # `quasi-identifier` or `sensitive`; `microaggregated` for a column of that kind
    kind: str  # `number`, `category`, `ordinal` or `date`
    size: int  # values of its domain, missing included; of a microaggregated column, bins
    blocks: int  # blocks that released rows have; the same as the values that occur where nothing was done
    # total variation distance between the original rows and the released ones, 0 to 1: half the sum of the
    # absolute differences of the shares. A released row counts in every value of its block alike. Suppressed
    # rows are left out.
    distance: float
    distance_spread: float  # the same, where suppressed rows count in every value of the domain alike
    # the values in the order of their codes, or the bins; None is missing
    labels: tuple[str | None, ...] = field(repr=False)
    # the share of each value among original rows, and among released rows
    before: tuple[float, ...] = field(repr=False)
    after: tuple[float, ...] = field(repr=False)
    # mean and standard deviation of numbers (of dates in days), original and released; missing left out. None
    # for other kinds, and where there is no number.
    mean: float | None = None
    mean_after: float | None = None
    deviation: float | None = None
    deviation_after: float | None = None
    is_ordered: bool = False  # whether the values have an order, so that neighbours may be pooled

    def bars(self, most: int = BARS) -> list[tuple[str | None, float, float]]:
        """Return label, share before and share after of at most so many bars, for a figure."""
        rows = list(zip(self.labels, self.before, self.after, strict=True))
        if len(rows) <= most:
            return rows
        groups = _neighbours(rows, most) if self.is_ordered else _rarest(rows, most)
        return [
            (label, sum(row[1] for row in group), sum(row[2] for row in group)) for label, group in groups
        ]

    def to_dict(self, *, show_values: bool = True) -> dict[str, object]:
        """Return plain JSON; without values, labels are left out."""
        drawn = zip(("labels", "before", "after"), zip(*self.bars(), strict=True), strict=False)
        found = {**super().to_dict(), **{key: list(column) for key, column in drawn}}
        hidden = ("is_ordered", *(() if show_values else ("labels",)))
        return {key: value for key, value in found.items() if key not in hidden}


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
class Association(Plain):
    """How much two attributes tell of each other, before and after."""

    # the attributes
    first: str
    second: str
    # cramér's V with bias correction, 0 to 1; of microaggregated columns Pearson's correlation, −1 to 1
    before: float
    after: float

    @property
    def change(self) -> float:
        """The absolute difference."""
        return abs(self.after - self.before)

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON."""
        return {**super().to_dict(), "change": self.change}


@dataclass(frozen=True)
class ModelUtility(Plain):
    """A model trained on the release and one on the original, tested on the same original rows."""

    target: str  # the attribute that is predicted
    task: Task  # `classification`, or `regression` for numbers and dates
    model: str  # what is trained, in words
    features: tuple[str, ...]  # the attributes it is predicted from
    classes: int  # classes of a classification; 0 for a regression
    # rows to train on, those of them that the release still has, and rows of the test. No row is in both
    # parts.
    train_rows: int
    release_rows: int
    test_rows: int
    # score → number, by models trained on the original and on the release, and by a guess that looks at no
    # feature: the most frequent class, or the mean, of the original's training part. `accuracy`,
    # `balanced_accuracy` and `auc` of a classification; `r2` and `mae` of a regression.
    original: dict[str, float]
    release: dict[str, float]
    baseline: dict[str, float]


@dataclass(frozen=True)
class ErrorSummary(Plain):
    """Relative errors of many queries."""

    # median, mean, and the error that nine of ten queries do not exceed
    median: float
    mean: float
    p90: float


@dataclass(frozen=True)
class QueryUtility(Plain):
    """Counts of rows with values in random ranges and sets, asked of the original and of the release."""

    count: int  # number of queries
    # smallest count that an error is divided by, in rows: the error of a query is its absolute error over its
    # true count, or over this where that is larger
    floor: float
    error: ErrorSummary  # errors where suppressed rows are left out
    error_spread: ErrorSummary  # errors where every suppressed row counts in all values of all domains alike


@dataclass(frozen=True)
class Utility:
    """What analyses of a release still give, next to the same analyses of the original."""

    manner: Manner  # `generalized` or `microaggregated`
    # rows of the original, rows that the release keeps, and rows that it suppressed
    rows: int
    kept: int
    suppressed: int
    # original rows that models and queries saw: all, or a random sample of a large table. Distributions and
    # associations are of all rows.
    used: int
    seed: int  # of the sample, the split and the queries
    attributes: tuple[AttributeUtility, ...]  # the distribution of each attribute
    associations: tuple[Association, ...]  # every pair of attributes
    # what a model learns; None where there is nothing to predict or nothing to predict it from
    model: ModelUtility | None
    queries: QueryUtility | None  # errors of counting queries; None without attributes

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
        """Return plain JSON with stable names."""
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
