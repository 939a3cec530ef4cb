"""Files and folders appear complete or not at all."""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING

import pytest

from sfumato import private
from sfumato.errors import OutputError
from sfumato.release.json_files import atomic_folder, atomic_text, check_target, output_errors

if TYPE_CHECKING:
    from pathlib import Path

FILES: dict[str, str | bytes] = {"front.csv": "a\r\nb\n", "run.json": "{}\n", "front.html": b"<p>\xc3\xa9"}


def contents(folder: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in folder.iterdir()}


EXPECTED = {"front.csv": b"a\r\nb\n", "run.json": b"{}\n", "front.html": b"<p>\xc3\xa9"}


def test_text_is_written_as_it_is(tmp_path: Path) -> None:
    atomic_text(tmp_path / "a.txt", "é\n\r\n")
    assert contents(tmp_path) == {"a.txt": b"\xc3\xa9\n\r\n"}


def test_an_existing_text_needs_force(tmp_path: Path) -> None:
    atomic_text(tmp_path / "a.txt", "old")
    with pytest.raises(OutputError, match="--force"):
        atomic_text(tmp_path / "a.txt", "new")
    assert contents(tmp_path) == {"a.txt": b"old"}
    atomic_text(tmp_path / "a.txt", "new", force=True)
    assert contents(tmp_path) == {"a.txt": b"new"}


def test_a_text_that_fails_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    atomic_text(tmp_path / "a.txt", "old")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="No space left"):
        atomic_text(tmp_path / "a.txt", "new", force=True)
    assert contents(tmp_path) == {"a.txt": b"old"}


@pytest.mark.parametrize("exists", [False, True])
def test_a_folder_gets_all_files(tmp_path: Path, exists: bool) -> None:
    folder = tmp_path / "out"
    if exists:
        folder.mkdir()
        (folder / "mine.txt").write_bytes(b"stays")
    atomic_folder(folder, FILES)
    assert contents(folder) == {**EXPECTED, **({"mine.txt": b"stays"} if exists else {})}
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_files_in_a_folder_need_force(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes(b"old")
    with pytest.raises(OutputError, match="--force"):
        atomic_folder(tmp_path, FILES)
    assert contents(tmp_path) == {"run.json": b"old"}
    atomic_folder(tmp_path, FILES, force=True)
    assert contents(tmp_path) == EXPECTED


@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_folder_that_fails_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exists: bool, error: BaseException
) -> None:
    folder = tmp_path / "out"
    if exists:
        folder.mkdir()
        (folder / "run.json").write_bytes(b"old")
    calls = 0

    def failing(path: Path) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise error

    monkeypatch.setattr(private, "sync_file", failing)
    with pytest.raises((OutputError, KeyboardInterrupt)):
        atomic_folder(folder, FILES, force=True)
    assert [entry.name for entry in tmp_path.iterdir()] == (["out"] if exists else [])
    if exists:
        assert contents(folder) == {"run.json": b"old"}


def test_a_folder_whose_last_name_fails_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run.json").write_bytes(b"old")
    replace, left = os.replace, 4

    def failing(source: Path, target: Path) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise PermissionError(errno.EACCES, "Permission denied")
        replace(source, target)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(OutputError, match="Permission denied"):
        atomic_folder(tmp_path, FILES, force=True)
    assert contents(tmp_path) == {"run.json": b"old"}


def test_a_file_is_no_folder_and_a_folder_no_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="name a folder"):
        atomic_folder(tmp_path / "file", FILES)
    with pytest.raises(OutputError, match="name a file"):
        check_target(tmp_path, force=True)
    with pytest.raises(OutputError, match="folder does not exist"):
        atomic_folder(tmp_path / "no" / "out", FILES)


@pytest.mark.skipif(sys.platform == "win32", reason="the folder of devices is there on POSIX systems alone")
def test_a_folder_that_cannot_be_written_is_noticed_first() -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        check_target("/proc/sfumato.csv" if sys.platform == "linux" else "/dev/sfumato.csv")


def test_other_errors_pass(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), output_errors(tmp_path):
        raise ZeroDivisionError
