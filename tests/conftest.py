"""What all tests share: the data beside the checkout, and how hypothesis runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

ROOT = Path(__file__).resolve().parents[1]
LACK_OF_DATA = "no shared data"

# Kernels compile in the middle of an example, and machines are shared: time says nothing about a test.
settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("here"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Give the folder with the shared data, or skip the test where there is none."""
    folder = Path(os.environ.get("SFUMATO_TEST_DATA") or ROOT.parent / "shared" / "data")
    if not (folder / "adult_train.csv").is_file():
        pytest.skip(f"{LACK_OF_DATA}: set SFUMATO_TEST_DATA to the folder that holds adult_train.csv")
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test that asks for the shared data, so that `-m "not data"` leaves them out."""
    for item in items:
        if "data_folder" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.data)


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Say how many tests did not run because the shared data are not here."""
    skipped = [report.longrepr for report in terminalreporter.getreports("skipped")]
    lacking = sum(isinstance(reason, tuple) and LACK_OF_DATA in reason[2] for reason in skipped)
    terminalreporter.write_line(f"skipped for lack of data: {lacking}")
