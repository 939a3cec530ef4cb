"""What a release protects: class sizes, diversity, closeness of sensitive values, confidential sentences."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from sfumato._typing import FloatArray
from sfumato.classes.class_sentences import risk_scale
from sfumato.classes.properties import CellCost, Property, PropertyKind
from sfumato.classes.statistics import Rule, Statistics
from sfumato.errors import ParameterError
from sfumato.measures.contract import ClassMeasure, Cost, Direction, Measure, Monotone, PropertySum, Union


class K(ClassMeasure):
    """k-anonymity: the size of the smallest class that remains.

    k = min over the remaining classes of their rows, or of their distinct
    persons where persons are named. Missing is a value like any other.
    It bounds the chance of picking the right row of a class by 1/k and does
    not protect the sensitive values that a class has in common.

    Samarati, P. (2001), Protecting respondents' identities in microdata
    release, doi:10.1109/69.971193.
    """

    kind = PropertyKind.SIZE
    union = Union.ANY


class MeanK(Measure):
    """Weighted-k: the mean, over rows, of the size of the row's class.

    mean_k = Σ rows·size / Σ rows over the remaining classes; under the rule
    ``below-mean``, which it decides itself, over all classes before suppression.

    Dewri, R., Ray, I., Ray, I., Whitley, D. (2010), Multi-objective
    evolutionary optimization in statistical disclosure control, section on weighted-k anonymity.
    """

    direction = Direction.MAXIMIZE
    monotone = Monotone.IMPROVES

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the mean class size of each node."""
        if statistics.rule is Rule.BELOW_MEAN:
            return np.asarray(statistics.all_size_sum / statistics.row_count)
        with np.errstate(invalid="ignore"):
            return np.asarray(statistics.size_sum / statistics.kept)


class SpreadK(Measure):
    """S_k: the size of the row's class, summed over the rows that remain.

    The spread index of the property "class size".

    Dewri, R., Ray, I., Ray, I., Whitley, D. (2010), On the identification of property based
    generalizations in microdata anonymization, section 4.1.
    """

    direction = Direction.MAXIMIZE
    monotone = Monotone.IMPROVES

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the summed class size of each node."""
        return statistics.size_sum.astype(np.float64)


class DistinctL(ClassMeasure):
    """Distinct ℓ-diversity: the fewest different sensitive values in a remaining class.

    Missing values and those declared unknown are no values, and a class without a known one counts 1.
    It does not protect where one value is far more frequent in a class than the others, nor where
    values mean the same.

    Machanavajjhala, A. et al. (2007), ℓ-diversity: privacy beyond
    k-anonymity, doi:10.1145/1217299.1217302.
    """

    kind = PropertyKind.DISTINCT
    union = Union.ANY


class EntropyL(ClassMeasure):
    """Entropy ℓ-diversity: the smallest exp(entropy) of the sensitive values of a remaining class.

    With shares p_v of the values in a class its number is exp(−Σ_v p_v·ln p_v): ℓ if ℓ values have
    equal shares, less if some are rarer. Numbers are rounded to 13 digits before they are compared, so
    that equal shares meet their number. Rows without a known value do not count, and a class of such rows
    alone has 1. Where persons or households are named, each has one vote, shared equally by all its rows in
    the table, and shares are shares of votes. Unions of classes that satisfy it satisfy it, because entropy
    is concave; a union with one that does not need not.
    It never exceeds ``distinct_l`` and does not look at what values mean.

    Machanavajjhala, A. et al. (2007), ℓ-diversity: privacy beyond
    k-anonymity, Definition 4.1, doi:10.1145/1217299.1217302.
    """

    kind = PropertyKind.ENTROPY
    limits = (1.0, math.inf)


LARGEST_FACTOR = 1000
DECIMALS = 3


class RecursiveL(ClassMeasure):
    """Recursive (c, ℓ)-diversity: the largest ℓ that holds in every remaining class, for a given c.

    With counts r₁ ≥ … ≥ r_m of the values in a class, (c, ℓ)-diversity holds if
    r₁ < c·(r_ℓ + … + r_m): the most frequent value does not stand out too much even when the
    ℓ − 2 next ones are ruled out. The number of a class is the largest ℓ up to m for which it holds,
    0 if there is none (only for c ≤ 1). The comparison is exact. Ties in the order of counts do not
    matter; rows without a known value do not count, and a class of such rows alone has 1. Where persons or
    households are named, each has one vote, shared equally by all its rows in the table, and counts are
    sums of votes. Unions of classes that satisfy it satisfy it; a union with one that does not need not.

    Machanavajjhala, A. et al. (2007), ℓ-diversity: privacy beyond
    k-anonymity, Definition 4.2, doi:10.1145/1217299.1217302.
    """

    kind = PropertyKind.RECURSIVE
    limits = (1.0, math.inf)


def read_factor(name: str, text: str) -> Fraction:
    """Read c exactly; counts times its parts must fit the kernels' integers."""
    try:
        factor = Fraction(text)
    except (ValueError, ZeroDivisionError):
        factor = Fraction(0)
    if not 0 < factor <= LARGEST_FACTOR or 10**DECIMALS % factor.denominator:
        raise ParameterError(
            f"measure {name!r} needs a number c from 0.001 to {LARGEST_FACTOR} with at most {DECIMALS} "
            "decimals, as in 'recursive_l(diagnosis, 3)'."
        )
    return factor


