"""What attackers achieve, as numbers: frozen results that become plain JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, cast

from sfumato.notebooks import ShownInNotebook

Unit: TypeAlias = Literal["row", "person", "household"]
Similarity: TypeAlias = Literal["range", "hierarchy"]
Basis: TypeAlias = Literal["sample", "population", "fraction", "weight"]
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
    """Classes of similar sizes."""

    # the sizes that are counted here, both included; no largest one where None
    smallest: int
    largest: int | None
    # how many classes have such a size, and how many records are in them
    classes: int
    records: int


@dataclass(frozen=True, slots=True)
class SizeSummary(Plain):
    """The distribution of class sizes."""

    classes: int  # number of classes
    # of the sizes; the mean is over classes
    smallest: int
    largest: int
    mean: float
    bins: tuple[SizeBin, ...]  # sizes from 1 on, in bins that grow


@dataclass(frozen=True, slots=True)
class Reidentification(Plain):
    """The chance of an attacker who looks for one person."""

    highest: float  # the largest chance of any record
    average: float  # the mean chance
    expected: float  # how many records are found if all are looked for: the sum of their chances
    # records whose chance is above the threshold
    records_at_risk: int
    share_at_risk: float
    threshold: float  # that threshold
    # where class sizes in the population come from: `sample` (the table is all there is), `population` (a
    # table), `fraction` or `weight` (a sampling fraction or survey weights, and a model)
    basis: Basis


@dataclass(frozen=True, slots=True)
class HouseholdRisk(Plain):
    """The chance that at least one member of a household is found, by the same chances as the marketer's."""

    households: int
    # over households; `expected` is how many of them are found
    highest: float
    average: float
    expected: float


@dataclass(frozen=True, slots=True)
class Estimate(Plain):
    """How many people are unique in the population, by one estimator."""

    estimator: Literal["pitman", "zayatz", "snb"]  # `pitman`, `zayatz` or `snb`
    # the estimate; None where the estimator is not applicable or did not converge
    population_uniques: float | None
    share_of_population: float | None  # the same over the size of the population
    # expected share of the sample uniques that are unique in the population too
    share_of_sample_uniques: float | None
    why_not: str | None  # why there is no estimate; None where there is one
    parameters: Mapping[str, float]  # what was fitted, by name


@dataclass(frozen=True, slots=True)
class Uniques(Plain):
    """Unique records."""

    # unique records of the table, and their share
    sample: int
    share: float
    # of these, unique in the population too; None without a population table
    in_population: int | None = None
    estimates: tuple[Estimate, ...] = ()  # by each estimator; only with a sampling fraction
    # the estimator that the rule of Dankar and others recommends; None where none gave an estimate
    chosen: str | None = None


@dataclass(frozen=True, slots=True)
class AttributeDisclosure(Plain):
    """What a class gives away about a sensitive attribute, without anybody being re-identified."""

    attribute: str  # the sensitive attribute
    # where all known values of a class are the same, the rows that have it: knowing the class reveals it.
    # Rows whose value is missing or declared unknown only count in distances, and in `rows`.
    homogeneous_rows: int
    homogeneous_classes: int
    # rows whose own value is more likely in their class than in the whole table by more than the threshold
    skewed_rows: int
    # the largest total variation between a class and the whole table (t with equal distances), 0 to 1
    largest_distance: float
    # how much more likely a row's own value becomes when its class is known, on average over the rows
    mean_gain: float
    # rows with a known value in classes whose known values are alike; None if nothing says which are
    similar_rows: int | None
    rows: int  # rows of the table
    # when values are alike: within a tenth of the `range`, or of one branch, a step below the root, of their
    # `hierarchy`; None where values have neither
    similarity: Similarity | None = None


