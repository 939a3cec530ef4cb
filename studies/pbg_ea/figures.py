"""Figures 1 to 3 of the paper, and one for the lattice beyond it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import colors
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from studies.common import figures as look
from studies.pbg_ea import paper

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.figure import Figure

    from sfumato._typing import FloatArray
    from studies.common.results import Results

K, L, S_K, S_L, GLM, CM = paper.WORDS
SHARE = "share"
"""S_ℓ over S_k: the two rise together, so their ratio tells more than S_ℓ itself."""

AXES = {
    K: "k: size of the smallest class",
    L: "ℓ: fewest occupations in a class",
    S_K: "$S_k$: size of one's class, summed over persons (millions)",
    SHARE: "$S_\\ell / S_k$: share of one's class\nthat has one's occupation",
    GLM: "GLM: detail lost, summed\nover cells (thousands)",
    CM: "CM: persons whose class speaks\nfor the other salary (thousands)",
}
UNITS = {S_K: 1e6, GLM: 1e3, CM: 1e3}
LOGARITHMIC = {K, S_K}
VARIANTS = {"printed": "as printed", "ours": "with walk and screening"}
PANEL = (5.2, 3.3)


@dataclass(frozen=True)
class View:
    """A front seen from one side: what is drawn along, up, and by colour."""

    front: str
    along: str
    up: str
    colour: str | None = None

    @property
    def title(self) -> str:
        """The objectives in the paper's words."""
        row = next(row for row in paper.TABLE_2B if row.name == self.front)
        return row.title.replace("S_k", "$S_k$").replace("S_ℓ", "$S_\\ell$")


VIEWS = {
    "figure-1": (View("k_glm", K, GLM), View("k_l_glm", K, GLM, L)),
    "figure-2": (View("sk_glm", S_K, GLM), View("sk_sl_glm", S_K, GLM, SHARE)),
    "figure-3": (View("k_glm_cm", GLM, CM, K),),
}


class Found:
    """The points of one front: found, missed, and found though not minimal."""

    def __init__(self, front: Results, variant: str) -> None:
        exact = [tuple(point) for point in front["exact"]]
        found = {tuple(point) for point in front["found"][variant]}
        self._objectives: list[str] = front["objectives"]
        self.words = f"{len(found & set(exact))} of {len(exact)} found"
        self.exact = self._array(exact)
        self.hit = self._array([point for point in exact if point in found])
        self.missed = self._array([point for point in exact if point not in found])
        self.wrong = self._array(sorted(found - set(exact)))

    def _array(self, points: Sequence[tuple[float, ...]]) -> FloatArray:
        return np.array(points, dtype=np.float64).reshape(-1, len(self._objectives))

    def column(self, points: FloatArray, name: str) -> FloatArray:
        """Return one objective of points in the unit of its axis."""
        if name == SHARE:
            return self.column(points, S_L) / self.column(points, S_K) / UNITS[S_K]
        return np.asarray(points[:, self._objectives.index(name)] / UNITS.get(name, 1.0))


def draw_all(results: Results, folder: Path) -> None:
    """Draw every figure of the study into a folder."""
    for name, views in VIEWS.items():
        look.save_figure(_fronts(results["fronts"], views), folder / f"{name}.png")
    look.save_figure(_billion(results["billion"]), folder / "billion.png")


def _fronts(fronts: Results, views: Sequence[View]) -> Figure:
    """Draw each view in a row of its own, one panel for each variant."""
    figure, axes = look.new_figure(len(VARIANTS), len(views), width=PANEL[0], height=PANEL[1])
    for place, view in enumerate(views):
        row = axes[place * len(VARIANTS) : (place + 1) * len(VARIANTS)]
        for axis, (variant, words) in zip(row, VARIANTS.items(), strict=True):
            points = Found(fronts[view.front], variant)
            coloured = _draw(axis, points, view)
            axis.set_title(f"{view.title}, {words}: {points.words}")
        row[0].set_ylabel(AXES[view.up])
        if view.colour is not None:
            _draw_bar(row, coloured, view.colour)
    _draw_legend(figure)
    return figure


def _draw(axis: Axes, points: Found, view: View) -> PathCollection:
    """Draw one panel; return the found points."""
    if view.colour is None:
        look_of: dict[str, Any] = {"color": look.BLUE, "linewidths": 0}
    else:
        look_of = _colours(points, view.colour)
    hit = axis.scatter(*_places(points, points.hit, view), s=28, zorder=3, **look_of)
    axis.scatter(
        *_places(points, points.missed, view), s=48, facecolors="none", edgecolors=look.ORANGE, zorder=4
    )
    axis.scatter(*_places(points, points.wrong, view), s=36, marker="x", color=look.INK, zorder=5)
    axis.set_xlabel(AXES[view.along].replace("\n", " "))
    if view.along in LOGARITHMIC:
        axis.set_xscale("log")
        axis.xaxis.set_major_formatter(FuncFormatter(_plain_number))
    return hit


