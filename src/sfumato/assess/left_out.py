"""Who was left out: suppressed rows by group, and which groups are hit more often than others."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.words import number_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import BoolArray, LongArray
    from sfumato.assess.cells import CodedTable

MOST_GROUPS = 12
BANDS = 5
"""Groups of a number or date with more values: equally large as far as ties allow."""
OFTENER, CLEAR, FEWEST = 1.5, 3.0, 5
"""A group is hit more if its share is so many times the others', by so many standard errors, in so many
rows."""


@dataclass(frozen=True)
class GroupLoss:
    """How many rows of a group were left out."""

    name: str  # its values in words
    rows: int
    left_out: int
    is_hit_more: bool

    @property
    def share(self) -> float:
        """The share of its rows that was left out."""
        return self.left_out / self.rows if self.rows else 0.0


@dataclass(frozen=True)
class AttributeLoss:
    """The groups of one attribute."""

    attribute: str
    groups: tuple[GroupLoss, ...]

    def to_dict(self, *, show_values: bool = True) -> dict[str, object]:
        """Return plain JSON; without values, groups are numbered."""
        groups = [
            {**asdict(item), "name": item.name if show_values else f"group {place}"}
            for place, item in enumerate(self.groups, start=1)
        ]
        return {"attribute": self.attribute, "groups": groups}


def find_left_out(table: CodedTable, released: BoolArray, names: Sequence[str]) -> tuple[AttributeLoss, ...]:
    """Count the suppressed rows of each group of some attributes; nothing where no row is suppressed."""
    if released.all():
        return ()
    rows = table.cells.rows
    found = []
    for name in names:
        words, group = _groups(table, name)
        place = group[table.cells.codes[name]]
        every = np.bincount(place, weights=rows, minlength=len(words)).astype(np.int64)
        gone = np.bincount(place, weights=np.where(released, 0, rows), minlength=len(words)).astype(np.int64)
        hit = _hit_more(every, gone)
        losses = zip(words, every.tolist(), gone.tolist(), hit.tolist(), strict=True)
        found.append(AttributeLoss(name, tuple(GroupLoss(*item) for item in losses)))
    return tuple(found)


def _hit_more(every: LongArray, gone: LongArray) -> BoolArray:
    """Tell which groups lose clearly more rows than chance would take from them, and than the others."""
    rows, total = int(every.sum()), int(gone.sum())
    share = total / rows
    # Rows are drawn without putting them back: hypergeometric.
    spread = np.sqrt(every * share * (1 - share) * (rows - every) / max(rows - 1, 1))
    others = (total - gone) / np.maximum(rows - every, 1)
    own = gone / np.maximum(every, 1)
    is_clear = gone - every * share > CLEAR * np.maximum(spread, 1e-9)
    return np.asarray((gone >= FEWEST) & is_clear & (own >= OFTENER * others))


def _groups(table: CodedTable, name: str) -> tuple[list[str], LongArray]:
    """Return groups of values in words, and the group of each code: values, bands, or the commonest ones."""
    texts = ["(missing)" if text is None else text for text in table.texts(name)]
    if len(texts) <= MOST_GROUPS:
        return texts, np.arange(len(texts))
    rows = np.bincount(table.cells.codes[name], weights=table.cells.rows, minlength=len(texts))
    places = table.positions(name)
    if places is not None:
        return _bands(texts, places, rows)
    common = np.argsort(-rows, kind="stable")[: MOST_GROUPS - 1]
    group = np.full(len(texts), len(common))
    group[common] = np.arange(len(common))
    rest = number_words(len(texts) - len(common))
    return [*(texts[code] for code in common.tolist()), f"{rest} other values"], group


def _bands(texts: list[str], places: np.ndarray, rows: np.ndarray) -> tuple[list[str], LongArray]:
    """Cut a line into bands of about equally many rows; missing is a band of its own."""
    there = np.isfinite(places)
    order = np.flatnonzero(there)[np.argsort(places[there], kind="stable")]
    share = (np.cumsum(rows[order]) - rows[order] / 2) / rows[order].sum()
    band = np.minimum((share * BANDS).astype(np.int64), BANDS - 1)
    _, band = np.unique(band, return_inverse=True)
    group = np.full(len(texts), int(band.max()) + 1)
    group[order] = band.reshape(-1)
    words = []
    for number in range(int(band.max()) + 1):
        ends = order[band.reshape(-1) == number]
        first, last = texts[ends[0]], texts[ends[-1]]
        words.append(first if first == last else f"{first} to {last}")
    return [*words, *([] if there.all() else ["(missing)"])], group
