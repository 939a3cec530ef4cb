"""The texts and numbers of an HTML page, line by line, without its looks."""

from __future__ import annotations

import json
from html.parser import HTMLParser

# What a reader sees, hears or can click on, and where a drawing puts its marks.
TOLD = (
    *("aria-label", "aria-sort", "content", "data-value", "href", "open", "value", "viewbox"),
    *("points", "d", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "width", "height"),
)
# Ticks and lines behind a drawing: their texts are kept, their places say nothing new.
FRAME = ("grid", "tick", "axis")
SILENT = ("style", "script")
INLINE = ("a", "b", "button", "code", "em", "i", "label", "span", "strong", "sub", "sup")
CELLS = ("td", "th")
# Of plotly's figures: what is drawn and said, not how it looks.
DRAWN = ("x", "y", "z", "text", "hovertext", "name", "customdata", "ticktext", "tickvals", "title", "range")


class _Page(HTMLParser):
    """Collects a line for each block of text, each row of a table, and each mark of a drawing."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self.words: list[str] = []
        self.block, self.silent, self.is_data = "", "", False

    def flush(self) -> None:
        text = " ".join(" ".join(self.words).split())
        if self.block == "pre":
            self.lines += [f"pre: {line}" for line in "".join(self.words).splitlines()]
        elif text:
            self.lines.append(f"{self.block}: {text}" if self.block else text)
        self.words = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        told = [f"{name}={known[name]}" for name in TOLD if known.get(name) is not None]
        shown = f"[{', '.join(told)}]" if told and known.get("class") not in FRAME else ""
        if tag in SILENT:
            self.silent = tag
            self.is_data = known.get("type") == "application/json"
        elif tag in CELLS:
            self.words += ["|", shown]
        elif tag in INLINE:
            self.words.append(shown)
        else:
            self.flush()
            self.block = tag
            self.words.append(shown)

    def handle_endtag(self, tag: str) -> None:
        if tag == self.silent:
            self.silent, self.is_data = "", False
        elif tag not in (*INLINE, *CELLS):
            self.flush()
            self.block = ""

    def handle_data(self, data: str) -> None:
        if self.is_data:
            self.flush()
            self.lines += _drawing(json.loads(data), "drawing")
        elif not self.silent:
            self.words.append(data)


def page_text(html: str) -> str:
    """Return the texts of a page and the data of its figures, without styles and scripts."""
    page = _Page()
    page.feed(html)
    page.close()
    page.flush()
    return "\n".join(page.lines) + "\n"


def _drawing(value: object, place: str) -> list[str]:
    """Return the data of a figure, a line for each list of numbers and for each text."""
    if isinstance(value, dict):
        found = [_drawing(item, f"{place}.{key}") for key, item in value.items() if key != "template"]
        return [line for lines in found for line in lines]
    if isinstance(value, list) and any(isinstance(item, dict | list | str) for item in value):
        found = [_drawing(item, f"{place}.{number}") for number, item in enumerate(value)]
        return [line for lines in found for line in lines]
    parts = place.split(".")
    is_told = parts[1] in ("begin", "sizes") or not set(parts).isdisjoint(DRAWN)
    return [f"{place}: {json.dumps(value, ensure_ascii=False)}"] if is_told else []
