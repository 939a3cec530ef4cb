"""What attackers achieve, as numbers: frozen results that become plain JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

Unit: TypeAlias = Literal["row", "person"]
Similarity: TypeAlias = Literal["range", "hierarchy"]
Attacker: TypeAlias = Literal["logic", "uniform", "distribution", "minimality"]


class Plain:
    """A result that can be written as JSON."""

    __slots__ = ()

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON: the fields by their names, nested results as objects, tuples as lists."""
        return cast("dict[str, object]", _plain(self))


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: _plain(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value


@dataclass(frozen=True, slots=True)
class SizeBin(Plain):
    """Classes of similar sizes.

    Parameters
    ----------
    smallest, largest
        The sizes that are counted here, both included; no largest one where None.
    classes, records
        How many classes have such a size, and how many records are in them.
    """

    smallest: int
    largest: int | None
    classes: int
    records: int


@dataclass(frozen=True, slots=True)
class ClassSizes(Plain):
    """The distribution of class sizes.

    Parameters
    ----------
    classes
        Number of classes.
    smallest, largest, mean
        Of the sizes; the mean is over classes.
    bins
        Sizes from 1 on, in bins that grow.
    """

    classes: int
    smallest: int
    largest: int
    mean: float
    bins: tuple[SizeBin, ...]


@dataclass(frozen=True, slots=True)
class Reidentification(Plain):
    """The chance of an attacker who looks for one person.

    Parameters
    ----------
    highest
        The largest chance of any record.
    average
        The mean chance.
    records_at_risk, share_at_risk
        Records whose chance is above the threshold.
    threshold
        That threshold.
    basis
        Where class sizes in the population come from: ``sample`` (the table is all there is),
        ``population`` (a table), ``fraction`` (a sampling fraction and a model).
    """

    highest: float
    average: float
    records_at_risk: int
    share_at_risk: float
    threshold: float
    basis: Literal["sample", "population", "fraction"]


@dataclass(frozen=True, slots=True)
class Estimate(Plain):
    """How many people are unique in the population, by one estimator.

    Parameters
    ----------
    estimator
        ``pitman``, ``zayatz`` or ``snb``.
    population_uniques
        The estimate; None where the estimator is not applicable or did not converge.
    share_of_population
        The same over the size of the population.
    share_of_sample_uniques
        Expected share of the sample uniques that are unique in the population too.
    why_not
        Why there is no estimate; None where there is one.
    parameters
        What was fitted, by name.
    """

    estimator: Literal["pitman", "zayatz", "snb"]
    population_uniques: float | None
    share_of_population: float | None
    share_of_sample_uniques: float | None
    why_not: str | None
    parameters: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Uniques(Plain):
    """Records that no other resembles.

    Parameters
    ----------
    sample, share
        Unique records of the table, and their share.
    in_population
        Of these, unique in the population too; None without a population table.
    estimates
        By each estimator; only with a sampling fraction.
    chosen
        The estimator that the rule of Dankar and others would take; None where none gave an estimate.
    """

    sample: int
    share: float
    in_population: int | None = None
    estimates: tuple[Estimate, ...] = ()
    chosen: str | None = None


@dataclass(frozen=True, slots=True)
class AttributeDisclosure(Plain):
    """What a class gives away about a sensitive attribute, without anybody being re-identified.

    Parameters
    ----------
    attribute
        The sensitive attribute.
    homogeneous_rows, homogeneous_classes
        Where all rows of a class have one value: to know the class is to know it.
    skewed_rows
        Rows whose own value is likelier in their class than in the whole table by more than the threshold.
    largest_distance
        The largest total variation between a class and the whole table (t with equal distances), 0 to 1.
    mean_gain
        How much likelier its own value becomes to a row when its class is known, on average over the rows.
    similar_rows
        Rows of classes whose values are alike; None where nobody says which are.
    rows
        Rows of the table.
    similarity
        When values are alike: within a tenth of the ``range``, or of one branch, a step below the root, of
        their ``hierarchy``; None where values have neither.
    """

    attribute: str
    homogeneous_rows: int
    homogeneous_classes: int
    skewed_rows: int
    largest_distance: float
    mean_gain: float
    similar_rows: int | None
    rows: int
    similarity: Similarity | None = None


@dataclass(frozen=True, slots=True)
class TableRisk(Plain):
    """The risks of one table.

    Parameters
    ----------
    rows
        Its rows.
    records
        What classes are counted in: rows, or persons in classes (a person with rows in two classes
        counts in both).
    unit
        ``row`` or ``person``.
    sizes
        The distribution of class sizes.
    prosecutor
        The attacker knows that the person is in the table.
    journalist
        The attacker does not know it; None without a population or a fraction.
    marketer
        Expected share of records matched correctly when everyone is matched.
    uniques
        Records that no other resembles.
    attributes
        What classes give away, for each sensitive attribute.
    """

    rows: int
    records: int
    unit: Unit
    sizes: ClassSizes
    prosecutor: Reidentification
    journalist: Reidentification | None
    marketer: float
    uniques: Uniques
    attributes: tuple[AttributeDisclosure, ...]


@dataclass(frozen=True, slots=True)
class Linkage(Plain):
    """A linkage attack that was run.

    Parameters
    ----------
    known, of
        How many attributes the attacker knows of each person, and how many there are.
    subsets
        How many sets of that many attributes were drawn; 1 where all are known.
    attempts, successes
        People looked for, one attempt each, and found.
    rate, low, high
        Success rate with its 95 % confidence interval (Wilson).
    expected
        The success rate to expect, exactly, over all people who were looked for and all drawn sets.
    absent
        People whose row cannot be found: suppressed, or without the values that linking needs.
    """

    known: int
    of: int
    subsets: int
    attempts: int
    successes: int
    rate: float
    low: float
    high: float
    expected: float
    absent: int


@dataclass(frozen=True, slots=True)
class Subset(Plain):
    """A combination of attributes and whom it singles out.

    Parameters
    ----------
    attributes
        Their names.
    singled_out, share
        Records that no other resembles in these attributes, and their share.
    """

    attributes: tuple[str, ...]
    singled_out: int
    share: float


@dataclass(frozen=True, slots=True)
class SubsetScan(Plain):
    """Which combinations of up to three attributes single out most people.

    Parameters
    ----------
    scanned, possible
        How many combinations were counted, and how many there are.
    complete
        Whether all were.
    identifying
        Attributes that alone single out nearly everyone, and were left out of combinations.
    best
        For one, two and three attributes those that single out most, most first.
    unit
        What is singled out: rows or persons.
    """

    scanned: int
    possible: int
    complete: bool
    identifying: tuple[str, ...]
    best: tuple[Subset, ...]
    unit: Unit


@dataclass(frozen=True, slots=True)
class Narrowing(Plain):
    """How much of a generalization one attacker undoes, in shares of the generalized cells.

    Parameters
    ----------
    attacker
        ``logic`` (what must be true), ``uniform`` and ``distribution`` (guessing without minimality) or
        ``minimality`` (guessing by the distribution, given that nothing finer was possible).
    narrowed, correct
        Cells that the attacker narrows because it is sure, or confident, and those narrowed rightly.
    guessed
        Cells right where every cell is guessed, confident or not; None for logic, which does not guess.
    """

    attacker: Attacker
    narrowed: float
    correct: float
    guessed: float | None = None


@dataclass(frozen=True, slots=True)
class Downcoding(Plain):
    """What attackers achieve who know that a release is minimal; see `sfumato.risks.downcoding`.

    Parameters
    ----------
    attacked
        ``release``, ``optimum`` or ``near-optimal``.
    cells
        Generalized cells of published rows.
    refused
        Finer recodings that the attacker knows to be infeasible.
    attackers
        What each one achieves; means over all draws.
    draws
        How many near-optimal releases were attacked.
    """

    attacked: str
    cells: int
    refused: int
    attackers: tuple[Narrowing, ...]
    draws: int = 1


@dataclass(frozen=True, slots=True)
class Risk(Plain):
    """What attackers achieve against a table, and against a release made from it.

    Parameters
    ----------
    quasi_identifiers, sensitive
        The attributes that are known, and those that must not be learnt.
    threshold
        Above which a chance counts as a risk.
    before
        The risks of the data.
    linkage_before
        Linkage attacks on the data themselves, as if they were released unchanged.
    subsets
        Which combinations of attributes single out most people, in the data; None where not asked for.
    after
        The risks of the release; None without one.
    linkage_after
        Linkage attacks on the release.
    release_kind
        ``generalized`` or ``microaggregated``; None without a release.
    downcoding
        What follows from the release being a minimal one; beside it, of the best release and of
        near-optimal ones. Empty where this was not tried.
    notes
        What the reader should know about how the numbers came about.
    """

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    threshold: float
    before: TableRisk
    linkage_before: tuple[Linkage, ...]
    subsets: SubsetScan | None
    after: TableRisk | None = None
    linkage_after: tuple[Linkage, ...] = ()
    release_kind: Literal["generalized", "microaggregated"] | None = None
    downcoding: tuple[Downcoding, ...] = ()
    notes: tuple[str, ...] = ()


__all__ = [
    "Attacker",
    "AttributeDisclosure",
    "ClassSizes",
    "Downcoding",
    "Estimate",
    "Linkage",
    "Narrowing",
    "Plain",
    "Reidentification",
    "Risk",
    "Similarity",
    "SizeBin",
    "Subset",
    "SubsetScan",
    "TableRisk",
    "Uniques",
    "Unit",
]
