"""``python -m studies NAME [--quick] [--redraw] [--out DIR]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from studies.common.results import read_results, write_results
from studies.registry import MODULES, load_study

if TYPE_CHECKING:
    from collections.abc import Sequence


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        prog="python -m studies", description="Run the tables and figures of a paper again."
    )
    made.add_argument("study", choices=sorted(MODULES), help="which paper's")
    made.add_argument("--quick", action="store_true", help="a small part within seconds; needs --out")
    made.add_argument(
        "--redraw", action="store_true", help="only write README.md and figures again from results.json"
    )
    made.add_argument("--out", type=Path, metavar="DIR", help="folder to write to (default: the study's own)")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a study and write results.json, README.md and figures."""
    options = parser()
    asked = options.parse_args(arguments)
    if asked.quick and asked.out is None:
        options.error("--quick needs --out: a quick run does not replace the results of the full one.")
    if asked.quick and asked.redraw:
        options.error("--redraw runs nothing, so it cannot be quick.")
    study = load_study(asked.study)
    folder: Path = asked.out or study.folder
    folder.mkdir(parents=True, exist_ok=True)
    if asked.redraw:
        results = read_results(study.folder)
    else:
        results = study.measure(asked.quick)
        write_results(results, folder)
        # What is written about comes from the file, so that it can be written again from it alone.
        results = read_results(folder)
    study.write(results, folder)
    sys.stdout.write(f"{asked.study}: results.json, README.md and figures are in {folder}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
