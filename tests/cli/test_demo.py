"""``sfumato demo``: the whole way on the embedded table."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.cli.running import change, listing, run

if TYPE_CHECKING:
    from pathlib import Path

MADE = ["ATTRIBUTION.md", "adult-k10.csv", "adult-k10.csv.json", "adult.parquet", "adult.toml"]
MADE += ["classes.json", "front.csv", "front.html", "global.csv"]
MADE += ["report-internal.html", "report.html", "run.json"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_demo_goes_the_whole_way(folder: Path) -> None:
    (folder / "sfumato-demo-1").mkdir()
    found = run("demo", columns=80)
    assert (found.status, found.err) == (0, "")
    made = folder / "sfumato-demo-2"
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


def test_demo_fills_a_folder_but_replaces_only_by_force_and_can_be_edited(folder: Path) -> None:
    made = folder / "mine"
    made.mkdir()
    (made / "note.txt").write_text("keep", encoding="utf-8")
    assert run("demo", "--out", "mine", "--quiet").status == 0
    before = listing(folder)
    found = run("demo", "--out", "mine")
    assert found.status == 2
    assert "exists already" in found.line
    assert listing(folder) == before
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


def test_full_disk_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    found = run("demo")
    assert found.status == 2
    assert "No space left" in found.line
    assert list(folder.iterdir()) == []
