"""``sfumato demo``: the whole way on the embedded census table."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.options import Options
from sfumato.cli.output import Output, waiting, watching
from sfumato.cli.report import FILE, INTERNAL_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator

PICK = "k >= 10"
RELEASE = "adult-k10.csv"
SPECIFICATION = "adult.toml"
INTRODUCTION = """\
The census table Adult: 30,162 persons, one row each. Eight of its columns may
be known to an outsider, and occupation is what nobody shall learn. Each column
can be made coarser step by step. How private can the table become, and what
does that cost?
"""


def demo(
    *,
    out: Annotated[
        str | None, typer.Option("--out", metavar="DIR", help="The folder; a new numbered one if not given.")
    ] = None,
    options: Options,
) -> int:
    """Go the whole way on an embedded census table.

    A front, a pick from it, a verified release and two reports about it, one to hand out and one to keep,
    all in one folder.
    """
    output = Output(options)
    folder = _new_folder() if out is None else Path(out)
    sources = _sources()
    with _drafts(folder, list(sources), force=options.force) as drafts:
        for name, source in sources.items():
            (drafts / name).parent.mkdir(exist_ok=True)
            (drafts / name).write_bytes(source.read_bytes())
        output.block(INTRODUCTION)
        result = _run(drafts, folder, output)
    _print_next(folder, output)
    output.result({"folder": str(folder), "files": sorted([*sources, *_made()]), **result})
    return 0


def _run(drafts: Path, folder: Path, output: Output) -> dict[str, object]:
    """Explore, pick, release and verify in the folder of drafts; names are those of the final folder."""
    from sfumato import api
    from sfumato.cli import fronts, released
    from sfumato.private import write_synced
    from sfumato.release import manifest_path

    options = output.options
    with watching(options) as watch:
        front = api.explore(
            None, options.load_spec(str(drafts / SPECIFICATION)), threads=options.threads, callback=watch
        )
    chosen = front.pick(PICK)
    fronts.print_search(front, output)
    fronts.print_front(front, output, picked=chosen.number)
    output.line()
    output.line(f"Picked: {PICK} with the least loss, which is solution {chosen.number}.", style="bold")
    with waiting(options, "writing and verifying"):
        for name, text in fronts.front_files(
            front, picked=chosen.number, show_labels=options.show_values
        ).items():
            write_synced(drafts / name, text.encode())
        made = chosen.release()
        manifest = made.write(drafts / RELEASE)
        found = api.verify(drafts / RELEASE)
    with waiting(options, "attacking and analysing the release, for its report"):
        made.report(drafts / FILE, show_values=options.show_values)
        made.report(drafts / INTERNAL_FILE, internal=True, show_values=options.show_values)
    released.print_release(made, manifest, output)
    released.print_files(folder / RELEASE, manifest_path(folder / RELEASE), output)
    result = released.release_result(made, manifest, folder / RELEASE, manifest_path(folder / RELEASE))
    return {
        "solutions": len(front),
        "pick": PICK,
        "solution": chosen.number,
        **result,
        "verified": found["holds"],
    }


def _sources() -> dict[str, Path]:
    """Return what is copied so that it can be edited and run again: name in the folder → file."""
    from sfumato import datasets

    specification = datasets.adult_spec_path()
    home = specification.parent
    files = [specification, datasets.adult_path(), home / "ATTRIBUTION.md", *datasets.hierarchies().values()]
    return {file.relative_to(home).as_posix(): file for file in files}


def _made() -> tuple[str, ...]:
    """Return what the demonstration makes, in the order in which it is put into the folder."""
    from sfumato.cli.fronts import FILES
    from sfumato.release import manifest_path

    return (*FILES, INTERNAL_FILE, FILE, manifest_path(RELEASE).name, RELEASE)


def _new_folder() -> Path:
    """Return the first numbered folder that is free."""
    number = 1
    while Path(f"sfumato-demo-{number}").exists():
        number += 1
    return Path(f"sfumato-demo-{number}")


@contextmanager
def _drafts(folder: Path, copied: list[str], *, force: bool) -> Iterator[Path]:
    """Give a hidden folder to work in; what is in it gets its names at the end, all or nothing."""
    from sfumato.cli.fronts import FILES
    from sfumato.private import place, private_folder
    from sfumato.release.fields import check_target, output_errors, place_folder

    names = [*copied, *_made()]
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
            place_folder(hidden, drafts, folder, private=(*FILES, INTERNAL_FILE))
        else:
            for name in names:
                (folder / name).parent.mkdir(exist_ok=True)
            place(hidden, [(drafts / name, folder / name) for name in names], private=(*FILES, INTERNAL_FILE))


def _print_next(folder: Path, output: Output) -> None:
    """Say what stands where, and what to try next."""
    from sfumato.cli.fronts import shell_word

    output.line()
    output.line(f"next      cd {shell_word(folder)}, then", style="bold")
    for step in (
        f"open {FILE}: what is promised and verified; may be published",
        f"open {INTERNAL_FILE}: before and after, for you alone",
        "open front.html: the front, for you alone",
        f"sfumato release {SPECIFICATION} --front . --pick knee --out knee.csv",
        f"sfumato verify {RELEASE}",
        f"edit {SPECIFICATION} and run: sfumato explore {SPECIFICATION} --out front",
        "or look at your own data: sfumato init DATA.csv",
    ):
        output.line(f"          {step}")
