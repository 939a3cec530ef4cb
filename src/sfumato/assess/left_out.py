"""Who was left out: suppressed rows by group, and which groups are hit more often than others."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.assess.cells import CodedTable, Survey, number_tuples, read_cells
from sfumato.assess.recoded import cut_order
from sfumato.words import number_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import BoolArray, LongArray
    from sfumato.preparing import Prepared

MISSING = "(missing)"
MOST_GROUPS = 12
BANDS = 5  # groups of a number or date with more values: equally large as far as ties allow
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
    # the sums of survey weights, of all its rows and of those left out; None where there are no weights
    weight: float | None = None
    weight_left_out: float | None = None

    @property
    def share(self) -> float:
        """The share of its rows that was left out."""
        return self.left_out / self.rows if self.rows else 0.0

    @property
    def weighted_share(self) -> float | None:
        """The share of the people that its rows stand for."""
        return (
            self.weight_left_out / self.weight if self.weight and self.weight_left_out is not None else None
        )


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


def find_left_out(
    table: CodedTable, released: BoolArray, names: Sequence[str], strata: Sequence[str] = ()
) -> tuple[AttributeLoss, ...]:
    """Count the suppressed rows of each group of some attributes; nothing where no row is suppressed."""
    # Each column of the strata, and all of them together, are further attributes: a group for each value.
    if released.all():
        return ()
    found = []
    for name in names:
        if name not in strata:
            words, group = _group_codes(table, name)
            found.append(_lose(table, released, name, words, group[table.cells.codes[name]]))
    for names in [(name,) for name in strata] + ([tuple(strata)] if len(strata) > 1 else []):
        codes = [table.cells.codes[name] for name in names]
        place = number_tuples(codes, [table.cells.sizes[name] for name in names])
        texts = [[MISSING if text is None else text for text in table.texts(name)] for name in names]
        sides = list(zip(texts, codes, strict=True))
        _, first = np.unique(place, return_index=True)
        words = [" × ".join(own[column[cell]] for own, column in sides) for cell in first]
        found.append(_lose(table, released, " × ".join(names), words, place))
    return tuple(found)


def _lose(
    table: CodedTable, released: BoolArray, name: str, words: Sequence[str], place: LongArray
) -> AttributeLoss:
    """Count the suppressed rows of groups, and what they weigh."""
    cells, gone = table.cells, ~released

    def count(numbers: np.ndarray) -> np.ndarray:
        return np.bincount(place, weights=numbers, minlength=len(words))

    rows, lost = count(cells.rows).astype(np.int64), count(cells.rows * gone).astype(np.int64)
    columns = [words, rows.tolist(), lost.tolist(), _hit_more(rows, lost).tolist()]
    if cells.weights is not None:
        weights = cells.weights * cells.rows
        columns += [count(weights).tolist(), count(weights * gone).tolist()]
    return AttributeLoss(name, tuple(GroupLoss(*item) for item in zip(*columns, strict=True)))


def find_small_strata(prepared: Prepared) -> list[str]:
    """Say which strata are too small to be told apart in any release."""
    data, k = prepared.spec.data, int(prepared.spec.require.get("k", 1))
    if not data.strata:
        return []
    table = read_cells(prepared.table.source, data.strata, Survey(data.person, data.household))
    sizes = table.cells.classes(data.strata).records
    small = sizes[sizes < k]
    if not len(small):
        return []
    return [
        f"{len(small):,} of {len(sizes):,} strata have fewer than k = {k} {data.unit_word}s "
        f"({int(small.sum()):,} in all): no release can show them apart, so their rows are merged with "
        "others or suppressed. Merge small strata first if estimates for them matter."
    ]


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


def _group_codes(table: CodedTable, name: str) -> tuple[list[str], LongArray]:
    """Return groups of values in words, and the group of each code: values, bands, or the commonest ones."""
    texts = [MISSING if text is None else text for text in table.texts(name)]
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
    band = cut_order(rows[order], BANDS)
    group = np.full(len(texts), int(band.max()) + 1)
    group[order] = band
    words = []
    for number in range(int(band.max()) + 1):
        ends = order[band == number]
        first, last = texts[ends[0]], texts[ends[-1]]
        words.append(first if first == last else f"{first} to {last}")
    return [*words, *([] if there.all() else [MISSING])], group
