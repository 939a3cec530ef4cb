"""Trade-offs: the front while it grows, suggestions in words, and solutions side by side."""

from __future__ import annotations

import json
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from nicegui import run, ui

from sfumato.app.framing import (
    Here,
    button,
    card,
    empty,
    heading,
    notice,
    show_figure,
    show_grid,
    show_pieces,
    way_to,
)
from sfumato.front import Objective, PlainFront, PlainSolution
from sfumato.preparing import asked_objectives
from sfumato.report.assessed_section import disclosure_chart, person_chart
from sfumato.report.axes import Axis
from sfumato.report.comparison import size_ranges
from sfumato.report.page import front_figure, how_to_read
from sfumato.report.phrases import front_sentence, measure_words, partition_words
from sfumato.report.pieces import Numbers
from sfumato.words import count_words, number_words, percent_words, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.app.projects import Detail
    from sfumato.report.pieces import Chart
    from sfumato.results import Front
    from sfumato.spec import Spec

GROWING_S = 0.7  # seconds between two pictures of a front that grows
MOST_DRAWN = 3000
SHORT = 16  # letters of a label that is not broken
MOST_STEPS = 40  # values of an objective that a range can begin or end with
LOOKING = "Looking at what it does to people"


def show(here: Here) -> None:
    """Show the search while it runs, and what it found."""
    project = here.project
    if project.is_busy and project.job is not None and project.job.doing == "Searching":
        _growing(here)
        return
    with ui.element("div").classes("line").style("margin-bottom: 1rem"):
        words = "Search" if project.front is None else "Search again"
        button(words, here.tried(project.search), icon="play_arrow")
        _history(here)
    if project.front is None:
        words = "It finds every release that cannot be improved without getting worse elsewhere."
        empty("No search yet", words)
        return
    if project.is_outdated:
        words = "The goals or hierarchies were changed since this search. Search again to see what that does."
        notice(words, "note")
    if not len(project.front):
        notice(f"Nothing meets the requirements: {project.why_empty}", "bad").props('role="alert"')
        way_to("Change the goals", "/goals", "outline")
        return
    _front(here, project.front)


def _history(here: Here) -> None:
    project = here.project
    if len(project.runs) < (1 if project.front is None else 2):
        return
    with ui.button("Earlier runs", icon="history").props("flat no-caps"), ui.menu():
        for number in reversed(project.runs):
            mark = " (shown)" if number == project.run else ""
            action = here.tried(lambda number=number: project.load_run(number))
            ui.menu_item(f"Run {number}{mark}", on_click=action)


def _growing(here: Here) -> None:
    """Draw what was found so far, again and again."""
    box = ui.element("div")
    drawn = [-1]

    async def draw() -> None:
        job = here.project.job
        costs = None if job is None or job.progress is None else job.progress.costs
        if costs is None or not len(costs) or len(costs) == drawn[0]:
            return
        drawn[0] = len(costs)
        front = _partial_front(here.spec, costs[:MOST_DRAWN])
        # In a thread, so that other pages are answered meanwhile.
        figure = await run.io_bound(lambda: front_figure(front, is_plain=True).to_json())
        if figure is None or box.is_deleted:
            return
        box.clear()
        with box:
            show_figure(figure, f"{len(costs)} solutions so far", is_dark=bool(here.visit.dark))

    with box:
        ui.label("The first solutions appear here in a moment.").classes("quiet")
    ui.timer(GROWING_S, draw)


def _partial_front(spec: Spec, costs: np.ndarray) -> PlainFront:
    """See the objectives found so far as a front; what became of the columns is told at the end."""
    ways = zip((True, False), asked_objectives(spec), strict=True)
    objectives = tuple(Objective(name, maximize) for maximize, names in ways for name in names)
    names, signs = [item.name for item in objectives], [-1.0 if item.maximize else 1.0 for item in objectives]
    solutions = tuple(
        PlainSolution(number, dict(zip(names, row, strict=True)), 0, {})
        for number, row in enumerate((costs * signs).tolist(), start=1)
    )
    return PlainFront(solutions, objectives)


