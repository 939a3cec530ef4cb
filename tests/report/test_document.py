"""The report: complete, escaped, readable without eyes, without a network."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from sfumato.assess.gather import Evidence, Lack
from sfumato.assess.published import Block
from sfumato.report.document import report_html
from sfumato.report.style import DARK, LIGHT
from sfumato.verifier import Check
from sfumato.words import percent_words
from tests.report.evidences import make_evidence
from tests.report.test_page import Page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sfumato.assess.gather import Part
    from sfumato.assess.risk_results import TableRisk
    from sfumato.words import PercentStyle

HOSTILE = "<script>alert('x')</script>&"
DAY = dt.date(2024, 5, 17)
SECTIONS = [
    *("summary", "front", "sizes", "risk", "utility", "left-out", "attributes", "verification", "making"),
]
SVG = {"line", "polyline", "circle", "polygon", "rect"}


class Report(Page):
    """A page whose drawings close their elements themselves."""

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in SVG
        self.elements.append((tag, dict(attrs), []))


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    return make_evidence(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def text(evidence: Evidence) -> str:
    return report_html(evidence, day=DAY)


@pytest.fixture(scope="module")
def page(text: str) -> Report:
    return Report(text)


def test_nothing_lacks(evidence: Evidence) -> None:
    assert evidence.lacks == ()
    assert evidence.holds
    assert evidence.solution is not None
    assert evidence.left_out == ("visit",)


def test_page_is_whole(text: str, page: Report) -> None:
    assert text.startswith("<!DOCTYPE html>\n")
    assert page.open == []
    assert page.all("html")[0][0] == {"lang": "en"}
    identities = [a["id"] for _, a, _ in page.elements if "id" in a]
    assert len(identities) == len(set(identities))
    named = {word for _, a, _ in page.elements for word in str(a.get("aria-labelledby") or "").split()}
    assert named <= set(identities)


def test_every_section_is_there(page: Report) -> None:
    assert [a["id"] for a, _ in page.all("h2")] == SECTIONS
    assert [a["href"] for a, _ in page.all("a")][1:] == [f"#{identity}" for identity in SECTIONS]


def test_headings_are_in_order(page: Report) -> None:
    levels = [int(tag[1]) for tag, _, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_page_fetches_nothing_and_runs_nothing(text: str, page: Report) -> None:
    assert "http:" not in text
    assert "https:" not in text
    assert page.all("script") == page.all("link") == page.all("img") == []
    for tag, attributes, _ in page.elements:
        assert not {"src", "srcset", "data", "action", "background", "style", "onload"} & attributes.keys(), (
            tag
        )
    (style,) = [content for _, content in page.all("style")]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (policy,) = [str(a["content"]) for a, _ in page.all("meta") if a.get("http-equiv")]
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}';")
    assert "url(" not in style
    assert "@import" not in style


def test_page_is_small(text: str) -> None:
    assert len(text.encode()) < 200_000


def test_figures_can_be_read_without_eyes(page: Report) -> None:
    figures, drawings = page.all("figure"), page.all("svg")
    assert len(figures) == len(drawings) > 8
    assert len(page.all("figcaption")) == len(page.all("details")) == len(figures)
    assert all(a["role"] == "img" and a["aria-labelledby"] for a, _ in drawings)
    titles = [content for a, content in page.all("title") if "id" in a]
    descriptions = [content for _, content in page.all("desc")]
    assert all(titles)
    assert all(descriptions)
    assert len(descriptions) == len(figures)
    assert len(page.all("caption")) == len(page.all("table")) >= len(figures)
    assert all(a.get("scope") in ("col", "row") and content for a, content in page.all("th"))


def test_every_scrolling_part_takes_the_keyboard(page: Report) -> None:
    parts = [a for a, _ in page.all("div") if a.get("class") == "wide"]
    assert parts
    assert all(a["tabindex"] == "0" and a["role"] == "region" and a["aria-label"] for a in parts)


def _in_page(share: float, style: PercentStyle = "exact") -> str:
    """Return a share as the page has it: no line ends before its sign."""
    return percent_words(share, style).replace(" ", "\u00a0")


def _person_rows(risk: TableRisk) -> list[str]:
    return [
        _in_page(value, "risk")
        for value in (
            risk.prosecutor.highest,
            risk.prosecutor.average,
            risk.prosecutor.share_at_risk,
            risk.uniques.share,
        )
    ]


def test_numbers_are_those_of_the_evidence(evidence: Evidence, page: Report) -> None:
    cells = [content for _, content in page.all("td")]
    assert evidence.risk is not None
    assert evidence.risk.after is not None
    before, after = _person_rows(evidence.risk.before), _person_rows(evidence.risk.after)
    wanted = [text for pair in zip(before, after, strict=True) for text in pair]
    place = next(i for i in range(len(cells)) if cells[i : i + len(wanted)] == wanted)
    assert place > 0
    told = evidence.to_dict()
    utility, verdict = told["utility"], told["verdict"]
    assert isinstance(utility, dict)
    assert isinstance(verdict, dict)
    for item in utility["attributes"]:
        assert _in_page(item["distance"]) in cells
    for score in ("accuracy", "auc"):
        assert _in_page(utility["model"]["release"][score]) in cells
    assert _in_page(utility["queries"]["error"]["median"]) in cells
    assert str(verdict["sha256"]) in [content for _, content in page.all("code")]


def test_sizes_are_those_of_the_evidence(evidence: Evidence, page: Report) -> None:
    cells = [content for _, content in page.all("td")]
    sizes = evidence.sizes_before
    assert sizes is not None
    found = cells[cells.index(f"{sizes.rows_between(1, 1):,}") :]
    assert found[1] == f"{evidence.sizes_after.rows_between(1, 1):,}"
    assert evidence.sizes_after.sizes[0] >= 3
    assert sizes.total == 120
    assert evidence.sizes_after.total == evidence.subject.verdict.rows["out"]


def test_summary_tells_promise_proof_and_cost(evidence: Evidence, text: str) -> None:
    start, end = text.index('id="summary"'), text.index('id="front"')
    summary = text[start:end]
    assert "Verified:" in summary
    assert "Smallest class (k): at least 3." in summary
    assert "What was promised" in summary
    assert "What was verified" in summary
    assert "What it cost" in summary
    assert "of 120 rows were left out" in summary
    assert "A model that predicts disease" in summary


def test_labels_are_shown_unless_that_is_not_wanted(evidence: Evidence, text: str) -> None:
    labels = {block.label for item in evidence.attributes if not item.is_gone for block in item.blocks}
    labels -= {"*"}
    assert labels
    assert all(f">{label}<" in text.replace("&lt;", "<") for label in labels if label)
    bare = report_html(evidence, show_values=False, day=DAY)
    assert "block 1" in bare
    for label in labels:
        assert f">{label}<" not in bare


def test_foreign_text_is_escaped(evidence: Evidence) -> None:
    first = replace(evidence.attributes[0], name=HOSTILE, blocks=(Block(HOSTILE, 60), Block(None, 60)))
    subject = replace(evidence.subject, file=f"{HOSTILE}.csv")
    changed = replace(evidence, subject=subject, attributes=(first, *evidence.attributes[1:]))
    found = report_html(changed, day=DAY)
    assert "<script" not in found
    page = Report(found)
    assert page.open == []
    assert f"Report about the release {HOSTILE}.csv (internal)" == page.all("h1")[0][1]
    assert HOSTILE in [content for _, content in page.all("th")]


def test_no_folder_of_the_machine_is_told(evidence: Evidence, text: str) -> None:
    assert evidence.spec is not None
    assert str(evidence.spec.folder) not in text
    assert evidence.spec.folder.name not in text
    assert 'path = "people.csv"' in text.replace("&quot;", '"')


def test_a_release_that_does_not_hold_says_so_first(evidence: Evidence) -> None:
    broken = [f"k: {number} stated, 1 counted." for number in range(9)]
    checks = [Check("k", "broken", text) for text in broken]
    verdict = replace(evidence.subject.verdict, checks=checks)
    found = report_html(replace(evidence, subject=replace(evidence.subject, verdict=verdict)), day=DAY)
    box = found[found.index('class="verdict bad"') :]
    assert box.index("Not verified.") < box.index(broken[0]) < box.index("headlines")
    assert "4 more" in box
    assert all(found.count(text) >= 1 for text in broken)


def test_what_is_missing_is_said_in_its_place(evidence: Evidence) -> None:
    parts: tuple[Part, ...] = ("front", "sizes", "risk", "utility", "specification")
    lacks = tuple(Lack(part, f"no {part} here.", "Get it.") for part in parts)
    after = None if evidence.risk is None else evidence.risk.after
    bare = Evidence(
        subject=evidence.subject,
        sizes_after=evidence.sizes_after,
        attributes=evidence.attributes,
        risk_alone=after,
        lacks=lacks,
    )
    page = Report(report_html(bare, day=DAY))
    assert page.open == []
    assert [a["id"] for a, _ in page.all("h2")] == [item for item in SECTIONS if item != "left-out"]
    notes = [content for a, content in page.all("p") if a.get("class") == "note"]
    assert notes == [f" no {part} here. Get it." for part in parts]


def test_day_and_order_are_the_same_every_time(evidence: Evidence, text: str) -> None:
    assert text == report_html(evidence, day=DAY)
    assert "on 2024-05-17" in text


TEXTS = (
    *((ink, ground) for ink in ("ink", "quiet", "before", "after") for ground in ("ground", "panel")),
    ("good", "good-ground"),
    ("bad", "bad-ground"),
    ("note", "note-ground"),
)
"""Colours in which texts stand, each with the ground it stands on."""


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours as WCAG 2 defines it, from 1 to 21."""
    light, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return round((light + 0.05) / (dark + 0.05), 6)


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["day", "night"])
def test_contrast_is_enough(colours: Mapping[str, str]) -> None:
    assert contrast("#000000", "#ffffff") == 21.0
    for ink, ground in TEXTS:
        assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    for mark in ("before", "after"):
        assert contrast(colours[mark], colours["ground"]) >= 3.0


def test_style_uses_only_colours_of_the_palette(page: Report) -> None:
    (style,) = [content for _, content in page.all("style")]
    used = set(re.findall(r"var\(--([a-z-]+)\)", style))
    assert used <= LIGHT.keys() == DARK.keys()
    assert set(re.findall(r"#[0-9a-f]{6}", style)) == {*LIGHT.values(), *DARK.values()}
    classes = {word for _, a, _ in page.elements for word in str(a.get("class") or "").split()}
    unknown = {word for word in classes if not re.search(rf"\.{word}\b", style)} - {"name"}
    assert unknown == set()
