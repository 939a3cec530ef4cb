"""Fixtures for tables: one small table with every type, and its specification."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from sfumato.spec import Spec
from tests.table import backends

if TYPE_CHECKING:
    from tests.table.oracle import Row

AGES = [34, 27, None, 34, 51, 27, 27, 60, 51, 34, 27, None]
ZIPS = ["01234", "01234", "01999", None, "98765", "01234", "98765", "01999", "98765", "01234", "01234", ""]
SCORES = [1.5, 2.0, None, 1.5, -3.25, 2.0, float("nan"), 1.5, 2.0, 1.5, 2.0, 0.5]
MEMBERS = [True, False, None, True, True, False, False, True, True, True, False, None]
BORN = [dt.date(1990, 1, 2), dt.date(1997, 5, 6), None, dt.date(1990, 1, 2)] * 3
ILL = ["flu", "cold", "flu", None, "gout", "flu", "cold", "flu", "gout", "", "cold", "flu"]
PAY = [10, 9, 200, None, 9, 10, 9, 200, 10, 9, 9, 200]


def _columns() -> dict[str, list[object]]:
    return {
        "id": [f"p{number:02}" for number in range(12)],
        "age": list(AGES),
        "zip": list(ZIPS),
        "score": list(SCORES),
        "member": list(MEMBERS),
        "born": list(BORN),
        "ill": list(ILL),
        "pay": list(PAY),
        "note": [f"n,{number % 3}" for number in range(12)],
        "extra": list(range(12)),
    }


@pytest.fixture
def columns() -> dict[str, list[object]]:
    """Twelve rows with every type, and missing in every one of them."""
    return _columns()


@pytest.fixture
def rows(columns) -> list[Row]:
    """The same as rows."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@pytest.fixture
def spec() -> Spec:
    """Roles for the table; kinds are found, and ``extra`` is not named."""
    roles = {
        "id": "identifier",
        "age": "quasi-identifier",
        "zip": "quasi-identifier",
        "score": "quasi-identifier",
        "member": "quasi-identifier",
        "born": "quasi-identifier",
        "ill": "sensitive",
        "pay": "sensitive",
        "note": "other",
    }
    return Spec(attributes={name: {"role": role} for name, role in roles.items()})


@pytest.fixture(params=backends.ALL)
def backend(request) -> str:
    """Every form that a table can have."""
    return request.param


@pytest.fixture
def data(backend, columns, tmp_path) -> object:
    """The table in that form."""
    if backend == "jsonl":  # JSON has no undefined number
        columns["score"] = [None if cell != cell else cell for cell in columns["score"]]
    return backends.make(backend, columns, tmp_path)
