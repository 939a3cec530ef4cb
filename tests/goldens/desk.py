"""A folder to work in, commands run in this process, and everything that is kept of them."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

from sfumato.cli.main import make_app
from tests.goldens.masking import mask
from tests.goldens.rendering import BINARY, file_text, frame_text

if TYPE_CHECKING:
    from collections.abc import Iterator

SPECS = Path(__file__).with_name("specs")
# What tells a program how wide or colourful its terminal is.
TERMINAL = (
    *("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE"),
    *("TTY_INTERACTIVE", "TERM", "COLORTERM", "SFUMATO_TRACEBACK", "_TYPER_FORCE_DISABLE_TERMINAL"),
)


class Desk:
    """Runs commands in a folder, which is the working directory meanwhile, and keeps their outputs.

    Parameters
    ----------
    folder
        An empty folder. All paths are relative to it, so that none is in an output.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kept: dict[str, str] = {}

    def bring(self, name: str) -> str:
        """Copy a specification into the folder."""
        (self.folder / name).write_bytes((SPECS / name).read_bytes())
        return name

    def run(self, name: str, *arguments: object, status: int = 0, columns: int | None = None) -> str:
        """Run a command, keep what it prints as NAME.txt, and return its standard output."""
        words = [str(word) for word in arguments]
        found, out, err = call(words, columns)
        shown = " ".join(f'"{word}"' if " " in word else word for word in words)
        self.keep(f"{name}.txt", f"$ sfumato {shown}\nstatus {found}\n{out}--- standard error\n{err}")
        assert found == status, f"{shown} ended with status {found}: {err}"
        return out

    def keep(self, name: str, text: str) -> None:
        """Keep a text under a name of its own."""
        assert name not in self.kept, name
        self.kept[name] = text

    def keep_files(self, *names: str) -> None:
        """Keep files of the folder, as text or as a rendering."""
        for name in names:
            suffix = ".txt" if Path(name).suffix in (*BINARY, ".html") else ""
            self.keep(f"{name.replace('/', '-')}{suffix}", file_text(self.folder / name))

    def keep_frame(self, name: str, frame: object) -> None:
        """Keep a frame of any library."""
        self.keep(f"{name}.txt", frame_text(frame))

    def keep_json(self, name: str, value: object) -> None:
        """Keep what a function returned."""
        text = json.dumps(value, indent=1, default=_plain, ensure_ascii=False)
        self.keep(f"{name}.json", f"{text}\n")

    def result(self) -> dict[str, str]:
        """Return everything that was kept, masked, and the names of all files."""
        files = sorted(file for file in self.folder.rglob("*") if file.is_file())
        listing = "".join(f"{file.relative_to(self.folder).as_posix()}\n" for file in files)
        packed = [file for file in files if file.suffix in BINARY]
        digests = {hashlib.sha256(file.read_bytes()).hexdigest(): file.suffix for file in packed}
        # Messages about files give the whole path where they resolve it.
        kept = {name: mask(self._hide_folder(text), digests) for name, text in self.kept.items()}
        return {**kept, "files.txt": listing}

    def _hide_folder(self, text: str) -> str:
        for path in {self.folder, self.folder.resolve()}:
            text = text.replace(str(path), "<folder>")
        return text


def call(words: list[str], columns: int | None = None) -> tuple[int, str, str]:
    """Run a command; return its status and what it printed."""
    out, err = _stream(), _stream()
    with (
        _environment(columns),
        mock.patch.object(sys, "argv", ["sfumato", *words]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        status = _status()
    return status, _text(out), _text(err)


def _status() -> int:
    try:
        make_app()()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode()


@contextlib.contextmanager
def _environment(columns: int | None) -> Iterator[None]:
    """Hide the terminal that the tests run in."""
    with mock.patch.dict(os.environ):
        for name in TERMINAL:
            os.environ.pop(name, None)
        if columns is not None:
            os.environ["COLUMNS"] = str(columns)
        yield


def _plain(value: object) -> object:
    """Write what JSON does not know."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value)
