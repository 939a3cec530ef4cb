"""Outputs appear under their names only when they are complete.

Everything is first written to a hidden name in the same folder, brought to the disk, and
then renamed. Nothing hidden is left behind, whatever goes wrong short of a power cut.
"""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.errors import OutputError, SfumatoError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


def check_target(path: str | Path, *, force: bool = False) -> None:
    """Raise OutputError unless a file can be written under this name.

    Call it before long work too: it tries the folder by making and removing an empty file.

    Raises
    ------
    OutputError
        If the name is taken (and ``force`` is not given) or a folder's, or if the folder is
        missing or cannot be written.
    """
    path = Path(path)
    where = str(path)
    if path.is_dir():
        raise OutputError("a folder has this name; name a file.", where=where)
    if os.path.lexists(path) and not force:
        raise OutputError("the file exists already. Choose another name or add --force.", where=where)
    if not path.parent.is_dir():
        raise OutputError("its folder does not exist. Make the folder first.", where=where)
    with output_errors(path), temporary(path) as probe:
        probe.touch(exist_ok=False)


@contextmanager
def temporary(path: Path, suffix: str = ".tmp") -> Iterator[Path]:
    """Give a hidden, unique name beside ``path``, and remove what stands there at the end."""
    name = path.with_name(f".sfumato-{secrets.token_hex(8)}{suffix}")
    try:
        yield name
    finally:
        remove(name)


def remove(path: Path) -> None:
    """Remove a file or folder; one that is not there, or cannot be removed, is passed over."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
        return
    with suppress(OSError):
        path.unlink()


@contextmanager
def output_errors(
    path: Path, also: Callable[[Exception], bool] = lambda error: isinstance(error, OSError)
) -> Iterator[None]:
    """Turn a failure to write into one line; ``also`` tells which errors are one."""
    try:
        yield
    except SfumatoError:
        raise
    except Exception as error:
        if not also(error):
            raise
        reason = (
            error.strerror
            if isinstance(error, OSError) and error.strerror
            else "no space left or no permission"
        )
        raise OutputError(f"cannot be written: {reason}. Nothing was left behind.", where=str(path)) from None


def sync_file(path: Path) -> None:
    """Bring the contents of a file to the disk."""
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the system can do that."""
    if os.name == "nt":
        return
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def place(moves: Sequence[tuple[Path, Path]]) -> None:
    """Give drafts their names in the order given, all or none.

    What stood under the names is set aside first, the last name first, so that at no moment
    an earlier name's new file stands beside a later name's old one. If anything fails, the old
    files stand again.
    """
    set_aside: list[tuple[Path, Path]] = []
    placed: list[Path] = []
    # Each step is noted before it is taken: an interrupt may come right after it.
    try:
        for _, name in reversed(moves):
            if os.path.lexists(name):
                set_aside.append((name.with_name(f".sfumato-{secrets.token_hex(8)}.old"), name))
                os.replace(name, set_aside[-1][0])
        for draft, name in moves:
            placed.append(name)
            os.replace(draft, name)
    except BaseException:
        for name in reversed(placed):
            remove(name)
        for hidden, name in reversed(set_aside):
            if os.path.lexists(hidden):
                os.replace(hidden, name)
        raise
    finally:
        for hidden, _ in set_aside:
            remove(hidden)
    for folder in {name.parent for _, name in moves}:
        sync_folder(folder)


def atomic_text(path: str | Path, text: str, *, force: bool = False) -> None:
    """Write a text file in UTF-8, complete or not at all; lines end as they do in ``text``.

    Raises
    ------
    OutputError
        If the file exists and ``force`` is not given, or the folder or the disk refuses.
    """
    path = Path(path)
    check_target(path, force=force)
    with output_errors(path), temporary(path) as draft:
        write_synced(draft, text)
        place([(draft, path)])


def write_synced(path: Path, content: str | bytes) -> None:
    """Write a file and bring it to the disk; text in UTF-8 without changing line ends."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    sync_file(path)


def atomic_folder(folder: str | Path, contents: Mapping[str, str | bytes], *, force: bool = False) -> None:
    """Write files into a folder, all or none; a new folder appears with all of them at once.

    Parameters
    ----------
    folder
        The folder; made if it does not exist, but not its parents.
    contents
        File name → text or bytes. Other files of the folder stay.
    force
        Whether files of these names may be replaced.

    Raises
    ------
    OutputError
        If one of the files exists and ``force`` is not given, or the folder or the disk refuses.
    """
    folder = Path(folder)
    if os.path.lexists(folder) and not folder.is_dir():
        raise OutputError("a file has this name; name a folder.", where=str(folder))
    if folder.is_dir():
        _fill_folder(folder, contents, force)
        return
    check_target(folder)
    with output_errors(folder), temporary(folder) as draft:
        draft.mkdir()
        for name, content in contents.items():
            write_synced(draft / name, content)
        sync_folder(draft)
        os.rename(draft, folder)
        sync_folder(folder.parent)


def _fill_folder(folder: Path, contents: Mapping[str, str | bytes], force: bool) -> None:
    for name in contents:
        check_target(folder / name, force=force)
    with output_errors(folder), temporary(folder / "draft") as drafts:
        drafts.mkdir()
        for name, content in contents.items():
            write_synced(drafts / name, content)
        place([(drafts / name, folder / name) for name in contents])


__all__ = [
    "atomic_folder",
    "atomic_text",
    "check_target",
    "output_errors",
    "place",
    "remove",
    "sync_file",
    "sync_folder",
    "temporary",
    "write_synced",
]
