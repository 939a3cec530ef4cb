"""What all tests share: the data beside the checkout, and how hypothesis runs."""

from __future__ import annotations

import contextlib
import os
import signal
from collections import Counter, defaultdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

ROOT = Path(__file__).resolve().parents[1]
LACK_OF_DATA = "no shared data"
MANY = 500
# What a process of the tests starts once, in seconds, and keeps until its end: one process each is enough.
STARTED = (frozenset({"browser", "served"}), frozenset({"postgres", "spark"}))

# Kernels compile in the middle of an example, and machines are shared: time says nothing about a test.
settings.register_profile(
    "thorough",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
    print_blob=bool(os.environ.get("CI")),
)
# Of all examples that tests ask for, this many percent (see tests.examples).
settings.register_profile("short", settings.get_profile("thorough"), max_examples=10)
settings.load_profile("short")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let all be run that a run of a few minutes leaves out."""
    parser.addoption(
        "--thorough",
        action="store_true",
        help="run the tests that are marked as slow too, and all examples of hypothesis",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Before any test is read: tests ask for their numbers of examples then."""
    if config.getoption("thorough"):
        settings.load_profile("thorough")
    # Shells start what runs in the background with Ctrl-C ignored, which all processes of the tests inherit.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Give the folder with the shared data, or skip the test where there is none."""
    folder = Path(os.environ.get("SFUMATO_TEST_DATA") or ROOT.parent / "shared" / "data")
    if not (folder / "adult_train.csv").is_file():
        pytest.skip(f"{LACK_OF_DATA}: set SFUMATO_TEST_DATA to the folder that holds adult_train.csv")
    return folder


def leave_most(items: list[pytest.Item]) -> None:
    """Mark as slow what goes beyond the number of cases that a test with the mark ``some`` is to have.

    Those that stay are the same in every run: of each parameter the first values, one as often as the other.
    """
    tests: defaultdict[str, list[pytest.Function]] = defaultdict(list)
    for item in items:
        is_left = item.get_closest_marker("some") and not item.get_closest_marker("slow")
        if is_left and isinstance(item, pytest.Function):
            tests[item.nodeid.partition("[")[0]].append(item)
    for left in tests.values():
        left.sort(key=lambda item: [*item.callspec.indices.values()])
        # Cases share the objects that they are called with, whatever can be compared or hashed.
        values = {item: [(name, id(given)) for name, given in item.callspec.params.items()] for item in left}
        used: Counter[tuple[str, int]] = Counter()
        mark = left[0].get_closest_marker("some")
        assert mark is not None
        for _ in range(min(mark.args[0], len(left))):
            one = min(left, key=lambda item: sum(used[value] for value in values[item]))
            used.update(values[one])
            left.remove(one)
        for item in left:
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark every test that asks for the shared data; leave slow tests to thorough runs."""
    leave_most(items)
    for item in items:
        if "data_folder" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.data)
    slow = [item for item in items if item.get_closest_marker("slow")]
    if slow and not config.getoption("thorough"):
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


def gather_started(items: list[pytest.Item], processes: int) -> None:
    """Let tests that need the same browser, server or Spark run in one process, in the order they have.

    Each process begins with its share of the list, and when one has no more, it takes the last ones of
    another: what the first two begin with stays with them.
    """
    parts: list[list[pytest.Item]] = [[], [], []]
    for item in items:
        used = [place for place, names in enumerate(STARTED) if names & {*getattr(item, "fixturenames", ())}]
        parts[used[0] if used else -1].append(item)
    first, second, others = parts
    left = max(len(items) // processes - len(first), 0)
    items[:] = [*first, *others[:left], *second, *others[left:]]


@pytest.hookimpl(trylast=True, specname="pytest_collection_modifyitems")
def after_all_others_have_ordered(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests are drawn in a random order before, and those with the same parameters brought together."""
    if workers := getattr(config, "workerinput", None):
        gather_started(items, workers["workercount"])


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Share the compiling before a long run: every other process begins with what the first ones end with.

    Whoever needs a kernel finds it in the cache as soon as another process has compiled it; without, all of
    them would compile the same one at the same time.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker is None or len(session.items) < MANY:
        return
    from sfumato import microaggregation
    from sfumato.local import compile_kernels
    from sfumato.search import warm_up_kernels
    from sfumato.search.branch_and_bound import compile_branch_and_bound

    local = [partial(compile_kernels, trees=trees) for trees in (True, False)]
    parts = [warm_up_kernels, compile_branch_and_bound, microaggregation.warm_up_kernels, *local]
    for part in reversed(parts) if int(worker["workerid"][2:]) % 2 else parts:
        with contextlib.suppress(Exception):  # the tests tell what is broken
            part()


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Say how many tests did not run because the shared data are not here."""
    skipped = [report.longrepr for report in terminalreporter.getreports("skipped")]
    lacking = sum(isinstance(reason, tuple) and LACK_OF_DATA in reason[2] for reason in skipped)
    terminalreporter.write_line(f"skipped for lack of data: {lacking}")
