"""``--checkpoint`` on the command line: it resumes, and refuses what is not its own."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from sfumato.cli.output import Watch
from tests.cli.running import change, listing, run

if TYPE_CHECKING:
    from pathlib import Path

    from sfumato.search import Progress

AGE = "hierarchy = { intervals = [10, 20, 40], origin = 0 }"
ZIP = 'hierarchy = { file = "zip.csv" }'


@pytest.fixture
def mixed(spec: Path) -> Path:
    """Give a specification with three schemes and one thing to minimize."""
    change(spec, AGE, 'granularity = 2\nscheme = "OPS"')
    change(spec, 'maximize = ["k", "distinct_l(disease)"]\n', "")
    return change(spec, ZIP, f'{ZIP}\nscheme = "sets"')


def anonymize(mixed: Path, *more: object) -> dict[str, object]:
    """Run the command and return what it prints as JSON."""
    made = run("anonymize", mixed, "--out", mixed.parent / "o.csv", "--force", "--json", *more)
    assert made.status == 0, made.err
    return made.json


def test_a_stopped_run_goes_on_where_it_was(mixed: Path, tmp_path: Path) -> None:
    """Stopped at once it says how far it came; resumed without a limit it proves the same optimum."""
    path = tmp_path / "search.npz"
    whole = anonymize(mixed, "--time-limit", "600")
    stopped = run(
        "anonymize",
        mixed,
        "--out",
        tmp_path / "s.csv",
        "--json",
        "--checkpoint",
        path,
        "--time-limit",
        "0.001",
    )
    assert stopped.status in (0, 1), stopped.err  # 1 where no solution was found in that time
    if stopped.status == 0:
        about = stopped.json["run"]
        assert isinstance(about, dict)
        assert about["status"] == "limit-reached"
        assert about["stopped"] == "time limit"
        assert about.get("gap", 1) > 0
    assert path.is_file()
    resumed = anonymize(mixed, "--checkpoint", path, "--time-limit", "600")
    assert resumed["run"]["status"] == "optimal"  # type: ignore[index]
    assert resumed["run"]["gap"] == 0  # type: ignore[index]
    assert resumed["measures"]["loss"] == pytest.approx(whole["measures"]["loss"])  # type: ignore[index]
    assert run("verify", tmp_path / "o.csv").status == 0


def test_explore_keeps_one_too(mixed: Path, tmp_path: Path) -> None:
    path = tmp_path / "search.npz"
    found = run(
        "explore", mixed, "--out", tmp_path / "front", "--json", "--checkpoint", path, "--time-limit", "600"
    )
    assert found.status == 0, found.err
    assert found.json["run"]["method"] == "optimal"  # type: ignore[index]
    assert path.is_file()


def test_the_checkpoint_of_another_run_is_wrong_use(mixed: Path, tmp_path: Path) -> None:
    path = tmp_path / "search.npz"
    anonymize(mixed, "--checkpoint", path, "--time-limit", "600")
    change(mixed, "k = 3", "k = 4")
    before = listing(tmp_path)
    failed = run("anonymize", mixed, "--out", tmp_path / "other.csv", "--checkpoint", path)
    assert failed.status == 2
    assert "search.npz is the checkpoint of another run" in failed.line
    assert "remove it" in failed.line
    assert listing(tmp_path) == before


@pytest.mark.parametrize("option", [[], ["--json"]])
def test_a_foreign_file_is_wrong_use(mixed: Path, tmp_path: Path, option: list[str]) -> None:
    """The data themselves, say: they are refused and stay as they are."""
    before = listing(tmp_path)
    failed = run(
        "anonymize", mixed, "--out", tmp_path / "o.csv", "--checkpoint", tmp_path / "people.csv", *option
    )
    assert failed.status == 2
    message = failed.json["error"]["message"] if option else failed.line  # type: ignore[index]
    assert "people.csv is not a checkpoint" in message
    assert listing(tmp_path) == before


def test_a_folder_that_is_not_there_is_wrong_use(mixed: Path, tmp_path: Path) -> None:
    before = listing(tmp_path)
    path = tmp_path / "none" / "search.npz"
    failed = run("anonymize", mixed, "--out", tmp_path / "o.csv", "--checkpoint", path)
    assert failed.status == 2
    assert "none" in failed.line
    assert listing(tmp_path) == before


def test_another_seed_is_another_run(mixed: Path, tmp_path: Path) -> None:
    path = tmp_path / "search.npz"
    anonymize(mixed, "--checkpoint", path, "--time-limit", "600")
    failed = run("anonymize", mixed, "--out", tmp_path / "other.csv", "--checkpoint", path, "--seed", "2")
    assert failed.status == 2
    assert "another run" in failed.line


@pytest.mark.some(2)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("keeps", [False, True])
def test_a_signal_ends_a_search_in_order(
    mixed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keeps: bool, number: signal.Signals
) -> None:
    """It writes the best so far, says so, keeps how far it came if asked to, and goes on from there."""
    call, before = Watch.__call__, signal.getsignal(number)

    def stopped(self: Watch, step: Progress) -> bool:
        if not self.has_begun:
            call(self, step)
            signal.raise_signal(number)
        return call(self, step)

    path = tmp_path / "search.npz"
    more = ["--checkpoint", path] if keeps else []
    with monkeypatch.context() as patch:
        patch.setattr(Watch, "__call__", stopped)
        found = run("anonymize", mixed, "--out", tmp_path / "o.csv", *more)
    assert found.status == 0, found.err
    assert "not proven optimal: the search ended after" in found.out
    assert "(stopped)" in found.out
    assert run("verify", tmp_path / "o.csv").status == 0
    assert path.exists() == keeps
    assert signal.getsignal(number) is before
    if keeps:
        assert os.name == "nt" or path.stat().st_mode & 0o777 == 0o600
        assert anonymize(mixed, *more, "--time-limit", "600")["run"]["status"] == "optimal"  # type: ignore[index]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_before_the_search_writes_nothing(
    mixed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """Though an engine makes an error of its own of it, as those do that watch for signals themselves."""

    def read(*_: object, **__: object) -> None:
        try:
            signal.raise_signal(number)
        except BaseException:
            raise RuntimeError("query interrupted") from None

    before = listing(tmp_path)
    monkeypatch.setattr("sfumato.preparing.load", read)
    found = run("anonymize", mixed, "--out", tmp_path / "o.csv")
    word, status = ("terminated", 143) if number == signal.SIGTERM else ("interrupted", 130)
    assert (found.status, found.line) == (status, f"error: {word}; nothing was written.")
    assert listing(tmp_path) == before


def test_every_search_keeps_one(spec: Path, tmp_path: Path) -> None:
    """By levels too, where it takes moments."""
    whole = run("anonymize", spec, "--out", tmp_path / "o.csv", "--checkpoint", tmp_path / "c", "--json")
    assert whole.status == 0, whole.err
    assert (tmp_path / "c").exists()
    again = run("anonymize", spec, "--out", tmp_path / "p.csv", "--checkpoint", tmp_path / "c", "--json")
    assert again.json["measures"] == whole.json["measures"]
