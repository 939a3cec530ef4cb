"""``sfumato explore``: find the front."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.options import Options
from sfumato.cli.output import Output, watching

if TYPE_CHECKING:
    from sfumato.results import Front


def explore(
    *,
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="The specification file.")],
    out: Annotated[
        str, typer.Option("--out", metavar="DIR", help="Folder for front.csv, run.json, front.html.")
    ],
    options: Options,
) -> int:
    """Find the front: the releases that no other beats.

    Ctrl-C ends the search with what it has found; a second one aborts.
    """
    from sfumato import api
    from sfumato.cli import fronts
    from sfumato.errors import InfeasibleError
    from sfumato.release.fields import atomic_folder

    output, folder = Output(options), Path(out)
    fronts.check_folder(folder, force=options.force)
    loaded = options.load_spec(spec)
    options.spare_inputs([folder / name for name in fronts.FILES], loaded.inputs)
    with watching(options) as watch:
        front = api.explore(
            None, loaded, threads=options.threads, callback=watch, checkpoint=options.checkpoint
        )
    if not len(front):
        raise InfeasibleError(api.why_empty(front))
    files = fronts.front_files(front, show_labels=options.show_values)
    atomic_folder(folder, files, force=options.force, private=files)
    fronts.print_search(front, output)
    fronts.print_checkpoint_note(front.run, output)
    fronts.print_front(front, output)
    _print_next(spec, folder, fronts.suggest_pick(front), output)
    paths = {name: str(folder / name) for name in sorted(files)}
    output.result({"folder": str(folder), "files": paths, **_result(front)})
    return 0


def _result(front: Front) -> dict[str, object]:
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
        "front": [
            {
                "solution": item.number,
                **item.measures,
                "suppressed": item.suppressed,
                "recoding": item.recoding,
            }
            for item in front
        ],
    }


def _print_next(spec: str, folder: Path, pick: str, output: Output) -> None:
    """Name the files and the next command."""
    from sfumato.cli.fronts import shell_word

    output.line()
    output.line(f"written  {folder / 'front.html'}, front.csv, run.json", style="bold")
    target = f"{Path(spec).stem}-released.csv"
    output.line("next     choose by number, 'knee', 'flat' or conditions, and release it:")
    output.line(
        f"         sfumato release {shell_word(spec)} --front {shell_word(folder)} "
        f"--pick {shell_word(pick)} --out {shell_word(target)}"
    )
