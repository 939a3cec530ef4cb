"""What classes give away about a sensitive attribute: homogeneity, skewness and similarity attacks.

References
----------
Machanavajjhala, A. and others (2007). ℓ-diversity: privacy beyond k-anonymity. ACM TKDD 1(1): the homogeneity
attack. https://doi.org/10.1145/1217299.1217302

Li, N., Li, T. and Venkatasubramanian, S. (2007). t-closeness: privacy beyond k-anonymity and ℓ-diversity.
ICDE: the skewness and similarity attacks. https://doi.org/10.1109/ICDE.2007.367856
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.risks.cells import count_rows
from sfumato.risks.result import AttributeDisclosure

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray, LongArray
    from sfumato.risks.cells import Cells, Classes
    from sfumato.risks.result import Similarity

WIDTH = 0.1
"""Values within this share of the range are similar."""
_ROUNDING = 1e-12


def attribute_disclosure(
    cells: Cells,
    classes: Classes,
    attribute: str,
    *,
    threshold: float,
    positions: FloatArray | None = None,
    branches: LongArray | None = None,
    overall: LongArray | None = None,
) -> AttributeDisclosure:
    """Return what classes give away about one sensitive attribute."""
    size, rows = cells.sizes[attribute], cells.row_count
    code = cells.codes[attribute]
    total = count_rows(code, cells.rows, size) if overall is None else overall
    pairs, place = np.unique(classes.number * size + code, return_inverse=True)
    inside = count_rows(place.reshape(-1), cells.rows, len(pairs))
    number, value = pairs // size, pairs % size
    share = inside / classes.rows[number]
    gain = share - total[value] / max(int(total.sum()), 1)
    count = len(classes.rows)
    distance = np.bincount(number, weights=np.maximum(gain, 0.0), minlength=count)
    alone = np.bincount(number, minlength=count) == 1
    like: BoolArray = np.asarray(alone)
    manner: Similarity | None = None
    if branches is not None:
        like, manner = alone | _is_of_one_branch(number, branches[value]), "hierarchy"
    elif positions is not None:
        like, manner = alone | _is_narrow(number, value, positions, total), "range"
    return AttributeDisclosure(
        attribute,
        int(classes.rows[alone].sum()),
        int(alone.sum()),
        int(inside[gain > threshold + _ROUNDING].sum()),
        float(min(distance.max(initial=0.0), 1.0)),
        float((inside * gain).sum() / max(rows, 1)),
        None if manner is None else int(classes.rows[like].sum()),
        rows,
        manner,
    )


def _is_narrow(number: LongArray, value: LongArray, positions: FloatArray, total: LongArray) -> BoolArray:
    """Tell for each class whether all its values are known and lie within a tenth of the range."""
    count = int(number.max(initial=-1)) + 1
    occurring = positions[(total > 0) & ~np.isnan(positions)]
    allowed = WIDTH * (occurring.max() - occurring.min()) if len(occurring) else 0.0
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    at = positions[value]
    # Where a value is missing it may be anything.
    np.minimum.at(low, number, np.where(np.isnan(at), -np.inf, at))
    np.maximum.at(high, number, np.where(np.isnan(at), np.inf, at))
    return np.asarray(high - low <= allowed * (1.0 + 1e-12))


def _is_of_one_branch(number: LongArray, branch: LongArray) -> BoolArray:
    """Tell for each class whether all its values are of one branch."""
    size = int(branch.max(initial=0)) + 1
    pairs = np.unique(number * size + branch)
    return np.asarray(np.bincount(pairs // size, minlength=int(number.max(initial=-1)) + 1) == 1)
