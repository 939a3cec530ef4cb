"""What a release costs: lost detail, suppressed rows, large classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes.properties import CellCost, PropertyKind
from sfumato.measures import contract

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.classes.statistics import Statistics
    from sfumato.domains import Cube


def kept_shares(statistics: Statistics, cost: CellCost) -> FloatArray:
    """Return the cell costs of the rows that remain, each over its limit, summed by attribute.

    Shape (n, q). An attribute whose domain has one value costs nothing.
    """
    limits = statistics.cell_limits(cost)
    return np.asarray(statistics.cells(cost) / np.maximum(limits, 1))


def mean_share(statistics: Statistics, cost: CellCost, weights: FloatArray) -> FloatArray:
    """Return the mean over rows of Σ w·share / Σ w over their cells; a suppressed row has 1 in each."""
    shares = kept_shares(statistics, cost) + statistics.suppressed[:, None]
    return np.asarray((shares * weights).sum(axis=1) / (weights.sum() * statistics.row_count))


class Loss(contract.Weighted, contract.Cost):
    """General loss metric per cell, between 0 and 1, with weights.

    A cell costs (|block| − 1) / (|domain| − 1), a cell of a suppressed row 1,
    a cell of a domain with one value 0. A row costs Σ w·cell / Σ w; the loss is the mean over all rows.
    With weights it is the weighted certainty penalty, over rows × Σ w: the sum over cells of w·penalty
    is loss × rows × Σ w. (Xu et al. take |block| / |domain| for a generalized category, which we do not: a
    value that is left as it is costs nothing either way, and everything costs 1.)

    Iyengar, V. S. (2002), Transforming data to satisfy privacy constraints,
    doi:10.1145/775047.775089; Xu, J. et al. (2006), Utility-based anonymization using local
    recoding, doi:10.1145/1150402.1150504.
    """

    monotone = contract.Monotone.WORSENS | contract.Monotone.ROW_PENALTIES
    costs = (CellCost.SIZE,)
    powers = (0, 0)
    limits = (0.0, 1.0)

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the loss of each node."""
        return mean_share(statistics, CellCost.SIZE, self.weights)

    def penalties(self, cube: Cube) -> contract.RowPenalties:
        """Return what each row costs."""
        return contract.by_size(
            cube, self.weights / (self.weights.sum() * cube.row_count), 1.0 / cube.row_count
        )


class NCP(contract.Weighted, contract.Cost):
    """Weighted certainty penalty with numbers and dates by width, between 0 and 1: 1 − ``usefulness``.

    A cell of a number or date costs the distance between the largest and the smallest value of its block
    over that of the domain, any other one (|block| − 1) / (|domain| − 1), as in ``loss``; a cell of a
    suppressed row costs 1. A row costs Σ w·cell / Σ w; the penalty is the mean over all rows.

    Xu, J. et al. (2006), Utility-based anonymization using local recoding,
    doi:10.1145/1150402.1150504.
    """

    monotone = contract.Monotone.WORSENS | contract.Monotone.ROW_PENALTIES
    costs = (CellCost.EXTENT,)
    powers = (0, 0)
    limits = (0.0, 1.0)

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the penalty of each node."""
        return mean_share(statistics, CellCost.EXTENT, self.weights)


class GL(contract.Weighted, contract.Cost):
    """Generalization loss: the general loss metric summed over the cells of the rows that remain.

    A suppressed row costs nothing here; ``sl`` counts it. Weights are scaled to a mean of 1.

    Dewri, R., Ray, I., Ray, I., Whitley, D. (2010), Multi-objective
    evolutionary optimization in statistical disclosure control, eq. 1.3.
    """

    monotone = contract.Monotone.WORSENS
    costs = (CellCost.SIZE,)
    powers = (1, 1)

    def __init__(self, name: str, weights: FloatArray) -> None:
        super().__init__(name, weights * (len(weights) / weights.sum()))

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the summed loss of each node."""
        return np.asarray((kept_shares(statistics, CellCost.SIZE) * self.weights).sum(axis=1))


