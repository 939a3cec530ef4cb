"""Release both worlds with one recoding, and tell which rows are suppressed."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

import sfumato as sf
from sfumato.domains import Partition
from sfumato.preparing import load, make_problem
from sfumato.releases import Recipe, Release
from sfumato.results import Front, Solution
from tests.worlds.flavours import FILE_ROWS
from tests.worlds.frames import make_data, plain_columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from sfumato.preparing import Prepared
    from tests.worlds.tables import Case, World

PROBE = "probe"
LISTED = 1500
"""How many partitions of a scheme are looked through for one that fits."""

Blocks = dict[object, int]


class Rejected(Exception):  # noqa: N818 (no error: another table is drawn)
    """This draw does not give two worlds that can be compared."""


@dataclass
class Recoding:
    """A recoding by values: it can be carried to data that hold some other hidden values.

    Parameters
    ----------
    levels
        Attribute → level.
    blocks
        Attribute → value → number of its block.
    """

    levels: dict[str, int] = field(default_factory=dict)
    blocks: dict[str, Blocks] = field(default_factory=dict)


def make_spec(case: Case, world: World, folder: Path, *, probing: bool = False) -> sf.Spec:
    """Return the specification as this world has it, with its own names of files."""
    home = folder / world.place
    home.mkdir(exist_ok=True)
    mapping = dict(case.spec)
    attributes: dict[str, object] = dict(case.spec["attributes"])  # type: ignore[call-overload]
    for name, entry in attributes.items():
        if entry.get("hierarchy") == {"file": "FILE"}:
            path = home / f"{world.place}-{name}.csv"
            with path.open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows(FILE_ROWS)
            attributes[name] = {**entry, "hierarchy": {"file": path.name}}
    if probing:
        attributes[PROBE] = {"role": "other"}
        mapping["suppression"] = {**mapping["suppression"], "output": "drop"}  # type: ignore[dict-item]
    return sf.Spec.from_dict({**mapping, "attributes": attributes}, home)


def open_front(data: object, spec: sf.Spec) -> Front:
    """Return a front without solutions over these data, from which any recoding can be released."""
    prepared = load(data, spec)
    problem = make_problem(prepared, spec.objectives.maximize, spec.objectives.minimize)
    return Front((), (), {}, source=(prepared, problem))


def prepared_of(front: Front) -> Prepared:
    assert front.source is not None
    return front.source[0]


def release_with(front: Front, recoding: Recoding, rng: np.random.Generator) -> Release:
    """Release the recoding of the first world, carried to the values of these data."""
    prepared, entries = prepared_of(front), {}
    for place, name in enumerate(prepared.setting.quasi_identifiers):
        if name in recoding.levels:
            entries[name] = recoding.levels[name]
        else:
            block = _carry(prepared, place, recoding.blocks[name], rng)
            entries[name] = [*prepared.entry(place, block.block)]
    return Solution(1, {}, 0, entries, front=front).release()


def draw_recoding(front: Front, rng: np.random.Generator) -> Recoding:
    """Draw a level or a partition for every quasi-identifier."""
    prepared, found = prepared_of(front), Recoding()
    for place, name in enumerate(prepared.setting.quasi_identifiers):
        ladder = prepared.lattice.ladders[place]
        if prepared.scheme_names[place] == "levels":
            # Everything under the root hides too well to be worth many draws.
            choices = [*range(ladder.lowest, ladder.highest + 1)] + [
                *range(ladder.lowest, ladder.highest)
            ] * 3
            found.levels[name] = int(rng.choice(choices))
            continue
        scheme = prepared.schemes[place]
        drawn = scheme.random(rng)
        if drawn.count == scheme.size and scheme.size > 1:
            drawn = scheme.mutate(drawn, rng)
        found.blocks[name] = _by_value(prepared, place, drawn)
    return found


def recoding_of(release: Release, front: Front) -> Recoding:
    """Return the recoding of a release of full-domain levels."""
    names = prepared_of(front).setting.quasi_identifiers
    levels = {name: release.recoding[name] for name in names}
    if not all(isinstance(level, int) for level in levels.values()):
        raise Rejected("search found blocks")
    return Recoding(levels)  # type: ignore[arg-type]


def _key(value: object) -> object:
    """Return what a value is known by in both worlds: a time at midnight is its date."""
    return value.removesuffix("T00:00:00").removesuffix(" 00:00:00") if isinstance(value, str) else value


def _by_value(prepared: Prepared, place: int, partition: Partition) -> Blocks:
    values = map(_key, prepared.plain[place])
    return dict(zip(values, partition.block.tolist(), strict=True))


def _carry(prepared: Prepared, place: int, known: Blocks, rng: np.random.Generator) -> Partition:
    """Return a partition of these data's domain that groups all values of the first world as there."""
    values, scheme = [*map(_key, prepared.plain[place])], prepared.schemes[place]
    if len(set(known.values())) == len(known):
        return scheme.finest
    if len(set(known.values())) == 1:
        return scheme.coarsest
    quick = list(_placements(values, known))
    for number in rng.permutation(len(quick)):
        partition = Partition.of(np.array(quick[number]))
        if scheme.is_valid(partition):
            return partition
    nodes = prepared.table.hierarchies[prepared.setting.quasi_identifiers[place]].levels
    partition = _by_nodes(values, known, nodes)
    if partition is not None and scheme.is_valid(partition):
        return partition
    if scheme.count() <= LISTED:
        for partition in scheme.partitions():
            if _agrees(values, known, partition):
                return partition
    raise Rejected("no such partition")


