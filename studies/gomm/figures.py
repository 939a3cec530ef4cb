"""Figures 6 to 8 of the paper, the scores of all groupings, and the fronts beyond."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from studies.common import figures as look
from studies.gomm import paper
from studies.gomm.runs import VARIANTS
from studies.gomm.tables import OPERATOR_NAMES

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from studies.common.results import Results

MUTATIONS = ("create", "eliminate", "split", "swap", "move")
ROWS = {
    "utilization": "discarded\nunused (%)",
    "life": "life time\n(generations)",
    "efficacy": "children",
    "efficiency": "improvement\nof the score (%)",
}
MARKERS = ("o", "s", "^", "v", "D", "P", "X", "<")
FIGURES = ("figure-6", "figure-7", "figure-8", "fronts", "scores")


def draw_all(results: Results, folder: Path) -> None:
    """Draw every figure of the study into a folder."""
    drawn = {
        "figure-6": _mutations(results["analysis"]),
        "figure-7": _crossover(results["analysis"]),
        "figure-8": _times(results),
        "fronts": _fronts(results),
        "scores": _scores(results),
    }
    for name, figure in drawn.items():
        look.save_figure(figure, folder / f"{name}.png")


def _mutations(analysis: Results) -> Figure:
    """Draw a column for each mutation and a row for each measure, on one scale along each row."""
    figure, axes = look.new_figure(len(MUTATIONS), len(ROWS), width=1.85, height=1.45)
    grid = np.array(axes, dtype=object).reshape(len(ROWS), len(MUTATIONS))
    for column, name in enumerate(MUTATIONS):
        found = analysis["operators"][name]
        for row, kind in enumerate(ROWS):
            _draw(grid[row, column], found, kind)
        grid[0, column].set_title(OPERATOR_NAMES[name])
        grid[-1, column].set_xlabel("generation")
    for row, words in enumerate(ROWS.values()):
        grid[row, 0].set_ylabel(words)
        _share_scale(list(grid[row]))
    _draw_legend(figure)
    return figure


def _share_scale(axes: list[Axes]) -> None:
    limits = np.array([axis.get_ylim() for axis in axes])
    for axis in axes:
        axis.set_ylim(limits[:, 0].min(), limits[:, 1].max())
        if axis is not axes[0]:
            axis.tick_params(labelleft=False)


def _crossover(analysis: Results) -> Figure:
    figure, axes = look.new_figure(2, 2, width=4.4, height=2.6)
    found = analysis["operators"]["crossover"]
    for axis, (kind, words) in zip(axes, ROWS.items(), strict=True):
        _draw(axis, found, kind)
        axis.set_ylabel(words)
        axis.set_xlabel("generation")
    _draw_legend(figure)
    return figure


def _draw(axis: Axes, found: Results, kind: str) -> None:
    """Draw one measure of one operator."""
    generations = np.arange(1, len(found["discarded"]) + 1)
    if kind == "utilization":
        axis.plot(generations, found["discarded"], color=look.INK, lw=1.3)
        axis.set_ylim(-3, 103)
    elif kind == "life":
        axis.plot(generations, found["life_time"], color=look.INK, lw=1.3)
        axis.set_ylim(bottom=-0.3)
    elif kind == "efficacy":
        axis.plot(generations, found["improved"], color=look.BLUE, lw=1.5)
        axis.plot(generations, found["worsened"], color=look.ORANGE, lw=1.3, ls="--")
        axis.set_ylim(-0.03 * found["made"], 1.03 * found["made"])
    else:
        axis.axhline(0, color=look.FAINT, lw=0.8)
        axis.plot(generations, found["improvement"], color=look.BLUE, lw=1.5)
        axis.plot(generations, found["worsening"], color=look.ORANGE, lw=1.3, ls="--")
        axis.plot(generations, found["best"], color=look.BLUE, lw=0.7)
        axis.plot(generations, found["worst"], color=look.ORANGE, lw=0.7, ls="--")


def _draw_legend(figure: Figure) -> None:
    marks = [
        Line2D([], [], color=look.BLUE, lw=1.8, label="improved: number, mean"),
        Line2D([], [], color=look.ORANGE, lw=1.6, ls="--", label="worsened: number, mean"),
        Line2D([], [], color=look.BLUE, lw=0.8, label="best child"),
        Line2D([], [], color=look.ORANGE, lw=0.8, ls="--", label="worst child"),
    ]
    figure.legend(handles=marks, loc="outside upper center", ncols=4)


def _times(results: Results) -> Figure:
    """Draw times and evaluations of GOMM and D-GOMM on Water-treatment, every seed and the median."""
    figure, axes = look.new_figure(2, 1, width=4.6, height=3.2)
    ks = results["settings"]["ks"]
    runs = results["runs"][paper.WATER.name]
    kinds = (("seconds", "time of a run (s)"), ("evaluated", "distinct groupings measured"))
    for axis, (key, words) in zip(axes, kinds, strict=True):
        for name, colour, marker, shift in (
            ("printed", look.ORANGE, "o", -0.08),
            ("dynamic", look.BLUE, "s", 0.08),
        ):
            places = np.arange(len(ks)) + shift
            for place, k in zip(places, ks, strict=True):
                values = runs[str(k)][name][key]["values"]
                axis.scatter([place] * len(values), values, s=12, color=colour, alpha=0.35, linewidths=0)
            medians = [runs[str(k)][name][key]["median"] for k in ks]
            axis.plot(places, medians, color=colour, marker=marker, ms=5, lw=1.4, label=VARIANTS[name])
        axis.set_xticks(range(len(ks)), [str(k) for k in ks])
        axis.set_xlabel("k")
        axis.set_ylabel(words)
        axis.set_ylim(bottom=0)
    axes[0].legend(loc="best")
    return figure


def _scores(results: Results) -> Figure:
    """Draw the score of every grouping for every k."""
    figure, axes = look.new_figure(2, 1, width=5.4, height=4.0)
    ks = results["settings"]["ks"]
    for axis, data in zip(axes, paper.DATA, strict=True):
        runs = results["runs"][data.name]
        for place, name in enumerate(data.names):
            values = [runs[str(k)]["ad_hoc"][name]["score"] for k in ks]
            special = name in (data.whole, "G1")
            axis.plot(
                ks,
                values,
                color=look.INK if special else look.FAINT,
                lw=1.0,
                ls="-" if special else ":",
                marker=MARKERS[place],
                ms=5,
                mfc="white",
                label=name,
            )
        for name, colour, marker in (("printed", look.ORANGE, "o"), ("polished", look.BLUE, "s")):
            medians = [runs[str(k)][name]["score"]["median"] for k in ks]
            axis.plot(ks, medians, color=colour, marker=marker, ms=5, lw=2.0, label=VARIANTS[name])
        _finish_scores(axis, ks, data)
    return figure


def _finish_scores(axis: Axes, ks: list[int], data: paper.Data) -> None:
    axis.set_xscale("log")
    axis.set_xticks(ks, [str(k) for k in ks])
    axis.xaxis.set_minor_locator(NullLocator())
    axis.set_ylim(bottom=0)
    axis.set_xlabel("k")
    axis.set_title(data.title)
    axis.set_ylabel("score (smaller is better)")
    axis.legend(loc="lower left", ncols=3, fontsize=8.5)


def _fronts(results: Results) -> Figure:
    """Draw information loss against disclosure risk of both searches' fronts and of the ad-hoc groupings."""
    figure, axes = look.new_figure(2, 1, width=5.2, height=4.0)
    k = results["settings"]["analysed_k"]
    for axis, data in zip(axes, paper.DATA, strict=True):
        for name, words, colour, size in (
            ("objectives", "searched for IL, ID, DLD", look.BLUE, 16),
            ("score", "searched for the score", look.ORANGE, 9),
        ):
            points = np.array(results["fronts"][data.name][name]["points"], dtype=float)
            risks = points[:, 1:].mean(axis=1)
            axis.scatter(risks, points[:, 0], s=size, color=colour, alpha=0.6, linewidths=0, label=words)
        found = results["runs"][data.name][str(k)]["ad_hoc"]
        _draw_ad_hoc(axis, {name: found[name] for name in data.names})
        axis.set_xlabel("disclosure risk: mean of ID and DLD (%)")
        axis.set_title(f"{data.title}, k = {k}")
        axis.set_xlim(0, 102)
        axis.set_ylim(bottom=-1)
    axes[0].set_ylabel("information loss IL (%)")
    axes[0].legend(loc="upper right")
    return figure


def _draw_ad_hoc(axis: Axes, found: Results) -> None:
    for place, (name, item) in enumerate(found.items()):
        x, y = (item["id"] + item["dld"]) / 2, item["il"]
        axis.scatter([x], [y], s=70, facecolors="none", edgecolors=look.INK, linewidths=1.2, zorder=5)
        side = 1 if place % 2 else -1
        axis.annotate(
            name,
            (x, y),
            xytext=(8 * side, 6 * side),
            textcoords="offset points",
            fontsize=8,
            ha="left" if side > 0 else "right",
            va="center",
            bbox={"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.6},
            zorder=6,
        )


__all__ = ["FIGURES", "draw_all"]
