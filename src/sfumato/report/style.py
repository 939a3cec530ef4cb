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


def palette_css() -> str:
    """Return the colours as variables: by day and on paper, and by night."""
    light, dark = (
        " ".join(f"--{name}: {colour};" for name, colour in colours.items()) for colours in (LIGHT, DARK)
    )
    return (
        f":root {{ color-scheme: light dark; {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
    )


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
