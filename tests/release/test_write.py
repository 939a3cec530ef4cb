"""A release has its name only when it is verified, and never stands without its manifest."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from sfumato.errors import OutputError, VerificationError
from sfumato.release.manifest import Manifest, manifest_path
from sfumato.release.write import check_promise, check_release_target, write_release
from sfumato.verifier import Promise, Recount, hash_file, holds, recount
from tests.release.made import HEADER, LINES, make_manifest_of, make_promise, write_lines
from tests.release.oracle_release import write_csv

ROOT = Path(__file__).resolve().parents[2]


def names_in(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def release(path: Path, *, force: bool = False) -> Manifest:
    return write_release(write_lines, path, check_promise(make_promise(), make_manifest_of), force=force)


def test_a_release_stands_beside_its_manifest(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    manifest = release(path)
    assert names_in(tmp_path) == ["r.csv", "r.csv.json"]
    assert Manifest.load(manifest_path(path)) == manifest
    assert manifest.sha256 == hash_file(path)
    promise = manifest.promise()
    assert holds(recount(path, promise), promise) == []


def test_measures_in_the_manifest_are_the_recounted_ones(tmp_path: Path) -> None:
    measures = release(tmp_path / "r.csv").measures
    assert measures["k"] == 3
    assert measures["dm"] == 9 + 9 + 2 * 8
    # Cells: age (10 − 1) / (21 − 1) with weight 2, zip 0 with weight 1, two suppressed rows 1 each.
    assert measures["loss"] == pytest.approx((6 * 2 * 9 / 20 + 2 * 3) / (3 * 8))


def test_a_broken_promise_leaves_nothing(tmp_path: Path) -> None:
    promise = replace(make_promise(), require={"k": 4, "t(disease)": 0.01})
    with pytest.raises(VerificationError) as caught:
        write_release(write_lines, tmp_path / "r.csv", check_promise(promise, make_manifest_of))
    assert "k: at least 4 promised, 3 counted." in str(caught.value)
    assert "t(disease): at most 0.01 promised" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert ".sfumato-" not in str(caught.value)
    assert names_in(tmp_path) == []


def test_a_number_of_the_search_that_the_recount_does_not_find_is_refused(tmp_path: Path) -> None:
    promise = replace(make_promise(), measures={"loss": 0.5})
    with pytest.raises(VerificationError, match=r"loss: 0\.5 stated"):
        write_release(write_lines, tmp_path / "r.csv", check_promise(promise, make_manifest_of))
    assert names_in(tmp_path) == []


def test_a_manifest_that_would_not_verify_is_refused(tmp_path: Path) -> None:
    def boast(found: Recount, sha256: str) -> Manifest:
        honest = make_manifest_of(found, sha256)
        return replace(honest, measures={**honest.measures, "k": 5})

    with pytest.raises(VerificationError, match="k: 5 stated, 3 counted"):
        write_release(write_lines, tmp_path / "r.csv", check_promise(make_promise(), boast))
    assert names_in(tmp_path) == []


def test_what_cannot_be_read_back_is_refused(tmp_path: Path) -> None:
    def scribble(path: Path) -> None:
        path.write_bytes(b"not parquet")

    with pytest.raises(VerificationError, match="not written: cannot be read as parquet"):
        write_release(scribble, tmp_path / "r.parquet", check_promise(make_promise(), make_manifest_of))
    with pytest.raises(OutputError, match="nothing was written"):
        write_release(lambda path: None, tmp_path / "r.csv", check_promise(make_promise(), make_manifest_of))
    assert names_in(tmp_path) == []


def test_persons_are_counted_in_a_file_that_is_gone_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    persons = ["1", "1", "2", "3", "4", "5"]

    def write_checked(path: Path) -> None:
        lines = [[*line, person] for line, person in zip(LINES, persons, strict=True)]
        write_csv(path, [*HEADER, "person"], lines)

    promise = replace(make_promise(), person="person")
    with pytest.raises(VerificationError, match=r"k: at least 3 promised, 2 counted\."):
        write_release(
            write_lines, path, check_promise(promise, make_manifest_of, write_checked=write_checked)
        )
    with pytest.raises(VerificationError, match="persons, whose column is not published"):
        write_release(write_lines, path, check_promise(promise, make_manifest_of))
    assert names_in(tmp_path) == []
    persons[1] = "6"
    manifest = write_release(
        write_lines, path, check_promise(promise, make_manifest_of, write_checked=write_checked)
    )
    assert manifest.measures["k"] == 3
    assert names_in(tmp_path) == ["r.csv", "r.csv.json"]


@pytest.mark.parametrize("taken", ["r.csv", "r.csv.json"])
def test_an_existing_name_needs_force(tmp_path: Path, taken: str) -> None:
    (tmp_path / taken).write_text("old", encoding="utf-8")
    with pytest.raises(OutputError, match="--force"):
        release(tmp_path / "r.csv")
    assert (tmp_path / taken).read_text(encoding="utf-8") == "old"
    release(tmp_path / "r.csv", force=True)
    assert names_in(tmp_path) == ["r.csv", "r.csv.json"]
    assert Manifest.load(tmp_path / "r.csv.json").sha256 == hash_file(tmp_path / "r.csv")


def test_names_that_cannot_be_written_are_refused_before_anything_is(tmp_path: Path) -> None:
    def never(path: Path) -> None:
        raise AssertionError("written before it was checked")

    (tmp_path / "folder.csv").mkdir()
    for name, text in [("no/r.csv", "folder"), ("folder.csv", "folder"), ("r.xls", "suffix")]:
        with pytest.raises(OutputError, match=text):
            write_release(never, tmp_path / name, check_promise(make_promise(), make_manifest_of), force=True)
        with pytest.raises(OutputError, match=text):
            check_release_target(tmp_path / name, force=True)
    assert names_in(tmp_path) == ["folder.csv"]


def full_disk(path: Path) -> None:
    path.write_bytes(b"half of it")
    raise OSError(errno.ENOSPC, "No space left on device")


def full_disk_of_the_engine(path: Path) -> None:
    path.write_bytes(b"half of it")
    raise duckdb.IOException("IO Error: could not write a cell of row 17")


def full_disk_of_another_library(path: Path) -> None:
    path.write_bytes(b"half of it")
    raise RuntimeError("sink failed: No space left on device (os error 28)")


@pytest.mark.parametrize("write", [full_disk, full_disk_of_the_engine, full_disk_of_another_library])
@pytest.mark.parametrize("force", [False, True])
def test_a_full_disk_gives_one_line_and_leaves_nothing(tmp_path: Path, write: object, force: bool) -> None:
    path = tmp_path / "r.csv"
    if force:
        release(path)
    before = {entry.name: entry.read_bytes() for entry in tmp_path.iterdir()}
    with pytest.raises(OutputError) as caught:
        write_release(write, path, check_promise(make_promise(), make_manifest_of), force=force)  # type: ignore[arg-type]
    assert str(caught.value).startswith(f"{path}: cannot be written")
    assert "\n" not in str(caught.value)
    assert "row 17" not in str(caught.value)
    assert {entry.name: entry.read_bytes() for entry in tmp_path.iterdir()} == before


def test_a_mistake_in_the_writer_stays_what_it_is_and_leaves_nothing(tmp_path: Path) -> None:
    def mistaken(path: Path) -> None:
        path.write_bytes(b"half of it")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_release(mistaken, tmp_path / "r.csv", check_promise(make_promise(), make_manifest_of))
    assert names_in(tmp_path) == []


@pytest.mark.some(4)
@pytest.mark.parametrize("failing_step", range(1, 5))
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.EACCES, "Permission denied")])
@pytest.mark.parametrize("after", [False, True])
def test_a_failure_while_names_are_given_restores_what_stood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing_step: int, error: BaseException, after: bool
) -> None:
    path = tmp_path / "r.csv"
    release(path)
    before = {entry.name: entry.read_bytes() for entry in tmp_path.iterdir()}
    steps, replace_file = 0, os.replace

    def failing(source: Path, target: Path) -> None:
        nonlocal steps
        steps += 1
        if steps == failing_step and not after:
            raise error
        replace_file(source, target)
        if steps == failing_step:
            raise error

    def write_other(draft: Path) -> None:
        write_csv(draft, HEADER, LINES[::-1])

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises((KeyboardInterrupt, OutputError)):
        write_release(write_other, path, check_promise(make_promise(), make_manifest_of), force=True)
    assert {entry.name: entry.read_bytes() for entry in tmp_path.iterdir()} == before


def test_an_interrupt_at_any_time_leaves_nothing(tmp_path: Path) -> None:
    def interrupted(path: Path) -> None:
        path.write_bytes(b"half of it")
        raise KeyboardInterrupt

    def interrupted_manifest(found: Recount, sha256: str) -> Manifest:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_release(interrupted, tmp_path / "r.csv", check_promise(make_promise(), make_manifest_of))
    with pytest.raises(KeyboardInterrupt):
        write_release(write_lines, tmp_path / "r.csv", check_promise(make_promise(), interrupted_manifest))
    assert names_in(tmp_path) == []


def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a script in a process of its own."""
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.some(2)
@pytest.mark.parametrize("steps", range(5))
@pytest.mark.parametrize("force", [False, True])
def test_a_crash_leaves_no_release_without_its_own_manifest(tmp_path: Path, steps: int, force: bool) -> None:
    path = tmp_path / "r.csv"
    if force:
        release(path)
    script = """
        import os, sys
        from pathlib import Path
        from sfumato.release.write import check_promise, write_release
        from tests.release.made import HEADER, LINES, make_manifest_of, make_promise
        from tests.release.oracle_release import write_csv

        left, replace = int(sys.argv[2]), os.replace

        def crashing(source, target):
            global left
            if left == 0:
                os._exit(9)
            left -= 1
            replace(source, target)

        os.replace = crashing
        write = lambda path: write_csv(path, HEADER, LINES[::-1])
        write_release(write, Path(sys.argv[1]), check_promise(make_promise(), make_manifest_of), force=True)
    """
    done = run(script, path, steps)
    assert done.returncode in (0, 9), done.stderr
    assert (done.returncode == 0) == (steps >= (4 if force else 2))
    if path.exists():
        assert json.loads(manifest_path(path).read_text(encoding="utf-8"))["sha256"] == hash_file(path)


