"""Figures 1.5 and 1.6 of the chapter, and the hypervolumes of all seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter

from studies.common import figures as look
from studies.nsga2 import paper
from studies.nsga2.runs import SCALES

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sfumato._typing import FloatArray
    from studies.common.results import Results

FIGURES = ("figure-1-5", "figure-1-6", "overview", "hypervolumes")
THOUSAND = 1e3
INSETS = ((0.085, 0.60, 0.22, 0.29), (0.405, 0.60, 0.22, 0.29))
"""Left, bottom, width and height of the distributions in Figure 1.5, as shares of the panel."""

WAYS = {"unseeded": (look.BLUE, "o"), "seeded": (look.GREEN, "s")}


def draw_all(results: Results, folder: Path) -> None:
    """Draw every figure of the study into a folder."""
    look.save_figure(_weighted(results), folder / "figure-1-5.png")
    look.save_figure(_tolerant(results), folder / "figure-1-6.png")
    look.save_figure(_overview(results), folder / "overview.png")
    look.save_figure(_hypervolumes(results), folder / "hypervolumes.png")


def _points(found: Results, way: str) -> FloatArray:
    return np.array(found[way]["points"], dtype=np.float64).reshape(-1, 2) / (1.0, THOUSAND)


def _plain_number(value: float, _: int | None = None) -> str:
    return f"{value:,.10g}"


def _scatter(axis: Axes, found: Results) -> None:
    """Draw the front of the first seed and, as rings, the exact full-domain front."""
    ours, exact = _points(found, "unseeded"), _points(found, "exact")
    axis.scatter(
        *exact.T,
        s=26,
        facecolors="none",
        edgecolors=look.ORANGE,
        linewidths=1.0,
        zorder=3,
        label="full domain, exact",
    )
    axis.scatter(*ours.T, s=9, color=look.BLUE, linewidths=0, zorder=4, label="NSGA-II, not seeded")


def _weighted(results: Results) -> Figure:
    """Draw Figure 1.5: the front, and in the free corners the class sizes of two of its solutions."""
    found = results["tasks"][paper.WEIGHTED.name]
    figure, (axis,) = look.new_figure(1, 1, width=9.4, height=6.0)
    _scatter(axis, found)
    axis.set_xscale("log")
    axis.xaxis.set_major_formatter(FuncFormatter(_plain_number))
    axis.set_xlabel("weighted-k: size of one's class, mean over rows")
    axis.set_ylabel("generalization loss GL (thousands of cells)")
    axis.legend(loc="lower right")
    for letter, corner, item in zip("AB", INSETS, found["distributions"], strict=True):
        place = (item["mean_k"], item["gl"] / THOUSAND)
        axis.scatter(*place, s=90, facecolors="none", edgecolors=look.INK, linewidths=1.6, zorder=6)
        axis.annotate(
            letter,
            place,
            xytext=(-13, 9),
            textcoords="offset points",
            fontsize=13,
            fontweight="bold",
            zorder=7,
        )
        _draw_sizes(axis.inset_axes(corner), item, letter)
    return figure


def _draw_sizes(axis: Axes, item: Results, letter: str) -> None:
    """Draw how many rows are in classes of at most so many rows."""
    axis.step(item["sizes"], np.array(item["rows"]) / THOUSAND, where="post", color=look.GREEN, linewidth=1.6)
    axis.set_title(f"{letter}: {item['classes']:,} classes", fontsize=10)
    axis.set_xlabel("class size k", fontsize=9)
    axis.set_ylabel("rows in classes ≤ k\n(thousands)", fontsize=9)
    axis.set_ylim(0)
    axis.xaxis.set_major_formatter(FuncFormatter(_plain_number))


def _tolerant(results: Results) -> Figure:
    """Draw Figure 1.6: everything, then the steepest part of each panel magnified in the next."""
    found = results["tasks"][paper.TOLERANT.name]
    figure, axes = look.new_figure(2, 2, width=5.4, height=3.9)
    points = np.concatenate([_points(found, "unseeded"), _points(found, "exact")])
    most = points[:, 0].max()
    for place, (axis, share) in enumerate(zip(axes, paper.MAGNIFICATIONS, strict=True)):
        _scatter(axis, found)
        window = _window(points, most * share)
        axis.set(xlim=window[0], ylim=window[1])
        axis.xaxis.set_major_formatter(FuncFormatter(_plain_number))
        axis.set_xlabel("k: size of the smallest class")
        axis.set_ylabel("loss = GL + SL (thousands of cells)")
        axis.set_title("all solutions" if not place else f"k up to {most * share:,.0f}")
        if place + 1 < len(paper.MAGNIFICATIONS):
            (left, right), (low, high) = _window(points, most * paper.MAGNIFICATIONS[place + 1])
            axis.add_patch(
                Rectangle(
                    (left, low), right - left, high - low, fill=False, edgecolor=look.INK, lw=1.1, zorder=5
                )
            )
        for number, item in enumerate(found["flat_regions"]):
            ends = np.array([item["loss"], item["loss"] * (1 + item["more"])]) / THOUSAND
            words = "" if number else "flat region"
            axis.plot(
                [item["from"], item["to"]], ends, color=look.GREEN, lw=5, alpha=0.35, label=words, zorder=2
            )
    axes[0].legend(loc="lower right")
    return figure


def _window(points: FloatArray, limit: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return what a panel shows: the points up to some k, with a margin."""
    chosen = points[points[:, 0] <= limit]
    low, high = chosen[:, 1].min(), chosen[:, 1].max()
    margin = 0.06 * (high - low or 1.0)
    return (-0.03 * limit, 1.03 * limit), (low - margin, high + margin)


