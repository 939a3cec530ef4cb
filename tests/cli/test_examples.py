"""The examples run as they stand."""

from __future__ import annotations

import re
import runpy
import shlex
import shutil
from pathlib import Path

import pytest

from tests.cli.running import run

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
COMMANDS = re.findall(r"^sfumato (.+)$", (EXAMPLES / "README.md").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a copy of the examples."""
    copy = tmp_path / "examples"
    shutil.copytree(EXAMPLES, copy)
    monkeypatch.chdir(copy)
    return copy


def test_commands_of_the_readme_run_in_their_order(folder: Path) -> None:
    assert len(COMMANDS) > 5
    for command in COMMANDS:
        found = run(*shlex.split(command))
        assert (found.status, found.err) == (0, ""), command
    assert (folder / "shared.csv").is_file()
    assert (folder / "best.csv.json").is_file()


@pytest.mark.parametrize("script", sorted(file.name for file in EXAMPLES.glob("*.py")))
def test_script_runs(script: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(folder.iterdir())
    runpy.run_path(str(folder / script), run_name="__main__")
    assert capsys.readouterr().out
    assert sorted(file for file in folder.iterdir() if file.name != "__pycache__") == before