class GLM(GL):
    """General loss metric, summed over cells.

    A cell costs (|block| − 1) / (|domain| − 1), a cell of a suppressed row 1,
    a cell of a domain with one value 0. Weights are scaled to a mean of 1, so that
    glm = loss × rows × attributes = gl + sl.

    Iyengar, V. S. (2002), Transforming data to satisfy privacy constraints,
    doi:10.1145/775047.775089.
    """

    monotone = contract.Monotone.WORSENS | contract.Monotone.ROW_PENALTIES

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the summed loss of each node."""
        return np.asarray(super().value(statistics) + statistics.suppressed * len(self.weights))

    def penalties(self, cube: Cube) -> contract.RowPenalties:
        """Return what each row costs."""
        return contract.by_size(cube, self.weights, float(len(self.weights)))


class Suppressed(contract.Cost):
    """The number of suppressed rows."""

    monotone = contract.Monotone.ROW_PENALTIES
    least_cost = 0.0

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the suppressed rows of each node."""
        return statistics.suppressed.astype(np.float64)

    def unsuppressed_cost(self, statistics: Statistics) -> FloatArray:
        """Return the cost of each node if no row were suppressed."""
        return np.zeros(len(statistics))

    def penalties(self, cube: Cube) -> contract.RowPenalties:
        """Return what each row costs."""
        return contract.by_size(cube, np.zeros(len(cube.sizes)), 1.0)


class SL(Suppressed):
    """Suppression loss: quasi-identifiers times suppressed rows.

    Dewri, R., Ray, I., Ray, I., Whitley, D. (2010), Multi-objective
    evolutionary optimization in statistical disclosure control, eq. 1.4.
    """

    powers = (1, 1)

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the loss of each node."""
        return np.asarray(super().value(statistics) * statistics.nodes.shape[1])

    def penalties(self, cube: Cube) -> contract.RowPenalties:
        """Return what each row costs."""
        return contract.by_size(cube, np.zeros(len(cube.sizes)), float(len(cube.sizes)))


class DM(contract.Cost):
    """Discernibility: every row costs the rows it cannot be told from, a suppressed one all rows.

    dm = Σ rows² over the remaining classes + suppressed × all rows. It counts
    rows even where persons are named.

    Bayardo, R. J., Agrawal, R. (2005), Data privacy through optimal
    k-anonymization, doi:10.1109/ICDE.2005.42.
    """

    monotone = contract.Monotone.WORSENS | contract.Monotone.ROW_PENALTIES
    least_cost = 0.0
    powers = (2, 0)

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the metric of each node."""
        return (statistics.rows_squared + statistics.suppressed * statistics.row_count).astype(np.float64)

    def unsuppressed_cost(self, statistics: Statistics) -> FloatArray:
        """Return the cost of each node if no row were suppressed."""
        return statistics.all_rows_squared.astype(np.float64)

    def penalties(self, cube: Cube) -> contract.RowPenalties:
        """Return what each row costs."""
        return contract.RowPenalties(float(cube.row_count), by_class=True)


class HDM(contract.Weighted, contract.Cost):
    """Hierarchical discernibility: what each value loses of being told from others, summed over rows.

    With N rows in all, N_v of the value v and N_e of the values in its block e, a cell costs
    (N_e − N_v) / (N − N_v), a cell of a suppressed row 1. All are counted on the whole table before
    suppression: otherwise a generalization could cost less. A row costs Σ w·cell / Σ w, and the
    metric is the sum over rows. In a column of which one value has all rows, a cell that is kept
    costs nothing. Missing is a value like any other. A value that is generalized in two steps costs the
    sum of both: the penalty of e is N_e / (N − N_v) less that of v.

    Li, T., Li, N. (2008), Towards optimal k-anonymization, section 4.1,
    doi:10.1016/j.datak.2007.06.015.
    """

    monotone = contract.Monotone.WORSENS | contract.Monotone.ROW_PENALTIES
    least_cost = 0.0
    costs = (CellCost.FREQUENCY,)

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the metric of each node."""
        return np.asarray((statistics.penalties * self.weights).sum(axis=1) / self.weights.sum())

    def penalties(self, cube: Cube) -> contract.RowPenalties:
        """Return what each row costs."""
        return contract.by_frequency(cube, self.weights / self.weights.sum(), 1.0)


class CM(contract.PropertySum, contract.Cost):
    """Classification metric: the number of penalized rows.

    A row is penalized if it is suppressed, or if its label is not the most
    frequent one of its class. Of several most frequent labels one is spared, so
    a class of n rows with largest count c has n − c penalized rows. Missing is a label of its own.

    Iyengar, V. S. (2002), Transforming data to satisfy privacy constraints,
    doi:10.1145/775047.775089.
    """

    kind = PropertyKind.MAJORITY
    monotone = contract.Monotone.WORSENS
    least_cost = 0.0

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the penalized rows of each node."""
        return np.asarray(statistics.row_count - super().value(statistics))


