"""Write a release: verified before it has a name, its manifest in place before it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from sfumato.errors import DataError, OutputError, VerificationError
from sfumato.private import create, place, private_folder, scratch_folder, sync_file, write_synced
from sfumato.release.json_files import check_target, output_errors
from sfumato.release.manifest import Manifest, manifest_path
from sfumato.verifier import complete, holds, is_engine_output_error, recount_both, release_suffix

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato.verifier import Promise, Recount

    Writer: TypeAlias = Callable[[Path], None]


def write_release(
    write: Writer, path: str | Path, check: Callable[[Path], Manifest], *, force: bool = False
) -> Manifest:
    """Write a release under its name only if the check of the written draft returns a manifest for it."""
    # The check recounts the draft independently, and raises VerificationError if the promise is broken.
    path = Path(path)
    check_release_target(path, force=force)
    with output_errors(path, is_output_error), private_folder(path.parent) as folder:
        draft = folder / f"release{release_suffix(path)}"
        try:
            write_draft(write, draft)
            manifest = check(draft)
        except OutputError as error:  # speaks of the draft; the user knows the name of the release
            raise OutputError(error.message, where=str(path)) from None
        except (DataError, VerificationError) as error:
            raise VerificationError(f"not written: {error.message}", where=str(path)) from None
        stated = folder / "manifest.json"
        write_synced(stated, manifest.to_json().encode())
        # The manifest first: a file that has its name always has its promise beside it.
        place(folder, [(stated, manifest_path(path)), (draft, path)])
    return manifest


def check_promise(
    promise: Promise,
    make_manifest: Callable[[Recount, Recount], Manifest],
    *,
    seen_by_all: Promise | None = None,
    write_checked: Writer | None = None,
) -> Callable[[Path], Manifest]:
    """Return the check of a generalized release: it recounts by what we know and by what everyone does."""
    # `write_checked` writes the same rows with columns that are not published, if a recount needs them.

    def check(draft: Path) -> Manifest:
        found, seen = recount_both(draft, promise, seen_by_all or promise)
        if write_checked is not None:
            with scratch_folder() as hidden:
                checked = Path(hidden) / f"checked{release_suffix(draft)}"
                write_draft(write_checked, checked)
                found = complete(found, draft, checked, promise)
        refuse_broken(holds(found, promise))
        manifest = make_manifest(found, seen)
        # What the recipient will do.
        refuse_broken(holds(seen, manifest.promise(), on_seal=True))
        return manifest

    return check


def check_release_target(path: str | Path, *, force: bool = False) -> None:
    """Raise OutputError unless a release and its manifest can be written under this name."""
    # A manifest without its file promises nothing: that of a run that was killed is replaced.
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


def write_draft(write: Writer, draft: Path) -> None:
    """Write rows into a file that nobody else can read."""
    create(draft)  # writers open a file that is there already, and so it stays closed to others
    write(draft)
    if not draft.is_file() or not draft.stat().st_size:
        raise OutputError("nothing was written.", where=str(draft))
    sync_file(draft)


def refuse_broken(violations: list[str]) -> None:
    """Raise VerificationError if a promise is broken."""
    if violations:
        raise VerificationError(" ".join(violations))
