"""Outputs appear under their names only when they are complete.

Everything is first written into a private, hidden folder beside its target, brought to the disk, and then
renamed. What ends in order, by an error or a signal too, leaves nothing hidden behind. A run that is killed
leaves a folder that nobody else can read, and nothing new under a final name but a manifest whose file is
not there; the next run that writes there puts the old files back and removes the rest.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato import private as own
from sfumato.errors import OutputError, SfumatoError
from sfumato.private import ordinary_mode, place, private_folder, sync_folder, write_synced

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping


def check_target(
    path: str | Path, *, force: bool = False, may_replace: Callable[[], bool] = lambda: False
) -> None:
    """Raise OutputError unless a file can be written under this name.

    Call it before long work too: it tries the folder by making a private folder in it, and so removes
    what killed runs left there.
    """
    path = Path(path)
    where = str(path)
    full = str(path.absolute())
    if "\0" in full or full.encode(errors="replace") != full.encode(errors="surrogatepass"):
        raise OutputError("the name is not valid UTF-8, or holds NUL. Choose another name.", where=where)
    if path.is_dir():
        raise OutputError("a folder has this name; name a file.", where=where)
    if not path.parent.is_dir():
        raise OutputError("its folder does not exist. Make the folder first.", where=where)
    with output_errors(path), private_folder(path.parent) as probe:
        own.create(probe / "probe")
    if os.path.lexists(path) and not (force or may_replace()):
        raise OutputError("the file exists already. Choose another name or add --force.", where=where)


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


def atomic_text(path: str | Path, text: str, *, force: bool = False, private: bool = False) -> None:
    """Write a text file in UTF-8, complete or not at all; lines end as they do in ``text``."""
    path = Path(path)
    check_target(path, force=force)
    with output_errors(path):
        own.write_whole(path, text.encode(), private=private)


def atomic_folder(
    folder: str | Path,
    contents: Mapping[str, str | bytes],
    *,
    force: bool = False,
    private: Collection[str] = (),
) -> None:
    """Write files into a folder, all or none; a new folder appears with all of them at once."""
    folder = Path(folder)
    if os.path.lexists(folder) and not folder.is_dir():
        raise OutputError("a file has this name; name a folder.", where=str(folder))
    is_new = not folder.is_dir()
    for target in [folder] if is_new else [folder / name for name in contents]:
        check_target(target, force=force)
    with output_errors(folder), private_folder(folder.parent if is_new else folder) as hidden:
        drafts = hidden / "drafts"
        drafts.mkdir(mode=0o700)
        for name, content in contents.items():
            write_synced(drafts / name, content.encode() if isinstance(content, str) else content)
        if is_new:
            place_folder(hidden, drafts, folder, private=private)
        else:
            place(hidden, [(drafts / name, folder / name) for name in contents], private=private)


def place_folder(hidden: Path, drafts: Path, folder: Path, *, private: Collection[str] = ()) -> None:
    """Give a folder of drafts its name."""
    mode, closed = ordinary_mode(hidden), {drafts / name for name in private}
    for path in [*drafts.rglob("*"), drafts]:
        if path not in closed:
            with suppress(OSError):  # not every file system knows permissions
                path.chmod(mode | (mode & 0o444) >> 2 if path.is_dir() else mode)
    sync_folder(drafts)
    os.rename(drafts, folder)
    sync_folder(folder.parent)