class AverageClass(contract.Cost):
    """Remaining rows over remaining classes; not defined where no row remains.

    LeFevre, K., DeWitt, D. J., Ramakrishnan, R. (2006), Mondrian
    multidimensional k-anonymity, doi:10.1109/ICDE.2006.101.
    """

    monotone = contract.Monotone.WORSENS

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the average of each node."""
        with np.errstate(invalid="ignore"):
            return np.asarray(statistics.kept / statistics.classes)


class Precision(contract.Measure):
    """Precision: 1 − the mean over cells of the cell's level over the height of its hierarchy.

    A cell of a suppressed row counts as fully generalized. Weights are not used.

    Sweeney, L. (2002), Achieving k-anonymity privacy protection using
    generalization and suppression, doi:10.1142/S021848850200165X.
    """

    direction = contract.Direction.MAXIMIZE
    monotone = contract.Monotone.WORSENS | contract.Monotone.ROW_PENALTIES
    costs = (CellCost.HEIGHT,)
    limits = (0.0, 1.0)

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the precision of each node."""
        shares = kept_shares(statistics, CellCost.HEIGHT)
        lost = shares.sum(axis=1) + statistics.suppressed * shares.shape[1]
        return np.asarray(1.0 - lost / (statistics.row_count * max(1, shares.shape[1])))


class QL(contract.Weighted):
    """Quality by entropy: the weighted mean of the entropies of the partitions, each over its largest.

    ql = Σ w · h(π) / log |V| / Σ w with h(π) = −Σ |s|/|V| · log(|s|/|V|) over the blocks s of a domain V. It
    counts values of the domain, whether they occur or not, and missing where it is part of it; rows, and so
    suppression, do not matter. A domain of one value keeps all its detail: 1.

    Attribute-oriented granulation for privacy protection, section 4.2.
    """

    direction = contract.Direction.MAXIMIZE
    monotone = contract.Monotone.WORSENS
    least_cost = -1.0
    limits = (0.0, 1.0)

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the quality of each node."""
        shares = statistics.entropies_of(statistics.nodes)
        return np.asarray((shares * self.weights).sum(axis=1) / self.weights.sum())


class Usefulness(contract.Weighted):
    """Usefulness: 1 − the mean, over rows, of the diversity of the row's class.

    The diversity of a class in one attribute is, for numbers and dates, the distance between the largest
    and the smallest value of its block over that of the domain; for other attributes
    (|block| − 1) / (|domain| − 1), as in ``loss``. A block that unites missing with other values has the
    diversity 1, a domain of one value 0. The diversity of a class is Σ w·diversity / Σ w over the
    attributes; a suppressed row counts 1. The authors' own number is the mean diversity, of which less
    is better: 1 − ours. What a class may hold is read from its blocks, which the release shows, not from the
    values that happen to be there. Of a number only the first 31 bits of its place in the domain count.

    Loukides, G., Shao, J. (2007), Capturing data usefulness and privacy protection in
    k-anonymisation, doi:10.1145/1244002.1244091.
    """

    direction = contract.Direction.MAXIMIZE
    monotone = contract.Monotone.WORSENS | contract.Monotone.ROW_PENALTIES
    costs = (CellCost.EXTENT,)
    limits = (0.0, 1.0)

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the usefulness of each node."""
        return 1.0 - mean_share(statistics, CellCost.EXTENT, self.weights)
