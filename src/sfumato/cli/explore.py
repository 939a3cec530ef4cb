"""``sfumato explore``: find the front. And a front on the terminal and in its folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.cli.options import REQUIRED, SPEC, option, refuse_address
from sfumato.cli.output import Output, number, right, shell_word, watching
from sfumato.errors import InfeasibleError, OutputError
from sfumato.words import count_words, huge_words, list_words

if TYPE_CHECKING:
    from sfumato.results import Front, Solution

FILES = ("run.json", "front.html", "front.csv")
"""The files in the folder of a front, in the order in which they are put there."""
LOCAL_FILES = ("classes.json", "global.csv", *FILES)
"""Those of a local front: the classes of its solutions, and the global front."""

MOST_SOLUTIONS = 15
DRAWING_LINES = 20
COUNTED_TUPLES = 20_000_000
"""Distinct tuples that may be grouped to count the classes of all solutions of a page."""


def explore(
    *,
    spec: str = SPEC,
    out: str = option("--out", "Folder for front.csv, run.json, front.html.", "DIR", REQUIRED),
    output: Output,
) -> dict[str, object]:
    """Find the front: the releases that no other beats.

    Ctrl-C ends the search with what it has found; a second one aborts.
    """
    from sfumato import api
    from sfumato.release import check_target
    from sfumato.release.json_files import atomic_folder
    from sfumato.searching import why_empty

    refuse_address(out)
    options, folder = output.options, Path(out)
    loaded = options.load_spec(spec)
    names = LOCAL_FILES if loaded.is_local else FILES
    if folder.is_dir():
        for name in names:
            check_target(folder / name, force=options.force)
    elif folder.exists():
        raise OutputError("a file has this name; name a folder.", where=str(folder))
    else:
        check_target(folder)
    options.spare_inputs([folder / name for name in names], loaded.inputs)
    with watching(options) as watch:
        front = api.explore(
            None, loaded, threads=options.threads, callback=watch, checkpoint=options.checkpoint
        )
    if not len(front):
        raise InfeasibleError(why_empty(front))
    files = front_files(front, show_labels=options.show_values)
    atomic_folder(folder, files, force=options.force, private=files)
    print_search(front, output)
    print_front(front, output)
    output.heading(
        f"written  {folder / 'front.html'}, {', '.join(n for n in reversed(files) if n != 'front.html')}"
    )
    if front.is_local:
        output.line("         classes.json is needed to release a solution; keep it as secret as the data")
    target = f"{Path(spec).stem}-released.csv"
    output.line("next     choose by number, 'knee', 'flat' or conditions, and release it:")
    output.line(
        f"         sfumato release {shell_word(spec)} --front {shell_word(folder)} "
        f"--pick {shell_word(suggest_pick(front))} --out {shell_word(target)}"
    )
    paths = {name: str(folder / name) for name in sorted(files)}
    return {"folder": str(folder), "files": paths, **_described(front)}


def _described(front: Front) -> dict[str, object]:
    """Return what ``--json`` prints about a front."""
    return {
        "solutions": len(front),
        "knee": front.knee().number,
        "suggestions": [
            {"solution": item.solution.number, "name": item.name, "why": item.why}
            for item in front.suggestions()
        ],
        "flat_regions": [
            {
                "objective": item.objective.name,
                "start": item.start.number,
                "end": item.end.number,
                "relative_cost": item.relative_cost,
                "text": item.text,
            }
            for item in front.flat_regions()
        ],
        "run": dict(front.run),
        "front": [{**as_dict(item), "recoding": item.recoding} for item in front],
    }


def as_dict(item: Solution) -> dict[str, object]:
    """Return what ``--json`` prints about a solution."""
    proven = {"gap": item.gap, "certainty": item.certainty} if item.is_local else {}
    return {"solution": item.number, **item.measures, "suppressed": item.suppressed, **proven}


def front_files(front: Front, *, picked: int | None = None, show_labels: bool = True) -> dict[str, str]:
    """Return the texts of a front's files."""
    from sfumato.front import front_csv, local_files, run_json
    from sfumato.report.page import LIMIT, front_html

    # Of the solutions, the classes are counted of as many as take a few seconds.
    wanted = [picked, *(item.solution.number for item in front.suggestions())] if len(front) else []
    numbers = dict.fromkeys(item for item in wanted if item is not None)
    run: Mapping[str, Any] = front.run
    most = min(LIMIT, COUNTED_TUPLES // max(1, run.get("distinct", 1)))
    counted = list(numbers | dict.fromkeys(item.number for item in front.solutions[:most]))
    labels = front.labels() if show_labels else None
    page = front_html(front, picked, labels=labels, sizes=front.class_sizes(counted))
    made = dict(zip(FILES, (run_json(front), page, front_csv(front)), strict=True))
    return {**local_files(front), **made}


def print_search(front: Front, output: Output) -> None:
    """Say what was searched, how, and how completely the front is known."""
    run: Mapping[str, Any] = front.run
    if front.is_local:
        _print_ladder(front, run, output)
        return
    rows, space = count_words(run["rows"], "row"), huge_words(run["space"])
    if front.complete:
        known = "complete: no other recoding adds a solution"
    else:
        why = run.get("stopped", "heuristic search")
        known = f"not complete ({why}): {run['evaluated']:,} of {space} recodings seen"
    output.facts(
        [
            ("searched", f"{rows} ({run['distinct']:,} distinct), {space} recodings"),
            ("method", f"{run['method']}: {run['why']}"),
            ("front", f"{count_words(len(front), 'solution')} in {run['seconds']:.2f} s; {known}"),
        ],
        front.left_out,
    )
    print_raised(run, output)


def print_raised(run: Mapping[str, Any], output: Output) -> None:
    """Say from which levels on the combinations were counted, where all of them do not fit into memory."""
    levels = [f"level {level} of {name!r}" for name, level in run.get("raised", {}).items()]
    if levels:
        output.line(
            f"counted from {list_words(levels)} on: all combinations do not fit into memory, and no recoding "
            "that meets the requirements uses a lower level, so nothing is lost"
        )


def _print_ladder(front: Front, run: Mapping[str, Any], output: Output) -> None:
    """Say which requirements were tried, and what the solutions are compared with."""
    ladder, rows = run["ladder"], count_words(run["rows"], "row")
    steps = ", ".join(number(step["limit"]) for step in ladder["steps"])
    beside = run.get("global")
    compared = "none: the space of global recodings is too large to search it quickly"
    if beside:
        many = count_words(len(front.beside or ()), "solution")
        compared = f"{many}, complete: {huge_words(beside['space'])} recodings in {beside['seconds']:.2f} s"
    output.facts(
        [
            ("searched", f"{rows} ({run['distinct']:,} distinct), local recoding"),
            ("required", f"{ladder['measure']} of {steps}, one after another"),
            ("front", f"{count_words(len(front), 'solution')} in {run['seconds']:.2f} s"),
            ("proven", f"{run['seconds_bound']:.2f} s went into bounds on how far from the optimum each is"),
            ("global", compared),
        ],
        front.left_out,
    )


def print_front(front: Front, output: Output, *, picked: int | None = None) -> None:
    """Draw a front and list solutions that are spread over it."""
    if not output.is_shown:
        return
    from sfumato.report.terminal import front_text

    output.line()
    output.block(front_text(front, output.width, DRAWING_LINES, picked=picked, unicode=output.is_unicode))
    output.line()
    suggestions = front.suggestions() if len(front) > 2 else []
    marks = {item.solution.number: item.name for item in suggestions}
    if picked is not None:
        marks[picked] = f"{marks[picked]}, picked" if picked in marks else "picked"
    print_solutions(front, output, marks)
    if suggestions:
        output.heading("worth a look")
        output.facts([(f"  {item.solution.number}", item.why) for item in suggestions])


def print_solutions(front: Front, output: Output, marks: Mapping[int, str]) -> None:
    """List at most fifteen solutions: the ends, the marked ones, and others evenly between."""
    shown = spread(len(front), [number - 1 for number in marks])
    names = [name for name in front.measure_names if name != "suppressed"]
    # As many names as the table has columns for beside the longest mark, but one at least.
    longest = max((len(word) for word in marks.values()), default=0)
    free = output.width - len("solution") - len("suppressed") - longest - 6
    fitting: list[str] = []
    for name in names:
        free -= max(len(name), 7) + 2
        if free < 0 and fitting:
            break
        fitting.append(name)
    rows = [[*solution_row(front[place], fitting), marks.get(place + 1, "")] for place in shown]
    proven = ["proven"] if front.is_local else []
    if front.is_local:
        rows = [[*row[:-1], front[place].certainty, row[-1]] for row, place in zip(rows, shown, strict=True)]
    output.table([*right("solution", *fitting, "suppressed"), *proven, ""], rows)
    left = len(names) - len(fitting)
    parts = [f"{len(shown)} of {count_words(len(front), 'solution')}"] if len(shown) < len(front) else []
    parts += [f"{count_words(left, 'more measure')} in front.csv"] if left else []
    if parts:
        output.line(f"({', '.join(parts)})", style="dim")


def solution_row(item: Solution, names: Sequence[str]) -> list[str]:
    """Return the cells of a solution: its number, its measures and how many rows it suppresses."""
    return [str(item.number), *(number(item.value(name)) for name in names), f"{item.suppressed:,}"]


def spread(size: int, wanted: Sequence[int] = (), most: int = MOST_SOLUTIONS) -> list[int]:
    """Return places spread evenly over a front, first and last included, with those wanted."""
    if size <= most:
        return list(range(size))
    steps = most - len(set(wanted) - {0, size - 1})
    even = [round(step * (size - 1) / (steps - 1)) for step in range(steps)]
    return sorted({*even, *wanted})


def suggest_pick(front: Front) -> str:
    """Return a pick to try: ten or more in every class where the front has that, else the knee."""
    about_k = any(item.name == "k" for item in front.objectives)
    return "k >= 10" if about_k and any(item.value("k") >= 10 for item in front) else "knee"