class ShareL(ClassMeasure):
    """ℓ-diversity by shares: one over the largest share that a value has in a remaining class.

    A class of n rows with a known value, c of them with the most frequent one, has the number n / c, so
    nobody is linked to a value with a probability above 1/ℓ. Rows without a known value do not count, and a
    class of such rows alone has 1. Where persons or households are named, each has one vote, shared equally
    by all its rows in the table, and n and c are sums of votes. Unions of classes that satisfy it satisfy
    it; a union with one that does not need not. It never exceeds ``entropy_l``.

    Dewri, R., Ray, I., Ray, I., Whitley, D. (2010), Multi-objective
    evolutionary optimization in statistical disclosure control, eq. 1.1.
    """

    kind = PropertyKind.SHARE
    limits = (1.0, math.inf)


class SpreadL(PropertySum):
    """S_ℓ: the count of the row's own sensitive value in its class, summed over the rows that remain.

    A class with counts c_v contributes Σ c_v². Rows without a known value contribute nothing.

    Dewri, R., Ray, I., Ray, I., Whitley, D. (2010), On the identification of property based
    generalizations in microdata anonymization, section 4.1.
    """

    kind = PropertyKind.SQUARES
    direction = Direction.MAXIMIZE
    monotone = Monotone.IMPROVES


class TEqual(ClassMeasure, Cost):
    """t-closeness with equal distance: the largest distance of a remaining class.

    The earth mover's distance with distance 1 between any two values: half of
    Σ_v |share in the class − share in the table|. The table's shares are those
    of all input rows, suppressed ones included. Missing, and each value declared
    unknown, is a value of its own. Unions of classes that satisfy it satisfy it; a union with one that does
    not need not.

    Li, N., Li, T., Venkatasubramanian, S. (2007), t-closeness: privacy beyond
    k-anonymity and ℓ-diversity, doi:10.1109/ICDE.2007.367856.
    """

    kind = PropertyKind.T_EQUAL
    direction = Direction.MINIMIZE
    powers = (0, 0)
    limits = (0.0, 1.0)


class TOrdered(TEqual):
    """t-closeness with ordered distance: the largest distance of a remaining class.

    The earth mover's distance where values i and j of a domain of m are |i − j| / (m − 1) apart:
    Σ_i |share in the class of the values up to i − their share in the table| / (m − 1). Values
    count by their place in the order of the domain: numbers and dates by size, ordinals by their
    ``order``, categories by the leaves of their hierarchy; those without a row count too. Missing, and
    each value declared unknown, has no place there and is 1 apart from every other. Otherwise as `TEqual`,
    which it never exceeds.

    Li, N., Li, T., Venkatasubramanian, S. (2007), t-closeness: privacy beyond
    k-anonymity and ℓ-diversity, section 5.1, doi:10.1109/ICDE.2007.367856.
    """

    kind = PropertyKind.T_ORDERED


class THierarchical(TEqual):
    """t-closeness with hierarchical distance: the largest distance of a remaining class.

    The earth mover's distance where two values are h / H apart, h being the first level of the
    hierarchy at which they have one block and H its last level. It equals the mean, over the levels
    below the last, of the equal distance between their blocks. Missing, and each value declared unknown,
    stands directly under the root, 1 apart from everything. Otherwise as `TEqual`, which it never exceeds.

    Li, N., Li, T., Venkatasubramanian, S. (2007), t-closeness: privacy beyond
    k-anonymity and ℓ-diversity, section 5.2, doi:10.1109/ICDE.2007.367856.
    """

    kind = PropertyKind.T_HIERARCHICAL


