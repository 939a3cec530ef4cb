"""Colours and type of all figures: printable, and told apart by colour-blind readers."""

from __future__ import annotations

INK = "#222222"
FAINT = "#6b6b6b"
GRID = "#e6e6e6"
POINT = "#31688e"
KNEE = "#d55e00"
PICKED = "#000000"
SCALE = "Viridis"
SUGGESTED = (
    ("square-open", 19, "#007a5a"),
    ("triangle-up-open", 22, "#a0447a"),
    ("hexagon-open", 22, "#5b5bb0"),
)
"""Symbol, size and colour of rings around suggestions that are not the knee."""

FAMILY = "Helvetica, Arial, sans-serif"
TITLE_SIZE = 18
AXIS_SIZE = 15
TEXT_SIZE = 13

SCATTER = 480
"""Height of a scatter in pixels, margins excluded."""

GAP = 130
ZOOM = 260
LINES = 300
"""Heights of the magnified part and of parallel coordinates below a scatter, and the room between them."""

NARROW = 640
"""Pixels of an axis in a narrow figure: so many are assumed where text has to fit."""

MANY = 1000
"""From so many solutions on, points are small."""
