"""Figures: the recodings of both tables between security and quality, and the tests that searches make."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import FuncFormatter

from studies.common import figures as look
from studies.granulation import census, paper

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sfumato._typing import FloatArray
    from studies.common.results import Results

SF = "sf: how little is learnt about persons"
QL = "ql: detail that remains"
SEARCHES = {"plain": "plain search", "incognito": "Incognito", "ga": "genetic algorithm"}
COLOURS = {"plain": look.FAINT, "incognito": look.BLUE, "ga": look.ORANGE}


def draw_all(results: Results, folder: Path) -> None:
    """Draw every figure of the study into a folder."""
    look.save_figure(_example(results["example"]), folder / "example.png")
    look.save_figure(_tests(results), folder / "tests.png")
    if census.DRAWN in results["census"]:
        look.save_figure(_plane(results["census"][census.DRAWN]), folder / "census.png")


def _example(found: Results) -> Figure:
    """Draw all 120 recodings of the running example."""
    figure, (axis,) = look.new_figure(1, width=6.4, height=4.2)
    points = np.array(found["points"], dtype=np.float64)
    secure = points[:, 2] == 1
    _scatter(
        axis, points[~secure, :2], "not secure", marker="o", facecolors="none", edgecolors=look.FAINT, s=18
    )
    _scatter(axis, points[secure, :2], "secure", marker="o", color=look.BLUE, s=22)
    counts = [len(names) for names in paper.PARTITIONS.values()]
    for node in found["plain"]["specific"]:
        place = int(np.ravel_multi_index(node, counts))
        axis.scatter(*points[place, :2], marker="D", s=60, color=look.ORANGE, zorder=3)
        axis.annotate(
            paper.words(node).strip("`()"),
            points[place, :2],
            xytext=(8, 4),
            textcoords="offset points",
            fontsize=9,
        )
    axis.scatter([], [], marker="D", s=60, color=look.ORANGE, label="most specific of these")
    _mark_untouched(axis, points[0, :2])
    _finish(axis, "120 recodings of the running example, Health = 2 confidential")
    return figure


def _plane(found: Results) -> Figure:
    """Draw the recodings of the census."""
    figure, (axis,) = look.new_figure(1, width=6.4, height=4.2)
    points = {
        name: np.array(values, dtype=np.float64).reshape(-1, 2) for name, values in found["points"].items()
    }
    _scatter(axis, points["insecure"], "not secure (thinned)", marker=".", color="#bdbdbd", s=12)
    _scatter(axis, points["secure"], "secure", marker="o", color=look.BLUE, s=20)
    _scatter(axis, points["specific"], "most specific of these", marker="D", color=look.ORANGE, s=26)
    _scatter(axis, points["optimum"], "largest sf·ql of these", marker="*", color=look.INK, s=150, zorder=4)
    _mark_untouched(axis, points["untouched"][0])
    _finish(axis, f"{found['recodings']:,} recodings of the census: {found['title']}")
    return figure


def _scatter(axis: Axes, points: FloatArray, label: str, **style: object) -> None:
    axis.scatter(points[:, 0], points[:, 1], label=label, **style)  # type: ignore[arg-type]


def _mark_untouched(axis: Axes, point: FloatArray) -> None:
    axis.scatter(*point, marker="s", s=50, facecolors="none", edgecolors=look.INK, linewidths=1.4, zorder=3)
    axis.annotate("untouched", point, xytext=(8, -3), textcoords="offset points", fontsize=9)


def _finish(axis: Axes, title: str) -> None:
    axis.set_xlabel(SF)
    axis.set_ylabel(QL)
    axis.set_title(title)
    axis.legend(loc="best")


def _tests(results: Results) -> Figure:
    """Draw how many recodings each search tests, case by case."""
    cases = {"the running example": results["example"]}
    cases |= {found["title"].replace("; ", ";\n"): found for found in census.in_order(results)}
    figure, (axis,) = look.new_figure(1, width=8.2, height=0.9 + 0.72 * len(cases))
    for place, found in enumerate(cases.values()):
        for bar, key in enumerate(SEARCHES):
            tests = found["ga"]["evaluated"]["mean"] if key == "ga" else found[key]["tests"]
            at = place + (bar - 1) * 0.26
            axis.barh(at, tests, height=0.24, color=COLOURS[key], label=SEARCHES[key] if not place else None)
            axis.annotate(
                f"{tests:,.0f}",
                (tests, at),
                xytext=(3, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
            )
    axis.set_yticks(range(len(cases)), list(cases))
    axis.invert_yaxis()
    axis.set_xscale("log")
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axis.set_xlabel("recodings tested (genetic algorithm: mean over the seeds)")
    axis.grid(visible=False, axis="y")
    axis.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=3)
    return figure


__all__ = ["draw_all"]
