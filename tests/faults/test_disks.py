"""A damaged input, a disk that is full: nothing under a final name, a clear line, and a re-run succeeds."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import duckdb
import pytest

from tests.cli.running import change, run
from tests.faults.kills import LEVELS, ROOT, SPECIFICATION

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 200_000
SMALL_DISK = """
import resource, sys
from sfumato.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
sys.argv[1:] = sys.argv[2:]
main()
"""
posix = pytest.mark.skipif(sys.platform == "win32", reason="file size limits are set by POSIX systems alone")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a table that is larger than the disks below."""
    path = tmp_path_factory.mktemp("made") / "people.parquet"
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(
            f"""COPY (SELECT md5(i::VARCHAR) AS name, (20 + hash(i, 1) % 40)::INTEGER AS age,
                    (hash(i, 2) % 90 + 10)::VARCHAR AS zip, ['f', 'm'][1 + i % 2] AS sex,
                    ['flu', 'gout', 'cold'][1 + i % 3] AS disease FROM range({ROWS}) AS t(i))
                TO '{path}' (FORMAT parquet)"""
        )
    return path


@pytest.fixture
def spec(made: Path, tmp_path: Path) -> Path:
    (tmp_path / "people.parquet").write_bytes(made.read_bytes())
    path = tmp_path / "people.toml"
    path.write_text(SPECIFICATION.format(person="", age=LEVELS, sentence="", maximize=""), encoding="utf-8")
    return change(path, "people.csv", "people.parquet")


def run_on_a_small_disk(folder: Path, most_bytes: int, *words: object) -> subprocess.CompletedProcess[str]:
    """Run a command in a process that can write no file of more than some bytes."""
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", SMALL_DISK, str(most_bytes), *map(str, words)],
        env={**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert list(temporary.iterdir()) == []
    temporary.rmdir()
    return done


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.some(2)
@pytest.mark.parametrize("damage", ["half", "last byte", "pages"])
def test_a_truncated_parquet_file_is_named(spec: Path, tmp_path: Path, damage: str) -> None:
    data, before = tmp_path / "people.parquet", names(tmp_path)
    whole = data.read_bytes()
    middle = len(whole) // 3
    damaged = {
        "half": whole[: len(whole) // 2],
        "last byte": whole[:-1],
        # The list of columns at the end is there, but what it points to is not.
        "pages": whole[:middle] + bytes(middle) + whole[2 * middle :],
    }
    data.write_bytes(damaged[damage])
    found = run("anonymize", spec, "--out", tmp_path / "r.csv")
    assert found.status == 2
    assert "people.parquet" in found.line
    assert "damaged" in found.line
    assert names(tmp_path) == before
    data.write_bytes(whole)
    assert run("anonymize", spec, "--out", tmp_path / "r.csv", "--quiet").status == 0


@pytest.mark.some(1)
@posix
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_disk_that_is_full_while_a_release_is_written(spec: Path, tmp_path: Path, suffix: str) -> None:
    change(spec, '[attributes.name]\nrole = "identifier"', '[attributes.name]\nrole = "other"')
    before, out = names(tmp_path), tmp_path / f"r.{suffix}"
    done = run_on_a_small_disk(tmp_path, 500_000, "anonymize", spec, "--out", out)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "cannot be written" in done.stderr
    assert names(tmp_path) == before
    assert run("anonymize", spec, "--out", out, "--quiet").status == 0


@posix
def test_a_disk_that_is_full_while_the_engine_spills(spec: Path, tmp_path: Path) -> None:
    data = tmp_path / "people.parquet"
    words = ("measure", data, "--qi", "name,age,zip", "--memory", "25MB")
    done = run_on_a_small_disk(tmp_path, 100_000, *words)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "Raise --memory, or set TMPDIR" in done.stderr
    assert run_on_a_small_disk(tmp_path, 10**9, *words[:-2]).returncode == 0


@pytest.mark.slow
@posix
def test_a_disk_that_is_full_while_a_release_is_verified(spec: Path, tmp_path: Path) -> None:
    change(spec, '[attributes.name]\nrole = "identifier"', '[attributes.name]\nrole = "sensitive"')
    out = tmp_path / "r.parquet"
    assert run("anonymize", spec, "--out", out, "--quiet").status == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    done = run_on_a_small_disk(tmp_path, 100_000, "verify", out, "--memory", "20MB")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "r.parquet" in done.stderr
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert run_on_a_small_disk(tmp_path, 10**9, "verify", out).returncode == 0
