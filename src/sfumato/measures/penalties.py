"""Costs made of penalties for rows, written so that a search can bound them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.domains import Cube


@dataclass(frozen=True, eq=False)
class RowPenalties:
    """What each row of a recoded table costs; the sum over rows is the cost.

    A suppressed row costs ``out``. A kept row costs the rows of its class where
    ``by_class``, else ``offset`` and for each cell
    (slope · mass of its block + start) · weight of its value.
    The two properties that allow to prune hold: a penalty does not fall when blocks grow, since
    slopes, masses and weights are not negative, and none is larger than ``out``.

    T. Li, N. Li: Towards optimal k-anonymization, section 4.3,
    doi:10.1016/j.datak.2007.06.015.
    """

    out: float  # penalty of a suppressed row
    by_class: bool = False  # whether a kept row costs the rows of its class; the rest is then not used
    # for each attribute the mass of each value; a block has the sum of its values
    mass: tuple[FloatArray, ...] = ()
    # one number for each attribute
    slope: FloatArray | None = None
    start: FloatArray | None = None
    offset: float = 0.0  # what each kept row costs besides its cells
    # for each attribute the weight of each value; None where all are 1
    weights: tuple[FloatArray, ...] | None = None


def by_size(cube: Cube, weights: FloatArray, out: float) -> RowPenalties:
    """Return penalties by the share of the domain that a cell's block has besides its value."""
    sizes = np.array(cube.sizes, dtype=np.float64)
    slope = np.where(sizes > 1, weights / np.maximum(sizes - 1, 1), 0.0)
    return RowPenalties(out, mass=tuple(map(np.ones, cube.sizes)), slope=slope, start=-slope)


def by_frequency(cube: Cube, weights: FloatArray, out: float) -> RowPenalties:
    """Return penalties by the rows that a cell's block has besides its value, over all other rows.

    A cell costs w·(N_e − N_v) / (N − N_v) = w − w·(N − N_e) / (N − N_v). Where one value has all
    rows, the attribute costs nothing.
    """
    rows = cube.row_count
    mass = tuple(
        np.bincount(cube.codes[:, a], weights=cube.rows, minlength=size).astype(np.float64)
        for a, size in enumerate(cube.sizes)
    )
    slope = np.array([0.0 if (m == rows).any() else w for m, w in zip(mass, weights, strict=True)])
    share = tuple(1.0 / np.maximum(rows - m, 1.0) for m in mass)
    return RowPenalties(
        out, mass=mass, slope=slope, start=-slope * rows, offset=float(slope.sum()), weights=share
    )
