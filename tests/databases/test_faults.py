"""The database gone in the middle: nothing under a final name, a clear message, and a re-run succeeds."""

from __future__ import annotations

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import SfumatoError
from sfumato.table import databases
from tests.databases import cases, server

LOST = "cannot be reached, or the connection was lost"


@pytest.fixture
def alone(tmp_path):
    """A server of the test's own, to be ended."""
    if server.find_programs() is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    with server.serving() as found:
        found.execute("CREATE DATABASE test", "postgres")
        yield found


def ending(alone: server.Server, act):
    """Return a function that ends the server before it acts."""
    ended = []

    def first_end(*arguments: object, **options: object) -> object:
        if not ended:
            ended.append(True)
            alone.stop()
        return act(*arguments, **options)

    return first_end


def many() -> pa.Table:
    table = cases.arrow("levels")
    return pa.concat_tables([table] * 50)


def test_a_server_that_ends_is_explained_and_a_second_run_succeeds(alone, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    server.put(alone.address, "held", many())
    spec = cases.spec("levels", tmp_path, path=alone.address, table="held")
    expected = sf.anonymize(many(), cases.spec("levels", tmp_path))
    # While the tuples are counted, and while the rows are read.
    for part in ("count", "load"):
        with monkeypatch.context() as patch:
            patch.setattr(databases.OpenTable, part, ending(alone, getattr(databases.OpenTable, part)))
            with pytest.raises(SfumatoError, match=LOST) as told:
                sf.anonymize(None, spec).write(tmp_path / "r.csv")
        assert str(alone.port) not in str(told.value)
        assert not list(tmp_path.glob("r.csv*"))
        alone.start()
    release = sf.anonymize(None, spec)
    release.write(tmp_path / "r.csv")
    expected.write(tmp_path / "e.csv")
    assert (tmp_path / "r.csv").read_bytes() == (tmp_path / "e.csv").read_bytes()
    # Before rows are sent, before they are read back, and before the commit; without and with an old table.
    manifest = tmp_path / "t.json"
    for force in (False, True):
        before = server.tables(alone.address), manifest.read_bytes() if force else None
        for part in ("fill", "rows", "publish"):
            with monkeypatch.context() as patch:
                patch.setattr(
                    databases.StagedTable, part, ending(alone, getattr(databases.StagedTable, part))
                )
                with pytest.raises(SfumatoError, match=LOST):
                    release.write(alone.address, table="t", manifest=manifest, force=force)
            alone.start()
            assert (server.tables(alone.address), manifest.read_bytes() if force else None) == before
            assert manifest.exists() == force
        release.write(alone.address, table="t", manifest=manifest, force=force)
        assert server.ask(alone.address, "SELECT * FROM t").num_rows == release.rows["out"]
        assert server.tables(alone.address) == {"held", "t"}


def test_a_file_that_changes_meanwhile_is_refused(tmp_path, monkeypatch):
    address = f"sqlite:///{tmp_path / 'a.db'}"
    server.put(address, "t", cases.arrow("levels"))
    release = sf.anonymize(address, cases.spec("levels", tmp_path, table="t"))
    server.put(address, "u", cases.arrow("levels"))
    with pytest.raises(SfumatoError, match="changed while"):
        release.write(tmp_path / "r.csv")
    assert not list(tmp_path.glob("r.csv*"))
    release = sf.anonymize(address, cases.spec("levels", tmp_path, table="t"))
    release.write(address, table="released", manifest=tmp_path / "m.json")
    with pytest.raises(SfumatoError, match="never replaced"):
        release.write(tmp_path / "a.db", table="t", force=True)
    assert release.write(tmp_path / "r.csv").rows["out"] == release.rows["out"]


def test_a_folder_that_is_not_there_is_said(tmp_path):
    made = sf.anonymize(cases.arrow("levels"), cases.spec("levels", tmp_path))
    with pytest.raises(SfumatoError, match="the file cannot be opened"):
        made.write(f"sqlite:///{tmp_path}/nowhere/file.db", table="shared", manifest=tmp_path / "shared.json")
    assert not (tmp_path / "shared.json").exists()
