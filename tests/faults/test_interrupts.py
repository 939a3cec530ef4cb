"""Ctrl-C and SIGTERM end every search within moments, with the best so far, verified and said to be so."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pytest

import sfumato as sf
from sfumato import monitor
from sfumato.cli.output import Watch
from sfumato.table.engine import connect
from sfumato.verifier.bags import open_engine
from tests.cli.running import run

if TYPE_CHECKING:
    from sfumato.search import Progress

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there, a signal is not sent to oneself so")

ROOT = Path(__file__).resolve().parents[2]
WITHIN_S = 15.0
"""Of processor time on two threads, whatever else the machine does: two seconds where nothing else
runs. Rounds of annealing would take twenty where there are 600 seconds."""
LONG = "time_limit = 600"
CENSUS = ("education", "marital-status", "native-country", "workclass", "race", "sex")
LONG_QUERY = "SELECT sum(levenshtein(repeat('ab', 99), repeat('ba', 99) || i)) FROM range(400_000) AS t(i)"
SECRET = "[[confidential]]\nsentence = \"occupation == 'Sales'\"\n"


def specification(kind: str) -> str:
    """Return a specification of the census table for one kind of search that takes minutes."""
    local = kind.startswith(("local", "ladder", "bound"))
    scheme = "sets" if kind in ("optimal", "nsga2") else None
    lines = ['[data]\npath = "census.csv"', '[attributes.occupation]\nrole = "sensitive"']
    for name in CENSUS:
        lines.append(f'[attributes.{name}]\nrole = "quasi-identifier"')
        lines.append(f'hierarchy = {{ file = "{sf.datasets.hierarchies()[name]}" }}')
        lines += [f'scheme = "{scheme}"'] if scheme else []
        lines += [f'labels = "{kind[6:]}"'] if kind.startswith("local-") else []
    tops = {"age": 32, "hours-per-week": 64, "education-num": 8}
    # So many levels that no proof ends the descent.
    tops |= {"fnlwgt": 2**20, "capital-gain": 2**16, "capital-loss": 2**12} if kind == "descent" else {}
    for name, top in tops.items():
        widths = [2**step for step in range(1, top.bit_length())]
        how = 'scheme = "ordered"' if scheme else f"hierarchy = {{ intervals = {widths} }}"
        lines.append(f'[attributes.{name}]\nrole = "quasi-identifier"\n{"" if local else how}')
    # Where t is required, no verdict follows from another one.
    hard = '"t(occupation)" = 0.5' if kind == "lattice" else ""
    lines.append(f"[suppression]\nlimit = 0.02\n[require]\nk = 5\n{hard}")
    lines += ['[recoding]\nscope = "local"'] if local else []
    front = 'maximize = ["k"]\n' if kind in ("nsga2", "pbg-ea", "exhaustive", "ladder") else ""
    goal = 'maximize = ["sf", "ql"]' if kind == "granulation-ga" else f'{front}minimize = ["loss"]'
    lines.append(f"{SECRET if kind == 'granulation-ga' else ''}[objectives]\n{goal}\n[search]\n{LONG}")
    lines += [] if local else [f'method = "{kind}"']
    counted = kind in ("nsga2", "pbg-ea", "granulation-ga", "local-tree")
    lines += ["iterations = 100_000_000"] if counted else []
    lines += ["iterations = 60_000"] if kind == "bound" else []
    lines += ["patience = 100_000_000"] if kind == "descent" else []
    return "\n".join(lines) + "\n"


SEARCHES = {
    "optimal": "anonymize",
    "descent": "anonymize",
    "local-tree": "anonymize",
    "local-set": "anonymize",
    "bound": "anonymize",
    "ladder": "explore",
    "nsga2": "explore",
    "pbg-ea": "explore",
    "granulation-ga": "explore",
    "exhaustive": "explore",
    "lattice": "explore",
}
CLUSTERS = {
    "annealing, timed": ("--method", "annealing", "--time-limit", "600"),
    "annealing, counted": ("--method", "annealing", "--steps", "9999999"),
    "annealing in strata": ("--method", "annealing", "--steps", "9999999", "--within", "h"),
    "gomm": ("--groups", "gomm", "--time-limit", "600"),
    "gomm and descent": ("--groups", "auto", "--method", "annealing", "--time-limit", "600"),
}
CASES = [*SEARCHES, *CLUSTERS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give inputs of every search, and have its kernels compiled."""
    made = tmp_path_factory.mktemp("long")
    sf.datasets.adult().slice(0, 4000).to_pandas().to_csv(made / "census.csv", index=False)
    random = np.random.default_rng(1)
    rows = [",".join(map(str, row)) for row in random.normal(size=(4000, 7)).round(4).tolist()]
    lines = [f"{row},{number % 4}" for number, row in enumerate(rows)]
    (made / "numbers.csv").write_text("\n".join(["a,b,c,d,e,f,g,h", *lines]) + "\n", encoding="utf-8")
    for kind in SEARCHES:
        (made / f"{kind}.toml").write_text(specification(kind), encoding="utf-8")
    sf.warm_up()
    return made


def words(folder: Path, case: str) -> list[object]:
    out = folder / f"{case}.csv"
    if case in CLUSTERS:
        numbers = ["microaggregate", folder / "numbers.csv", "--columns", "a,b,c,d,e,f,g", "--k", "5"]
        return [*numbers, "--out", out, *CLUSTERS[case]]
    return [
        SEARCHES[case],
        folder / f"{case}.toml",
        "--out",
        out.with_suffix("") if SEARCHES[case] == "explore" else out,
    ]


