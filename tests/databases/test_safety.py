"""What of a database must not show, and what is refused."""

from __future__ import annotations

import importlib
import json
import os

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import DataError, OutputError, ParameterError, SfumatoError, SpecError
from tests.cli.running import run
from tests.databases import cases, server

SECRETS = [
    "postgresql://u:hunter2@h/d",
    "postgres://u:@h/d",
    "POSTGRESQL://u:hunter2@h/d",
    "postgresql://h/d?password=hunter2",
    "postgresql://h/d?pass%77ord=hunter2",
    "postgresql://h/d?sslmode=require&sslpassword=hunter2",
]


def small(**data: object) -> dict[str, object]:
    attributes = {"age": {"role": "quasi-identifier"}}
    return {"data": data, "attributes": attributes, "require": {"k": 2}, "objectives": {"minimize": ["loss"]}}


@pytest.mark.parametrize("address", SECRETS)
def test_a_password_in_an_address_is_refused(address, tmp_path):
    with pytest.raises(SpecError, match="PGPASSWORD") as refused:
        sf.Spec.from_dict(small(path=address, table="t"))
    assert "hunter2" not in str(refused.value)
    release = sf.anonymize(pa.table({"age": [1, 1, 2, 2]}), sf.Spec.from_dict(small()))
    for act in (
        lambda: sf.anonymize(address, sf.Spec.from_dict(small(table="t"))),
        lambda: release.write(address, table="t", manifest=tmp_path / "t.json"),
    ):
        with pytest.raises(ParameterError, match="PGPASSWORD") as refused:
            act()
        assert "hunter2" not in str(refused.value)
    (tmp_path / "s.toml").write_text('[attributes.age]\nrole = "quasi-identifier"\n[require]\nk = 2\n')
    (tmp_path / "a.csv").write_text("age\n1\n1\n")
    for words in (
        ("anonymize", tmp_path / "s.toml", "--out", address, "--table", "t"),
        ("explore", tmp_path / "s.toml", "--out", address),
        ("microaggregate", tmp_path / "a.csv", "--columns", "age", "--k", "2", "--out", address),
        ("measure", address, "--read", "table=t", "--qi", "age"),
        ("init", address, "--read", "table=t", "--out", tmp_path / "n.toml"),
        ("apply", tmp_path / "s.toml", tmp_path / "a.csv", "--out", address, "--table", "t"),
        ("compare", address, address),
        ("report", address),
        ("demo", "--out", address),
    ):
        found = run(*words)
        assert found.status == 2
        assert "PGPASSWORD" in found.err
        assert "hunter2" not in found.out + found.err


