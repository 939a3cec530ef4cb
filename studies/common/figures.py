"""One look for all figures: printable, told apart by colour-blind readers, small files."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from PIL import Image

mpl.use("Agg")

from matplotlib import pyplot as plt

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#222222"
FAINT = "#6b6b6b"
GRID = "#e6e6e6"
BLUE = "#0072b2"
ORANGE = "#d55e00"
GREEN = "#009e73"
PINK = "#cc79a7"
"""Colours of Okabe and Ito, which most colour-blind readers can tell apart."""

SCALE = "cividis"
DPI = 115
LARGEST = 200_000
"""Bytes that a figure may have."""

STYLE: dict[Any, Any] = {
    "axes.edgecolor": FAINT,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 10,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "figure.titlesize": 12,
    "figure.facecolor": "white",
    "font.family": "DejaVu Sans",  # comes with matplotlib, so that figures look the same everywhere
    "font.size": 9.5,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "legend.fontsize": 9.5,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
}


def new_figure(
    columns: int, rows: int = 1, *, width: float = 4.6, height: float = 3.6
) -> tuple[Figure, list[Axes]]:
    """Return a figure with a grid of panels, row by row; width and height of a panel in inches."""
    mpl.rcParams.update(STYLE)
    figure, axes = plt.subplots(
        rows, columns, figsize=(columns * width, rows * height), layout="constrained", squeeze=False
    )
    return figure, list(axes.ravel())


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure as a small PNG without a date in it, and close it.

    Raises
    ------
    ValueError
        If the file is too large for a repository.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=DPI, format="png", metadata={"Software": None})
    plt.close(figure)
    # Without transparency, and packed as tightly as PNG allows: two thirds of the size.
    Image.open(drawn).convert("RGB").save(path, optimize=True)
    if path.stat().st_size > LARGEST:
        raise ValueError(f"{path.name} has {path.stat().st_size:,} bytes; at most {LARGEST:,} are meant.")


__all__ = ["BLUE", "FAINT", "GREEN", "GRID", "INK", "ORANGE", "PINK", "SCALE", "new_figure", "save_figure"]
