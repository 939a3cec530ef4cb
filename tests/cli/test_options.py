"""Every command shows the common options that do something there, and refuses the others with a hint."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import sfumato.api
import sfumato.cli.demo
import sfumato.report.document
from sfumato.cli.main import make_app
from sfumato.errors import ParameterError
from sfumato.monitor import Monitor
from tests.cli.running import run, write_people

if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS = {
    "demo": ["demo", "--out", "demo"],
    "init": ["init", "people.csv", "--out", "new.toml"],
    "check": ["check", "people.toml"],
    "explore": ["explore", "people.toml", "--out", "new"],
    "compare": ["compare", "people.toml", "--front", "front", "1", "2", "--out", "new.html"],
    "anonymize": ["anonymize", "people.toml", "--out", "new.csv"],
    "release": ["release", "people.toml", "--front", "front", "--pick", "1", "--out", "new.csv"],
    "apply": ["apply", "out.csv.json", "people.csv", "--out", "new.csv"],
    "verify": ["verify", "out.csv"],
    "report": ["report", ".", "--release", "out.csv", "--out", "new.html"],
    "measure": ["measure", "people.csv", "--qi", "age,sex"],
    "risk": ["risk", "people.csv", "--spec", "people.toml", "--release", "out.csv"],
    "microaggregate": ["microaggregate", "people.csv", "--columns", "age,visit", "--out", "new.csv"],
    "studies": ["studies", "list"],
}
VALUES = {
    "--json": [],
    "--quiet": [],
    "--force": [],
    "--no-values": [],
    "--threads": ["3"],
    "--seed": ["4711"],
    "--time-limit": ["3333.5"],
    "--checkpoint": ["kept.npz"],
}


def shown_options(command: str) -> set[str]:
    return set(re.findall(r"^  (--[a-z-]+)", run(command, "--help").out, re.MULTILINE))


SHOWN = {command: shown_options(command) for command in COMMANDS}
PAIRS = [(command, option) for command in COMMANDS for option in VALUES]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with a front and a release."""
    folder = tmp_path_factory.mktemp("made")
    spec = write_people(folder)
    assert run("explore", spec, "--out", folder / "front").status == 0
    assert run("anonymize", spec, "--out", folder / "out.csv").status == 0
    return folder


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a copy of it."""
    folder = tmp_path / "work"
    shutil.copytree(made, folder)
    monkeypatch.chdir(folder)
    return folder


class _StopError(ParameterError):
    """Ends a command once it has called the library."""


def spy_on(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Let the library be called, but not work; return the list of what it is given."""
    seen: list[object] = []

    def call(*given: object, **named: object) -> None:
        for value in (*given, *named.values()):
            seen.append(value)
            search = getattr(value, "search", None)
            seen.extend([] if search is None else [search.seed, search.time_limit])
        raise _StopError("called")

    for module, name in (
        (sfumato.api, "explore"),
        (sfumato.api, "anonymize"),
        (sfumato.api, "release_solution"),
        (sfumato.api, "risk"),
        (sfumato.api, "microaggregate"),
    ):
        monkeypatch.setattr(module, name, call)
    return seen


