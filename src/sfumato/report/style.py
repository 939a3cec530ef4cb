"""Colours and type of all figures: printable, and told apart by colour-blind readers."""

from __future__ import annotations

import json
from importlib.resources import files
from string import Template
from typing import Any

INK = "#222222"
FAINT = "#6b6b6b"
GRID = "#e6e6e6"
POINT = "#31688e"
BESIDE = "#b0520a"
KNEE = "#d55e00"
PICKED = "#000000"
SCALE = "Viridis"
SUGGESTED = (
    ("square-open", 19, "#007a5a"),
    ("triangle-up-open", 22, "#a0447a"),
    ("hexagon-open", 22, "#5b5bb0"),
)
"""Symbol, size and colour of rings around suggestions that are not the knee."""

TITLE_SIZE = 18
AXIS_SIZE = 15
TEXT_SIZE = 13
LOOKS: dict[str, dict[str, Any]] = json.loads(
    Template(files(__package__).joinpath("figures.json").read_text(encoding="utf-8")).substitute(
        ink=INK, faint=FAINT, grid=GRID, title_size=TITLE_SIZE, axis_size=AXIS_SIZE, text_size=TEXT_SIZE
    )
)
"""What parts of plotly's figures look like, by name; and a palette for day and night."""

FONT, LEGEND = LOOKS["font"], LOOKS["legend"]
MODEBAR = LOOKS["modebar"]
"""Travels with a figure, wherever it is shown: the first button would send the data to a server."""

SCATTER = 480  # height of a scatter in pixels, margins excluded
GAP = 130
ZOOM = 260
LINES = 300
"""Heights of the magnified part and of parallel coordinates below a scatter, and the room between them."""

NARROW = 640  # pixels of an axis in a narrow figure: so many are assumed where text has to fit
MANY = 1000  # from so many solutions on, points are small

LIGHT = {name: day for name, (day, _) in LOOKS["palette"].items()}
DARK = {name: night for name, (_, night) in LOOKS["palette"].items()}


def variables(colours: dict[str, str]) -> str:
    """Return colours as variables of a style."""
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())


def palette_css() -> str:
    """Return the colours as variables: by day and on paper, and by night."""
    light, dark = variables(LIGHT), variables(DARK)
    return (
        f":root {{ color-scheme: light dark; {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
    )
