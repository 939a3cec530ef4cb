"""Colours and type of all figures: printable, and told apart by colour-blind readers."""

from __future__ import annotations

_PALETTE = {
    "ground": ("#ffffff", "#14171a"),
    "panel": ("#f4f6f8", "#1f2429"),
    "ink": ("#1c2024", "#e8eaed"),
    "quiet": ("#535b64", "#adb5be"),
    "grid": ("#d5dae0", "#3b434b"),
    "before": ("#b0520a", "#f2a65a"),
    "after": ("#1b5e93", "#7fc1f0"),
    "good": ("#14633a", "#86dba8"),
    "good-ground": ("#e6f4eb", "#12301f"),
    "bad": ("#9c1418", "#ffa19d"),
    "bad-ground": ("#fdebeb", "#401a1b"),
    "note": ("#6b4a00", "#f0cf7a"),
    "note-ground": ("#fff5dc", "#332a10"),
}
LIGHT = {name: day for name, (day, _) in _PALETTE.items()}
DARK = {name: night for name, (_, night) in _PALETTE.items()}
TEXTS = (
    *((ink, ground) for ink in ("ink", "quiet", "before", "after") for ground in ("ground", "panel")),
    ("good", "good-ground"),
    ("bad", "bad-ground"),
    ("note", "note-ground"),
)
"""Colours in which texts stand, each with the ground it stands on."""


def palette_css() -> str:
    """Return the colours as variables: by day and on paper, and by night."""
    light, dark = (
        " ".join(f"--{name}: {colour};" for name, colour in colours.items()) for colours in (LIGHT, DARK)
    )
    return (
        f":root {{ color-scheme: light dark; {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
    )


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours as WCAG 2 defines it, from 1 to 21.

    Examples
    --------
    >>> contrast("#000000", "#ffffff")
    21.0
    """
    light, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return round((light + 0.05) / (dark + 0.05), 6)


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


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
FONT = {"family": FAMILY, "size": TEXT_SIZE, "color": INK}
LEGEND = {"orientation": "h", "x": 0.0, "xanchor": "left", "y": 1.01, "yanchor": "bottom"}
MODEBAR = {"orientation": "v", "remove": ["sendChartToCloud", "select2d", "lasso2d", "autoScale2d"]}
"""Travels with a figure, wherever it is shown: the first button would send the data to a server."""

SCATTER = 480  # height of a scatter in pixels, margins excluded
GAP = 130
ZOOM = 260
LINES = 300
"""Heights of the magnified part and of parallel coordinates below a scatter, and the room between them."""

NARROW = 640  # pixels of an axis in a narrow figure: so many are assumed where text has to fit
MANY = 1000  # from so many solutions on, points are small
