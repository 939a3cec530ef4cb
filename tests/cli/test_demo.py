"""``sfumato demo``: the whole way on the embedded table."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

import sfumato.cli.demo
from tests.cli.running import change, listing, run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.running import Run

MADE = ["ATTRIBUTION.md", "adult-k10.csv", "adult-k10.csv.json", "adult.parquet", "adult.toml"]
MADE += ["classes.json", "front.csv", "front.html", "global.csv"]
MADE += ["report-internal.html", "report.html", "run.json"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    """Run the demonstration once, where one was made before."""
    place = tmp_path_factory.mktemp("demo")
    (place / "sfumato-demo-1").mkdir()
    with contextlib.chdir(place):
        return run("demo", columns=80), place / "sfumato-demo-2"


def test_demo_goes_the_whole_way(demo: tuple[Run, Path]) -> None:
    found, made = demo
    assert (found.status, found.err) == (0, "")
    assert sorted(file.name for file in made.iterdir() if file.is_file()) == MADE
    told = json.loads((made / "run.json").read_text(encoding="utf-8"))
    assert told["global"]["complete"] is True
    assert [step["gap"] > 0 for step in told["ladder"]["steps"]] == [True, True, True]
    stated = json.loads((made / "adult-k10.csv.json").read_text(encoding="utf-8"))
    assert stated["measures"]["k"] >= 10
    assert stated["measures"]["loss"] < 0.05, "global recoding loses 37 %"
    assert run("verify", made / "adult-k10.csv").status == 0
    for name, is_internal in (("report.html", False), ("report-internal.html", True)):
        page = (made / name).read_text(encoding="utf-8")
        assert "Verified:" in page
        assert ("Do not publish." in page) is is_internal
        assert len(page) < 300_000
        assert name in found.out
    assert os.name != "posix" or (made / "report-internal.html").stat().st_mode & 0o777 == 0o600
    for word in ("17,920 recodings", "picked", "verified", "cd sfumato-demo-2"):
        assert word in found.out
    assert max(len(line) for line in found.out.splitlines()) <= 80


def test_demo_fills_a_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the names of what would be made that count, and not what else is there; without the work."""
    monkeypatch.setattr(sfumato.cli.demo, "_run", lambda *_: {})
    monkeypatch.setattr(sfumato.cli.demo, "MADE", ())
    (folder / "mine").mkdir()
    (folder / "mine" / "note.txt").write_text("keep", encoding="utf-8")
    assert run("demo", "--out", "mine", "--quiet").status == 0
    assert (folder / "mine" / "adult.toml").is_file()
    assert (folder / "mine" / "note.txt").read_text(encoding="utf-8") == "keep"


@pytest.fixture
def mine(folder: Path, demo: tuple[Run, Path]) -> Path:
    """Copy what the demonstration made, and put a note beside it."""
    shutil.copytree(demo[1], folder / "mine")
    (folder / "mine" / "note.txt").write_text("keep", encoding="utf-8")
    return folder / "mine"


def test_demo_replaces_nothing_by_itself(folder: Path, mine: Path) -> None:
    before = listing(folder)
    found = run("demo", "--out", "mine")
    assert found.status == 2
    assert "exists already" in found.line
    assert listing(folder) == before


@pytest.mark.slow
def test_demo_replaces_by_force_and_can_be_edited(folder: Path, mine: Path) -> None:
    made, before = mine, listing(folder)
    forced = run("demo", "--out", "mine", "--json", "--force").json
    assert (forced["folder"], forced["verified"]) == ("mine", True)
    files = forced["files"]
    assert isinstance(files, list)
    assert all((made / name).is_file() for name in files)
    assert listing(folder).keys() == before.keys()
    assert (made / "note.txt").read_text(encoding="utf-8") == "keep"
    again = run("release", made / "adult.toml", "--front", made, "--pick", "knee", "--out", made / "knee.csv")
    assert again.status == 0
    change(made / "adult.toml", "intervals = [3, 6, 12, 24, 48]", "intervals = [6, 12, 24, 48]")
    assert run("explore", made / "adult.toml", "--out", made / "front", "--quiet").status == 0
    changed = json.loads((made / "front" / "run.json").read_text(encoding="utf-8"))
    assert changed["global"]["space"] == str(17920 * 6 // 7)


@pytest.mark.parametrize("out", ["file/demo", "nowhere/demo", "file"])
def test_demo_needs_a_place(folder: Path, out: str) -> None:
    (folder / "file").write_text("", encoding="utf-8")
    found = run("demo", "--out", out)
    assert (found.status, found.out) == (2, "")
    assert list(listing(folder)) == ["file"]


@pytest.mark.slow
def test_full_disk_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    found = run("demo")
    assert found.status == 2
    assert "No space left" in found.line
    assert list(folder.iterdir()) == []
