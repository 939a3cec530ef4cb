"""Costs of a recoding by their definitions, from the table alone, and the check of its release."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sfumato.release import make_draft, trim_lattice
from sfumato.releases import Release
from studies.optimal import census

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato.search import SearchResult
    from studies.common.results import Results
    from studies.optimal.census import Case

RANGES = ("ordered", "guided-ordered")


def blocks_of(attribute: str, scheme: str, entry: object) -> list[list[str]]:
    """Read one attribute of a recoding as lists of values: a level, ranges, or the lists themselves."""
    rows = census.hierarchy(attribute)
    if isinstance(entry, int):
        names = dict.fromkeys(row[entry] for row in rows)
        return [[row[0] for row in rows if row[entry] == name] for name in names]
    assert isinstance(entry, list)
    if scheme not in RANGES:
        return entry
    values = [row[0] for row in rows]
    return [values[values.index(first) : values.index(last) + 1] for first, last in entry]


def plain_costs(
    columns: Sequence[Sequence[str]], blocks: Sequence[Sequence[Sequence[str]]], k: int
) -> Results:
    """Count classes, DM and HDM row by row, as sections 4.1 and 4.3 define them.

    Rows in classes below k are suppressed: |D| each for DM, 1 each for HDM.
    """
    homes = [{value: number for number, block in enumerate(found) for value in block} for found in blocks]
    keys = list(
        zip(
            *([home[value] for value in column] for home, column in zip(homes, columns, strict=True)),
            strict=True,
        )
    )
    sizes = Counter(keys)
    total, kept = len(keys), [size for size in sizes.values() if size >= k]
    penalties = [_penalties(column, home) for column, home in zip(columns, homes, strict=True)]
    hdm = 0.0
    for row, key in enumerate(keys):
        values = [column[row] for column in columns]
        cells = [penalty[value] for penalty, value in zip(penalties, values, strict=True)]
        hdm += sum(cells) / len(cells) if sizes[key] >= k else 1.0
    return {
        "k": min(kept, default=0),
        "suppressed": total - sum(kept),
        "dm": sum(size * size for size in kept) + (total - sum(kept)) * total,
        "hdm": hdm,
    }


def _penalties(column: Sequence[str], home: Mapping[str, int]) -> dict[str, float]:
    """Return (N_e − N_v) / (N − N_v) for each value; nothing for a value that all rows have."""
    by_value = Counter(column)
    by_block = Counter(home[value] for value in column)
    total = len(column)
    return {
        value: (by_block[home[value]] - count) / (total - count) if count < total else 0.0
        for value, count in by_value.items()
    }


def recount(case: Case, result: SearchResult, k: int) -> Results:
    """Release a result, verify the release, and count its costs again from its recoding.

    Raises
    ------
    VerificationError
        If the release does not hold what it promises.
    """
    lattice, nodes = trim_lattice(result.lattice, result.nodes)
    release = Release(make_draft(case.prepared, case.problem, nodes[0], lattice))
    verified = release.verify()
    names = case.prepared.setting.quasi_identifiers
    blocks = [
        blocks_of(name, scheme, release.recoding[name])
        for name, scheme in zip(names, case.prepared.scheme_names, strict=True)
    ]
    columns = [census.table()[name].to_pylist() for name in names]
    found = plain_costs(columns, blocks, k)
    return {
        "found": found,
        "verified": {name: verified[name] for name in ("k", "dm", "suppressed")},
        "recoding": {name: len(parts) for name, parts in zip(names, blocks, strict=True)},
    }


__all__ = ["blocks_of", "plain_costs", "recount"]