def _front(here: Here, front: Front) -> None:
    project = here.project
    ui.label(front_sentence(front))
    plot = show_figure(_figure(here, front), how_to_read(front), is_dark=bool(here.visit.dark))
    solutions = ui.refreshable(_solutions)

    def click(event: Any) -> None:
        for number in event.args[:1]:
            project.choose(number)

    def brush(event: Any) -> None:
        here.memory["brushed"] = event.args
        solutions.refresh()

    plot.on("plotly_click", here.tried(click), js_handler=_NUMBERS)
    for name in ("plotly_selected", "plotly_deselect"):
        plot.on(name, here.tried(brush), js_handler=_NUMBERS)
    ui.label(
        f"{how_to_read(front)} Click it to see it side by side with others. Drag a box to list only the "
        "solutions in it, and double-click to list all again."
    ).classes("quiet")
    heading("Worth a look")
    with ui.element("div").classes("cards"):
        for item in front.suggestions():
            with card():
                number = item.solution.number
                look = "unelevated" if number in project.chosen else "outline"
                choose = here.tried(lambda number=number: project.choose(number))
                button(f"Solution {number}: {item.name}", choose, look, 'dense padding="xs sm"')
                ui.label(item.why)
    solutions(here, front)
    _side_by_side(here, front)


_NUMBERS = "(e) => emit((e?.points ?? []).map((point) => point.customdata).filter(Number.isInteger))"


def _figure(here: Here, front: Front) -> str:
    """Return the picture of a front, drawn once for each picked solution; what is brushed stands out."""
    project = here.project
    picked = project.chosen[-1] if project.chosen else None
    if picked not in project.drawn:
        figure = front_figure(front, picked, labels=project.labels, is_plain=True)
        figure.update_layout(dragmode="select", modebar_remove=["sendChartToCloud", "autoScale2d"])
        project.drawn[picked] = figure.to_json()
    brushed = set(here.kept("brushed", []))
    if not brushed:
        return project.drawn[picked]
    drawn = json.loads(project.drawn[picked])
    for trace in drawn["data"]:
        numbers = trace.get("customdata", ())
        trace["selectedpoints"] = [place for place, number in enumerate(numbers) if number in brushed]
    return json.dumps(drawn)


def _solutions(here: Here, front: Front) -> None:
    """Show the solutions that are in the box and in the ranges."""
    ranges: dict[str, tuple[float, float]] = here.kept("ranges", {})
    brushed = here.kept("brushed", [])
    shown = [
        item.number
        for item in front
        if (not brushed or item.number in brushed)
        and all(low <= item.value(name) <= high for name, (low, high) in ranges.items())
    ]
    _ranges(here, front, shown)
    _grid(here, front, shown)


def _ranges(here: Here, front: Front, shown: Sequence[int]) -> None:
    """Set the range of each objective that solutions are kept in; from three on, with a line for each."""
    axes = [
        Axis(item.name, item.maximize, np.array([solution.value(item.name) for solution in front]))
        for item in front.objectives
    ]
    has_lines = len(axes) > 2
    with card("All objectives at once" if has_lines else "Keep only"):
        if has_lines:
            words = "Each line is a solution; better is up. Narrow the ranges to keep fewer."
            ui.label(words).classes("quiet")
            lines = ui.html(_parallel_html(axes, shown, here.project.chosen), sanitize=False)
            lines.classes("scroll").props('role="region" tabindex="0" aria-label="All objectives at once"')
        with ui.element("div").classes("cards"):
            for axis in axes:
                _range(here, axis)
        if len(shown) < len(front):
            show_all = here.tried(lambda: here.set(ranges={}, brushed=[]))
            button("Show all solutions", show_all, "outline", "dense padding='xs md'")


def _range(here: Here, axis: Axis) -> None:
    """Let the values of an objective be narrowed, by mouse or keyboard."""
    values = np.unique(axis.values[np.isfinite(axis.values)])
    steps = values[np.unique(np.linspace(0, len(values) - 1, MOST_STEPS).round().astype(int))].tolist()
    kept = list(here.kept("ranges", {}).get(axis.name, (steps[0], steps[-1])))
    options = {str(step): number_words(step) for step in steps}

    def narrow(end: int, text: str) -> None:
        kept[end] = float(text)
        here.memory["ranges"][axis.name] = tuple(kept)
        here.refresh()

    with ui.element("div").classes("line range"):
        ui.label(printable(axis.name)).classes("name")
        for end, (word, words) in enumerate((("from", "Least"), ("to", "Most"))):
            ui.label(word)
            label = f"{words} {axis.name}"
            here.select(label, options, str(kept[end]), partial(narrow, end))