@dataclass(frozen=True, slots=True)
class TableRisk(Plain):
    """The risks of one table."""

    rows: int  # its rows
    # what classes are counted in: rows, or persons or households in classes (one with rows in two classes
    # counts in both)
    records: int
    unit: Unit  # `row`, `person` or `household`
    sizes: SizeSummary  # the distribution of class sizes
    prosecutor: Reidentification  # the attacker knows that the person is in the table
    # the attacker does not know it; None without a population or a fraction
    journalist: Reidentification | None
    marketer: float  # expected share of records matched correctly when everyone is matched
    uniques: Uniques  # records that no other resembles
    attributes: tuple[AttributeDisclosure, ...]  # what classes give away, for each sensitive attribute
    households: HouseholdRisk | None = None  # None where no households are named


@dataclass(frozen=True, slots=True)
class Linkage(Plain):
    """A linkage attack that was run."""

    # how many attributes the attacker knows of each person, and how many there are
    known: int
    of: int
    subsets: int  # how many sets of that many attributes were drawn; 1 where all are known
    # people looked for, one attempt each, and found
    attempts: int
    successes: int
    # success rate with its 95 % confidence interval (Wilson)
    rate: float
    low: float
    high: float
    # the success rate to expect, exactly, over all people who were looked for and all drawn sets
    expected: float
    absent: int  # people whose row cannot be found: suppressed, or without the values that linking needs


@dataclass(frozen=True, slots=True)
class Subset(Plain):
    """A combination of attributes and whom it singles out."""

    attributes: tuple[str, ...]  # their names
    # records that no other resembles in these attributes, and their share
    singled_out: int
    share: float


@dataclass(frozen=True, slots=True)
class SubsetScan(Plain):
    """Which combinations of up to three attributes single out most people."""

    # how many combinations were counted, and how many there are
    scanned: int
    possible: int
    complete: bool  # whether all were
    # attributes that alone single out nearly everyone, and were left out of combinations
    identifying: tuple[str, ...]
    best: tuple[Subset, ...]  # for one, two and three attributes those that single out most, most first
    unit: Unit  # what is singled out: rows, persons or households


@dataclass(frozen=True, slots=True)
class Narrowing(Plain):
    """How much of a generalization one attacker undoes, in shares of the generalized cells."""

    # `logic` (what must be true), `uniform` and `distribution` (guessing without minimality) or `minimality`
    # (guessing by the distribution, given that nothing finer was possible)
    attacker: Attacker
    # cells that the attacker narrows because it is sure, or confident, and those narrowed rightly
    narrowed: float
    correct: float
    # cells right where every cell is guessed, confident or not; None for logic, which does not guess
    guessed: float | None = None


@dataclass(frozen=True, slots=True)
class Downcoding(Plain):
    """What attackers achieve who know that a release is minimal; see `sfumato.assess.downcoding`."""

    attacked: str  # `release`, `optimum` or `near-optimal`
    cells: int  # generalized cells of published rows
    refused: int  # finer recodings that the attacker knows to be infeasible
    attackers: tuple[Narrowing, ...]  # what each one achieves; means over all draws
    draws: int = 1  # how many near-optimal releases were attacked


@dataclass(frozen=True, slots=True)
class Risk(Plain, ShownInNotebook):
    """What attackers achieve against a table, and against a release made from it."""

    shown_by: ClassVar[str] = "risk_cell"
    # the attributes that are known, and those that must not be learnt
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    threshold: float  # above which a chance counts as a risk
    before: TableRisk  # the risks of the data
    # linkage attacks on the data themselves, as if they were released unchanged
    linkage_before: tuple[Linkage, ...]
    # which combinations of attributes single out most people, in the data; None where not asked for
    subsets: SubsetScan | None
    after: TableRisk | None = None  # the risks of the release; None without one
    linkage_after: tuple[Linkage, ...] = ()  # linkage attacks on the release
    # `generalized` or `microaggregated`; None without a release
    release_kind: Literal["generalized", "microaggregated"] | None = None
    # what follows from the release being a minimal one; beside it, of the best release and of near-optimal
    # ones. Empty where this was not tried.
    downcoding: tuple[Downcoding, ...] = ()
    notes: tuple[str, ...] = ()  # what the reader should know about how the numbers came about
