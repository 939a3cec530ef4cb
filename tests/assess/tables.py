"""Small random tables, as rows for the oracles and as cells for the package."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from sfumato.assess.cells import Cells

VALUES = 4


@dataclass(frozen=True)
class Drawn:
    """Rows of small numbers; a person and a secret for each."""

    rows: list[tuple[object, ...]]
    secret: list[int | None]
    persons: list[object] | None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"q{place}" for place in range(len(self.rows[0])))


@st.composite
def tables(draw: st.DrawFn, *, persons: bool | None = None, largest: int = 4) -> Drawn:
    """Draw a table of one to forty rows."""
    width = draw(st.integers(1, largest))
    row = st.tuples(*[st.integers(0, VALUES - 1)] * width)
    rows: list[tuple[object, ...]] = list(draw(st.lists(row, min_size=1, max_size=40)))
    secret = draw(
        st.lists(
            st.one_of(st.none(), st.sampled_from([0, 1, 2, 30, 31])), min_size=len(rows), max_size=len(rows)
        )
    )
    has_persons = draw(st.booleans()) if persons is None else persons
    people: list[object] = list(draw(st.lists(st.integers(0, 5), min_size=len(rows), max_size=len(rows))))
    return Drawn(rows, secret, people if has_persons else None)


def cells_of(table: Drawn) -> Cells:
    """Return the cells of a table; the secret is the column ``secret``, missing its last code."""
    codes = [32 if value is None else value for value in table.secret]
    people = table.persons if table.persons is not None else [0] * len(table.rows)
    counted = Counter(zip(table.rows, codes, people, strict=True))
    found = sorted(counted)  # type: ignore[type-var]
    columns = {
        name: np.array([row[place] for row, _, _ in found], dtype=np.int64)
        for place, name in enumerate(table.names)
    }
    columns["secret"] = np.array([code for _, code, _ in found], dtype=np.int64)
    return Cells(
        columns,
        {**dict.fromkeys(table.names, VALUES), "secret": 33},
        np.array([counted[cell] for cell in found], dtype=np.int64),
        None if table.persons is None else np.array([person for _, _, person in found], dtype=np.int64),
    )
