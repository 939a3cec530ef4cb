"""Handlers of pages: they take what their action takes, and say in words what goes wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("nicegui", reason="the extra 'app' is not installed")

from nicegui import helpers

from sfumato.app.framing import Here
from sfumato.app.projects import Desk
from sfumato.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def here(tmp_path: Path) -> Here:
    desk = Desk(tmp_path / "projects")
    return Here(desk.visit("me"), desk)


def test_handlers_take_an_event_where_their_action_does(here: Here) -> None:
    seen: list[object] = []
    with_event, key = here.tried(lambda event, key=1: seen.append((event, key))), 2
    without = here.tried(lambda key=key: seen.append(key))
    assert helpers.expects_arguments(with_event)
    assert not helpers.expects_arguments(without)
    with_event("event")
    without()
    assert seen == [("event", 1), 2]


def test_what_goes_wrong_is_said_in_words(here: Here) -> None:
    def fail() -> None:
        raise DataError("there is no such file on this machine.")

    here.tried(fail)()
    assert here.message == ("bad", "There is no such file on this machine.")
    here.tried(lambda: None)()
    assert here.message is None
