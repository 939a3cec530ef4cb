"""``sfumato serve`` before there is anything to serve: what is missing, and what cannot be used."""

from __future__ import annotations

import socket
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cli.running import run

if TYPE_CHECKING:
    from pathlib import Path


def test_missing_extra_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("sfumato.app")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    found = run("serve", "--no-browser")
    assert found.status == 2
    assert 'needs uvicorn, which is not installed. Run: pip install "sfumato[app]"' in found.line


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    pytest.importorskip("nicegui", reason="the extra 'app' is not installed")
    (tmp_path / "file").touch()
    assert "a file has this name" in run("serve", tmp_path / "file", "--no-browser").line


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    pytest.importorskip("nicegui", reason="the extra 'app' is not installed")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        found = run("serve", tmp_path / "projects", "--port", port, "--no-browser")
    assert found.status == 2
    assert f"port {port} cannot be used" in found.line