def without_work(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the demonstration, which takes long, copy its sources and do no more."""
    if command == "demo":
        monkeypatch.setattr(sfumato.cli.demo, "_run", lambda *_: {})
        monkeypatch.setattr(sfumato.cli.demo, "MADE", ())


def json_is_printed(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    without_work(command, monkeypatch)
    assert json.loads(run(*COMMANDS[command], "--json").out)


def nothing_is_printed(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    without_work(command, monkeypatch)
    found = run(*COMMANDS[command], "--quiet")
    assert (found.status, found.out) == (0, "")


def outputs_are_replaced(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands there is refused, and with the option the command goes on to its end or to the library."""
    out = Path(COMMANDS[command][COMMANDS[command].index("--out") + 1])
    is_folder = command in ("demo", "explore")
    if is_folder:
        out.mkdir()
    file = {"demo": out / "front.csv", "explore": out / "run.json"}.get(command, out)
    file.write_text("mine", encoding="utf-8")
    assert "exists already" in run(*COMMANDS[command]).line
    spy_on(monkeypatch)
    found = run(*COMMANDS[command], "--force")
    assert found.status == 0 or found.line == "error: called"


def value_is_used(option: str) -> Callable[[str, pytest.MonkeyPatch], None]:
    def check(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
        seen = spy_on(monkeypatch)
        assert run(*COMMANDS[command], option, *VALUES[option]).line == "error: called"
        assert VALUES[option][0] in map(str, seen)

    return check


def values_are_hidden(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    if command == "demo":
        spy = _show_spy("show_labels", seen)
        monkeypatch.setattr(sfumato.cli.demo, "front_files", spy)
    elif command == "report":
        monkeypatch.setattr(sfumato.report.document, "write_report", _show_spy("show_values", seen))
    if command in ("demo", "report"):
        run(*COMMANDS[command])
        run(*COMMANDS[command], "--no-values")
        assert seen == [True, False]
        return
    if command == "apply":
        texts = [run(*COMMANDS[command], "--force", *more).out for more in ((), ("--no-values",))]
        assert ["20-" in text or "*" in text for text in texts] == [True, False]
        return
    if command == "init":
        rows = ["colour,wage", *(f"{('at 24200', 'at 24301', 'red')[n % 3]},{1000 + n}" for n in range(60))]
        Path("people.csv").write_text("\n".join(rows), encoding="utf-8")
        texts = [_text_of_init(), _text_of_init("--no-values")]
    else:
        Path("zip.csv").write_text("24126;*\n24127;*\n", encoding="utf-8")
        texts = [run(*COMMANDS[command], *more).line for more in ((), ("--no-values",))]
    assert [value in text for text in texts for value in ("24200", "24301")] == [True, True, False, False]


def _show_spy(name: str, seen: list[bool]) -> Callable[..., None]:
    def spy(*_: object, **named: bool) -> None:
        seen.append(named[name])
        raise _StopError("called")

    return spy


def _text_of_init(*more: str) -> str:
    assert run(*COMMANDS["init"], "--force", *more).status == 0
    return Path("new.toml").read_text(encoding="utf-8")


ACTS: dict[str, Callable[[str, pytest.MonkeyPatch], None]] = {
    "--json": json_is_printed,
    "--quiet": nothing_is_printed,
    "--force": outputs_are_replaced,
    "--no-values": values_are_hidden,
    **{name: value_is_used(name) for name in ("--threads", "--seed", "--time-limit", "--checkpoint")},
}


def test_the_table_has_every_command() -> None:
    # The server runs until it is stopped, and takes none of the common options.
    assert [item.name for item in make_app().registered_commands] == [*COMMANDS, "serve"]


@pytest.mark.some(24)
@pytest.mark.parametrize(
    ("command", "option"), [(command, option) for command, option in PAIRS if option in SHOWN[command]]
)
def test_a_shown_option_acts(command: str, option: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ACTS[option](command, monkeypatch)


@pytest.mark.parametrize(
    ("command", "option"), [(command, option) for command, option in PAIRS if option not in SHOWN[command]]
)
def test_another_option_is_refused_with_a_hint(
    command: str, option: str, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made)
    before = sorted(made.rglob("*"))
    for words in (
        [*COMMANDS[command], option, *VALUES[option]],
        [option, *VALUES[option], *COMMANDS[command]],
    ):
        found = run(*words)
        assert (found.status, found.out) == (2, "")
        assert found.line.startswith(f"error: sfumato {command}: {option} does nothing here")
        named = re.findall("[a-z]+", found.line.partition(" of ")[2].partition(". ")[0])
        assert [word for word in named if word != "and"] == [
            name for name in COMMANDS if option in SHOWN[name]
        ]
    error = run(*COMMANDS[command], option, *VALUES[option], "--json").json["error"]
    assert f"{option} does nothing here" in str(error)
    assert sorted(made.rglob("*")) == before


def test_the_table_as_it_stands() -> None:
    assert {option: " ".join(name for name in COMMANDS if option in SHOWN[name]) for option in VALUES} == {
        "--json": " ".join(COMMANDS),
        "--quiet": " ".join(COMMANDS),
        "--force": "demo init explore compare anonymize release apply report microaggregate",
        "--no-values": "demo init check explore compare anonymize release apply report risk",
        "--threads": "demo explore anonymize microaggregate",
        "--seed": "demo explore anonymize risk microaggregate",
        "--time-limit": "demo explore anonymize release risk microaggregate",
        "--checkpoint": "explore anonymize microaggregate",
    }


@pytest.mark.parametrize("command", ["release", "risk"])
def test_the_time_limit_of_a_specification_reaches_what_is_drawn_and_attacked(
    command: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = here / "people.toml"
    text = spec.read_text(encoding="utf-8") + '\n[release]\nchoice = "near-optimal"\ntolerance = 0.2\n'
    spec.write_text(text, encoding="utf-8")
    limits: list[float | None] = []
    begin = Monitor.__init__

    def watch(self: Monitor, time_limit_s: float | None = None, callback: object = None) -> None:
        limits.append(time_limit_s)
        begin(self, time_limit_s, callback)  # type: ignore[arg-type]

    monkeypatch.setattr(Monitor, "__init__", watch)
    assert run(*COMMANDS[command], "--time-limit", "3333.5").status == 0
    assert 3333.5 in limits


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["explore", "a", "--pick", "knee"], "--pick does nothing here; it is an option of release."),
        (["check", "a", "--qi=age"], "--qi does nothing here; it is an option of measure and risk."),
        (["check", "a", "--no-standardize"], "it is an option of microaggregate."),
        (["check", "a", "--sed", "3"], "no such option: --sed"),
        (["release", "--front"], "requires an argument"),
        (["--seed", "3"], "--seed does nothing here; it is an option of demo, explore,"),
    ],
)
def test_any_option_of_another_command_is_refused_with_a_hint(words: list[str], expected: str) -> None:
    found = run(*words)
    assert found.status == 2
    assert expected in found.line