def test_two_ways_to_one_table_give_the_same_outputs(postgres, name, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    monkeypatch.setenv("PGUSER", server.USER)
    server.put(postgres.address, name, cases.arrow("levels"))
    ways = {
        "a": {"path": postgres.address, "table": name},
        "b": {
            "path": f"postgres://localhost:{postgres.port}/{server.DATABASE}?application_name=secret_word",
            "query": f'select * from "{name}" -- another_secret\n;',
        },
    }
    made = {}
    for key, data in ways.items():
        folder = tmp_path / key
        folder.mkdir()
        spec = cases.spec("levels", folder, **data)
        front = sf.explore(None, spec)
        release = front.pick("knee").release()
        release.write(folder / "r.csv")
        release.write(postgres.address, table=f"{name} out", manifest=folder / "r.json", force=True)
        release.report(folder / "r.html")
        release.recipe.save(folder / "recipe.json")
        (folder / "words").write_text(repr(release) + json.dumps(release.run, default=str, sort_keys=True))
        names = ("r.csv", "r.csv.json", "r.json", "r.html", "recipe.json")
        made[key] = [(folder / each).read_bytes() for each in names]
        hidden = [*postgres.hidden, "secret"]
        for path in folder.glob("r*"):
            assert not [word for word in hidden if word in path.read_text()], path
        assert not [word for word in hidden if word in (folder / "words").read_text()]
    assert made["a"] == made["b"]


@pytest.mark.parametrize(
    ("address", "table", "query", "words"),
    [
        ("{}", "no such", None, "no such table"),
        ("{}", "a.b.c.d;", None, "such table|such schema|failed"),
        ("{}", None, "select 1; drop table x", "one statement"),
        ("{}", None, "delete from x", "one statement"),
        ("{}", None, "select 1) as a, (select 2", "does not understand"),
        ("{}", None, "select nextval('sfumato_numbers')", "only read|no such table"),
        ("{}", None, "select 1 as age, 2 as age", "occurs twice"),
        ("{}", "no columns", None, "it has no columns"),
        ("postgresql:///?service=no_such", "t", None, "there is no such service"),
        ("{}", None, None, "a table or a query"),
        ("{}nothing", "t", None, "no such database"),
        ("postgresql://nobody@127.0.0.1:1/d", "t", None, "cannot be reached"),
    ],
)
def test_a_database_that_cannot_be_read_is_explained(postgres, address, table, query, words):
    place = address.format(postgres.address)
    postgres.execute('CREATE TABLE IF NOT EXISTS "no columns" ()')
    data = {key: text for key, text in (("table", table), ("query", query)) if text}
    with pytest.raises((DataError, ParameterError), match=words) as refused:
        sf.anonymize(place, sf.Spec.from_dict(small(**data)))
    for word in (server.USER, "127.0.0.1", str(postgres.port), "nobody"):
        assert word not in str(refused.value)


def test_a_wrong_password_is_not_repeated(postgres, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", "hunter2")
    with pytest.raises(DataError, match="refused the user or the password") as refused:
        sf.anonymize(postgres.address, sf.Spec.from_dict(small(table="t")))
    assert "hunter2" not in str(refused.value)


@pytest.fixture
def made(tmp_path) -> sf.Release:
    """A release of six rows."""
    return sf.anonymize(pa.table({"age": [1, 1, 1, 2, 2, 2]}), sf.Spec.from_dict(small()))


@pytest.mark.parametrize(
    ("table", "words"),
    [("nowhere.t", "no such schema"), ("closed.t", "may not do this"), ("a view", "is no table")],
)
def test_a_database_that_cannot_be_written_is_explained(postgres, made, tmp_path, monkeypatch, table, words):
    for statement in (
        "CREATE SCHEMA IF NOT EXISTS closed",
        'CREATE OR REPLACE VIEW public."a view" AS SELECT 1 AS age',
        "DO $$ BEGIN CREATE ROLE guest LOGIN PASSWORD 'guest'; EXCEPTION WHEN OTHERS THEN NULL; END $$",
    ):
        postgres.execute(statement)
    address = postgres.address
    if table.startswith("closed"):
        address = address.replace(server.USER, "guest")
        monkeypatch.setenv("PGPASSWORD", "guest")
    with pytest.raises(OutputError, match=words):
        made.write(address, table=table, manifest=tmp_path / "m.json", force=True)
    assert not (tmp_path / "m.json").exists()


def test_a_view_or_schema_of_sqlite_is_explained(made, tmp_path):
    server.put(f"sqlite:///{tmp_path}/a.db", "t", pa.table({"age": [1]}))
    with server.connect(f"sqlite:///{tmp_path}/a.db") as link, link.cursor() as cursor:
        cursor.execute("CREATE VIEW v AS SELECT * FROM t")
        link.commit()
    with pytest.raises(OutputError, match="is no table"):
        made.write(tmp_path / "a.db", table="v", manifest=tmp_path / "m.json", force=True)
    with pytest.raises(ParameterError, match="no schemas"):
        made.write(tmp_path / "a.db", table="main.v", manifest=tmp_path / "m.json", force=True)
    assert not (tmp_path / "m.json").exists()


def test_an_input_is_never_replaced_under_any_of_its_names(postgres, name, tmp_path):
    """Another schema, host or case, a query, a view, a table of which it is a part."""
    for statement in (
        f'CREATE TABLE "{name}" (age int) PARTITION BY LIST (age)',
        f'CREATE TABLE "{name} one" PARTITION OF "{name}" FOR VALUES IN (1)',
        f'INSERT INTO "{name}" SELECT 1 FROM generate_series(1, 9)',
        f'CREATE VIEW "{name} view" AS SELECT age FROM "{name}"',
    ):
        postgres.execute(statement)
    server.put(f"sqlite:///{tmp_path}/a.db", "People", pa.table({"age": [1, 1, 1]}))
    with server.connect(f"sqlite:///{tmp_path}/a.db") as link, link.cursor() as cursor:
        cursor.execute("CREATE VIEW v AS SELECT * FROM People")
        link.commit()
    other = postgres.address.replace("127.0.0.1", "localhost")
    whole, view, long = f"public.{name}", f"{name} view", "x" * 70
    postgres.execute(f'CREATE TABLE "{long}" AS SELECT 1 AS age FROM generate_series(1, 9)')
    file = f"sqlite:///{tmp_path}/a.db"
    (tmp_path / "link.db").symlink_to(tmp_path / "a.db")
    for place, data, to, table in (
        (postgres.address, {"table": name}, postgres.address, whole),
        (postgres.address, {"table": name}, other, name),
        (postgres.address, {"table": name}, postgres.address, f"{name} one"),
        (postgres.address, {"table": f"{name} one"}, postgres.address, name),
        (postgres.address, {"table": view}, postgres.address, whole),
        (postgres.address, {"table": long}, postgres.address, "x" * 69),
        (postgres.address, {"query": f'select age from "{view}"'}, postgres.address, name),
        (file, {"table": "People"}, file, "PEOPLE"),
        (file, {"table": "main.people"}, file, "People"),
        (file, {"query": "select age from v where age > 0"}, file, "people"),
        (file, {"table": "people"}, f"sqlite:///{tmp_path}/link.db", "people"),
    ):
        release = sf.anonymize(place, sf.Spec.from_dict(small(**data)))
        with pytest.raises(OutputError, match="never replaced"):
            release.write(to, table=table, manifest=tmp_path / "m.json", force=True)
    assert server.ask(postgres.address, f'SELECT age FROM "{view}"').num_rows == 9
    # Another table of the same name is none of it.
    server.put(f"sqlite:///{tmp_path}/b.db", "people", pa.table({"age": [7]}))
    release.write(tmp_path / "b.db", table="people", manifest=tmp_path / "m.json", force=True)


def test_keys_of_databases_are_for_databases():
    for data in (
        {"path": "a.csv", "table": "t"},
        {"path": "postgresql://h/d"},
        {"table": "t", "query": "select 1"},
    ):
        with pytest.raises(SpecError, match=r"database|not both"):
            sf.Spec.from_dict(small(**data))


def test_a_missing_driver_names_the_command(monkeypatch, tmp_path):
    def lacking(name: str) -> object:
        raise ImportError(name)

    (tmp_path / "a.db").touch()
    monkeypatch.setattr(importlib, "import_module", lacking)
    with pytest.raises(ParameterError, match=r'pip install "sfumato\[postgres\]"'):
        sf.anonymize(tmp_path / "a.db", sf.Spec.from_dict(small(table="t")))


@pytest.mark.parametrize("holder", ["postgres", "sqlite"])
def test_a_release_is_one_transaction_and_replaces_only_by_force(
    holder, request, tmp_path, name, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    address = request.getfixturevalue("postgres").address if holder == "postgres" else "sqlite:///out.db"
    release = sf.anonymize(cases.arrow("levels"), cases.spec("levels", tmp_path))
    stated = release.write(address, table=name)
    release.write("r.csv")
    assert (tmp_path / f"{name}.json").read_bytes() == (tmp_path / "r.csv.json").read_bytes()
    rows = server.ask(address, f'SELECT * FROM "{name}"')
    assert rows.num_rows == stated.rows["out"]
    before = server.tables(address)
    with pytest.raises(OutputError, match="exists already"):
        release.write(address, table=name)
    (tmp_path / f"{name}.json").unlink()
    with pytest.raises(OutputError, match="exists already"):
        release.write(address, table=name)
    release.write(address, table=name, force=True)
    # A draft that is not as promised has no name, and what was there stays.
    kept = (tmp_path / f"{name}.json").read_bytes()

    def spoil(self: object) -> object:
        raise DataError("the rows are not as promised.")

    monkeypatch.setattr("sfumato.table.databases.StagedTable.rows", spoil)
    with pytest.raises(SfumatoError, match="not written"):
        release.write(address, table=name, force=True)
    with pytest.raises(SfumatoError, match="not written"):
        release.write(tmp_path / "new.db", table="t")
    assert not list(tmp_path.glob("new.db*"))
    assert server.tables(address) == before
    assert (tmp_path / f"{name}.json").read_bytes() == kept
    assert server.ask(address, f'SELECT * FROM "{name}"').equals(rows)
    assert not [entry for entry in os.listdir(tmp_path) if entry.startswith(".")]