def _parallel_html(axes: Sequence[Axis], shown: Sequence[int], chosen: Sequence[int]) -> str:
    """Draw the lines; those outside the ranges are faint, chosen ones strong."""
    places = [60 + 780 * place / max(len(axes) - 1, 1) for place in range(len(axes))]
    heights = np.column_stack([axis.shares if axis.maximize else 1 - axis.shares for axis in axes])
    kept, strong = set(shown), set(chosen)
    order = sorted(range(1, len(heights) + 1), key=lambda number: (number in strong, number in kept))
    lines = []
    for number in order:
        look = "strong" if number in strong else "kept" if number in kept else "faint"
        ends, title = zip(places, heights[number - 1].tolist(), strict=True), f"solution {number}"
        points = " ".join(f"{x:.0f},{230 - 190 * y:.1f}" for x, y in ends)
        lines.append(f'<polyline class="{look}" points="{points}"><title>{title}</title></polyline>')
    for x, axis in zip(places, axes, strict=True):
        best, worst = (axis.high, axis.low) if axis.maximize else (axis.low, axis.high)
        lines.append(f'<line class="axis" x1="{x:.0f}" x2="{x:.0f}" y1="40" y2="230" />')
        for y, words in ((14, axis.name), (32, number_words(best)), (248, number_words(worst))):
            lines.append(f'<text x="{x:.0f}" y="{y}" text-anchor="middle">{escape(printable(words))}</text>')
    words = f"{len(shown)} of {len(heights)} solutions as lines across {len(axes)} objectives"
    return f'<svg class="lines" viewBox="0 0 900 260" role="img" aria-label="{words}">{"".join(lines)}</svg>'


def _grid(here: Here, front: Front, shown: Sequence[int]) -> None:
    names = [name for name in front.measure_names if name != "suppressed"]
    total = count_words(len(front), "solution")
    with card(total if len(shown) == len(front) else f"{len(shown):,} of {total}", "plain"):
        rows = []
        for number in shown:
            item = front[number - 1]
            numbers = {f"m{place}": item.value(name) for place, name in enumerate(names)}
            mark = "●" if number in here.project.chosen else ""
            more = {"suppressed": item.suppressed, "proven": item.certainty}
            rows.append({"number": number, "chosen": mark, **numbers, **more})
        # Counts are shown whole, all else in four digits, as everywhere.
        shown_number = "Number.isInteger(params.value) ? params.value : Number(params.value.toPrecision(4))"
        form = f"params.value == null ? '' : ({shown_number}).toLocaleString('en-US')"
        shown_so = {"filter": "agNumberColumnFilter", ":valueFormatter": f"params => {form}", "flex": 1}
        columns: list[dict[str, Any]] = [
            {"headerName": "solution", "field": "number", "width": 110},
            {"headerName": "side by side", "field": "chosen", "width": 120},
            *(
                {"headerName": measure_words(name), "field": f"m{place}", **shown_so, "minWidth": 140}
                for place, name in enumerate(names)
            ),
            {"headerName": "suppressed rows", "field": "suppressed", "width": 150},
        ]
        if front.is_local:
            columns.append({"headerName": "proven", "field": "proven", "minWidth": 270, "flex": 1})
        height = f"{min(20, 5.5 + 2.7 * max(len(rows), 1)):.1f}rem"
        looks = {"wrapHeaderText": True, "autoHeaderHeight": True}
        grid = show_grid(columns, rows, height, defaultColDef=looks)
        choose = here.tried(lambda event: here.project.choose(int(event.args["data"]["number"])))
        grid.on("cellClicked", choose, args=["data"])
        ui.label("Click a line to put it side by side with others, up to three.").classes("quiet")


def _side_by_side(here: Here, front: Front) -> None:
    project = here.project
    numbers = project.chosen
    if not numbers:
        return

    def release(number: int) -> None:
        project.put_last(number)
        ui.navigate.to("/release")

    heading("Side by side" if len(numbers) > 1 else f"Solution {numbers[0]} in detail")
    with ui.element("div").classes("line").style("margin-bottom: .75rem"):
        for number in numbers:
            action, more = here.tried(lambda number=number: release(number)), "dense padding='xs md'"
            button(f"Release solution {number}", action, "outline", f"{more} icon-right=arrow_forward")
    if len(numbers) == 2:
        notice(front.compare(numbers[0], numbers[1], show_labels=False).sentence, "good")
    heads = [f"solution {number}" for number in numbers]
    box = ui.element("div").classes("tables")
    with box:
        show_pieces(_measures(front, numbers, heads), _sizes(front, numbers, heads))
        show_pieces(_attributes(front, numbers, heads, project.labels))
    missing = [number for number in numbers if number not in project.details]
    failed = project.job is not None and project.job.doing == LOOKING and project.job.error is not None
    if missing and not project.is_busy and not failed:
        project.begin(LOOKING, project.look_closely, is_quiet=True)
    details = [project.details[number] for number in numbers if number in project.details]
    if len(details) < len(numbers):
        ui.label("Risk, rows before and after, and who is left out follow in a moment.").classes("quiet")
        return
    with box:
        show_pieces(_risk(details, heads))
        show_pieces(_left_out(details, heads))
    for number, detail in zip(numbers, details, strict=True):
        _sample(number, detail)


