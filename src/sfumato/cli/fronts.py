"""A front on the terminal, and in its folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.cli.output import Column, count, huge, number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato.cli.output import Output
    from sfumato.front import Suggestion
    from sfumato.results import Front, Solution

FILES = ("run.json", "front.html", "front.csv")
"""What stands in the folder of a front, in the order in which it is put there."""

MOST_SOLUTIONS = 15
DRAWING_LINES = 20
COUNTED_TUPLES = 20_000_000
"""Distinct tuples that may be grouped to count the classes of all solutions of a page."""


def check_folder(folder: Path, *, force: bool) -> None:
    """Raise OutputError unless the files of a front can be written into a folder."""
    from sfumato.errors import OutputError
    from sfumato.release import check_target

    if folder.is_dir():
        for name in FILES:
            check_target(folder / name, force=force)
    elif folder.exists():
        raise OutputError("a file has this name; name a folder.", where=str(folder))
    else:
        check_target(folder)


def front_files(front: Front, *, picked: int | None = None, show_labels: bool = True) -> dict[str, str]:
    """Return the texts of a front's files."""
    from sfumato.front import front_csv, run_json
    from sfumato.report import front_html

    labels = front.labels() if show_labels else None
    page = front_html(front, picked, labels=labels, sizes=front.class_sizes(_counted(front, picked)))
    return dict(zip(FILES, (run_json(front), page, front_csv(front)), strict=True))


def _counted(front: Front, picked: int | None) -> list[int]:
    """Return the solutions whose classes are counted for the page: as many as take a few seconds."""
    from sfumato.report.page import LIMIT

    wanted = [picked, *(item.solution.number for item in front.suggestions())] if len(front) else []
    numbers = dict.fromkeys(item for item in wanted if item is not None)
    most = min(LIMIT, COUNTED_TUPLES // max(1, int(str(front.run.get("distinct", 1)))))
    return list(numbers | dict.fromkeys(item.number for item in front.solutions[:most]))


def print_search(front: Front, output: Output) -> None:
    """Say what was searched, how, and how completely the front is known."""
    run = front.run
    rows, distinct, evaluated = (int(str(run[key])) for key in ("rows", "distinct", "evaluated"))
    space = huge(str(run["space"]))
    found = f"{count(len(front), 'solution')} in {float(str(run['seconds'])):.2f} s"
    if front.complete:
        known = "complete: no other recoding adds one"
    else:
        why = run.get("stopped", "heuristic search")
        known = f"not complete ({why}): {evaluated:,} of {space} recodings seen"
    facts = [
        ("searched", f"{count(rows, 'row')} ({distinct:,} distinct), {space} recodings"),
        ("method", f"{run['method']}: {run['why']}"),
        ("front", f"{found}; {known}"),
    ]
    left_out = () if front.source is None else front.source[0].table.left_out
    if left_out:
        facts.append(("left out", f"{', '.join(left_out)} (the specification does not name them)"))
    output.facts(facts)


def print_checkpoint_note(run: Mapping[str, object], output: Output) -> None:
    """Say that a checkpoint was asked for and the search keeps none."""
    schemes = run.get("schemes")
    keeps = (
        run.get("method") == "optimal" and isinstance(schemes, dict) and set(schemes.values()) - {"levels"}
    )
    if output.options.checkpoint is not None and not keeps:
        output.notes(
            "note", [f"the method {run.get('method')} keeps no checkpoint; it starts anew each time."]
        )


def print_front(front: Front, output: Output, *, picked: int | None = None) -> None:
    """Draw a front and list solutions that are spread over it."""
    if not output.is_shown:
        return
    from sfumato.report import front_text

    drawing = front_text(front, output.width, DRAWING_LINES, picked=picked, unicode=output.is_unicode)
    output.line()
    output.block(drawing)
    output.line()
    suggestions = front.suggestions() if len(front) > 2 else []
    marks = {item.solution.number: item.name for item in suggestions}
    if picked is not None:
        marks[picked] = f"{marks[picked]}, picked" if picked in marks else "picked"
    print_solutions(front, output, marks)
    print_suggestions(suggestions, output)


def print_suggestions(suggestions: Sequence[Suggestion[Solution]], output: Output) -> None:
    """List solutions worth a look, each with the reason why."""
    if suggestions:
        output.line()
        output.line("worth a look", style="bold")
        output.facts([(f"  {item.solution.number}", item.why) for item in suggestions])


def print_solutions(front: Front, output: Output, marks: Mapping[int, str]) -> None:
    """List at most fifteen solutions: the ends, the marked ones, and others evenly between."""
    shown = spread(len(front), [number - 1 for number in marks])
    names = [name for name in front.measure_names if name != "suppressed"]
    fitting = _fitting(names, output.width, max((len(word) for word in marks.values()), default=0))
    rows = [_row(front[place], fitting, marks) for place in shown]
    headers = [*fitting, "suppressed"]
    output.table(
        [Column("solution", "right"), *(Column(name, "right") for name in headers), Column("")],
        rows,
    )
    left = len(names) - len(fitting)
    parts = [f"{len(shown)} of {count(len(front), 'solution')}"] if len(shown) < len(front) else []
    parts += [f"{count(left, 'more measure')} in front.csv"] if left else []
    if parts:
        output.line(f"({', '.join(parts)})", style="dim")


def _row(item: Solution, names: Sequence[str], marks: Mapping[int, str]) -> list[str]:
    numbers = [number(item.value(name)) for name in names]
    return [str(item.number), *numbers, f"{item.suppressed:,}", marks.get(item.number, "")]


def _fitting(names: Sequence[str], width: int, word: int) -> list[str]:
    """Return as many names as a table of this width has columns for beside a word; at least one."""
    free = width - len("solution") - len("suppressed") - word - 6
    taken: list[str] = []
    for name in names:
        free -= max(len(name), 7) + 2
        if free < 0 and taken:
            break
        taken.append(name)
    return taken


def spread(size: int, wanted: Sequence[int] = (), most: int = MOST_SOLUTIONS) -> list[int]:
    """Return places spread evenly over a front, first and last included, with those wanted.

    Examples
    --------
    >>> spread(5), spread(100, [37], most=5)
    ([0, 1, 2, 3, 4], [0, 33, 37, 66, 99])
    """
    if size <= most:
        return list(range(size))
    steps = most - len(set(wanted) - {0, size - 1})
    even = [round(step * (size - 1) / (steps - 1)) for step in range(steps)]
    return sorted({*even, *wanted})


def suggest_pick(front: Front) -> str:
    """Return a pick to try: ten or more in every class where the front has that, else the knee."""
    about_k = any(item.name == "k" for item in front.objectives)
    return "k >= 10" if about_k and any(item.value("k") >= 10 for item in front) else "knee"


def shell_word(text: str | Path) -> str:
    """Return a text as one word of a command line.

    Examples
    --------
    >>> shell_word("k >= 10"), shell_word("adult.toml")
    ('"k >= 10"', 'adult.toml')
    """
    word = str(text)
    return word if word and all(letter.isalnum() or letter in "./\\:_-+," for letter in word) else f'"{word}"'
