"""Commands that are killed leave nothing readable, and the next run cleans up; the short form."""

from __future__ import annotations

import signal
import sys

import pytest

from tests.faults.kills import CASES, Case, World, kill_many

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there, every end from outside is a kill")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"))


# What a kill at every single step leaves is tested step by step in tests/test_private.py and
# tests/release/test_write.py; here the moment is drawn, and two kills show that the way to it works.
SOME = {case.name: case for case in CASES}


def test_killed_at_some_moment(world: World) -> None:
    killed = [SOME["anonymize persons"]]
    assert kill_many(world, 1, number=signal.SIGKILL, cases=killed).total() == 1


@pytest.mark.slow
def test_terminated_at_some_moment(world: World) -> None:
    """The same; and what is terminated before it has finished ends in order, with nothing left at all."""
    found = kill_many(world, 1, number=signal.SIGTERM, cases=[SOME["microaggregate"]])
    assert {phase for _, phase in found} <= {"had finished", "left nothing"}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_every_command_is_killed(world: World, case: Case) -> None:
    """Once in a new place."""
    assert kill_many(world, 1, number=signal.SIGKILL, cases=[case]).total() == 1


@pytest.mark.slow
def test_every_command_is_terminated(world: World) -> None:
    found = kill_many(world, 4, number=signal.SIGTERM)
    assert {phase for _, phase in found} <= {"had finished", "left nothing"}
