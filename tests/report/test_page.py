from __future__ import annotations

import base64
import gzip
import hashlib
import json
from html.parser import HTMLParser
from typing import Any

import pytest

from sfumato.front import ClassSizes, PlainFront, PlainSolution, make_suggestions
from sfumato.report.page import front_html, how_to_read
from tests.report.fronts import FOUR, HOSTILE, THREE, TWO, make_front

VOID = {"meta", "link", "img", "br", "hr", "input"}


class Page(HTMLParser):
    """The elements of a page, in order, with their attributes and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.open: list[str] = []
        self.texts: list[list[str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs), []))
        if tag not in VOID:
            self.open.append(tag)
            self.texts.append(self.elements[-1][2])

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.texts.pop()

    def handle_data(self, data: str) -> None:
        if self.texts:
            self.texts[-1].append(data)

    def all(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        return [(attributes, "".join(texts)) for name, attributes, texts in self.elements if name == tag]


@pytest.fixture(scope="module")
def text() -> str:
    front = make_front(THREE, attribute=HOSTILE)
    sizes = {number: ClassSizes((3, 9), (2, number), (6, 9 * number)) for number in range(1, 6)}
    return front_html(front, 2, labels={2: {HOSTILE: HOSTILE}}, sizes=sizes)


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


def test_page_is_whole(text: str, page: Page) -> None:
    assert text.startswith("<!DOCTYPE html>\n")
    assert page.open == []
    assert page.all("html")[0][0] == {"lang": "en"}
    assert page.all("title")[0][1].startswith("5 solutions")
    assert len(page.all("h1")) == 1
    identities = [a["id"] for _, a, _ in page.elements if "id" in a]
    assert len(identities) == len(set(identities))


def test_page_fetches_nothing(page: Page) -> None:
    for tag, attributes, _ in page.elements:
        assert not {"src", "href", "srcset", "data", "action", "background"} & attributes.keys(), tag
    (policy,) = [
        a["content"] for a, _ in page.all("meta") if a.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    assert "http" not in policy
    styles = "".join(text for _, text in page.all("style"))
    assert "url(" not in styles
    assert "@import" not in styles


def test_page_runs_its_own_scripts_alone(page: Page) -> None:
    (policy,) = [str(a["content"]) for a, _ in page.all("meta") if a.get("http-equiv")]
    scripts = [text for attributes, text in page.all("script") if "type" not in attributes]
    assert len(scripts) == 1
    (packed,) = [text for attributes, text in page.all("script") if attributes.get("id") == "library"]
    scripts.append(gzip.decompress(base64.b64decode(packed)).decode())  # which the page unpacks and runs
    scripts.reverse()
    assert "Plotly" in scripts[0]
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts]
    assert f"script-src 'sha256-{hashes[0]}' 'sha256-{hashes[1]}';" in policy


def test_page_offers_no_button_that_sends_data_away(page: Page) -> None:
    script = page.all("script")[-1][1]
    assert "showSendToCloud: false" in script
    assert "modeBarButtons: [[" in script


def test_foreign_text_is_escaped(text: str, page: Page) -> None:
    assert "<script>alert" not in text
    assert len(page.all("script")) == 3
    assert page.all("b") == []
    assert [content for _, content in page.all("button")][-1] == HOSTILE
    assert f"2: {HOSTILE}" in [content for _, content in page.all("td")]


def test_page_holds_the_figure(page: Page) -> None:
    ((_, drawing),) = [(a, t) for a, t in page.all("script") if a.get("type") == "application/json"]
    assert "<" not in drawing
    figure: Any = json.loads(drawing)
    assert len(figure["data"][0]["x"]) == 5
    assert "title" not in figure["layout"] or not figure["layout"]["title"].get("text")
    ((picture, _),) = [(a, t) for a, t in page.all("div") if a.get("id") == "picture"]
    assert picture["role"] == "img"
    assert "Solution 2 is picked" in str(picture["aria-label"])


def test_page_is_hardly_larger_than_the_library(text: str) -> None:
    from plotly.offline import get_plotlyjs

    assert len(text.encode()) < len(get_plotlyjs().encode()) + 40_000


def test_a_process_packs_the_library_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes longer than all else that a page of a small front needs, and is the same in every page."""
    first = front_html(make_front(TWO))
    monkeypatch.delattr(gzip, "compress")
    assert front_html(make_front(TWO)) == first


def test_table_can_be_sorted_and_read(page: Page) -> None:
    headings = [(a, t) for a, t in page.all("th") if "aria-sort" in a]
    assert [a["aria-sort"] for a, _ in headings] == ["ascending"] + ["none"] * 6
    assert len(page.all("button")) == len(headings)
    rows = [(a, t) for a, t in page.all("th") if a.get("scope") == "row"]
    assert [a["data-value"] for a, _ in rows] == ["1", "2", "3", "4", "5"]
    assert "picked" in rows[1][1]
    losses = [(a["data-value"], t) for a, t in page.all("td")[1:] if a.get("class") == "measure"]
    assert ("0.9", "0.9") in losses


def test_table_stops_at_500() -> None:
    solutions = tuple(
        PlainSolution(i, {"k": 2000.0 - i, "loss": 1 / i}, 0, {"age": 1}) for i in range(1, 1201)
    )
    front = PlainFront(solutions, TWO, {"complete": True})
    text = front_html(front)
    beyond = [item for item in make_suggestions(front, 3) if item.solution.number > 500]
    assert text.count('<th scope="row"') == 500 + len(beyond)
    assert "The first 500 of 1,200 solutions and the marked ones" in text


@pytest.mark.parametrize("objectives", [TWO[1:], TWO, FOUR])
def test_other_fronts_have_a_page(objectives: Any) -> None:
    assert Page(front_html(make_front(objectives, 1))).open == []


def test_page_of_an_empty_front_says_so() -> None:
    text = front_html(make_front(TWO, 0))
    assert Page(text).open == []
    assert "<h1>No solution" in text
    assert "<script" not in text


def test_reading_names_every_direction() -> None:
    assert "to the right (smallest class), below (share of detail lost);" in how_to_read(make_front(TWO))
    assert "towards yellow (fewest different values of illness in a class)" in how_to_read(make_front(THREE))
    assert how_to_read(make_front(FOUR)).endswith("The lines show the same solutions over all objectives.")


def test_page_lists_suggestions(page: Page) -> None:
    shown = [content for _, content in page.all("li")]
    assert [
        content.startswith(f": {item.why[:9]}")
        for content, item in zip(shown, make_suggestions(make_front(THREE)), strict=True)
    ] == [True] * 3


def test_page_can_put_two_solutions_side_by_side(page: Page) -> None:
    assert [a["id"] for a, _ in page.all("select")] == ["first", "second"]
    ((_, drawing),) = [(a, t) for a, t in page.all("script") if a.get("type") == "application/json"]
    found: Any = json.loads(drawing)
    assert found["begin"] == [item.solution.number for item in make_suggestions(make_front(THREE))[:2]]
    assert found["sizes"]["3"] == [[3, 9], [pytest.approx(100 * 6 / 33, abs=1e-3), 100.0]]
    points = next(item for item in found["data"] if item["name"] == "solution")
    assert points["customdata"] == [1, 2, 3, 4, 5]
    ways = [a.get("data-better") for a, _ in page.all("th") if "aria-sort" in a]
    assert ways == [None, "larger", "larger", "smaller", None, None, None]


def test_one_solution_has_nothing_beside_it() -> None:
    assert Page(front_html(make_front(TWO, 1))).all("select") == []
