"""``sfumato compare``: two solutions of a front side by side, or one against all others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.cli.explore import FILES, as_dict, solution_row
from sfumato.cli.options import FRONT, SPEC_OF_FRONT, argument, option
from sfumato.cli.output import Output, right, waiting
from sfumato.errors import ParameterError
from sfumato.words import count_words

if TYPE_CHECKING:
    from sfumato.front import Point
    from sfumato.results import Front, Solution

MOST_ANSWERS = 3  # at most this many answers to a question are shown; the JSON object holds all


def compare(
    *,
    spec: str = SPEC_OF_FRONT,
    picks: list[str] | None = argument("[A [B]]", "Solutions: a number, 'knee', 'flat', or 'k >= 10'.", None),
    front: str = FRONT,
    released: str | None = option(
        "--release", "In place of A: an existing release, by its FILE.json.", "FILE"
    ),
    better: str | None = option("--better", "The measure to improve; all in turn if not given.", "MEASURE"),
    worse: str | None = option(
        "--worse", "The measure that may get worse; all others if not given.", "MEASURE"
    ),
    at_most: str = option(
        "--at-most", "How much worse: a number, or a share of A's value.", "X", default="10 %"
    ),
    out: str | None = option("--out", "Write the comparison of A and B to this HTML page.", "FILE"),
    output: Output,
) -> dict[str, object]:
    """Put two solutions of a front side by side, or one against all others.

    With A and B: measures, what becomes of each attribute, and the sizes of the classes. With A only:
    is anything as good in everything and better in something, and what is better in one
    measure if the others may be at most this much (10 %) worse?
    """
    from sfumato.results import Front

    asked = picks or []
    _check_use(asked, released, out, has_trade=better is not None or worse is not None)
    found = Front.load(front)
    if len(asked) == 2:
        return _side_by_side(spec, front, found, asked, out, output)
    point: Point
    if released is None:
        point = found.pick(asked[0])
        name = f"solution {point.number}"
    else:
        point = _read_release(released, found)
        name = f"the release {Path(released).name}"
    others = [item.name for item in found.objectives if item.name != worse]
    dominating = found.better_than(point)
    trades = {
        measure: found.trade(point, measure, worse, at_most=at_most)
        for measure in ([better] if better else others)
    }
    none = "None was found, but the front is not complete, so there may be one."
    if found.complete:
        none = "No: the front is complete, so there is no such recoding."
    question = f"As good as {name} in everything and better in something?"
    _print_answers(found, question, dominating, none, output)
    for measure, fitting in trades.items():
        output.line()
        question = f"Better in {measure}, at most {at_most} worse in {worse or 'any other objective'}?"
        _print_answers(found, question, fitting, "No.", output)
    asked_for = {"worse": worse, "at_most": at_most}
    return {
        "better": [as_dict(item) for item in dominating],
        "trades": [
            {"better": measure, **asked_for, "solutions": [as_dict(item) for item in fitting]}
            for measure, fitting in trades.items()
        ],
        "complete": found.complete,
    }


def _check_use(asked: Sequence[str], released: str | None, out: str | None, *, has_trade: bool) -> None:
    """Raise ParameterError unless the arguments are those of one question."""
    if len(asked) + (released is not None) not in (1, 2) or (released is not None and asked):
        raise ParameterError("name one or two solutions, or one --release FILE.")
    if len(asked) == 2 and has_trade:
        raise ParameterError("--better and --worse ask about one solution; leave out the second one.")
    if len(asked) != 2 and out is not None:
        raise ParameterError("a page shows two solutions; name the second one.", where="--out")


def _side_by_side(
    spec: str, folder: str, front: Front, picks: Sequence[str], out: str | None, output: Output
) -> dict[str, object]:
    from sfumato.release import atomic_text, check_target
    from sfumato.report.comparison import comparison_text

    options = output.options
    loaded = options.load_spec(spec)
    if out is not None:
        options.spare_inputs([out], [*loaded.inputs, *(Path(folder) / name for name in FILES)])
        check_target(Path(out), force=options.force)
    one, other = (front.pick(text).number for text in picks)
    with waiting(options, "reading"):
        found = front.attach(None, loaded).compare(one, other, show_labels=options.show_values)
    if output.is_shown:
        output.block(comparison_text(found, output.width, unicode=output.is_unicode))
    if out is not None:
        atomic_text(Path(out), found.html(), force=options.force)
        output.heading(f"written  {out}")
    return {**found.to_dict(), "sentence": found.sentence, "file": out}


def _read_release(path: str, front: Front) -> dict[str, float]:
    """Return the measures that the manifest of a release states; it must state those of the front."""
    from sfumato.release import Manifest, manifest_path

    manifest = Manifest.load(manifest_path(Path(path)))
    for item in front.objectives:
        if item.name in manifest.withheld:
            why = f"{item.name!r} is not published: {manifest.withheld[item.name]}"
            raise ParameterError(f"{why} Name a solution of the front instead.", where=path)
    return {**manifest.measures, "suppressed": float(manifest.rows["suppressed"])}


def _print_answers(
    front: Front, question: str, found: Sequence[Solution], if_none: str, output: Output
) -> None:
    """Print a question with the solutions that answer it, or what it means if there are none."""
    output.paragraph(question, "bold")
    if not found:
        output.paragraph(if_none, first="  ", others="  ")
        return
    names = [name for name in front.measure_names if name != "suppressed"]
    rows = [solution_row(item, names) for item in found[:MOST_ANSWERS]]
    output.table(right("solution", *names, "suppressed"), rows)
    if len(found) > MOST_ANSWERS:
        output.line(f"({MOST_ANSWERS} of {count_words(len(found), 'solution')})", style="dim")
