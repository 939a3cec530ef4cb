"""Write a release: verified before it has a name, its manifest in place before it is."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from sfumato import verifier
from sfumato.errors import DataError, OutputError, VerificationError
from sfumato.private import (
    create,
    place,
    private_folder,
    scratch_folder,
    sync_file,
    write_synced,
    write_whole,
)
from sfumato.release.json_files import check_target, output_errors
from sfumato.release.manifest import Manifest, manifest_path
from sfumato.table import Leaving, write_table
from sfumato.table.databases import DatabaseTable, staged_table
from sfumato.table.parts import part_suffix

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from sfumato.spec.sections import ReleaseSpec

    Writer: TypeAlias = Callable[[Path], None]


def write_release(
    write: Writer,
    path: Path | DatabaseTable,
    check: Callable[[Path], Manifest],
    *,
    force: bool = False,
    beside: Callable[[Manifest], Mapping[Path, bytes]] | None = None,
    leaving: Leaving | None = None,
) -> Manifest:
    """Write a release under its name only if the check of the written draft returns a manifest for it."""
    # The check recounts the draft independently, and raises VerificationError if the promise is broken. What
    # `beside` returns are private files that get their names with the release, or not at all.
    check_release_target(path, force=force)
    if isinstance(path, DatabaseTable):
        return _write_to_database(write, path, check, leaving, force=force)
    with output_errors(path, is_output_error), private_folder(path.parent) as folder:
        draft = folder / f"release{verifier.release_suffix(path)}"
        with _naming(path):
            write_draft(write, draft)
            manifest = check(draft)
        stated = folder / "manifest.json"
        write_synced(stated, manifest.to_json().encode())
        secret = {} if beside is None else dict(beside(manifest))
        drafts = {folder / f"private-{number}": name for number, name in enumerate(secret)}
        for own, name in drafts.items():
            write_synced(own, secret[name])
        # The manifest first: a file that has its name always has its promise beside it.
        moves = [*drafts.items(), (stated, manifest_path(path)), (draft, path)]
        place(folder, moves, private=[name.name for name in secret])
    return manifest


def release_target(
    place: str | os.PathLike[str], table: str | None = None, manifest: str | os.PathLike[str] | None = None
) -> Path | DatabaseTable:
    """Return where a release goes: a file, or a table of a database."""
    return DatabaseTable.named(place, table, manifest) or Path(place)


@contextmanager
def _naming(path: Path | DatabaseTable) -> Iterator[None]:
    """Let errors about a draft name the release, which the user knows."""
    try:
        yield
    except OutputError as error:
        raise OutputError(error.message, where=str(path)) from None
    except (DataError, VerificationError) as error:
        raise VerificationError(f"not written: {error.message}", where=str(path)) from None


def _write_to_database(
    write: Writer,
    target: DatabaseTable,
    check: Callable[[Path], Manifest],
    leaving: Leaving | None,
    *,
    force: bool,
) -> Manifest:
    """Write a release into a table in one transaction, and recount what the database then holds."""
    stated = target.manifest
    with staged_table(target) as staged, scratch_folder() as folder:
        rows, draft = Path(folder) / "release.parquet", Path(folder) / "release.csv"
        with _naming(target):
            write_draft(write, rows)
            staged.fill(rows)
            # As CSV: the same rows then have the same digest, whatever the versions of libraries.
            write_draft(lambda path: write_table(staged.rows(), path, leaving=leaving), draft)
            manifest = check(draft)
        old = stated.read_bytes() if stated.is_file() else None
        # The manifest first: a table that has its name always has its promise.
        with output_errors(stated, is_output_error):
            write_whole(stated, manifest.to_json().encode())
        try:
            staged.publish(force=force)
        except BaseException:
            stated.unlink() if old is None else write_whole(stated, old)
            raise
    return manifest


def check_promise(
    promise: verifier.Promise,
    make_manifest: Callable[[verifier.Recount, verifier.Recount], Manifest],
    *,
    seen_by_all: verifier.Promise | None = None,
    write_checked: Writer | verifier.SparkRows | None = None,
    also: Callable[[Path | verifier.SparkRows], list[str]] | None = None,
) -> Callable[[Path], Manifest]:
    """Return the check of a generalized release: it recounts by what we know and by what everyone does."""
    # `write_checked` writes the same rows with columns that are not published, if a recount needs them; or
    # Spark holds these rows. What `also` finds broken in them counts too.

    def check(draft: Path) -> Manifest:
        found, seen = verifier.recount_both(draft, promise, seen_by_all or promise)
        if write_checked is not None:
            with scratch_folder() as hidden:
                checked: Path | verifier.SparkRows = Path(hidden) / f"checked{verifier.release_suffix(draft)}"
                if isinstance(write_checked, verifier.SparkRows):
                    checked = write_checked
                elif isinstance(checked, Path):
                    write_draft(write_checked, checked)
                found = verifier.complete(found, draft, checked, promise)
                refuse_broken([] if also is None else also(checked))
        refuse_broken(verifier.holds(found, promise))
        manifest = make_manifest(found, seen)
        # What the recipient will do.
        refuse_broken(verifier.holds(seen, manifest.promise(), on_seal=True))
        return manifest

    return check


def check_release_target(path: Path | DatabaseTable, *, force: bool = False) -> None:
    """Raise OutputError unless a release and its manifest can be written under this name."""
    # A manifest without its file promises nothing: that of a run that was killed is replaced.
    stated = manifest_path(path)
    if isinstance(path, DatabaseTable):
        is_there = path.exists()
        if is_there and not force:
            raise OutputError("it exists already. Use --force to replace it.", where=str(path))
    else:
        try:
            verifier.release_suffix(path)
        except DataError as error:
            raise OutputError(error.message, where=str(path)) from None
        # Spark writes folders, which only another release replaces.
        check_target(path, force=force, may_be_folder=stated.is_file())
        is_there = os.path.lexists(path)
    check_target(stated, force=force, may_replace=lambda: not is_there and _is_sealed(stated))


def check_folders(path: Path | DatabaseTable, asked: ReleaseSpec, published: Collection[str]) -> None:
    """Raise OutputError if a release is to be divided into files or folders in a way that cannot be."""
    divided_by = Leaving({}, rows_per_file=asked.rows_per_file, partition_by=asked.partition_by).divided_by
    if divided_by and isinstance(path, DatabaseTable):
        raise OutputError(
            f"a table of a database is not divided into files. Do without {divided_by}.", where=str(path)
        )
    if divided_by and isinstance(path, Path):
        part_suffix(path, divided_by)
    for fault in asked.unfit_folders(published):
        raise OutputError(fault.sentence, where="partition_by")


def _is_sealed(path: Path) -> bool:
    """Tell whether a file is a manifest as this package writes it."""
    try:
        return not path.is_symlink() and Manifest.load(path).seal == "fits"
    except (DataError, VerificationError, OSError):
        return False


def is_output_error(error: Exception) -> bool:
    """Tell whether an error of any writer means that the folder or disk cannot be written to."""
    return (
        isinstance(error, OSError)
        or verifier.is_engine_output_error(error)
        or "no space left" in str(error).lower()
    )


def write_draft(write: Writer, draft: Path) -> None:
    """Write rows into a file that nobody else can read."""
    create(draft)  # writers open a file that is there already, and so it stays closed to others
    write(draft)
    if not draft.exists() or not (any(draft.iterdir()) if draft.is_dir() else draft.stat().st_size):
        raise OutputError("nothing was written.", where=str(draft))
    if draft.is_file():  # the parts of a folder are there already
        sync_file(draft)


def refuse_broken(violations: list[str]) -> None:
    """Raise VerificationError if a promise is broken."""
    if violations:
        raise VerificationError(" ".join(violations))
