"""Private folders: closed to others, swept when their process is gone, and never before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sfumato import private
from sfumato.errors import OutputError
from sfumato.private import place, private_folder, process_folder, spare_inputs, write_synced, write_whole

if TYPE_CHECKING:
    from types import FrameType

SOURCE = Path(__file__).resolve().parents[1] / "src"
STALE = ".sfumato-0123456789abcdef"
posix = pytest.mark.skipif(os.name == "nt", reason="permissions as POSIX systems have them")


def names_in(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def run_and_die(script: str, *arguments: object) -> None:
    """Run a script in a process that ends without any clean-up."""
    code = textwrap.dedent(script) + "\nos._exit(9)\n"
    done = subprocess.run(
        [sys.executable, "-c", "import os, sys\nfrom pathlib import Path\n" + code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        check=False,
        timeout=60,
    )
    assert done.returncode == 9


@posix
def test_folder_and_files_are_closed_to_others(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with private_folder(tmp_path) as folder:
            assert folder.stat().st_mode & 0o777 == 0o700
            write_synced(folder / "draft", b"x")
            assert {entry.stat().st_mode & 0o777 for entry in folder.iterdir()} == {0o600}
    finally:
        os.umask(before)
    assert names_in(tmp_path) == []


@posix
@pytest.mark.parametrize(("mask", "expected"), [(0o022, 0o644), (0o027, 0o640), (0o077, 0o600)])
def test_a_file_gets_the_ordinary_mode_with_its_name(tmp_path: Path, mask: int, expected: int) -> None:
    before = os.umask(mask)
    try:
        write_whole(tmp_path / "open", b"x")
        write_whole(tmp_path / "closed", b"x", private=True)
    finally:
        os.umask(before)
    assert (tmp_path / "open").stat().st_mode & 0o777 == expected
    assert (tmp_path / "closed").stat().st_mode & 0o777 == 0o600


def test_what_a_killed_process_left_is_swept(tmp_path: Path) -> None:
    script = """
        from sfumato.private import private_folder, write_synced
        manager = private_folder(Path(sys.argv[1]))
        folder = manager.__enter__()
        write_synced(folder / "draft", b"secret")
        (folder / "more").mkdir()
    """
    run_and_die(script, tmp_path)
    assert [name.startswith(".sfumato-") for name in names_in(tmp_path)] == [True]
    with private_folder(tmp_path) as folder:
        assert names_in(tmp_path) == [folder.name]


def test_what_is_in_use_is_left_alone(tmp_path: Path) -> None:
    """By this process, and by another one."""
    script = (
        "import sys\nfrom pathlib import Path\nfrom sfumato.private import private_folder\n"
        "with private_folder(Path(sys.argv[1])) as folder:\n"
        "    (folder / 'draft').touch()\n    print(folder.name, flush=True)\n    sys.stdin.read()\n"
    )
    with (
        private_folder(tmp_path) as mine,
        subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path)],
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as other,
    ):
        assert other.stdout is not None
        theirs = other.stdout.readline().strip()
        with private_folder(tmp_path) as third:
            assert names_in(tmp_path) == sorted([mine.name, theirs, third.name])
        assert (tmp_path / theirs / "draft").is_file()
        other.communicate()
    assert names_in(tmp_path) == []


def test_what_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    (elsewhere / "lock").touch()
    (elsewhere / "kept").touch()
    out = tmp_path / "out"
    out.mkdir()
    (out / ".sfumato-notes").mkdir(mode=0o700)
    (out / ".sfumato-0123456789abcde").mkdir(mode=0o700)
    (out / "sfumato-0123456789abcdeg").touch()
    (out / ".sfumato-fedcba9876543210").mkdir(mode=0o700)  # no lock, and not empty
    (out / ".sfumato-fedcba9876543210" / "mine").touch()
    expected = names_in(out)
    if os.name != "nt":
        (out / STALE).symlink_to(elsewhere, target_is_directory=True)
        (out / ".sfumato-00000000000000ff").mkdir()  # others may read it: nothing of ours
        (out / ".sfumato-00000000000000ff").chmod(0o755)
        (out / ".sfumato-00000000000000ff" / "lock").touch()
        expected = sorted([*expected, STALE, ".sfumato-00000000000000ff"])
    with private_folder(out):
        pass
    assert names_in(out) == expected
    assert names_in(elsewhere) == ["kept", "lock"]


def test_a_folder_killed_before_it_held_anything_is_swept(tmp_path: Path) -> None:
    (tmp_path / STALE).mkdir(mode=0o700)
    with private_folder(tmp_path) as folder:
        assert names_in(tmp_path) == [folder.name]


def test_a_folder_that_is_swept_while_it_is_made_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create, calls = private.create, []

    def swept(path: Path) -> None:
        calls.append(path)
        if len(calls) == 1:
            path.parent.rmdir()
        create(path)

    monkeypatch.setattr(private, "create", swept)
    with private_folder(tmp_path) as folder:
        assert names_in(tmp_path) == [folder.name]
    assert len(calls) == 2


KILLED_AT = """
    from sfumato import private
    folder, step, left = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])

    def dying(function):
        def run(*arguments, **options):
            global left
            left -= 1
            if left < 0:
                os._exit(9)
            return function(*arguments, **options)
        return run

    with private.private_folder(folder) as hidden:
        for name in ("a.json", "a"):
            private.write_synced(hidden / name, b"new")
        os.replace, Path.rmdir = dying(os.replace), dying(Path.rmdir)
        Path.unlink, Path.chmod = dying(Path.unlink), dying(Path.chmod)
        private.sync_folder = dying(private.sync_folder)
        private.place(hidden, [(hidden / name, folder / name) for name in ("a.json", "a")])
