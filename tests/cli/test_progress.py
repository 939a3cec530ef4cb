"""Ctrl-C during a search, and the bar on a terminal."""

from __future__ import annotations

import contextlib
import io
import json
import signal
import sys
import threading
from typing import TYPE_CHECKING

import pytest

import sfumato.api
from sfumato.cli import output
from sfumato.cli.options import Options
from sfumato.cli.output import Watch, progress_text, watching
from sfumato.search import Progress
from tests.cli.running import listing, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sfumato.releases import Release
    from sfumato.results import Front

STEP = Progress(0.5, 1234, 0.2)


class _Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def _press(times: int, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Let Ctrl-C arrive so often right after the search has told its progress for the first time."""
    original: Callable[..., object] = getattr(sfumato.api, name)

    def pressed(*given: object, callback: Callable[[Progress], bool], **others: object) -> object:
        callback(STEP)
        for _ in range(times):
            signal.raise_signal(signal.SIGINT)
        assert callback(STEP) is True
        return original(*given, callback=callback, **others)

    monkeypatch.setattr(sfumato.api, name, pressed)


def _cut(name: str, monkeypatch: pytest.MonkeyPatch, gap: float = 0.5) -> None:
    """Let a search end as one that was stopped."""
    original: Callable[..., Front | Release] = getattr(sfumato.api, name)

    def cut(*given: object, **others: object) -> Front | Release:
        found = original(*given, **others)
        found.run.update({"complete": False, "stopped": "stopped", "bound": 0.2, "gap": gap})  # type: ignore[attr-defined]
        return found

    monkeypatch.setattr(sfumato.api, name, cut)


@pytest.mark.parametrize("name", ["explore", "anonymize"])
def test_first_ctrl_c_keeps_what_was_found(spec: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _press(1, monkeypatch, name)
    found = run(name, spec, "--out", spec.with_name("out.csv"))
    assert (found.status, found.err) == (0, "")
    assert spec.with_name("out.csv").exists()


def test_incomplete_front_is_written_and_says_so(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _cut("explore", monkeypatch)
    folder = spec.with_name("front")
    found = run("explore", spec, "--out", folder)
    assert found.status == 0
    assert "not complete (stopped): 30 of 30 recodings seen" in found.out
    assert json.loads((folder / "run.json").read_text(encoding="utf-8"))["complete"] is False


@pytest.mark.parametrize("name", ["explore", "anonymize"])
def test_second_ctrl_c_aborts_with_nothing_written(
    spec: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _press(2, monkeypatch, name)
    before, handler = listing(spec.parent), signal.getsignal(signal.SIGINT)
    found = run(name, spec, "--out", spec.with_name("out.csv" if name == "anonymize" else "out"))
    assert (found.status, found.out) == (130, "")
    assert "nothing was written" in found.line
    assert listing(spec.parent) == before
    assert signal.getsignal(signal.SIGINT) is handler


def test_stopped_anonymize_says_how_far_it_may_be_from_the_optimum(
    spec: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _cut("anonymize", monkeypatch)
    out = run("anonymize", spec, "--out", spec.with_name("out.csv")).out
    assert "not proven optimal" in out
    assert "(stopped)" in out
    assert "at most 50.0 % from the best possible (0.2)" in " ".join(out.split())


def test_a_gap_that_says_nothing_is_said_in_words(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound of 0 is at most 100 % away from everything."""
    _cut("anonymize", monkeypatch, 1.0)
    out = " ".join(run("anonymize", spec, "--out", spec.with_name("out.csv")).out.split())
    assert "how much better loss could be is not known" in out
    assert "100.0 %" not in out


def test_ctrl_c_before_the_search_aborts_at_once() -> None:
    watch = Watch("reading", shown=False)
    with pytest.raises(KeyboardInterrupt):
        watch.interrupt(signal.SIGINT, None)
    with pytest.raises(KeyboardInterrupt):  # though a library swallowed the first one
        watch(STEP)
    watch = Watch("reading", shown=False)
    assert watch(STEP) is False
    watch.interrupt(signal.SIGINT, None)
    assert watch(STEP) is True
    with pytest.raises(KeyboardInterrupt):
        watch.interrupt(signal.SIGINT, None)


def test_other_threads_leave_signals_alone() -> None:
    seen: list[bool] = []

    def work() -> None:
        with watching(Options()) as watch:
            seen.append(watch(STEP))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [False]


@pytest.mark.parametrize(("options", "shown"), [(Options(), True), (Options(quiet=True), False)])
def test_bar_is_for_terminals(options: Options, shown: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with watching(options) as watch:
        watch(STEP)
        with contextlib.suppress(KeyboardInterrupt):
            watch.interrupt(signal.SIGINT, None)
        watch(STEP)
    assert ("1,234 recodings" in terminal.getvalue()) is shown
    assert ("Ctrl-C again aborts" in terminal.getvalue()) is shown


def test_watching_says_what_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(output, "PATIENCE_S", 0.0)
    done = threading.Event()
    monkeypatch.setattr(Watch, "_say_later", _then(Watch._say_later, done))
    with watching(Options()):
        assert done.wait(10)
    assert "compiling" in terminal.getvalue()


def _then(function: Callable[[Watch], None], done: threading.Event) -> Callable[[Watch], None]:
    def both(watch: Watch) -> None:
        function(watch)
        done.set()

    return both


def test_the_hypervolume_is_shown_where_it_is_followed() -> None:
    """Evolutionary searches say how much their front dominates so far; others have nothing to say."""
    assert progress_text(Progress(0.5, 1_000, 1.0), "recodings") == " 50 %  1,000 recodings"
    assert progress_text(Progress(1.0, 9, 1.0, 0.5), "rows") == "100 %  9 rows, hypervolume 0.5000"