def _measures(front: Front, numbers: Sequence[int], heads: Sequence[str]) -> Numbers:
    items = [front[number - 1] for number in numbers]
    names = dict.fromkeys([*front.measure_names, "suppressed"])
    rows = [[measure_words(name), *(number_words(item.value(name)) for item in items)] for name in names]
    return Numbers("Privacy and usefulness", ["measure", *heads], rows)


def _attributes(
    front: Front, numbers: Sequence[int], heads: Sequence[str], labels: dict[int, dict[str, str]] | None
) -> Numbers:
    looks = labels or front.labels(numbers) or {}
    rows = [
        [name, *(partition_words(front[n - 1].recoding[name], looks.get(n, {}).get(name)) for n in numbers)]
        for name in front[numbers[0] - 1].recoding
    ]
    return Numbers("What becomes of each attribute", ["attribute", *heads], rows)


def _sizes(front: Front, numbers: Sequence[int], heads: Sequence[str]) -> Numbers:
    counted = front.class_sizes(numbers) or {}
    sizes = [counted[number] for number in numbers]
    rows = [
        [f"in classes of {words}", *(f"{item.rows_between(low, high):,}" for item in sizes)]
        for low, high, words in size_ranges(sizes)
    ]
    rows.append(["left out", *(f"{item.suppressed:,}" for item in sizes)])
    return Numbers("Rows by the size of their class", ["rows", *heads], rows)


def _risk(details: Sequence[Detail], heads: Sequence[str]) -> Numbers:
    """Put what attackers achieve into one table, in the report's words."""
    columns: list[list[Sequence[str]]] = []
    for detail in details:
        before, after = detail.risk.before, detail.risk.after
        assert after is not None
        charts: list[Chart] = [person_chart(before, after)]
        charts += [disclosure_chart(before, after)] if after.attributes else []
        columns.append([row for chart in charts for row in chart.numbers.rows])
    rows = [
        [first[0], first[1], *(column[place][2] for column in columns)]
        for place, first in enumerate(columns[0])
    ]
    return Numbers("Risk, before and after", ["question", "original", *heads], rows)


def _left_out(details: Sequence[Detail], heads: Sequence[str]) -> Numbers | None:
    """List the groups that lose clearly more rows than others, with the share that each solution takes."""
    shares: dict[tuple[str, str], list[str]] = {}
    for place, detail in enumerate(details):
        for loss in detail.look.losses:
            for group in loss.groups:
                if group.is_hit_more:
                    cells = shares.setdefault((loss.attribute, group.name), [""] * len(details))
                    cells[place] = percent_words(group.share)
    rows = [[f"{attribute}: {name}", *cells] for (attribute, name), cells in list(shares.items())[:12]]
    return Numbers("Who is left out more than others", ["group", *heads], rows) if rows else None


def _sample(number: int, detail: Detail) -> None:
    """Show the first rows before and after; what did not change is quiet."""
    look = detail.look
    head = "".join(f'<th scope="col">{escape(printable(name))}</th>' for name in look.names)
    lines = []
    for before, after in zip(look.before, look.after, strict=True):
        cells = []
        for was, now in zip(before, after, strict=True):
            old, new = escape(printable(was)), escape(printable(now))
            fits = ' class="whole"' if len(now) <= SHORT else ""  # 17-64 stays on one line
            shown = old if was == now else f'<s class="quiet">{old}</s> <b{fits}>{new}</b>'
            cells.append(f"<td>{shown}</td>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    caption = f"<caption>The first rows in solution {number}: before, and after where it differs</caption>"
    ui.html(
        f'<div class="sfumato"><div class="wide" role="region" tabindex="0" aria-label="First rows">'
        f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div></div>",
        sanitize=False,
    )
