"""``sfumato demo``: the whole way on the embedded census table."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.cli.explore import LOCAL_FILES, front_files, print_front, print_search
from sfumato.cli.options import option
from sfumato.cli.output import Output, shell_word, waiting, watching
from sfumato.cli.release import tell_release
from sfumato.cli.verify import INTERNAL_REPORT, REPORT

if TYPE_CHECKING:
    from sfumato.spec import Spec

PICK = "k >= 10"
RELEASE = "adult-k10.csv"
SPECIFICATION = "adult.toml"
INTRODUCTION = """\
The census table Adult: 30,162 people, one row each. An outsider may know eight
of its columns. Global recoding makes a column coarser step by step, the same
for everyone; local recoding gives each group of similar people its own labels.
How private can the table become, and what does that cost?
"""
MADE = (*LOCAL_FILES, INTERNAL_REPORT, REPORT, f"{RELEASE}.json", RELEASE)
"""What the demonstration makes, in the order in which it is put into the folder."""

NEXT = f"""\
          open {REPORT}: what is promised and verified; may be published
          open {INTERNAL_REPORT}: before and after, for you only
          open front.html: both fronts, for you only
          sfumato release {SPECIFICATION} --front . --pick knee --out knee.csv
          sfumato verify {RELEASE}
          edit {SPECIFICATION} and run: sfumato explore {SPECIFICATION} --out front
          or look at your own data: sfumato init DATA.csv"""


def demo(
    *,
    out: str | None = option("--out", "The folder; a new numbered one if not given.", "DIR"),
    output: Output,
) -> dict[str, object]:
    """Run every step on an embedded census table.

    A front, a pick from it, a verified release and two reports about it, one to hand out and one to keep,
    all in one folder.
    """
    numbered = (Path(f"sfumato-demo-{number}") for number in itertools.count(1))
    folder = next(path for path in numbered if not path.exists()) if out is None else Path(out)
    sources = _sources()
    with _drafts(folder, list(sources), force=output.options.force) as drafts:
        for name, source in sources.items():
            (drafts / name).parent.mkdir(exist_ok=True)
            (drafts / name).write_bytes(source.read_bytes())
        given = (drafts / SPECIFICATION).read_text(encoding="utf-8").partition("[objectives]")[0]
        local = files(__package__).joinpath("demo.toml").read_text(encoding="utf-8")
        (drafts / SPECIFICATION).write_text(given + local, encoding="utf-8")
        output.block(INTRODUCTION)
        result = _run(drafts, folder, output)
    output.heading(f"next      cd {shell_word(folder)}, then")
    output.block(NEXT)
    return {"folder": str(folder), "files": sorted([*sources, *MADE]), **result}


def _run(drafts: Path, folder: Path, output: Output) -> dict[str, object]:
    """Explore, pick, release and verify in the folder of drafts; names are those of the final folder."""
    from sfumato import api
    from sfumato.private import write_synced

    options = output.options
    with watching(options) as watch:
        spec = options.load_spec(str(drafts / SPECIFICATION))
        if options.threads != 1:
            _compile_beside(spec, options.threads)
        front = api.explore(None, spec, threads=options.threads, callback=watch)
    chosen = front.pick(PICK)
    print_search(front, output)
    print_front(front, output, picked=chosen.number)
    output.heading(f"Picked: {PICK} with the least loss, which is solution {chosen.number}.")
    with waiting(options, "writing and verifying"):
        files = front_files(front, picked=chosen.number, show_labels=options.show_values)
        for name, text in files.items():
            write_synced(drafts / name, text.encode())
        made = chosen.release()
        manifest = made.write(drafts / RELEASE)
    with waiting(options, "attacking and analysing the release, for its report"):
        found = made.report(drafts / REPORT, show_values=options.show_values)
        made.report(drafts / INTERNAL_REPORT, internal=True, show_values=options.show_values)
    result = tell_release(made, manifest, folder / RELEASE, output)
    picked = {"solutions": len(front), "pick": PICK, "solution": chosen.number}
    return {**picked, **result, "verified": found.holds}


def _compile_beside(spec: Spec, threads: int | None) -> None:
    """On the first run, have the kernels of local recoding compiled while this process compiles others."""
    from sfumato import api
    from sfumato.kernels._options import cache_folder

    if any(cache_folder().glob("*/class_moves.regroup-*")):
        return
    script = "from sfumato.local import compile_kernels; compile_kernels(trees=False)"
    with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL):
        api.explore(None, spec.to_global(), threads=threads)


def _sources() -> dict[str, Path]:
    """Return what is copied so that it can be edited and run again: name in the folder → file."""
    from sfumato import datasets

    specification = datasets.adult_spec_path()
    home = specification.parent
    files = [specification, datasets.adult_path(), home / "ATTRIBUTION.md", *datasets.hierarchies().values()]
    return {file.relative_to(home).as_posix(): file for file in files}


@contextmanager
def _drafts(folder: Path, copied: list[str], *, force: bool) -> Iterator[Path]:
    """Give a hidden folder to work in; what is in it gets its names at the end, all or nothing."""
    from sfumato.private import place, private_folder
    from sfumato.release.json_files import check_target, output_errors, place_folder

    names, private = [*copied, *MADE], (*LOCAL_FILES, INTERNAL_REPORT)
    is_new = not folder.is_dir()
    if is_new:
        check_target(folder)
    else:
        for name in names:
            if (folder / name).parent.is_dir():
                check_target(folder / name, force=force)
    with output_errors(folder), private_folder(folder.parent if is_new else folder) as hidden:
        drafts = hidden / "drafts"
        drafts.mkdir(mode=0o700)
        yield drafts
        if is_new:
            place_folder(hidden, drafts, folder, private=private)
        else:
            for name in names:
                (folder / name).parent.mkdir(exist_ok=True)
            place(hidden, [(drafts / name, folder / name) for name in names], private=private)
