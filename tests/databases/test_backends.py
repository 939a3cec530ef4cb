"""One suite for all that can hold a table: the same rows give the same release, byte for byte."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.errors import DataError
from sfumato.spec import DataSpec
from sfumato.table import open_source
from sfumato.table.tally import tally
from tests.databases import cases, server
from tests.table import backends

HOLDERS = ("pandas", "polars", "polars-lazy", "duckdb", "csv", "parquet", "postgres", "sqlite")


@functools.cache
def expected(scheme: str) -> tuple[bytes, bytes]:
    """The release of the rows as PyArrow holds them, and its manifest."""
    with tempfile.TemporaryDirectory() as folder:
        return release(cases.arrow(scheme), cases.spec(scheme, Path(folder)), Path(folder))


def release(data: object, spec: sf.Spec, folder: Path) -> tuple[bytes, bytes]:
    path = folder / "released.csv"
    sf.anonymize(data, spec).write(path, force=True)
    return path.read_bytes(), path.with_name("released.csv.json").read_bytes()


@pytest.fixture
def held(request, tmp_path, name):
    """A function that puts the rows of a scheme somewhere, and says where, and how they are found there."""

    def hold(scheme: str) -> tuple[object, dict[str, str]]:
        if request.param == "postgres":
            address = request.getfixturevalue("postgres").address
        elif request.param == "sqlite":
            address = f"sqlite:///{tmp_path / 'held.db'}"
        else:
            return backends.make(request.param, cases.columns(scheme), tmp_path), {}
        server.put(address, name, cases.arrow(scheme))
        return address, {"table": name}

    return hold


# What a scheme does to values is decided after they are read: most are left to thorough runs.
SHORT = ("levels", "local")
EVERYWHERE = [
    pytest.param(
        held,
        scheme,
        marks=() if scheme in SHORT else pytest.mark.slow,
    )
    for held in HOLDERS
    for scheme in cases.SCHEMES
]


@pytest.mark.some(8)
@pytest.mark.parametrize(("held", "scheme"), EVERYWHERE, indirect=["held"])
def test_every_holder_gives_the_same_release(held, scheme, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    data, found = held(scheme)
    made = release(data, cases.spec(scheme, tmp_path, **found), tmp_path)
    assert made[0] == expected(scheme)[0]
    assert made[1] == expected(scheme)[1]


@pytest.mark.parametrize("holder", ["postgres", "sqlite"])
def test_a_database_counts_by_bytes_and_sends_distinct_tuples_alone(holder, request, tmp_path, name):
    if holder == "postgres":
        found = request.getfixturevalue("postgres")
        address = found.address
        options = "provider = icu, locale = 'und-u-ks-level2', deterministic = false"
        blind = f"CREATE COLLATION IF NOT EXISTS blind ({options})"
        found.execute(blind)
        column = 'text COLLATE "blind"'
    else:
        address, column = f"sqlite:///{tmp_path / 'case.db'}", "text COLLATE NOCASE"
    cells = ["a", "A", "é", "e\u0301", "Z", "", "x'; drop table t; --", "\u00e9\n", None]
    with server.connect(address) as link, link.cursor() as cursor:
        cursor.execute(f'CREATE TABLE "{name}" (c {column})')
        cursor.execute(f'INSERT INTO "{name}" SELECT NULL FROM (VALUES (1), (2), (3)) AS v')
        for cell in cells:
            mark = "$1" if holder == "postgres" else "?"
            cursor.execute(f'INSERT INTO "{name}" VALUES ({mark})', (cell,))
        link.commit()
    source = open_source(
        address,
        sf.Spec.from_dict(
            {"data": {"table": name, "missing": ["Z"]}, "attributes": {"c": {"role": "quasi-identifier"}}}
        ).data,
    )
    counted = tally(source, ["c"])
    own = counted.columns["c"]
    texts = [None if place < 0 else own.values[place].as_py() for place in own.places]
    assert dict(zip(texts, counted.rows.tolist(), strict=True)) == {
        **{cell: 1 for cell in cells if cell not in (None, "Z")},
        None: 5,
    }
    assert source.database is not None
    assert not source.database.is_loaded


def test_what_is_infinite_is_missing_and_bytes_are_spelt_out(postgres, name, tmp_path):
    """Neither becomes something else, and columns that nobody asks for stop nothing."""
    times = "(VALUES ('infinity'), ('-infinity'), ('2024-01-01'), (NULL)) AS v(t)"
    postgres.execute(
        f'CREATE TABLE "{name}" AS SELECT t::date AS d, t::timestamp AS s, t::timestamptz AS z FROM {times}'
    )
    source = open_source(postgres.address, DataSpec(table=name))
    assert source.native.project("d::VARCHAR, s::VARCHAR, z::VARCHAR").fetchall() == [
        (None,) * 3,
        (None,) * 3,
        ("2024-01-01", "2024-01-01 00:00:00", "2024-01-01 00:00:00+00"),
        (None,) * 3,
    ]
    file = f"sqlite:///{tmp_path}/bytes.db"
    with server.connect(file) as link, link.cursor() as cursor:
        cursor.execute("CREATE TABLE t (age, photo)")
        cursor.execute("INSERT INTO t VALUES (1, x'ff00'), (1, 'text'), (1, 2), (1, NULL)")
        link.commit()
    source = open_source(file, DataSpec(table="t"))
    assert source.native.project("photo").fetchall() == [("\\xff00",), ("text",), ("2",), (None,)]
    with server.connect(file) as link, link.cursor() as cursor:
        cursor.execute("UPDATE t SET photo = CAST(x'ff' AS TEXT)")
        link.commit()
    with pytest.raises(DataError, match="not UTF-8"):
        assert open_source(file, DataSpec(table="t")).native
