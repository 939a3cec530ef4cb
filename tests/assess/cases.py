"""Small tables before and after a recoding: for the oracle as values, for the package as codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from sfumato.assess.recoded import Recoded, RecodedAttribute
from sfumato.domains import Partition
from tests.oracles.utility import Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

KINDS = ("category", "number", "ordinal")


@st.composite
def tables(draw: st.DrawFn, *, most_attributes: int = 3) -> tuple[Rows, Recoded]:
    """Draw a table; every row may be released or suppressed, and missing may be the last value."""
    width = draw(st.integers(1, most_attributes))
    sizes = [draw(st.integers(1, 5)) for _ in range(width)]
    blocks = [draw(st.lists(st.integers(0, 3), min_size=m, max_size=m)) for m in sizes]
    kinds = [draw(st.sampled_from(KINDS)) for _ in sizes]
    has_missing = [draw(st.booleans()) for _ in sizes]
    cells = draw(
        st.lists(
            st.tuples(st.tuples(*(st.integers(0, m - 1) for m in sizes)), st.integers(1, 3), st.booleans()),
            min_size=1,
            max_size=15,
        )
    )
    return plain(sizes, blocks, cells), coded(sizes, blocks, cells, kinds=kinds, has_missing=has_missing)


def plain(
    sizes: Sequence[int],
    blocks: Sequence[Sequence[int]],
    cells: Sequence[tuple[tuple[int, ...], int, bool]],
) -> Rows:
    """Return the table row by row."""
    rows = [(row, kept) for row, count, kept in cells for _ in range(count)]
    return Rows(
        tuple(tuple(range(size)) for size in sizes),
        tuple(dict(enumerate(block)) for block in blocks),
        tuple(row for row, _ in rows),
        tuple(kept for _, kept in rows),
    )


def coded(
    sizes: Sequence[int],
    blocks: Sequence[Sequence[int]],
    cells: Sequence[tuple[tuple[int, ...], int, bool]],
    *,
    kinds: Sequence[str] | None = None,
    has_missing: Sequence[bool] | None = None,
    persons: Sequence[int] | None = None,
) -> Recoded:
    """Return the table as cells of codes; the last attribute is sensitive."""
    attributes = []
    for place, size in enumerate(sizes):
        kind = "category" if kinds is None else kinds[place]
        known = size - (has_missing is not None and has_missing[place])
        numbers = np.arange(size, dtype=np.float64) ** 2
        numbers[known:] = np.nan
        attributes.append(
            RecodedAttribute(
                f"a{place}",
                "sensitive" if place == len(sizes) - 1 else "quasi-identifier",
                kind,
                Partition.of(blocks[place]).block,
                tuple(str(code) if code < known else None for code in range(size)),
                known,
                numbers if kind == "number" else None,
            )
        )
    return Recoded(
        tuple(attributes),
        np.array([row for row, _, _ in cells], dtype=np.int32).reshape(len(cells), len(sizes)),
        np.array([count for _, count, _ in cells], dtype=np.int64),
        np.array([kept for _, _, kept in cells], dtype=np.bool_),
        None if persons is None else np.array(persons, dtype=np.int32),
    )


def dependent(
    rows: int, blocks: Sequence[Sequence[int]], *, kind: str = "category", seed: int = 1
) -> Recoded:
    """Return a table whose last attribute of four values mostly follows the first one of eight."""
    rng = np.random.default_rng(seed)
    first = rng.integers(8, size=rows)
    noise = rng.integers(4, size=rows)
    last = np.where(rng.random(rows) < 0.8, first // 2, noise)
    other = rng.integers(3, size=rows)
    cells = [((int(a), int(b), int(c)), 1, True) for a, b, c in zip(first, other, last, strict=True)]
    return coded([8, 3, 4], blocks, cells, kinds=["category", "category", kind])
