"""Figures 10 to 13 of the paper, drawn from our runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullFormatter

from studies.common import figures as look
from studies.optimal import paper
from studies.optimal.records import distinct, pick
from studies.optimal.tables import case_title

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from studies.common.results import Results

FIGURES = (
    *("figure-10a", "figure-10b", "figure-11a", "figure-11b", "figure-12a", "figure-12b"),
    *("figure-13", "figure-13-printed", "proofs"),
)

SKY, GOLD = "#56b4e9", "#e69f00"
SCHEMES: dict[str, tuple[str, str]] = {
    "BHS": (look.INK, "o"),
    "GHS": (look.PINK, "s"),
    "GOPS": (look.GREEN, "^"),
    "OPS": (look.BLUE, "D"),
    "GSPS": (GOLD, "v"),
    "SPS": (look.ORANGE, "P"),
    "SPS, age too": (SKY, ">"),
}
SEARCHES = {"bottom-up": (look.BLUE, "o"), "top-down": (look.ORANGE, "s"), "own": (look.GREEN, "^")}
SECONDS = "processor seconds"
ALONG = {"k": "k", "size": "quasi-identifiers: the first of Figure 9"}


def draw_all(results: Results, folder: Path) -> None:
    """Draw every figure of the study into a folder."""
    limit, printed = (results["settings"][name] for name in ("limit_s", "printed_limit_s"))
    drawn = {
        "figure-10a": _searches(results["searches_by_k"], "k", (limit, printed)),
        "figure-10b": _searches(results["searches_by_size"], "size", (limit, printed)),
        "figure-11a": _efforts(results["schemes_by_size"], "size", limit),
        "figure-11b": _efforts(results["schemes_by_k"], "k", limit),
        "figure-12a": _costs(results["schemes_by_k"], "dm"),
        "figure-12b": _costs(results["schemes_by_k"], "hdm"),
        "figure-13": _techniques(results["techniques"], limit),
        "figure-13-printed": _techniques(results["printed_techniques"], printed),
        "proofs": _courses(results["proofs"]),
    }
    for name, figure in drawn.items():
        look.save_figure(figure, folder / f"{name}.png")


def _line(
    axis: Axes, runs: Sequence[Results], along: str, up: str, colour: str, marker: str, **more: Any
) -> None:
    """Draw runs as a line; where the proof did not finish the mark is hollow."""
    axis.plot(
        [run[along] for run in runs], [run[up] for run in runs], color=colour, linewidth=1.4, zorder=2, **more
    )
    for proven, face in ((True, colour), (False, "white")):
        chosen = [run for run in runs if run["proven"] == proven]
        axis.scatter(
            [run[along] for run in chosen],
            [run[up] for run in chosen],
            marker=marker,
            s=30,
            facecolors=face,
            edgecolors=colour,
            zorder=3,
        )


def _finish(axis: Axes, along: str, steps: Sequence[Any]) -> None:
    axis.set_xlabel(ALONG[along])
    if along == "k":
        axis.set_xscale("log")
    axis.set_xticks(steps, [str(step) for step in steps])
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.minorticks_off()


def _logarithmic_seconds(axis: Axes, *limits: float) -> None:
    axis.set_yscale("log")
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    for limit in limits:
        axis.axhline(limit, color=look.FAINT, linewidth=0.9, linestyle=":")


def _searches(runs: Sequence[Results], along: str, limits: tuple[float, float]) -> Figure:
    """The printed searches and our own, one panel for each scheme and cost.

    Limits are those of all searches, and of the printed ones under OPS.
    """
    panels = [(scheme, cost) for cost in paper.COSTS for scheme in ("OPS", "SPS")]
    figure, axes = look.new_figure(2, 2, width=4.8, height=3.0)
    for axis, (scheme, cost) in zip(axes, panels, strict=True):
        shown = pick(runs, scheme=scheme, cost_name=cost)
        for name, (colour, marker) in SEARCHES.items():
            for kind, style in (("all", "-"), ("few", "--")):
                line = pick(shown, search=name, techniques=kind)
                if line:
                    _line(axis, line, along, "seconds", colour, marker, linestyle=style)
        _finish(axis, along, distinct(shown, along))
        _logarithmic_seconds(axis, *(limits if scheme == "OPS" else limits[:1]))
        axis.set_ylabel(SECONDS)
        axis.set_title(f"{scheme}, {cost.upper()}")
    handles = [
        Line2D([], [], color=colour, marker=marker, label=name) for name, (colour, marker) in SEARCHES.items()
    ]
    handles += [
        Line2D([], [], color=look.INK, linestyle="--", label="with few techniques"),
        _hollow(),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=5)
    return figure


def _scheme_handles(names: Sequence[Any]) -> list[Line2D]:
    handles = [
        Line2D([], [], color=SCHEMES[str(name)][0], marker=SCHEMES[str(name)][1], label=str(name))
        for name in names
    ]
    return [*handles, _hollow()]


def _hollow() -> Line2D:
    return Line2D([], [], color=look.INK, marker="o", mfc="white", ls="", label="not proven within the limit")


def _efforts(runs: Sequence[Results], along: str, limit: float) -> Figure:
    """Seconds of the six schemes, one panel for each cost."""
    figure, axes = look.new_figure(2, 1, width=4.8, height=3.5)
    names = [scheme.name for scheme in paper.SCHEMES]
    for axis, cost in zip(axes, paper.COSTS, strict=True):
        for name in names:
            colour, marker = SCHEMES[name]
            _line(axis, pick(runs, scheme=name, cost_name=cost), along, "seconds", colour, marker)
        _finish(axis, along, distinct(runs, along))
        _logarithmic_seconds(axis, limit)
        axis.set_ylabel(SECONDS)
        axis.set_title(cost.upper())
    figure.legend(handles=_scheme_handles(names), loc="outside upper center", ncols=4)
    return figure


def _costs(runs: Sequence[Results], cost: str) -> Figure:
    """What the best recoding of each scheme costs: the cost itself, and beside it against BHS."""
    figure, (plain, relative) = look.new_figure(2, 1, width=4.8, height=3.5)
    names = distinct(runs, "scheme")
    base = {run["k"]: run["cost"] for run in pick(runs, scheme="BHS", cost_name=cost)}
    unit = 1e6 if cost == "dm" else 1.0
    for name in names:
        colour, marker = SCHEMES[str(name)]
        found = pick(runs, scheme=name, cost_name=cost)
        shown = [run | {"shown": run["cost"] / unit, "share": run["cost"] / base[run["k"]]} for run in found]
        _line(plain, shown, "k", "shown", colour, marker)
        _line(relative, shown, "k", "share", colour, marker)
    for axis in (plain, relative):
        _finish(axis, "k", distinct(runs, "k"))
    plain.set_ylabel("DM (millions)" if cost == "dm" else "HDM")
    relative.set_ylabel("cost of BHS = 1")
    relative.set_ylim(0, 1.05)
    figure.legend(handles=_scheme_handles(names), loc="outside upper center", ncols=5)
    return figure


def _techniques(runs: Sequence[Results], limit: float) -> Figure:
    """Seconds with every technique switched in turn, one panel for each case."""
    cases = list(dict.fromkeys((run["scheme"], run["cost_name"], run["limit"]) for run in runs))
    columns = min(2, len(cases))
    figure, axes = look.new_figure(columns, -(-len(cases) // columns), width=5.4, height=2.9)
    for axis, (scheme, cost, allowed) in zip(axes, cases, strict=False):
        shown = pick(runs, scheme=scheme, cost_name=cost, limit=allowed)
        places = range(len(shown))
        colours = [look.BLUE if run["variant"] == "all" else GOLD for run in shown]
        bars = axis.barh(places, [run["seconds"] for run in shown], color=colours, height=0.7)
        for bar, run in zip(bars, shown, strict=True):
            if not run["proven"]:
                bar.set(facecolor="white", edgecolor=GOLD, hatch="////")
        axis.set_yticks(places, [run["variant"] for run in shown])
        axis.invert_yaxis()
        axis.set_xscale("log")
        axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_xlim(0.005, 2 * limit)
        axis.set_xlabel(SECONDS + "; hatched: not proven")
        axis.set_title(case_title(scheme, cost, allowed))
    for axis in axes[len(cases) :]:
        axis.set_visible(False)
    return figure


def _courses(runs: Sequence[Results]) -> Figure:
    """How the gap closes over time, one panel for each cost; a proof is a mark at its end."""
    costs = distinct(runs, "cost_name")
    figure, axes = look.new_figure(len(costs), 1, width=3.6, height=3.2)
    colours = (look.BLUE, look.ORANGE, look.GREEN, look.PINK)
    for axis, cost in zip(axes, costs, strict=True):
        for colour, run in zip(colours, pick(runs, cost_name=cost), strict=False):
            steps = [*run["course"], [run["seconds"], run["gap"]]]
            seconds, gaps = zip(*steps, strict=True)
            axis.step(
                seconds, [100 * gap for gap in gaps], where="post", color=colour, label=f"k = {run['k']}"
            )
            if run["proven"]:
                axis.plot(seconds[-1:], [0.0], marker="o", color=colour, clip_on=False)
        axis.set_xscale("log")
        axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_ylim(0, 100)
        axis.set_xlabel(SECONDS + "; dot: proven")
        axis.set_ylabel("gap (%)")
        axis.set_title(str(cost).upper() if cost in paper.COSTS else str(cost))
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=len(colours))
    return figure


__all__ = ["FIGURES", "draw_all"]
