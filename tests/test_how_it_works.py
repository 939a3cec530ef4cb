"""``docs/how-it-works.md`` shows what happens: every line of it runs, and prints what it says."""

from __future__ import annotations

import doctest
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "how-it-works.md"


def test_the_walk_through_the_rooms_is_true() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted > 15
    assert found.failed == 0
