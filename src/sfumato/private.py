"""Folders that nobody else can read, and files that appear under their names whole or not at all.

Everything is made in a private folder: next to its target, so that it can be renamed into place, or in the
temporary folder, if it never gets another name. A run that ends in order removes its folders. One that is
killed leaves them, closed to others, and the next run undoes what was begun and sweeps them away.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import re
import secrets
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from pathlib import Path

from sfumato.errors import OutputError, ParameterError

_NAME = re.compile(r"\.?sfumato-[0-9a-f]{16}")
_LOCK, _PLAN = "lock", "plan.json"
_TRIALS = 5
_held: dict[Path, tuple[int, sqlite3.Connection | None]] = {}
"""The folders that are not removed yet, each with the process that made it, and its lock."""
MEMORY = "SFUMATO_MEMORY"
"""The environment variable that says what engines may hold before they spill into a private folder."""


def check_memory(text: str, where: str = MEMORY) -> str:
    """Return an amount of memory, if it is one."""
    if re.fullmatch(r"[0-9]+(?:[.][0-9]+)? ?[KMGT]i?B", text) is None:
        raise ParameterError("must be a number with its unit, such as 4GB or 512MiB.", where=where)
    return text


@contextmanager
def private_folder(parent: Path) -> Iterator[Path]:
    """Give a hidden folder in ``parent`` that only this user can read; it is removed at the end."""
    # Before that, what `place` began and did not finish is undone, here and in the folders of killed runs.
    folder, lock = _make(parent, ".sfumato-")
    try:
        _sweep(parent, folder)
        yield folder
    except BaseException:
        # An error says that nothing was written: then it is so, even if all drafts have their names.
        _undo(folder, keep_complete=False)
        raise
    finally:
        _discard(folder, lock)


@functools.cache
def process_folder() -> Path:
    """Return a folder for temporary files that only this user can read; it lasts as long as the process."""
    try:
        parent = Path(tempfile.gettempdir()).absolute()
        folder, _ = _make(parent, "sfumato-")
    except OSError:
        raise OutputError(
            "no temporary folder can be made. Set TMPDIR to a folder with free space."
        ) from None
    _sweep(parent, folder)
    return folder


@atexit.register
def _leave() -> None:
    """Remove what is still there, also what a signal left between two steps of making or removing it."""
    for folder, (process, lock) in list(_held.items()):
        if os.getpid() == process:  # what was forked off does not own it
            _discard(folder, lock)


def scratch_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a private temporary folder that is removed when its context is left."""
    return tempfile.TemporaryDirectory(dir=process_folder(), ignore_cleanup_errors=True)


def create(path: Path) -> None:
    """Make an empty file that only this user can read."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def ordinary_mode(folder: Path) -> int:
    """Return the permissions that this process gives to new files, by making one in a private folder."""
    probe = folder / "mode"
    probe.touch()  # asking for the umask would change it for a moment, for all threads
    try:
        return stat.S_IMODE(probe.stat().st_mode)
    finally:
        probe.unlink()


def write_whole(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write a file that appears under its name when it is complete, or not at all."""
    with private_folder(path.parent) as folder:
        draft = folder / "draft"
        write_synced(draft, content)
        place(folder, [(draft, path)], private=[path.name] if private else ())


def write_synced(path: Path, content: bytes) -> None:
    """Write a new private file and bring it to the disk."""
    create(path)
    path.write_bytes(content)
    sync_file(path)


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


def place(folder: Path, moves: Sequence[tuple[Path, Path]], *, private: Container[str] = ()) -> None:
    """Give drafts their names in the order given, all or none."""
    # Old files of these names are set aside first, the last name first, so that an earlier name's new file is
    # never next to a later name's old one. If anything fails, or the process is killed, leaving the private
    # folder, or the next run, restores the old files.
    mode = ordinary_mode(folder)
    if len(moves) > 1:
        steps = [[os.path.relpath(name, folder.parent), _identity(d), _identity(name)] for d, name in moves]
        write_synced(folder / _PLAN, json.dumps(steps).encode())
        sync_folder(folder)
        for number, (_, name) in reversed(list(enumerate(moves))):
            if os.path.lexists(name):
                os.replace(name, folder / f"old-{number}")
    for draft, name in moves:
        with suppress(OSError):  # not every file system knows permissions
            own = 0o600 if name.name in private else mode
            draft.chmod(own | (own & 0o444) >> 2 if draft.is_dir() else own)
        os.replace(draft, name)
    for parent in {name.parent for _, name in moves}:
        sync_folder(parent)
    (folder / _PLAN).unlink(missing_ok=True)  # from here on nothing is undone


def _undo(folder: Path, *, keep_complete: bool = True) -> None:
    """Restore old files if not all drafts have their names; from any step, and again if cut short."""
    # Where a file that is neither ours nor the old one has taken one of the names, nothing is touched.
    if not (folder / _PLAN).is_file():
        return
    try:
        steps = json.loads((folder / _PLAN).read_bytes())
    except ValueError:  # killed while it was written: nothing was moved yet
        return
    names = [folder.parent / name for name, _, _ in steps]
    standing = [_identity(name) for name in names]
    is_new = [found is not None and found == new for found, (_, new, _) in zip(standing, steps, strict=True)]
    is_known = [
        mine or found is None or found == old
        for mine, found, (_, _, old) in zip(is_new, standing, steps, strict=True)
    ]
    if (all(is_new) and keep_complete) or not all(is_known):
        return
    for name, mine in reversed(list(zip(names, is_new, strict=True))):
        if mine:
            remove(name)
    for number, name in enumerate(names):
        if os.path.lexists(folder / f"old-{number}"):
            os.replace(folder / f"old-{number}", name)
    sync_folder(folder.parent)


