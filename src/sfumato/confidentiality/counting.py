"""How many people confidential sentences protect: counts, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sfumato._typing import BoolArray
    from sfumato.confidentiality.statements import Statement
    from sfumato.domains import Cube


@dataclass(frozen=True)
class Protected:
    """How many people a sentence protects."""

    people: int  # those who hold it: rows, or persons where they are named
    rows: int  # all rows for which it is true, whoever holds it


def count_protected(cube: Cube) -> tuple[Protected, ...]:
    """Count the people whom each sentence of a cube protects; nothing where there are no sentences."""
    own = cube.confidential
    if own is None:
        return ()
    codes = cube.sensitive_codes[:, cube.hidden]
    return tuple(
        Protected(_people(cube, own.held[codes, s]), int(cube.rows[own.truth[codes, s]].sum()))
        for s in range(own.count)
    )


def _people(cube: Cube, cells: BoolArray) -> int:
    if cube.persons is None:
        return int(cube.rows[cells].sum())
    return len(np.unique(cube.persons[cells]))


def find_warnings(statements: Sequence[Statement], cube: Cube) -> Iterator[str]:
    """Say what about the sentences looks like a mistake; numbers of sentences and counts only."""
    for number, (statement, found) in enumerate(zip(statements, count_protected(cube), strict=True), start=1):
        if not found.people:
            yield f"Sentence {number} protects nobody: {statement.holders_text!r} is true for no row."
        if not found.rows:
            yield f"Sentence {number} is true for no row, so it can never become known."
        elif found.rows == cube.row_count and found.people:
            yield f"Sentence {number} is true for every row, so no recoding can keep it secret."
