"""A running server, and a browser for it; both are missing on machines without Chromium."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--no-first-run"),
)


@dataclass
class Server:
    """A `sfumato serve` of its own."""

    process: subprocess.Popen[str]
    address: str  # with the token

    @property
    def home(self) -> str:
        return self.address.partition("/?")[0]

    def end(self) -> str:
        """End it as Ctrl-C does; return what it printed."""
        self.process.terminate()
        return self.process.communicate(timeout=120)[0]


@contextmanager
def serving(*arguments: str, temporary: Path) -> Iterator[Server]:
    """Run a server until the end of the context; its temporary files are in a folder of their own."""
    settings = {**os.environ, "TMPDIR": str(temporary), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "sfumato", "serve", "--no-browser", *arguments]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=settings
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None, process.stdout.read()
        yield Server(process, found.group())
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    pytest.importorskip("nicegui", reason="the extra 'app' is not installed")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield running
        running.close()


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests of a process, which keeps its projects."""
    pytest.importorskip("nicegui", reason="the extra 'app' is not installed")
    home, temporary = tmp_path_factory.mktemp("served") / "projects", tmp_path_factory.mktemp("temporary")
    with serving(str(home), temporary=temporary) as server:
        yield server