class Sender:
    """Sends a signal to this process when a search has been at work for a while, and keeps when it did."""

    def __init__(self, number: signal.Signals, patch: pytest.MonkeyPatch, case: str) -> None:
        self.number, self.sent = number, 0.0
        call, is_late = Watch.__call__, case == "bound"
        self.timer = threading.Timer(0.05 if is_late else 0.4, self.send)

        def watched(watch: Watch, progress: Progress) -> bool:
            # A search says that it is nearly done when the bound is all that is left.
            if not self.timer.ident and (not is_late or progress.fraction > 0.999):
                self.timer.start()
            return call(watch, progress)

        patch.setattr(Watch, "__call__", watched)

    def send(self) -> None:
        self.sent = time.process_time()
        os.kill(os.getpid(), self.number)


# One search of each kind: by proof, local, by evolution, of clusters.
SHORT = ("optimal", "local-tree", "nsga2", "annealing, counted")


@pytest.mark.parametrize(
    ("case", "number"),
    [
        *(
            pytest.param(
                case,
                (signal.SIGINT, signal.SIGTERM)[place % 2],
                marks=() if case in SHORT else pytest.mark.slow,
            )
            for place, case in enumerate(CASES)
        ),
        *(
            pytest.param(case, signal.SIGINT, marks=pytest.mark.slow)
            for case in ("local-set", "annealing, timed")
        ),
    ],
)
def test_a_signal_ends_a_search_with_the_best_so_far(
    folder: Path, monkeypatch: pytest.MonkeyPatch, case: str, number: signal.Signals
) -> None:
    sender = Sender(number, monkeypatch, case)
    before = signal.signal(number, lambda *_: None)  # one that comes too late must not end the tests
    try:
        found = run(*words(folder, case), "--json", "--force")
        took = time.process_time() - sender.sent
    finally:
        sender.timer.cancel()
        if sender.timer.ident:
            sender.timer.join()
        signal.signal(number, before)
    assert sender.sent, "the search was over before it could be stopped"
    assert took < WITHIN_S
    if case == "lattice" and found.status == 1:  # it may have nothing yet that meets the requirements
        assert "before the search ended" in found.out
        return
    assert found.status == 0, found.out
    if case in CLUSTERS:
        assert found.json["stopped"] is True
        assert "stopped before its end" in str(found.json["warnings"])
    else:
        assert found.json["run"]["stopped"] == "stopped"  # type: ignore[index]
    if SEARCHES.get(case) != "explore":
        assert run("verify", folder / f"{case}.csv").status == 0


BUSY = """
import os, signal, sys, time
from sfumato.cli.main import main
from sfumato.microaggregation import aggregating

def busy(*_, **__):
    # In a thread of its own, as a kernel that takes ten minutes and sees no signal.
    os.kill(os.getpid(), signal.{name})
    time.sleep(600)

aggregating.v_mdav = busy
sys.argv[0] = "sfumato"
main()
"""


@pytest.mark.some(1)
@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_kernel_that_goes_on_does_not_hold_up_the_end(folder: Path, name: str, status: int) -> None:
    """Before there is anything to release, a signal aborts, and nothing temporary stays."""
    place = folder / f"tmp-{name}"
    place.mkdir()
    words = ["microaggregate", folder / "numbers.csv", "--columns", "a,b", "--method", "v-mdav"]
    found = subprocess.run(
        [sys.executable, "-c", BUSY.format(name=name), *map(str, words), "--out", str(place / "r.csv")],
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "TMPDIR": str(place)},
    )
    assert found.returncode == status, found.stderr
    assert "nothing was written" in found.stderr
    assert [item.name for item in place.rglob("*") if item.is_file()] == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("room", ["table", "verifier"])
def test_a_signal_ends_a_query(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: str, number: signal.Signals
) -> None:
    """In another thread, so that it is not the engine itself that looks for signals."""
    over, ended_by = threading.Event(), []

    def work() -> None:
        try:
            with contextlib.closing(connect()) if room == "table" else open_engine() as connection:
                threading.Timer(0.3, os.kill, (os.getpid(), number)).start()
                connection.execute(LONG_QUERY)
        except duckdb.Error as error:
            ended_by.append(type(error))
        over.set()

    def count(*_: object, **__: object) -> None:
        threading.Thread(target=work).start()
        try:
            over.wait()
        finally:
            over.wait()

    monkeypatch.setattr("sfumato.api.measure", count)
    path = tmp_path / "data.csv"
    path.write_text("a\n1\n")
    done = run("measure", path, "--qi", "a")
    assert ended_by == [duckdb.InterruptException]
    assert done.status == 128 + number
    assert "nothing was written" in done.err


def test_the_engine_says_how_far_a_query_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitor, "is_followed", threading.Event())
    assert monitor.query_progress() is None
    monitor.is_followed.set()
    connection, seen = connect(), []

    def work() -> None:
        with contextlib.suppress(Exception):
            connection.execute(LONG_QUERY)

    thread = threading.Thread(target=work)
    thread.start()
    while not seen and thread.is_alive():
        done = monitor.query_progress()
        seen += [done] if done else []
        thread.join(0.01)  # the query has the core, not the question
    while thread.is_alive():
        connection.interrupt()
        thread.join(0.05)
    assert 0 < seen[0] <= 1
