"""``sfumato compare``: two solutions of a front side by side, or one against all others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.options import Options
from sfumato.cli.output import Output, waiting
from sfumato.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.results import Front
    from sfumato.spec import Spec


def compare(
    *,
    spec: Annotated[
        str, typer.Argument(metavar="SPEC", help="The specification that the front was made with.")
    ],
    picks: Annotated[
        list[str] | None,
        typer.Argument(metavar="[A [B]]", help="Solutions: a number, 'knee', 'flat', or 'k >= 10'."),
    ] = None,
    front: Annotated[str, typer.Option("--front", metavar="DIR", help="The folder that 'explore' wrote.")],
    released: Annotated[
        str | None,
        typer.Option(
            "--release", metavar="FILE", help="In place of A: an existing release, by its FILE.json."
        ),
    ] = None,
    better: Annotated[
        str | None,
        typer.Option("--better", metavar="MEASURE", help="What shall be better; all in turn if not given."),
    ] = None,
    worse: Annotated[
        str | None,
        typer.Option("--worse", metavar="MEASURE", help="What may be worse for it; all others if not given."),
    ] = None,
    at_most: Annotated[
        str,
        typer.Option("--at-most", metavar="X", help="By how much worse: a number, or a share of A's value."),
    ] = "10 %",
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE", help="Of A and B: a page with all of it (html).")
    ] = None,
    options: Options,
) -> int:
    """Put two solutions of a front side by side, or one against all others.

    With A and B: measures, what becomes of each attribute, and the sizes of the classes. With A alone:
    is anything as good in everything and better in something, and what is better in one
    measure for at most so much (10 %) worse in the others?
    """
    from sfumato.cli import questions
    from sfumato.cli.fronts import FILES
    from sfumato.results import Front

    output, asked = Output(options), picks or []
    _check_use(asked, released, out, has_trade=better is not None or worse is not None)
    found = Front.load(front)
    if len(asked) == 2:
        loaded = options.load_spec(spec)
        if out is not None:
            options.spare_inputs([out], [*loaded.inputs, *(Path(front) / name for name in FILES)])
        return _side_by_side(loaded, found, asked, out, output)
    if released is None:
        chosen = found.pick(asked[0])
        point = questions.Asked(f"solution {chosen.number}", chosen)
    else:
        point = questions.read_release(released, found)
    return questions.answer(found, point, questions.Trade(better, worse, at_most), output)


def _check_use(asked: Sequence[str], released: str | None, out: str | None, *, has_trade: bool) -> None:
    """Raise ParameterError unless the arguments are those of one question."""
    if len(asked) + (released is not None) not in (1, 2) or (released is not None and asked):
        raise ParameterError("name one or two solutions, or one --release FILE.")
    if len(asked) == 2 and has_trade:
        raise ParameterError("--better and --worse ask about one solution; leave out the second one.")
    if len(asked) != 2 and out is not None:
        raise ParameterError("a page shows two solutions; name the second one.", where="--out")


def _side_by_side(spec: Spec, front: Front, picks: Sequence[str], out: str | None, output: Output) -> int:
    from sfumato.release import atomic_text, check_target
    from sfumato.report import comparison_text

    options = output.options
    if out is not None:
        check_target(Path(out), force=options.force)
    numbers = [front.pick(text).number for text in picks]
    with waiting(options, "reading"):
        attached = front.attach(None, spec)
        found = attached.compare(numbers[0], numbers[1], show_labels=options.show_values)
    if output.is_shown:
        output.block(comparison_text(found, output.width, unicode=output.is_unicode))
    if out is not None:
        atomic_text(Path(out), found.html(), force=options.force)
        output.line()
        output.line(f"written  {out}", style="bold")
    output.result({**found.to_dict(), "sentence": found.sentence, "file": out})
    return 0
