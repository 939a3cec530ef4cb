"""``sfumato release``: apply one solution of a front."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.options import Options
from sfumato.cli.output import Output, waiting


def release(
    *,
    spec: Annotated[
        str, typer.Argument(metavar="SPEC", help="The specification that the front was made with.")
    ],
    front: Annotated[str, typer.Option("--front", metavar="DIR", help="The folder that 'explore' wrote.")],
    pick: Annotated[
        str,
        typer.Option("--pick", metavar="TEXT", help="A number, 'knee', 'flat', or conditions: 'k >= 10'."),
    ],
    out: Annotated[
        str, typer.Option("--out", metavar="FILE", help="The release; its suffix tells the format.")
    ],
    options: Options,
) -> int:
    """Write the release of one solution of a front.

    Among the solutions that fit the pick, the best by the first entry of minimize is taken.
    """
    from sfumato import api
    from sfumato.cli import fronts, released
    from sfumato.release import check_release_target, manifest_path
    from sfumato.results import Front

    output, path = Output(options), Path(out)
    check_release_target(path, force=options.force)
    found = Front.load(front)
    chosen = found.pick(pick)
    loaded = options.load_spec(spec)
    read = [*loaded.inputs, *(Path(front) / name for name in fronts.FILES)]
    options.spare_inputs([path, manifest_path(path)], read)
    with waiting(options, "reading, writing and verifying"):
        made = api.release_solution(None, loaded, found, chosen.number)
        manifest = made.write(path, force=options.force)
    output.line(f"solution {chosen.number} of {len(found)}, by {pick!r}")
    released.print_choice(made.run, output)
    released.print_release(made, manifest, output)
    released.print_files(path, manifest_path(path), output)
    result = released.release_result(made, manifest, path, manifest_path(path))
    output.result({**result, "solution": chosen.number})
    return 0
