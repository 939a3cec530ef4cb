"""Databases and SQL on the command line."""

from __future__ import annotations

import json

import duckdb
import pytest

from tests.cli.running import run
from tests.databases import cases, server
from tests.table import backends


@pytest.fixture
def specification(postgres, name, tmp_path, monkeypatch):
    """A specification of a table in the server."""
    monkeypatch.chdir(tmp_path)
    server.put(postgres.address, name, cases.arrow("levels"))
    cases.spec("levels", tmp_path, path=postgres.address, table=name).save(tmp_path / "s.toml")
    return tmp_path / "s.toml"


def test_from_a_database_to_a_database(specification, postgres, name, tmp_path):
    hidden = postgres.hidden
    assert run("check", specification).status == 0
    assert run("explore", specification, "--out", "front").status == 0
    words = ("--out", postgres.address, "--table", f"public.{name} out", "--manifest", "m.json")
    told = [
        run("release", specification, "--front", "front", "--pick", "knee", *words),
        run("anonymize", specification, *words, "--force", "--json"),
        run("anonymize", specification, *words),
        run("measure", postgres.address, "--read", f"table={name}", "--qi", "age,zip"),
        run("init", postgres.address, "--read", f"table={name}", "--out", "n.toml"),
    ]
    assert [found.status for found in told] == [0, 0, 2, 0, 0]
    assert "the table was read back and recounted" in told[0].out
    assert json.loads(told[1].out)["manifest"] == "m.json"
    assert "exists already" in told[2].err
    assert run("check", "n.toml").status == 0
    for found in told:
        assert not [word for word in hidden if word in found.out + found.err]
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".toml"]
    assert len(files) > 3
    for path in files:
        assert not [word for word in hidden if word in path.read_text()], path
    listed = server.ask(postgres.address, f'SELECT * FROM "{name} out"')
    assert listed.num_rows == json.loads((tmp_path / "m.json").read_text())["rows"]["out"]


def test_a_recipe_is_printed_or_written_as_sql(specification, name, tmp_path):
    assert run("anonymize", specification, "--out", "r.parquet").status == 0
    words = ("apply", "r.parquet.json", "--sql", "duckdb", "--table", f'"{name}"')
    printed = run(*words).out
    assert json.loads(run(*words, "--json").out)["sql"].strip() == printed.strip()
    assert run(*words, "--as", "table", "--name", "made", "--out", "make.sql").status == 0
    connection = duckdb.connect()
    connection.register("given", cases.arrow("levels"))
    connection.execute(f'CREATE TABLE "{name}" AS FROM given')
    connection.execute((tmp_path / "make.sql").read_text())
    released = backends.rows_of(connection.sql("FROM 'r.parquet'"))
    assert backends.rows_of(connection.sql(printed)) == released
    assert sorted(backends.rows_of(connection.table("made")), key=str) == sorted(released, key=str)
    for wrong in (
        words[:-2],
        (*words, "--as", "view"),
        words[:2],
        (*words[:2], "--table", "t", "--out", "x.csv"),
    ):
        assert run(*wrong).status == 2
    useless = ("--partition-by", "sex", "--after", "r.parquet", "--ledger", "l.json")
    assert run(*words, *useless).line.endswith(
        "reads no data: leave out --partition-by, --after and --ledger."
    )
    assert "leave out new data" in run(*words[:2], "new.csv", *words[2:]).line


def test_the_sql_of_a_local_recoding_is_private(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    server.put("sqlite:///local.db", "t", cases.arrow("local"))
    cases.spec("local", tmp_path, path="local.db", table="t").save(tmp_path / "s.toml")
    assert run("anonymize", "s.toml", "--out", "r.csv", "--assignment", "a.json").status == 0
    words = ("apply", "r.csv.json", "--sql", "postgres", "--table", "t", "--out", "a.sql")
    assert "assignment" in run(*words).err
    assert run(*words, "--assignment", "a.json").status == 0
    assert (tmp_path / "a.sql").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "a.sql").read_text().startswith("-- Private")
