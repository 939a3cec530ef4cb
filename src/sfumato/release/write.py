"""Write a release: verified before it has a name, its manifest in place before it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from sfumato.errors import DataError, OutputError, VerificationError
from sfumato.private import create, place, private_folder, scratch_folder, sync_file, write_synced
from sfumato.release.fields import check_target, output_errors
from sfumato.release.manifest import Manifest, manifest_path
from sfumato.verifier import complete, holds, is_engine_output_error, recount_both, release_suffix

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato.verifier import Promise, Recount

    Writer: TypeAlias = Callable[[Path], None]


def write_release(
    write: Writer,
    path: str | Path,
    promise: Promise,
    make_manifest: Callable[[Recount, Recount], Manifest],
    *,
    force: bool = False,
    seen_by_all: Promise | None = None,
    write_checked: Writer | None = None,
) -> Manifest:
    """Write a release under its name only if an independent recount finds its promise kept."""
    path = Path(path)
    check_release_target(path, force=force)
    suffix = release_suffix(path)
    with output_errors(path, is_output_error), private_folder(path.parent) as folder:
        draft = folder / f"release{suffix}"
        write_draft(write, draft, path)
        found, seen = _recount(draft, (promise, seen_by_all or promise), path, write_checked)
        _refuse_broken(holds(found, promise), path)
        manifest = make_manifest(found, seen)
        # What the recipient will do.
        _refuse_broken(holds(seen, manifest.promise(), on_seal=True), path)
        place_release(folder, draft, manifest, path)
    return manifest


def place_release(folder: Path, draft: Path, manifest: Manifest, path: Path) -> None:
    """Give a verified draft its name, its manifest first."""
    stated = folder / "manifest.json"
    write_synced(stated, manifest.to_json().encode())
    place(folder, [(stated, manifest_path(path)), (draft, path)])


def check_release_target(path: str | Path, *, force: bool = False) -> None:
    """Raise OutputError unless a release and its manifest can be written under this name.

    A manifest without its file promises nothing: that of a run that was killed is replaced.
    """
    path = Path(path)
    try:
        release_suffix(path)
    except DataError as error:
        raise OutputError(error.message, where=str(path)) from None
    check_target(path, force=force)
    stated = manifest_path(path)
    check_target(stated, force=force, may_replace=lambda: not os.path.lexists(path) and _is_sealed(stated))


def _is_sealed(path: Path) -> bool:
    """Tell whether a file is a manifest as this package writes it."""
    try:
        return not path.is_symlink() and Manifest.load(path).seal == "fits"
    except (DataError, VerificationError, OSError):
        return False


def is_output_error(error: Exception) -> bool:
    """Tell whether an error of any writer means that the folder or disk cannot be written to."""
    return (
        isinstance(error, OSError) or is_engine_output_error(error) or "no space left" in str(error).lower()
    )


def write_draft(write: Writer, draft: Path, path: Path) -> None:
    """Write the draft; errors speak of the name that the user knows."""
    create(draft)  # writers open a file that is there already, and so it stays closed to others
    try:
        write(draft)
    except OutputError as error:
        raise OutputError(error.message, where=str(path)) from None
    if not draft.is_file() or not draft.stat().st_size:
        raise OutputError("nothing was written.", where=str(path))
    sync_file(draft)


def _recount(
    draft: Path, promises: tuple[Promise, Promise], path: Path, write_checked: Writer | None
) -> tuple[Recount, Recount]:
    """Recount the draft by what we know and by what everyone does; errors name what the user knows."""
    try:
        found, seen = recount_both(draft, *promises)
        if write_checked is not None:
            with scratch_folder() as hidden:
                checked = Path(hidden) / f"checked{release_suffix(path)}"
                write_draft(write_checked, checked, path)
                found = complete(found, draft, checked, promises[0])
    except (DataError, VerificationError) as error:
        raise VerificationError(f"not written: {error.message}", where=str(path)) from None
    return found, seen


def _refuse_broken(violations: list[str], path: Path) -> None:
    if violations:
        raise VerificationError("not written: " + " ".join(violations), where=str(path))
