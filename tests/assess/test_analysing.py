"""All analyses together."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given

from sfumato.assess.analysing import analyse_recoded
from sfumato.assess.recoded import pool
from sfumato.errors import DataError
from tests.assess.cases import coded, dependent, tables
from tests.examples import examples

if TYPE_CHECKING:
    from sfumato.assess.recoded import Recoded
    from tests.oracles.utility import Rows


@examples(40)
@given(tables())
def test_every_table_gives_plain_json_and_the_same_again(case: tuple[Rows, Recoded]) -> None:
    found = analyse_recoded(case[1], seed=7)
    assert found == analyse_recoded(case[1], seed=7)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["rows"] == {
        "in": len(case[0].rows),
        "kept": sum(case[0].kept),
        "suppressed": len(case[0].rows) - sum(case[0].kept),
        "used": len(case[0].rows),
    }


def test_nothing_done_is_nothing_lost() -> None:
    found = analyse_recoded(dependent(300, [range(8), range(3), range(4)]))
    assert found.distance == found.distance_spread == found.association_change == 0
    assert found.queries is not None
    assert found.queries.error_spread.p90 == 0
    assert found.model is not None
    assert found.model.target == "a2"
    assert found.model.release == found.model.original


def test_a_table_without_rows_or_attributes() -> None:
    with pytest.raises(DataError, match="no rows"):
        analyse_recoded(coded([2], [[0, 1]], []))
    found = analyse_recoded(coded([], [], [((), 3, True)]))
    assert found.attributes == ()
    assert found.model is found.queries is None


def test_a_large_table_is_sampled() -> None:
    table = dependent(300, [[0] * 8, range(3), range(4)])
    found = analyse_recoded(table, limit=100)
    assert (found.rows, found.used) == (300, 100)
    assert sum(found.attributes[0].before) == pytest.approx(1)


def test_pools() -> None:
    counts = np.array([5.0, 1, 1, 1, 9, 3, 7])
    sizes = [7], [range(7)], [((code,), int(count), True) for code, count in enumerate(counts)]
    plain = coded(*sizes, has_missing=[True]).attributes[0]
    assert pool(plain, counts, 3).tolist() == [0, 2, 2, 2, 1, 2, 3]
    ordered = coded(*sizes, kinds=["ordinal"], has_missing=[True]).attributes[0]
    assert pool(ordered, counts, 2).tolist() == [0, 0, 0, 0, 1, 1, 2]
    assert pool(ordered, counts, 6).tolist() == [*range(7)]
