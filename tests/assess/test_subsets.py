"""Combinations of attributes that single people out, against counting them one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from sfumato.assess import cells, linkage
from sfumato.assess.cells import Cells
from sfumato.assess.linkage import scan_subsets
from tests.assess.tables import Drawn, cells_of, tables
from tests.oracles import risk as oracle


def _expected(table: Drawn) -> tuple[dict[tuple[str, ...], int], int]:
    many = min(3, len(table.names))
    counted = oracle.singled_out(table.rows, many, table.persons)
    named = {tuple(table.names[place] for place in places): count for places, count in counted.items()}
    return named, len(table.rows) if table.persons is None else len(set(table.persons))


@given(tables(largest=5))
def test_every_combination_singles_out_as_many_as_counted(table: Drawn) -> None:
    counted, total = _expected(table)
    found = scan_subsets(cells_of(table), table.names)
    assert found.identifying == tuple(
        name for name in table.names if counted[name,] >= linkage.NEARLY_ALL * total
    )
    assert found.complete
    assert found.scanned == found.possible
    for item in found.best:
        assert item.singled_out == counted[item.attributes]
        assert item.share == item.singled_out / total
    for many in (1, 2, 3):
        shown = [item for item in found.best if len(item.attributes) == many]
        allowed = [
            count
            for names, count in counted.items()
            if len(names) == many and (many == 1 or not set(names) & set(found.identifying))
        ]
        assert [item.singled_out for item in shown] == sorted(allowed, reverse=True)[: linkage.SHOWN]


@given(tables(largest=5))
def test_wide_keys_are_counted_alike(table: Drawn) -> None:
    expected = scan_subsets(cells_of(table), table.names)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linkage, "TABLE", 0)
        patch.setattr(cells, "TABLE", 0)
        assert scan_subsets(cells_of(table), table.names) == expected


def test_many_columns_are_scanned_in_part_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)
    names = [f"c{place}" for place in range(30)]
    codes = {name: random.integers(0, 2 + place, size=400) for place, name in enumerate(names)}
    table = Cells(codes, {name: 2 + place for place, name in enumerate(names)}, np.ones(400, dtype=np.int64))
    whole = scan_subsets(table, names)
    assert (whole.complete, whole.scanned) == (True, 30 + 435 + 4060)
    monkeypatch.setattr(linkage, "MOST_COMBINATIONS", 600)
    part = scan_subsets(table, names)
    assert (part.complete, part.scanned, part.possible) == (False, 30 + 600, 30 + 435 + 4060)
    # The best pairs lead to the best triples.
    assert part.best[10].singled_out >= 0.9 * whole.best[10].singled_out
