"""Recodings as ``front.csv`` holds them: written from nodes of a lattice, and read back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.domains import Ladder, Lattice
from sfumato.errors import DataError
from sfumato.front import ClassSizes
from sfumato.hierarchies import read_blocks
from sfumato.preparing import RANGES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sfumato._typing import LongArray
    from sfumato.domains import Partition
    from sfumato.preparing import Prepared
    from sfumato.search import Problem


def write_recoding(prepared: Prepared, lattice: Lattice, node: LongArray) -> dict[str, int | list[object]]:
    """Return what a node does to each quasi-identifier."""
    found: dict[str, int | list[object]] = {}
    for a, name in enumerate(prepared.setting.quasi_identifiers):
        if prepared.scheme_names[a] == "levels":
            found[name] = int(node[a])
        else:
            found[name] = [*prepared.entry(a, lattice.ladders[a].levels[node[a]])]
    return found


def trim_lattice(lattice: Lattice, nodes: LongArray) -> tuple[Lattice, LongArray]:
    """Drop listed partitions that no node uses: a search may have listed millions."""
    ladders, numbers = [], nodes.copy()
    for a, ladder in enumerate(lattice.ladders):
        used, place = np.unique(nodes[:, a], return_inverse=True)
        if not ladder.nested and len(used):
            ladder = replace(ladder, levels=ladder.levels[used], lowest=0, highest=len(used) - 1)
            numbers[:, a] = place.reshape(-1)
        ladders.append(ladder)
    return Lattice(tuple(ladders)), numbers


def read_recoding(prepared: Prepared, recoding: Mapping[str, object]) -> tuple[Lattice, LongArray]:
    """Read what :func:`write_recoding` wrote."""
    names = prepared.setting.quasi_identifiers
    if sorted(recoding) != sorted(names):
        raise DataError(
            "the recoding is not about the quasi-identifiers of the specification. "
            "Run 'sfumato explore' again."
        )
    ladders, node = [], np.zeros(len(names), dtype=np.int64)
    for a, name in enumerate(names):
        try:
            ladder = prepared.lattice.ladders[a]
            if prepared.scheme_names[a] == "levels":
                node[a] = _read_level(ladder, recoding[name])
            else:
                ladder = Ladder.listed([_read_partition(prepared, a, recoding[name])], ladder)
            ladders.append(ladder)
        except DataError as error:
            raise DataError(
                f"the recoding of {name!r} does not fit the specification: {error.message} "
                "Run 'sfumato explore' again."
            ) from None
    return Lattice(tuple(ladders)), node


def count_classes(prepared: Prepared, problem: Problem, recoding: Mapping[str, object]) -> ClassSizes:
    """Count the classes of one recoding, on the cube alone."""
    lattice, node = read_recoding(prepared, recoding)
    fixed = Lattice(tuple(ladder.only(level) for ladder, level in zip(lattice.ladders, node, strict=True)))
    classes = replace(problem, lattice=fixed, schemes=None).batch(threads=1).classes(node)
    kept = ~classes.suppressed
    suppressed = int(classes.rows[classes.suppressed].sum())
    return ClassSizes.count(classes.sizes[kept], classes.rows[kept], suppressed)


def _read_level(ladder: Ladder, entry: object) -> int:
    if type(entry) is not int or not ladder.lowest <= entry <= ladder.highest:
        raise DataError(f"a level from {ladder.lowest} to {ladder.highest} is expected.")
    return entry


def _read_partition(prepared: Prepared, attribute: int, entry: object) -> Partition:
    name = prepared.scheme_names[attribute]
    partition = read_blocks(prepared.plain[attribute], entry, ranges=name in RANGES)
    if not prepared.schemes[attribute].is_valid(partition):
        raise DataError(f"its blocks are no partition of the scheme {name!r}.")
    return partition
