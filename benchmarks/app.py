"""The web app with a large table: ``python -m benchmarks.app [ROWS]`` prints how fast it answers, and memory.

The table is the embedded census, drawn with replacement, with noise in the ages. While a search runs, a
browser opens every page again and again, and clicks; it is the browser that measures. The memory is compared
with that of the commands for the same way: ``init``, ``explore``, ``release``, ``risk`` and ``verify``, which
holds the release against the original as the page does.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks import workloads
from sfumato import Spec, datasets
from tests.app.conftest import CHROMIUM, FLAGS, serving
from tests.app.tabs import Tab

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES = ("/", "/data", "/hierarchies", "/goals", "/tradeoffs", "/release", "/measure", "/risk", "/verify")
_ANSWER = "() => { const [page] = performance.getEntriesByType('navigation'); return page.responseEnd; }"
_CLICK = """() => new Promise((done) => {
  const begin = performance.now();
  const watch = new MutationObserver(() => { watch.disconnect(); done(performance.now() - begin); });
  watch.observe(document.body, {attributes: true, attributeFilter: ["class"]});
  [...document.querySelectorAll("button")].find((item) => item.innerText.includes("Light or dark")).click();
})"""


@dataclass
class Answers:
    """What a browser measured while a search ran, in milliseconds, and the peaks of memory, in MB."""

    pages: dict[str, list[float]] = field(default_factory=dict)  # page → from the request to the whole answer
    clicks: list[float] = field(default_factory=list)  # from a click to what it changes
    stop: float = 0.0  # from the click on Stop until the page says so
    ended: float = 0.0  # until the front is shown
    seconds: float = 0.0  # that the search ran
    memory: dict[str, float] = field(default_factory=dict)  # what was done → the largest memory until then
    commands: dict[str, float] = field(default_factory=dict)  # command → its largest memory

    @property
    def pages_95(self) -> float:
        """The 95th percentile over all pages."""
        return float(np.percentile([value for values in self.pages.values() for value in values], 95))

    @property
    def clicks_95(self) -> float:
        """The 95th percentile of clicks."""
        return float(np.percentile(self.clicks, 95))


def make_project(folder: Path, rows: int, **search: object) -> Path:
    """Write a table and its specification as a project of the app; return the specification."""
    rng = np.random.default_rng(1)
    census = datasets.adult()
    table = census.take(pa.array(rng.integers(0, len(census), rows)))
    ages = np.clip(table["age"].to_numpy() + rng.integers(-3, 4, rows), 17, 90)
    weights = pc.add(table["fnlwgt"], pa.array(rng.integers(0, 100_000, rows)))
    for name, column in (("age", pa.array(ages)), ("fnlwgt", weights)):
        table = table.set_column(table.column_names.index(name), name, column)
    folder.mkdir(parents=True)
    pq.write_table(table, folder / "census.parquet")
    own = datasets.adult_spec_path()
    tables: dict[str, Any] = Spec.load(own).to_dict()
    for attribute in tables["attributes"].values():
        if "file" in attribute.get("hierarchy", {}):
            attribute["hierarchy"]["file"] = str(own.parent / attribute["hierarchy"]["file"])
    # So many groupings of ages that no search runs out of recodings before it is stopped.
    tables["attributes"]["age"]["scheme"] = "ordered"
    tables |= {"data": {"path": "census.parquet"}, "search": search}
    Spec.from_dict(tables, folder).save(folder / "specification.toml")
    return folder / "specification.toml"


@contextmanager
def watching_memory(process: int) -> Iterator[list[float]]:
    """Keep the largest memory of a process, in MB."""
    peak, ended, watched = [0.0], threading.Event(), psutil.Process(process)

    def watch() -> None:
        while not ended.wait(0.02):
            try:
                peak[0] = max(peak[0], watched.memory_info().rss / 1e6)
            except psutil.Error:
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield peak
    finally:
        ended.set()
        watcher.join()


def measure(browser: Any, folder: Path, rows: int, *, rounds: int = 6, is_released: bool = True) -> Answers:
    """Open a table of so many rows, ask for every page while a search runs, stop it, and release."""
    make_project(folder / "projects" / "census", rows, method="nsga2", iterations=1_000_000, time_limit=900)
    temporary = folder / "temporary"
    temporary.mkdir()
    found = Answers()
    with (
        serving(str(folder / "projects"), temporary=temporary) as server,
        watching_memory(server.process.pid) as peak,
    ):
        tab = Tab.open(browser, server)
        tab.page.set_default_timeout(600_000)
        tab.press("Open census")
        tab.page.wait_for_url("**/data")
        found.memory["opened"] = peak[0]
        tab.go("/tradeoffs")
        tab.press("Search")
        tab.see("evaluated in")
        since = time.perf_counter()
        for _ in range(rounds):
            for path in PAGES:
                tab.go(path)
                found.pages.setdefault(path, []).append(tab.page.evaluate(_ANSWER))
                found.clicks.append(tab.page.evaluate(_CLICK))
        tab.go("/tradeoffs")
        begin = tab.page.evaluate("performance.now()")
        tab.page.get_by_role("button", name="Stop, keep what was found").dispatch_event("click")
        tab.page.get_by_text("Stopping; what was found is kept").or_(
            tab.page.get_by_text("Worth a look")
        ).first.wait_for()
        found.stop = tab.page.evaluate("performance.now()") - begin
        tab.see("Worth a look")
        found.seconds = time.perf_counter() - since
        found.ended = tab.page.evaluate("performance.now()") - begin
        found.memory["searched"] = peak[0]
        if not is_released:
            return found
        tab.see("The first rows in solution")
        found.memory["looked closely"] = peak[0]
        tab.go("/release")
        tab.press("Verify and write")
        tab.see("Verified:")
        found.memory["released"] = peak[0]
        server.end()
    return found


def command_memory(folder: Path, rows: int, seconds: float) -> dict[str, float]:
    """Return the largest memory of each command that does a step of the same way, searching as long."""
    asked = {"method": "nsga2", "iterations": 1_000_000, "time_limit": max(seconds, 1.0)}
    spec = str(make_project(folder / "command", rows, **asked))
    data, front, out = (str(folder / "command" / name) for name in ("census.parquet", "front", "out.csv"))
    steps = (
        ("init", data, "--out", str(folder / "command" / "guessed.toml")),
        ("explore", spec, "--out", front),
        ("release", spec, "--front", front, "--pick", "knee", "--out", out),
        ("risk", data, "--spec", spec, "--release", out),
        ("verify", out, "--spec", spec, "--data", data),
    )
    found = {}
    for step in steps:
        arguments = [sys.executable, "-m", "sfumato", *step, "--quiet"]
        process = subprocess.Popen(arguments, env=workloads.environment())
        with watching_memory(process.pid) as peak:
            if process.wait():
                raise RuntimeError(f"{step[0]} failed")
        found[step[0]] = peak[0]
    return found


def main() -> None:
    from playwright.sync_api import sync_playwright

    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory(prefix="sfumato-app-") as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        found = measure(browser, Path(folder), rows)
        browser.close()
        found.commands = command_memory(Path(folder), rows, found.seconds)
    for path, values in found.pages.items():
        print(f"{path:14} median {np.median(values):5.0f} ms, slowest {max(values):5.0f} ms")
    print(f"{rows:,} rows: pages {found.pages_95:.0f} ms, clicks {found.clicks_95:.0f} ms (95 of 100); "
          f"stop {found.stop:.0f} ms, the front is shown after {found.ended:.0f} ms")  # fmt: skip
    for words, numbers in (("server", found.memory), ("commands", found.commands)):
        print(
            f"memory of the {words}: " + ", ".join(f"{key} {value:.0f} MB" for key, value in numbers.items())
        )
    server, command = (max(numbers.values()) for numbers in (found.memory, found.commands))
    print(f"the server needs {server / command:.2f} times what the largest command needs")


if __name__ == "__main__":
    main()