def _overview(results: Results) -> Figure:
    """Draw the third problem: both losses, weighted-k by colour; one panel for each front."""
    found = results["tasks"][paper.OVERVIEW.name]
    titles = {"exact": "full domain, exact", "unseeded": "NSGA-II, not seeded"}
    fronts = {way: np.array(found[way]["points"]).reshape(-1, 3) for way in titles}
    most = max(points[:, 0].max() for points in fronts.values())
    figure, axes = look.new_figure(2, 1, width=5.0, height=3.8)
    for axis, (way, title) in zip(axes, titles.items(), strict=True):
        privacy, *losses = fronts[way].T
        drawn = axis.scatter(
            *(loss / THOUSAND for loss in losses), c=privacy, s=12, cmap=look.SCALE, norm=LogNorm(1, most)
        )
        axis.set_xlabel("generalization loss GL (thousands of cells)")
        axis.set_ylabel("suppression loss SL (thousands of cells)")
        axis.set_title(title)
        axis.set_ylim(top=1.05 * max(points[:, 2].max() for points in fronts.values()) / THOUSAND)
    figure.colorbar(drawn, ax=axes, label="weighted-k").ax.yaxis.set_major_formatter(_plain_number)
    return figure


def _hypervolumes(results: Results) -> Figure:
    """Draw the hypervolume of every seed over that of the exact full-domain front."""
    figure, axes = look.new_figure(1, len(paper.TASKS), width=6.4, height=2.6)
    rows = [(way, scale) for scale in SCALES for way in WAYS]
    for axis, task in zip(axes, paper.TASKS, strict=True):
        found = results["tasks"][task.name]
        for place, (way, scale) in enumerate(rows):
            values = np.array(found[way]["hypervolume"][scale]["values"])
            gained = 100 * (values / found["exact"]["hypervolume"][scale] - 1)
            colour, marker = WAYS[way]
            heights = 0.05 * (np.arange(len(gained)) - (len(gained) - 1) / 2) - place
            axis.scatter(gained, heights, s=22, color=colour, marker=marker, linewidths=0)
        axis.axvline(0, color=look.ORANGE, linewidth=1.4)
        axis.set_xlim(left=-0.8)
        axis.set_ylim(0.5 - len(rows), 0.5)
        axis.set_yticks([-place for place in range(len(rows))], [f"{way},\n{scale}" for way, scale in rows])
        axis.set_xlabel("hypervolume beyond the exact full-domain front (%)")
        axis.set_title(task.title)
    return figure


__all__ = ["FIGURES", "draw_all"]