def _identity(path: Path) -> list[int] | None:
    """Return what a file keeps when it is renamed; None where there is none."""
    try:
        found = path.lstat()
    except OSError:
        return None
    # What a folder holds says nothing about its own entry.
    return [found.st_ino, *([0, 0] if stat.S_ISDIR(found.st_mode) else [found.st_size, found.st_mtime_ns])]


def _make(parent: Path, prefix: str) -> tuple[Path, sqlite3.Connection | None]:
    """Make a private folder and take its lock."""
    for _ in range(_TRIALS):
        folder = parent / f"{prefix}{secrets.token_hex(8)}"
        _held[folder] = (os.getpid(), None)  # before there is one: a signal may end the run at any moment
        folder.mkdir(mode=0o700)
        # A run that sweeps may come between these steps and remove the folder: then another one is made.
        with suppress(FileNotFoundError):
            create(folder / _LOCK)
            lock, is_busy = _take(folder)
            if not is_busy and (folder / _LOCK).is_file():
                _held[folder] = (os.getpid(), lock)
                return folder, lock
            if lock is not None:
                lock.close()
    raise OutputError(
        "no private folder can be made: another process removes it. Try again.", where=str(parent)
    )


def _take(folder: Path) -> tuple[sqlite3.Connection | None, bool]:
    """Take the lock of a private folder; return it, or None, and whether somebody else holds it."""
    # A database in a transaction is the one lock of the standard library that every system knows and lets go
    # when the process dies, however it does. A process number could by then be another process's, or one of
    # another machine that shares the folder. Where a file system knows no locks, there is none: then nobody
    # can take it, and nobody sweeps.
    lock = None
    try:
        where = f"{(folder / _LOCK).absolute().as_uri()}?mode=rw"
        lock = sqlite3.connect(where, uri=True, timeout=0, isolation_level=None, check_same_thread=False)
        lock.execute("PRAGMA journal_mode = OFF")  # no second file beside it
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        if lock is not None:
            lock.close()
        return None, getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY")
    return lock, False


def _discard(folder: Path, lock: sqlite3.Connection | None) -> None:
    """Undo what was begun in a private folder and remove it, its lock last."""
    try:
        _undo(folder)
        remove(folder / _PLAN)  # first: a later run must not undo what is settled now
        for entry in folder.iterdir():
            if entry.name != _LOCK:
                remove(entry)
    except OSError:
        if folder.exists():
            return  # the next run tries again
    finally:
        if lock is not None:
            lock.close()
    remove(folder / _LOCK)
    with suppress(OSError):
        folder.rmdir()
    _held.pop(folder, None)


def _sweep(parent: Path, own: Path) -> None:
    """Remove what killed runs of this user left in a folder, as far as that is sure and possible."""
    with suppress(OSError), os.scandir(parent) as entries:
        mine = own.lstat()
        for entry in entries:
            if not _NAME.fullmatch(entry.name) or entry.name == own.name:
                continue
            with suppress(OSError):
                found = entry.stat(follow_symlinks=False)
                # A folder, closed to others as far as this file system knows that, and this user's.
                if (found.st_mode, found.st_uid) == (mine.st_mode, mine.st_uid):
                    _sweep_folder(Path(entry.path))


def _sweep_folder(folder: Path) -> None:
    if not (folder / _LOCK).is_file():
        folder.rmdir()  # killed before it held anything; what is not empty is not ours
        return
    lock, _ = _take(folder)
    if lock is not None:
        _discard(folder, lock)


def spare_inputs(outputs: Iterable[str | Path], inputs: Iterable[str | Path]) -> None:
    """Refuse to replace what a command reads, whatever it is called there, even with ``force``."""
    read = [Path(item) for item in inputs]
    for output in map(Path, outputs):
        if any(_is_part(output, item) for item in read):
            raise OutputError(
                "this is an input, which is never replaced. Choose another name.", where=str(output)
            )


def _is_part(output: Path, read: Path) -> bool:
    """Tell whether writing a file would change what is read."""
    try:
        if output.exists() and read.exists() and output.samefile(read):
            return True
        if output.is_dir() and read.resolve().is_relative_to(output.resolve()):
            return True  # a release that is a folder is replaced as a whole
        if not read.is_dir():
            return output.resolve() == read.resolve() or (
                # a pattern of names
                not read.exists() and fnmatch(str(output.resolve()), str(read.resolve()))
            )
        if output.exists() and any(output.samefile(file) for file in read.rglob("*") if file.is_file()):
            return True
        is_part = output.suffix.lower() in (".parquet", ".pq", ".csv", ".tsv", ".xlsx", ".gz", ".zst")
        return is_part and output.resolve().is_relative_to(read.resolve())
    except (OSError, RuntimeError, ValueError):  # circular links, names that no system allows
        return False


def remove(path: Path) -> None:
    """Remove a file or folder; one that is not there, or cannot be removed, is passed over."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
        return
    with suppress(OSError):
        path.unlink()
