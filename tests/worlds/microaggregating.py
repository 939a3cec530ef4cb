"""Two worlds of microaggregated tables: dropped columns and cells that are blanked may change nothing."""

from __future__ import annotations

import inspect
import shutil
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import sfumato as sf
from sfumato.errors import SfumatoError
from tests.worlds.comparing import compare, find_marks
from tests.worlds.examining import Outcome
from tests.worlds.flavours import MARK, secret
from tests.worlds.frames import describe_frame, make_data, serialised
from tests.worlds.publishing import bytes_part, one_day, read_published
from tests.worlds.tables import ENGINES, SUFFIXES, Case, Column, World

if TYPE_CHECKING:
    from tests.worlds.flavours import Cell
    from tests.worlds.publishing import Published

NUMBERS, DROPPED, KEPT = ("x", "y"), ("name", "note"), ("kind",)
CHANGES = ("blanked", "removed", "carrier", "everything")


@one_day
def examine_microaggregation(seed: str) -> Outcome:
    """Draw a table of well separated clusters, and compare what its two worlds publish."""
    rng = Random(f"micro {seed}")
    k, cells = rng.randint(2, 4), _draw_cells(rng)
    lonely = [row for row, value in enumerate(cells["x"]) if value is None]
    case = Case(
        seed,
        tuple(Column(name, "other") for name in (*NUMBERS, *KEPT, *DROPPED)),
        {"suppression": {"output": "drop"}, "release": {"order": "input"}, "standardize": rng.random() < 0.5},
        rng.choice(ENGINES),
        rng.choice(SUFFIXES),
        rng.choice(CHANGES),
        "microaggregate",
        World(cells, tuple(range(len(cells["x"]))), f"{MARK}first"),
    )
    folder = Path(tempfile.mkdtemp(prefix="worlds-"))
    try:
        k = max(k, len(lonely) + 1)
        worlds = case.world, _change(case, lonely, rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            first, second = (_publish(case, world, k, folder) for world in worlds)
    except SfumatoError as error:
        return Outcome(case, f"microaggregate: {type(error).__name__}: {error.message[:60]}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    found = compare(first, second, same_order=True, rows=(len(lonely), len(cells["x"])))
    if case.spec["standardize"] and any(item.kind == "FILE: cells" for item in found):
        # The scale of distances is computed over blanked cells too: then there are other clusters to compare.
        return Outcome(case, "microaggregate: other clusters")
    marks = {item.kind: item for item in (*find_marks(first), *find_marks(second))}
    named = [replace(item, kind=f"microaggregate: {item.kind}") for item in (*found, *marks.values())]
    return Outcome(case, None, named, (first, second))


def _draw_cells(rng: Random) -> dict[str, list[Cell]]:
    """Draw clusters that no scale moves into each other, and a few rows that lack a number."""
    x: list[Cell] = []
    y: list[Cell] = []
    whole = rng.random() < 0.5
    for cluster in range(rng.randint(2, 5)):
        for _ in range(rng.randint(5, 8)):
            noise = rng.randint(0, 3)
            x.append(1000 * cluster + noise if whole else 1000.5 * cluster + noise / 4)
            y.append(-1000 * cluster + rng.randint(0, 3))
    for _ in range(rng.randint(1, 2)):
        place = rng.randint(0, len(x))
        x.insert(place, None)
        y.insert(place, rng.randint(-50, 50))
    count = len(x)
    removed: dict[str, list[Cell]] = {name: [secret(rng) for _ in range(count)] for name in DROPPED}
    return {"x": x, "y": y, "kind": [rng.choice(["a", "b"]) for _ in range(count)], **removed}


def _change(case: Case, lonely: list[int], rng: Random) -> World:
    cells = {name: list(column) for name, column in case.world.cells.items()}
    if case.change in ("blanked", "everything"):
        for row in lonely:
            cells["y"][row] = rng.randint(-900, 900)
    if case.change in ("removed", "everything"):
        for name in DROPPED:
            cells[name] = [secret(rng) for _ in cells[name]]
    place = f"{MARK}second" if case.change in ("carrier", "everything") else case.world.place
    return World(cells, case.world.order, place)


def _publish(case: Case, world: World, k: int, folder: Path) -> Published:
    """Microaggregate a world as its user would, whichever way columns are chosen."""
    able = inspect.signature(sf.microaggregate).parameters
    chosen = {"keep": list(KEPT)} if "keep" in able else {"drop": list(DROPPED)}
    made = sf.microaggregate(
        make_data(case, world, folder),
        list(NUMBERS),
        k,
        standardize=bool(case.spec["standardize"]),
        threads=1,
        **chosen,  # type: ignore[arg-type]
    )
    path = folder / f"shared.{case.suffix}"
    made.write(path, force=True)
    found = read_published(path)
    for name, text in describe_frame(made.frame).items():
        found[f"frame/{name}"] = text.encode()
    found[bytes_part(made.frame)] = serialised(made.frame)
    return found
