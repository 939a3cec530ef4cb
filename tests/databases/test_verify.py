"""A released table is recounted where it is: what was changed in it is found, and nothing of it shows."""

from __future__ import annotations

import json

import pytest

import sfumato as sf
from sfumato.errors import DataError, ParameterError
from tests.cli.running import run
from tests.databases import cases, server


@pytest.fixture(params=["postgres", "sqlite"])
def address(request, tmp_path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    return request.getfixturevalue("postgres").address if request.param == "postgres" else "sqlite:///out.db"


def change(address: str, statement: str) -> None:
    with server.connect(address) as connection, connection.cursor() as cursor:
        cursor.execute(statement)
        connection.commit()


@pytest.mark.some(2)
@pytest.mark.parametrize("scheme", ["levels", "local", "ordered"])
def test_a_table_is_recounted_as_the_same_rows_in_a_file_are(scheme, address, tmp_path, name):
    spec = cases.spec(scheme, tmp_path)
    release = sf.anonymize(cases.arrow(scheme), spec)
    release.write(address, table=name)
    release.write("r.csv")
    held = sf.verify(address, table=name)
    assert held["holds"]
    assert held == sf.verify("r.csv")
    data = cases.arrow(scheme)
    assert sf.verify(address, spec, data, table=name) == sf.verify("r.csv", spec, data)
    (tmp_path / f"{name}.json").rename(tmp_path / "m.json")
    assert sf.verify(address, table=name, manifest="m.json") == held
    alone = sf.verify(address, spec, table=name)
    (tmp_path / "r.csv.json").unlink()
    assert alone == sf.verify("r.csv", spec)


@pytest.mark.some(2)
@pytest.mark.parametrize("order", ["sorted", "input"])
@pytest.mark.parametrize("formulas", ["keep", "escape"])
def test_order_and_escapes_are_those_of_the_manifest(order, formulas, address, tmp_path, name):
    tables = cases.spec("levels", tmp_path).to_dict()
    spec = sf.Spec.from_dict({**tables, "release": {"order": order, "formulas": formulas}}, tmp_path)
    sf.anonymize(cases.arrow("levels"), spec).write(address, table=name)
    assert sf.verify(address, table=name)["holds"]


@pytest.mark.some(1)
def test_what_was_changed_in_a_table_is_found(address, tmp_path, name):
    release = sf.anonymize(cases.arrow("levels"), cases.spec("levels", tmp_path))
    release.write(address, table=name)
    sensitive, quasi = release.recipe.sensitive[0], release.recipe.quasi_identifiers[0]
    changes = (
        f'UPDATE "{name}" SET "{sensitive}" = NULL WHERE "{sensitive}" = '
        f'(SELECT max("{sensitive}") FROM "{name}")',
        f'DELETE FROM "{name}" WHERE "{quasi}" = (SELECT max("{quasi}") FROM "{name}")',
        f'ALTER TABLE "{name}" DROP COLUMN "{sensitive}"',
    )
    for statement in changes:
        release.write(address, table=name, force=True)
        assert sf.verify(address, table=name)["holds"]
        change(address, statement)
        found = run("verify", address, "--table", name, "--json")
        assert found.status == 1, statement
        assert not json.loads(found.out)["holds"]


@pytest.mark.some(1)
def test_the_command_names_the_table_and_never_the_address(address, tmp_path, name):
    release = sf.anonymize(cases.arrow("levels"), cases.spec("levels", tmp_path))
    release.write(address, table=name)
    hidden = (server.USER, "127.0.0.1", "out.db", server.PASSWORD, "release.csv")
    told = [
        run("verify", address, "--table", name),
        run("verify", address, "--table", name, "--json"),
        run("verify", address, "--table", name, "--manifest", "none.json"),
        run("verify", address, "--table", "none", "--manifest", f"{name}.json"),
        run("verify", address),
    ]
    assert [found.status for found in told] == [0, 0, 2, 2, 2]
    assert f"the table '{name}' of the database: verified" in told[0].out
    assert "no none.json" in told[2].err
    assert "no such table" in told[3].err
    for found in told:
        assert not [word for word in hidden if word in found.out + found.err]
    with pytest.raises(DataError, match=r"none\.json"):
        sf.verify(address, table=name, manifest="none.json")
    with pytest.raises(ParameterError, match="for releases that go to a database"):
        sf.verify("r.csv", table=name)


def test_a_password_in_the_address_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sf.anonymize(cases.arrow("levels"), cases.spec("levels", tmp_path)).write("out.db", table="t")
    found = run("verify", "postgresql://u:hunter2@h/d", "--table", "t")
    assert found.status == 2
    assert "PGPASSWORD" in found.err
    assert "hunter2" not in found.out + found.err
