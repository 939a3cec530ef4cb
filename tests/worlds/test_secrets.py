"""Planted secrets: hidden rows, removed columns and paths hold marks, and no published byte may hold one."""

from __future__ import annotations

import datetime as dt
import pickle
import struct
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sfumato as sf
from tests.worlds.flavours import MARK
from tests.worlds.frames import make_data, text
from tests.worlds.publishing import publish
from tests.worlds.releasing import Recoding, open_front, release_with
from tests.worlds.tables import FILES, FRAMES, SUFFIXES, Case, Column, World

if TYPE_CHECKING:
    from pathlib import Path

    from tests.worlds.flavours import Cell

NUMBER, FRACTION, DAY = 987654321, 98765.4375, dt.date(2087, 11, 23)
SECRETS: dict[str, Cell] = {
    "job": f"{MARK}job",
    "age": NUMBER,
    "born": DAY,
    "size": FRACTION,
    "ill": f"{MARK}ill",
    "pay": NUMBER + 2,
    "visit": DAY + dt.timedelta(days=5),
    "memo": f"{MARK}memo",
    "count": NUMBER + 5,
}
ROLES = {
    **dict.fromkeys(("job", "age", "born", "size"), "quasi-identifier"),
    **dict.fromkeys(("ill", "pay"), "sensitive"),
    **dict.fromkeys(("visit", "memo", "count"), "other"),
    "name": "identifier",
}
SCHEMES = {"kept": {}, "blocks": {"job": "sets", "age": "ordered", "born": "ordered"}}


def forms(value: Cell) -> list[bytes]:
    """Return how a secret may look in a file: as text, or as the bytes of its number."""
    found = [text(value).encode()]
    if isinstance(value, int):
        found += [struct.pack("<q", value), struct.pack("<d", value), struct.pack("<i", value)]
    elif isinstance(value, float):
        found.append(struct.pack("<d", value))
    elif isinstance(value, dt.date):
        days = (value - dt.date(1970, 1, 1)).days
        micros = days * 86_400_000_000
        found += [struct.pack("<i", days), struct.pack("<q", micros), struct.pack("<q", micros * 1000)]
    return found


def table(output: str) -> World:
    """Return people of whom two are alone with their secrets."""
    rng, count = Random(7), 24
    ordinary: dict[str, list[Cell]] = {
        "job": ["cook", "baker"],
        "age": [30, 40],
        "born": [dt.date(1990, 5, 1), dt.date(1991, 6, 2)],
        "size": [1.5, 2.5],
        "ill": ["flu", "cold"],
        "pay": [100, 200],
        "visit": [dt.date(2020, 1, 1), dt.date(2020, 2, 2)],
        "memo": ["red", "blue"],
        "count": [1, 2],
    }
    cells: dict[str, list[Cell]] = {}
    for name, pool in ordinary.items():
        pairs = ROLES[name] == "quasi-identifier"
        cells[name] = [pool[row % 2] if pairs else rng.choice(pool) for row in range(count)]
        if output == "drop" or ROLES[name] != "other":
            # Masked rows keep their other columns: these are published.
            cells[name][5] = cells[name][16] = SECRETS[name]
    cells["name"] = [f"{MARK}name{row}" for row in range(count)]
    cells["note"] = [f"{MARK}note{row}" for row in range(count)]
    return World(cells, tuple(range(count)), f"{MARK}place")


def made(
    engine: str, suffix: str, output: str, way: str, folder: Path
) -> tuple[sf.results.Release, dict[str, bytes]]:  # type: ignore[name-defined]
    world = table(output)
    attributes = {
        name: {"role": role, **({"scheme": SCHEMES[way][name]} if name in SCHEMES[way] else {})}
        for name, role in ROLES.items()
    }
    spec = sf.Spec.from_dict(
        {
            "attributes": attributes,
            "suppression": {"limit": 0.3, "output": output},
            # A requirement on t needs the distribution of all rows, hidden ones included.
            "require": {
                "k": 3,
                "distinct_l(pay)": 1,
                **({"t(ill)": 0.9} if suffix in ("csv", "arrow") else {}),
            },
            "objectives": {"minimize": ["loss"]},
        }
    )
    columns = tuple(Column(name, "other") for name in world.cells)
    case = Case("secrets", columns, {}, engine, suffix, "", "draw", world)
    front = open_front(make_data(case, world, folder), spec)
    recoding = Recoding(dict.fromkeys(("job", "age", "born", "size"), 0))
    if way == "blocks":
        # A secret shares a block with a value that is published.
        names = {"job": "cook", "age": 40, "born": "1991-06-02"}
        others = {"job": "baker", "age": 30, "born": "1990-05-01"}
        hidden = {"job": SECRETS["job"], "age": NUMBER, "born": DAY.isoformat()}
        blocks = {name: {others[name]: 0, names[name]: 1, hidden[name]: 1} for name in names}
        recoding = Recoding({"size": 0}, blocks)  # type: ignore[arg-type]
    release = release_with(front, recoding, np.random.default_rng(1))
    return release, publish(release, folder / "out", suffix)


WAYS = [
    *((engine, SUFFIXES[place % 5], "drop", "kept") for place, engine in enumerate((*FRAMES, *FILES))),
    *((engine, "csv", "drop", "blocks") for engine in ("pandas", "csv", "polars-enum")),
    *((engine, SUFFIXES[place % 5], "mask", "kept") for place, engine in enumerate((*FILES, *FRAMES))),
]
# In a short run every other engine, once with its blocks, and every other format with masks.
SHORT = range(0, len(FRAMES) + len(FILES) + 3 + 5, 2)


@pytest.mark.parametrize(
    ("engine", "suffix", "output", "way"),
    [
        pytest.param(*way, id="-".join(way), marks=[] if place in SHORT else [pytest.mark.slow])
        for place, way in enumerate(WAYS)
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_no_published_byte_holds_a_secret(
    engine: str, suffix: str, output: str, way: str, tmp_path: Path
) -> None:
    release, published = made(engine, suffix, output, way, tmp_path)
    assert release.rows["suppressed"] == 2
    frame = release.frame
    if isinstance(frame, pd.DataFrame | pa.Table):
        published["frame/pickled"] = pickle.dumps(frame)
    wanted = {name: forms(value) for name, value in SECRETS.items()}
    wanted |= {"a removed column or a path": [MARK.encode()]}
    if output == "mask":
        wanted = {name: looks for name, looks in wanted.items() if ROLES.get(name) != "other"}
    found = {
        f"{name} in {part}"
        for part, content in published.items()
        for name, looks in wanted.items()
        if any(look in content for look in looks)
    }
    assert sorted(found) == []
