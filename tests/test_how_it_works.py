"""Pages that show what happens: every line of them runs, and prints what it says."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from tests import local_utility

DOCS = Path(__file__).resolve().parents[1] / "docs"


@pytest.mark.some(1)
@pytest.mark.parametrize("page", ["how-it-works.md", "local.md"])
def test_the_page_is_true(page: str) -> None:
    found = doctest.testfile(
        str(DOCS / page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert found.attempted > 15
    assert found.failed == 0


@pytest.mark.slow
def test_what_analyses_give_is_as_the_page_says() -> None:
    assert local_utility.updated() == local_utility.PAGE.read_text(encoding="utf-8")
