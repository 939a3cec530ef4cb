"""``sfumato anonymize``: the best release that meets what is required."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.options import Options
from sfumato.cli.output import Output, waiting, watching


def anonymize(
    *,
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="The specification file.")],
    out: Annotated[
        str, typer.Option("--out", metavar="FILE", help="The release; its suffix tells the format.")
    ],
    options: Options,
) -> int:
    """Write the best release that meets [require].

    The best is the one with the smallest first entry of minimize. Ctrl-C ends the search with
    the best so far; a second one aborts.
    """
    from sfumato import api
    from sfumato.cli import fronts, released
    from sfumato.release import check_release_target, manifest_path

    output, path = Output(options), Path(out)
    check_release_target(path, force=options.force)
    loaded = options.load_spec(spec)
    options.spare_inputs([path, manifest_path(path)], loaded.inputs)
    with watching(options) as watch:
        release = api.anonymize(
            None, loaded, threads=options.threads, callback=watch, checkpoint=options.checkpoint
        )
    with waiting(options, "writing and verifying"):
        manifest = release.write(path, force=options.force)
    released.print_certainty(release.run, output)
    fronts.print_checkpoint_note(release.run, output)
    released.print_release(release, manifest, output)
    released.print_files(path, manifest_path(path), output)
    output.result(released.release_result(release, manifest, path, manifest_path(path)))
    return 0
