"""Local recoding in two worlds: the same classes, the same rows suppressed, and other hidden cells.

``python -m tests.worlds.local_worlds --count 1000`` draws many.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import tempfile
import warnings
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import sfumato as sf
from sfumato.errors import SfumatoError
from sfumato.local import make_solution, search_classes
from sfumato.preparing import load, make_local_problem, make_problem
from sfumato.release import make_local_draft
from sfumato.releases import Release
from tests.worlds.comparing import compare, find_marks
from tests.worlds.flavours import FILE_ROWS, MARK, OTHERS, QUASI_IDENTIFIERS, SENSITIVE
from tests.worlds.publishing import one_day, publish
from tests.worlds.releasing import Rejected

if TYPE_CHECKING:
    from sfumato.preparing import Prepared
    from tests.worlds.comparing import Difference
    from tests.worlds.flavours import Cell, Flavour

PROBE = "probe"
SUFFIXES = ("csv", "parquet", "csv.gz", "arrow")
LABELS: tuple[dict[str, Any], ...] = (
    *({}, {}, {"labels": "tree"}, {"labels": "range"}, {"labels": "set"}, {"labels": "suppress"}),
    *({"keep": True}, {"snap": 5}, {"snap": "hierarchy"}),
)
"""What a label of a drawn attribute may be; what does not fit its kind is drawn again."""


@dataclass
class LocalCase:
    """A drawn table: its specification, its cells, and which rows have values that nobody else has."""

    seed: str
    spec: dict[str, Any]
    flavours: dict[str, Flavour]
    cells: dict[str, list[Cell]]
    suffix: str
    odd: list[int]


@dataclass
class LocalOutcome:
    """What became of one seed: why it was not compared, or what the two worlds publish differently."""

    case: LocalCase
    rejected: str | None = None
    differences: list[Difference] = field(default_factory=list)


def draw_local(seed: str) -> LocalCase:
    """Draw a table of ordinary rows and some odd ones."""
    rng = Random(seed)
    rows = rng.randint(24, 40)
    flavours: dict[str, Flavour] = {}
    entries: dict[str, Any] = {}
    usable = [item for item in QUASI_IDENTIFIERS if item.above is None]
    for place in range(rng.randint(1, 3)):
        name, flavour = f"q{place}", rng.choice(usable)
        flavours[name] = flavour
        entries[name] = {"role": "quasi-identifier", **flavour.entry, **_draw_labels(flavour, rng)}
    flavours["s0"], flavours["o0"] = rng.choice(SENSITIVE), rng.choice(OTHERS)
    entries["s0"] = {"role": "sensitive", **flavours["s0"].entry}
    entries["o0"] = {"role": "other"}
    entries["gone"] = {"role": "identifier"}
    cells: dict[str, list[Cell]] = {}
    odd = rng.sample(range(rows), rng.randint(1, 4))
    for name, flavour in flavours.items():
        pool = flavour.pool(rng)
        cells[name] = [rng.choice(pool) for _ in range(rows)]
        if name[0] == "q" and rng.random() < 0.3 and flavour.name != "bool":
            cells[name] = [None if rng.random() < 0.1 else cell for cell in cells[name]]
        for row in odd:
            cells[name][row] = flavour.fresh(rng)
    for name in ("gone", "unnamed"):
        cells[name] = [f"{MARK}{rng.randrange(10**6)}" for _ in range(rows)]
    require: dict[str, float] = {"k": rng.randint(2, 4)}
    if rng.random() < 0.5:
        require |= rng.choice([{"distinct_l(s0)": 2}, {"entropy_l(s0)": 1.2}, {"t(s0)": 0.8}])
    spec = {
        "attributes": entries,
        "recoding": {"scope": "local"},
        "suppression": {"limit": 0.25, "output": rng.choice(["drop", "drop", "mask"])},
        "require": require,
        "objectives": {"minimize": [rng.choice(["loss", "loss", "dm", "average_class"])]},
        "search": {"iterations": 500, "seed": rng.randrange(1000)},
    }
    return LocalCase(seed, spec, flavours, cells, rng.choice(SUFFIXES), odd)


def _draw_labels(flavour: Flavour, rng: Random) -> dict[str, Any]:
    """Draw labels that the kind of a column may have."""
    kind = flavour.entry.get("kind")
    while True:
        drawn = rng.choice(LABELS)
        entry = {"role": "quasi-identifier", **flavour.entry, **drawn}
        if "FILE" in str(entry):
            entry["hierarchy"] = {"tree": {"d": ["d1"]}}
        if drawn.get("labels") == "range" and not (flavour.is_lined or kind in ("ordinal", "date")):
            continue
        if "snap" in drawn and not isinstance(flavour.fresh(Random(0)), int | float):
            continue
        try:
            sf.Spec.from_dict({"attributes": {"a": entry}, "recoding": {"scope": "local"}})
        except SfumatoError:
            continue
        return drawn


def change_hidden(case: LocalCase, hidden: list[int], rng: Random) -> dict[str, list[Cell]]:
    """Return the cells of another world: all cells of hidden rows, and columns that are not published."""
    cells = {name: [*column] for name, column in case.cells.items()}
    for name, flavour in case.flavours.items():
        if name == "o0" and case.spec["suppression"]["output"] == "mask":
            continue  # of masked rows the other columns are published
        for row in hidden:
            cells[name][row] = flavour.fresh(rng)
    for name in ("gone", "unnamed"):
        cells[name] = [f"{MARK}{rng.randrange(10**6)}" for _ in cells[name]]
    return cells


def open_world(
    case: LocalCase, cells: dict[str, list[Cell]], folder: Path, *, probing: bool = False
) -> Prepared:
    """Prepare one world, with a column that tells rows apart if it is only looked at."""
    entries = {name: dict(entry) for name, entry in case.spec["attributes"].items()}
    columns: dict[str, list[Any]] = {**cells}
    if probing:
        entries[PROBE] = {"role": "sensitive"}
        columns[PROBE] = [f"r{row:03d}" for row in range(len(cells["gone"]))]
    for name, entry in entries.items():
        if entry.get("hierarchy") == {"file": "FILE"}:
            with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows(FILE_ROWS)
            entry["hierarchy"] = {"file": f"{name}.csv"}
    frame = pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in columns.items()})
    for name in frame:
        frame[name] = frame[name].infer_objects()
    return load(frame, sf.Spec.from_dict({**case.spec, "attributes": entries}, folder))


def row_tuples(case: LocalCase, cells: dict[str, list[Cell]], folder: Path) -> list[tuple[int, ...]]:
    """Return the codes of every row, read off a cube in which each row is a cell of its own."""
    cube = open_world(case, cells, folder, probing=True).cube
    at = cube.sensitive_codes[:, cube.sensitive.index(PROBE)]
    return [tuple(cube.codes[np.flatnonzero(at == row)[0]].tolist()) for row in range(len(cells["gone"]))]


def release_world(
    case: LocalCase, cells: dict[str, list[Cell]], folder: Path, classes: list[int] | None
) -> tuple[Release, list[int]]:
    """Release a world with given classes of rows, −1 where one is suppressed, or with those found."""
    prepared, rows = open_world(case, cells, folder), row_tuples(case, cells, folder)
    problem = make_problem(prepared, (), tuple(case.spec["objectives"]["minimize"]))
    tuples = make_local_problem(prepared, problem)
    place = {tuple(codes): number for number, codes in enumerate(tuples.codes.tolist())}
    n = len(tuples.codes)
    if classes is None:
        asked = prepared.spec.search
        solution = search_classes(tuples, seed=asked.seed, proposals=500, threads=1)
    else:
        held: dict[int, set[int]] = {}
        for codes, number in zip(rows, classes, strict=True):
            held.setdefault(place[codes], set()).add(number)
        if any(len(numbers) > 1 for numbers in held.values()):
            raise Rejected("a hidden row has become equal to one that is published")
        owner = np.array([held[number].copy().pop() for number in range(n)])
        solution = make_solution(tuples, np.where(owner < 0, n, owner).astype(np.int32))
    # A bound depends on hidden rows, so that nothing may be said of it where there are any.
    solution = replace(solution, bound=0.9 * abs(solution.cost), certificate={"labels": n})
    release = Release(make_local_draft(prepared, problem, tuples, solution), {})
    return release, [int(solution.classes[place[codes]]) for codes in rows]


@one_day
def examine_local(seed: str, *, is_open: bool = False) -> LocalOutcome:
    """Draw a table and compare what its two worlds publish; ``is_open`` changes a published cell too."""
    case, folder = draw_local(seed), Path(tempfile.mkdtemp(prefix="worlds-"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return LocalOutcome(case, None, _examine(case, folder, is_open=is_open))
    except Rejected as reason:
        return LocalOutcome(case, str(reason))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _examine(case: LocalCase, folder: Path, *, is_open: bool) -> list[Difference]:
    rng = Random(f"{case.seed} second")
    try:
        release, classes = release_world(case, case.cells, folder, None)
    except SfumatoError as error:
        raise Rejected(f"first world: {type(error).__name__}") from error
    hidden = [row for row, number in enumerate(classes) if number < 0]
    if not hidden:
        raise Rejected("no row is suppressed")
    shown = [row for row in range(len(classes)) if row not in hidden]
    if any(all(case.cells[name][row] is None for row in shown) for name in case.flavours):
        raise Rejected("a column is published without any value: its type is taken for public")
    first = publish(release, folder / "out", case.suffix)
    cells = change_hidden(case, hidden, rng)
    if is_open:
        cells["o0"][shown[0]] = case.flavours["o0"].fresh(rng)
    try:
        second = publish(release_world(case, cells, folder, classes)[0], folder / "out", case.suffix)
    except SfumatoError as error:
        raise Rejected(f"second world: {type(error).__name__}") from error
    found = compare(first, second, same_order=True, rows=(len(hidden), len(classes)))
    for published, own in ((first, case.cells), (second, cells)):
        texts = {str(own[name][row]) for name in case.flavours for row in shown}
        texts |= {str(cell) for cell in own["o0"]} if case.spec["suppression"]["output"] == "mask" else set()
        found += find_marks(published, texts)
    return found


def main() -> None:
    """Draw many tables, and print what was compared and what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--begin", type=int, default=0)
    parser.add_argument("--only", help="one seed, whose differences are printed")
    asked = parser.parse_args()
    seeds = [asked.only] if asked.only else [f"local:{asked.begin + n}" for n in range(asked.count)]
    outcomes = [examine_local(seed) for seed in seeds]
    print(f"{sum(item.rejected is None for item in outcomes)} of {len(outcomes)} compared")
    print(Counter(item.rejected for item in outcomes if item.rejected).most_common(6))
    kinds: dict[str, list[tuple[str, Difference]]] = {}
    for item in outcomes:
        for found in item.differences:
            kinds.setdefault(found.kind, []).append((item.case.seed, found))
    for kind, places in sorted(kinds.items(), key=lambda each: -len(each[1])):
        seed, found = places[0]
        print(
            f"{len(places):5d}  {kind}  ({seed})\n       {found.first[:150]!r}\n       {found.second[:150]!r}"
        )


if __name__ == "__main__":
    main()