def _places(points: Found, chosen: FloatArray, view: View) -> tuple[FloatArray, FloatArray]:
    return points.column(chosen, view.along), points.column(chosen, view.up)


def _colours(points: Found, name: str) -> dict[str, Any]:
    """Tell the third objective by colour, on the scale of the exact front."""
    every = points.column(points.exact, name)
    scale = colors.LogNorm if name in LOGARITHMIC else colors.Normalize
    return {
        "c": points.column(points.hit, name),
        "cmap": look.SCALE,
        "norm": scale(float(every.min()), float(every.max())),
        "linewidths": 0.4,
        "edgecolors": look.FAINT,
    }


def _draw_bar(row: list[Axes], coloured: PathCollection, name: str) -> None:
    bar = row[0].figure.colorbar(coloured, ax=row, pad=0.01, aspect=28)
    bar.set_label(AXES[name])
    bar.outline.set_visible(False)
    if name in LOGARITHMIC:
        bar.ax.yaxis.set_major_formatter(FuncFormatter(_plain_number))


def _draw_legend(figure: Figure) -> None:
    ring: dict[str, Any] = {"marker": "o", "mfc": "none", "mec": look.ORANGE, "ms": 7}
    marks = [
        Line2D([], [], marker="o", ls="", color=look.BLUE, ms=5.5, label="on the exact front, found"),
        Line2D([], [], ls="", label="on the exact front, missed", **ring),
        Line2D([], [], marker="x", ls="", color=look.INK, ms=6, label="found, not on the exact front"),
    ]
    figure.legend(handles=marks, loc="outside upper center", ncols=3)


def _plain_number(value: float, _: int | None = None) -> str:
    return f"{value:,.10g}"


CONTENDERS = {
    "pbg_ea": ("PBG-EA", look.BLUE, "o"),
    "nsga2_helped": ("NSGA-II,\nhelped", look.GREEN, "s"),
    "nsga2": ("NSGA-II", look.PINK, "D"),
    "random": ("random\nsample", look.ORANGE, "^"),
}
LEAST = 1e-4
"""Where runs are drawn that miss less than this: the axis is logarithmic."""
APART = 0.05
"""Between two seeds of one search, so that equal ones are seen."""


def _billion(found: Results) -> Figure:
    figure, (fronts, missing) = look.new_figure(2, 1, width=5.2, height=4.0)
    for place, (name, (words, colour, marker)) in enumerate(CONTENDERS.items()):
        look_of: dict[str, Any] = {"marker": marker, "edgecolors": colour, "linewidths": 1.1}
        look_of["facecolors"] = "none" if name == "nsga2_helped" else colour
        points = np.array(found["fronts"][name])
        # The better of two that coincide lies on top, the other is larger around it.
        fronts.scatter(
            points[:, 0],
            points[:, 1],
            s=22 + 16 * place,
            label=words.replace("\n", " "),
            zorder=6 - place,
            **look_of,
        )
        volumes = np.array(found["contenders"][name]["hypervolume"]["values"])
        lacks = np.maximum(1 - volumes / found["union_hypervolume"], LEAST)
        heights = APART * (np.arange(len(lacks)) - (len(lacks) - 1) / 2) - place
        missing.scatter(lacks, heights, s=24, **look_of)
    _finish_fronts(fronts)
    _finish_missing(missing)
    return figure


def _finish_fronts(axis: Axes) -> None:
    axis.set_xscale("log")
    axis.xaxis.set_major_formatter(FuncFormatter(_plain_number))
    axis.set_xlabel(AXES[K])
    axis.set_ylabel("loss: share of detail lost")
    axis.set_title("fronts of the first seed")
    axis.legend(loc="lower right")


def _finish_missing(axis: Axes) -> None:
    axis.set_xscale("log")
    axis.set_xlim(LEAST / 1.6, 1.6)
    axis.set_xticks([LEAST, 1e-3, 1e-2, 1e-1, 1], ["nothing", "0.1 %", "1 %", "10 %", "all"])
    axis.minorticks_off()
    axis.set_yticks([-place for place in range(len(CONTENDERS))], [item[0] for item in CONTENDERS.values()])
    axis.set_ylim(0.5 - len(CONTENDERS), 0.5)
    axis.set_xlabel("share of the hypervolume of all fronts together\nthat is missing (left is better)")
    axis.set_title("every seed, from the first (below) to the last (above)")


__all__ = ["draw_all"]