@pytest.mark.some(1)
@pytest.mark.skipif(sys.platform == "win32", reason="file size limits are set by POSIX systems alone")
@pytest.mark.parametrize("writer", ["python", "engine"])
def test_a_disk_that_is_really_full(tmp_path: Path, writer: str) -> None:
    script = """
        import resource, sys
        from pathlib import Path
        import duckdb
        from sfumato.errors import OutputError
        from sfumato.release.write import check_promise, write_release
        from tests.release.made import HEADER, LINES, make_manifest_of, make_promise
        from tests.release.oracle_release import write_csv

        def write(path):
            if sys.argv[2] == "python":
                write_csv(path, HEADER, LINES * 5000)
            else:
                duckdb.sql(f"COPY (SELECT i, hash(i) FROM range(1000000) t(i)) TO '{path}' (HEADER)")

        resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
        try:
            write_release(write, Path(sys.argv[1]), check_promise(make_promise(), make_manifest_of))
        except OutputError as error:
            print(error)
            sys.exit(2)
    """
    done = run(script, tmp_path / "r.csv", writer)
    assert done.returncode == 2, done.stderr
    assert done.stdout.count("\n") == 1
    assert "cannot be written" in done.stdout
    assert names_in(tmp_path) == []


def test_a_long_name_is_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / ("r" * 240 + ".csv")
    release(path)
    assert len(names_in(tmp_path)) == 2


def test_a_promise_without_a_manifest_is_enough_to_judge(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    release(path)
    promise = Promise(("age", "zip"), ("disease",), require={"k": 3, "t(disease)": 0.5})
    assert holds(recount(path, promise), promise) == []
