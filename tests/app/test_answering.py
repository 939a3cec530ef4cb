"""Pages answer while a search runs over a large table, and nothing that is typed gets lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.app.tabs import Tab

if TYPE_CHECKING:
    from pathlib import Path

    from tests.app.conftest import Server


@pytest.mark.slow
def test_pages_answer_while_a_search_runs(browser: Any, tmp_path: Path) -> None:
    """100,000 rows; the browser measures. The bounds are those of a machine with other work to do."""
    from benchmarks.app import measure

    found = measure(browser, tmp_path, 100_000, rounds=2, is_released=False)
    assert found.pages_95 < 3000
    assert found.clicks_95 < 3000
    assert found.stop < 3000
    assert max(found.memory.values()) < 1200


def test_what_is_typed_stays_while_the_page_is_shown_anew(browser: Any, served: Server) -> None:
    tab = Tab.open(browser, served)
    tab.census()
    tab.go("/goals")
    tab.see("possible releases")
    field = tab.page.get_by_label("Sentence", exact=True)
    field.press_sequentially("occupation ")
    other = tab.second()
    other.go("/goals")
    other.choose("Add a requirement", "smallest class (k)")
    other.see("Protects against being found")
    field.press_sequentially("== Sales")  # the first tab still waits with what the other one changed
    assert tab.page.evaluate("document.activeElement.ariaLabel") == "Sentence"
    tab.page.get_by_label("For whom (blank: everyone)", exact=True).fill("age < 18")
    tab.page.locator("h1").click()
    tab.see("Protects against being found")
    tab.read("document.querySelector('[aria-label=Sentence]').value === 'occupation == Sales'")
    tab.press("Add")
    tab.see("occupation == Sales (for age < 18")
    tab.read("document.querySelector('[aria-label=Sentence]').value === ''")
