"""Commands that are killed leave nothing readable, and the next run cleans up; the short form."""

from __future__ import annotations

import signal
import sys

import pytest

from tests.faults.kills import CASES, World, kill_many

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there, every end from outside is a kill")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"))


def test_killed_at_any_moment(world: World) -> None:
    assert kill_many(world, len(CASES), number=signal.SIGKILL).total() == len(CASES)


def test_terminated_at_any_moment(world: World) -> None:
    """The same; and what is terminated before it has finished ends in order, with nothing left at all."""
    found = kill_many(world, 4, number=signal.SIGTERM)
    assert {phase for _, phase in found} <= {"had finished", "left nothing"}