"""


@pytest.mark.some(16)
@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize("at", range(16))
def test_killed_at_any_step_there_is_the_old_pair_or_the_new_or_none(
    tmp_path: Path, exists: bool, at: int
) -> None:
    """At once nothing but a matching pair or a lone manifest; after the next run, all old or all new."""
    if exists:
        for name in ("a.json", "a"):
            (tmp_path / name).write_bytes(b"old")
    run_and_die(KILLED_AT, tmp_path, "replace", at)
    found = {name: (tmp_path / name).read_bytes() for name in names_in(tmp_path) if name[0] != "."}
    assert "a" not in found or found["a"] == found.get("a.json")
    with private_folder(tmp_path) as folder:
        found = {name: (tmp_path / name).read_bytes() for name in names_in(tmp_path) if name != folder.name}
    old = {"a": b"old", "a.json": b"old"} if exists else {}
    assert found in (old, {"a": b"new", "a.json": b"new"})


def test_sweeping_may_itself_be_killed(tmp_path: Path) -> None:
    for at in range(12):
        folder = tmp_path / str(at)
        folder.mkdir()
        for name in ("a.json", "a"):
            (folder / name).write_bytes(b"old")
        run_and_die(KILLED_AT, folder, "replace", 7)  # the new manifest stands, its file not yet
        swept = KILLED_AT.split("    with private")[0] + (
            "    os.replace, Path.unlink = dying(os.replace), dying(Path.unlink)\n"
            "    Path.rmdir = dying(Path.rmdir)\n"
            "    manager = private.private_folder(folder)\n    manager.__enter__()\n"
        )
        run_and_die(swept, folder, "replace", at)
        with private_folder(folder) as mine:
            found = {name: (folder / name).read_bytes() for name in names_in(folder) if name != mine.name}
        assert found == {"a": b"old", "a.json": b"old"}, at


def test_a_name_that_somebody_else_has_taken_is_left_to_them(tmp_path: Path) -> None:
    for name in ("a.json", "a"):
        (tmp_path / name).write_bytes(b"old")
    run_and_die(KILLED_AT, tmp_path, "replace", 6)
    (tmp_path / "a").write_bytes(b"another")
    with private_folder(tmp_path):
        pass
    assert (tmp_path / "a").read_bytes() == b"another"
    assert not any(name.startswith(".") for name in names_in(tmp_path))


def test_the_folder_of_a_process_goes_with_it(tmp_path: Path) -> None:
    script = "from sfumato.private import process_folder; print(process_folder())"
    for last in ("", "; import os; os._exit(9)"):
        done = subprocess.run(
            [sys.executable, "-c", script + "; import sys; sys.stdout.flush()" + last],
            env={**os.environ, "PYTHONPATH": str(SOURCE), "TMPDIR": str(tmp_path), "TEMP": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert Path(done.stdout.strip()).parent == tmp_path
        assert len(names_in(tmp_path)) == (1 if last else 0)
    assert json.dumps(str(process_folder()))  # of this process, which is another one
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(tmp_path))
        fresh = process_folder.__wrapped__()
    assert names_in(tmp_path) == [fresh.name]


def test_no_temporary_folder_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    with pytest.raises(OutputError, match="Set TMPDIR"):
        process_folder.__wrapped__()


@posix
def test_inputs_are_known_by_any_name(tmp_path: Path) -> None:
    data, folder = tmp_path / "d.csv", tmp_path / "parts"
    data.touch()
    (folder / "more").mkdir(parents=True)
    (folder / "more" / "a.parquet").touch()
    (tmp_path / "hard.csv").hardlink_to(data)
    (tmp_path / "soft.csv").symlink_to(data)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    refused = [
        data,
        tmp_path / "parts" / ".." / "d.csv",
        tmp_path / "hard.csv",
        tmp_path / "soft.csv",
        folder / "more" / "a.parquet",
        folder / "b.parquet",
        folder / "b.csv",
        tmp_path,  # with all that is in it
    ]
    for output in refused:
        with pytest.raises(OutputError, match="is an input"):
            spare_inputs([tmp_path / "free.csv", output], [tmp_path / "other.csv", data, folder])
    spare_inputs([tmp_path / "free.csv", folder / "b.jsonl", tmp_path / "loop", "a\0b"], [data, folder])


def test_placing_alone_needs_no_plan(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    with private_folder(tmp_path) as folder:
        write_synced(folder / "draft", b"new")
        place(folder, [(folder / "draft", tmp_path / "a")])
        assert names_in(folder) == ["lock"]
    assert (tmp_path / "a").read_bytes() == b"new"


def test_a_signal_at_any_step_leaves_no_folder_when_the_process_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also between making a folder and entering its context, and while it is removed."""
    monkeypatch.setattr(private, "_held", {})
    interrupted = 0
    for last in range(1, 200):
        steps = 0

        def look(frame: FrameType, event: str, _: object, last: int = last) -> Any:
            nonlocal steps
            if frame.f_code.co_filename != private.__file__:
                return None
            steps += event == "line"
            if steps == last and event == "line":
                sys.settrace(None)
                raise KeyboardInterrupt
            return look

        before = sys.gettrace()
        try:
            sys.settrace(look)
            with private.private_folder(tmp_path) as folder:
                private.create(folder / "draft")
            sys.settrace(before)
            break
        except KeyboardInterrupt:
            interrupted += 1
        finally:
            sys.settrace(before)
        private._leave()
        assert list(tmp_path.iterdir()) == [], last
    assert interrupted > 20
    assert private._held == {}
