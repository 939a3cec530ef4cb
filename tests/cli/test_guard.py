"""The door: what is unexpected is told as ours, without a word of the data."""

from __future__ import annotations

import io
import os
import signal
import sys
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

import sfumato.api
from sfumato.cli.main import make_app, move_common_options
from tests.cli.running import run

if TYPE_CHECKING:
    from pathlib import Path


def _fail_with(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(sfumato.api, "check", fail)


def test_our_own_mistake_is_one_line_without_its_text(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fail_with(ZeroDivisionError("person-17"), monkeypatch)
    found = run("check", spec)
    assert (found.status, found.out) == (2, "")
    assert "ZeroDivisionError" in found.line
    assert "SFUMATO_TRACEBACK=1" in found.line
    assert "person-17" not in found.line
    assert "person-17" not in run("check", spec, "--json").out


def test_traceback_can_be_had(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fail_with(ZeroDivisionError("told"), monkeypatch)
    result = CliRunner(env={"SFUMATO_TRACEBACK": "1"}).invoke(make_app(), ["check", str(spec), "--json"])
    assert result.exit_code == 2
    assert "Traceback" in result.stderr
    assert result.stdout.startswith("{")


def test_too_little_memory_is_no_mistake_of_ours(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fail_with(MemoryError(), monkeypatch)
    assert "not enough memory" in run("check", spec).line


def test_what_the_system_refuses_is_no_mistake_of_ours(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fail_with(PermissionError(13, "Permission denied", "secret.csv"), monkeypatch)
    found = run("check", spec)
    assert found.status == 2
    assert found.line == "error: secret.csv: the operating system refused: Permission denied. " + (
        "Check the file, its folder and the disk."
    )


def test_ctrl_c_is_status_130(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fail_with(KeyboardInterrupt(), monkeypatch)
    found = run("check", spec)
    assert found.status == 130
    assert "interrupted; nothing was written" in found.line
    as_json = run("check", spec, "--json")
    assert (as_json.status, as_json.err) == (130, "")
    assert "interrupted" in str(as_json.json["error"])


def test_an_early_end_of_a_file_is_no_interrupt(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fail_with(EOFError("person-17"), monkeypatch)
    found = run("check", spec)
    assert found.status == 2
    assert "EOFError" in found.line
    assert "person-17" not in found.line


def test_sigterm_is_status_143(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def terminate(*_: object) -> None:
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(sfumato.api, "check", terminate)
    found = run("check", spec)
    assert (found.status, found.line) == (143, "error: terminated; nothing was written.")
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_without_a_command_there_is_help() -> None:
    found = run()
    assert found.status == 2
    assert "Commands:" in found.out
    assert run("--help").status == 0
    assert run("--version").out.startswith("sfumato ")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["--json", "check", "a"], ["check", "--json", "a"]),
        (["--seed=3", "--quiet", "check"], ["check", "--seed=3", "--quiet"]),
        (["--threads", "2", "check", "a", "--json"], ["check", "--threads", "2", "a", "--json"]),
        (["check", "--json"], ["check", "--json"]),
        (["--version", "check"], ["--version", "check"]),
        (["--json"], ["--json"]),
        (["--seed"], ["--seed"]),
        ([], []),
    ],
)
def test_common_options_may_stand_in_front(given: list[str], expected: list[str]) -> None:
    assert move_common_options(given) == expected


def test_names_of_columns_cannot_steer_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\x1b[31m,b\nx,1\nx,2\n", encoding="utf-8")
    for words in (["--qi", "a\x1b[31m"], ["--qi", "a\x1b[32m"]):
        found = run("measure", tmp_path / "t.csv", *words)
        assert "\x1b" not in found.out + found.err


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_old_terminals_get_what_they_can_show(
    spec: Path, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding, write_through=True))
    monkeypatch.setitem(os.environ, "COLUMNS", "80")
    with pytest.raises(SystemExit) as end:
        make_app()(["explore", str(spec), "--out", str(spec.with_name("front"))])
    assert end.value.code == 0
    assert "solutions" in raw.getvalue().decode(encoding)
    assert b"knee" in raw.getvalue()