def _placements(values: list[object], known: Blocks) -> Iterator[list[int]]:
    """Yield partitions in which new values stay alone, or join the block before or after them."""
    alone = max(known.values(), default=0) + 1
    yield [known.get(value, alone + place) for place, value in enumerate(values)]
    for forward in (True, False):
        found: dict[int, int] = {}
        places = range(len(values)) if forward else range(len(values) - 1, -1, -1)
        last = alone
        for place in places:
            last = known.get(values[place], last)
            found[place] = last
        yield [found[place] for place in range(len(values))]


def _by_nodes(values: list[object], known: Blocks, levels: np.ndarray) -> Partition | None:
    """Return a cut of the tree: known blocks are the nodes they were, the rest the largest nodes left."""
    found = np.full(len(values), -1, dtype=np.int64)
    number = 0
    for block in sorted(set(known.values())):
        codes = [place for place, value in enumerate(values) if known.get(value) == block]
        if not codes:
            continue
        level = next(level for level in levels if len(set(level[codes])) == 1)
        found[level == level[codes[0]]] = number
        number += 1
    for level in levels[::-1]:
        for node in np.unique(level):
            if (found[level == node] < 0).all():
                found[level == node] = number
                number += 1
    partition = Partition.of(found)
    return partition if _agrees(values, known, partition) else None


def _agrees(values: list[object], known: Blocks, partition: Partition) -> bool:
    """Tell whether a partition groups the known values as they were grouped."""
    pairs = {
        (known[value], block)
        for value, block in zip(values, partition.block.tolist(), strict=True)
        if value in known
    }
    return len({old for old, _ in pairs}) == len({new for _, new in pairs}) == len(pairs)


def probe_front(case: Case, world: World, folder: Path) -> Front:
    """Open a world with one more column, which tells in a release which rows remain."""
    return open_front(_probe_frame(case, world), make_spec(case, world, folder, probing=True))


def _probe_frame(case: Case, world: World) -> pd.DataFrame:
    columns: dict[str, list[object]] = {**plain_columns(case, world), PROBE: list(world.order)}
    return _typed(pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()}))


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    for name in frame:
        frame[name] = frame[name].infer_objects()
    return frame


def suppressed_rows(front: Front, recoding: Recoding, rng: np.random.Generator) -> frozenset[int]:
    """Return the numbers of the rows that this recoding suppresses."""
    prepared = prepared_of(front)
    return frozenset(range(prepared.cube.row_count)) - _remaining(release_with(front, recoding, rng))


def rows_lost_by_applying(
    case: Case, world: World, recoding: Recoding, folder: Path, rng: np.random.Generator
) -> frozenset[int]:
    """Return the numbers of the rows that the recipe suppresses, which need not be those of the release.

    A recipe names only blocks that published rows have, so that it may join others, and as many rows may
    remain that are not the same ones.
    """
    recipe = release_with(probe_front(case, world, folder), recoding, rng).recipe
    applied = recipe.apply(_probe_frame(case, world), unknown=_unknown(case))
    return frozenset(range(len(world.order))) - _remaining(applied)


def _remaining(release: Release) -> set[int]:
    return {int(row) for row in release.frame[PROBE]}  # type: ignore[index]


def _unknown(case: Case) -> Literal["suppress", "generalize"]:
    """Draw by the seed alone, so that both worlds treat values that the recipe does not know alike."""
    return "suppress" if Random(f"{case.seed} unknown").random() < 0.5 else "generalize"


def make_release(
    case: Case,
    world: World,
    recoding: Recoding,
    folder: Path,
    rng: np.random.Generator,
    recipe: Mapping[str, object] | None = None,
) -> Release:
    """Release a world as its user would: by a solution, or by a recipe that was found before."""
    data, spec = make_data(case, world, folder), make_spec(case, world, folder)
    if recipe is not None:
        return Recipe.from_dict(recipe).apply(data, unknown=_unknown(case))
    return release_with(open_front(data, spec), recoding, rng)