class Secure(ClassMeasure):
    """Logical security: 1 if no remaining class discloses a confidential sentence, else 0.

    A class discloses a sentence if it is true for every row of the class and confidential for someone in it:
    anyone who knows that this person is in the class then knows it.

    Everyone must hold every sentence here: then a class is secure if each sentence is false for someone
    in it, and stays so united with any other class. It does not protect where a sentence is true for
    nearly all of a class; see ``sf``. A comparison with a missing value is false.

    Attribute-oriented granulation for privacy protection, section 3.1: the lower approximation of the
    meaning set of a sentence holds nobody for whom it is confidential.
    """

    kind = PropertyKind.SECURE
    union = Union.ANY
    limits = (0.0, 1.0)


class SecureForSome(Secure):
    """Logical security where a sentence is confidential for some people only.

    A class in which nobody holds a sentence may be united with one in which it is true throughout and someone
    does: so only unions with secure classes are secure.
    """

    union = Union.SATISFYING


class Exposed(PropertySum, Cost):
    """Exposed people: those who hold a sentence that their class discloses.

    Someone about whom several sentences become known counts once. Rows count, or persons where they are
    named; a person with rows in several classes counts in each class that exposes them. Suppressed rows do
    not count.
    """

    kind = PropertyKind.EXPOSED
    monotone = Monotone.IMPROVES
    least_cost = 0.0


class SF(Measure):
    """Information-theoretic security: 1 − the mean over rows of what is learnt about their persons.

    sf = 1 − Σ_u Σ_φ dm(u, φ) · max((log Pr(φ) − log Pr_τ(φ | u)) / log Pr(φ), 0) / rows, over the rows that
    remain and the sentences that the row's person holds. Pr(φ) is the share of all input rows, suppressed
    ones included, for which φ is true, Pr_τ(φ | u) that in the row's class. The damages dm of a person sum
    to 1. A term is 0 where Pr(φ) is 0 or 1, where Pr_τ is 0, and where nothing is confidential for the
    person. Risks are rounded to multiples of 2⁻³⁸ for 10 million rows, and finer for fewer, so that no sum
    depends on the order of classes. It moves both ways along generalization.

    Attribute-oriented granulation for privacy protection, section 4.1.
    """

    direction = Direction.MAXIMIZE
    least_cost = -1.0
    limits = (0.0, 1.0)

    def __init__(self, name: str, attribute: int, sentences: int) -> None:
        super().__init__(name)
        self.properties = tuple(
            Property(PropertyKind.RISK, attribute, sentence=number) for number in range(sentences)
        )

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the security of each node."""
        risk = np.zeros(len(statistics))
        for item in self.properties:
            risk += statistics.sum_of(item) / risk_scale(statistics.row_count)
        with np.errstate(invalid="ignore"):
            return np.asarray(1.0 - risk / statistics.kept)


class Protection(Measure):
    """Protection: one over the mean, over the rows that remain, of one over the diversity of the row's class.

    Diversity is defined with `Usefulness`. The authors' own number is the mean of the inverse
    diversities, of which less is better; its inverse, the harmonic mean of the diversities, is 0
    rather than infinite where a class shows its values as they are, and lies between 0 and 1.
    It never exceeds the mean diversity, so usefulness + protection ≤ 1 where nothing is suppressed.

    Loukides, G., Shao, J. (2007), Capturing data usefulness and privacy protection in
    k-anonymisation, doi:10.1145/1244002.1244091.
    """

    direction = Direction.MAXIMIZE
    monotone = Monotone.IMPROVES
    costs = (CellCost.EXTENT,)
    limits = (0.0, 1.0)

    def __init__(self, name: str, weights: FloatArray) -> None:
        super().__init__(name)
        self.properties = (Property(PropertyKind.DIVERSITY, weights=tuple(weights.tolist())),)

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the protection of each node; nan where no row remains."""
        inverse = statistics.worst_of(self.properties[0])
        kept = np.where(statistics.kept > 0, statistics.kept, np.nan)
        return np.asarray(kept / inverse)
