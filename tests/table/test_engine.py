"""The embedded engine: alone, modest and quiet."""

from __future__ import annotations

import subprocess
import sys

import duckdb
import pyarrow as pa
import pytest

from sfumato.errors import DataError
from sfumato.private import process_folder
from sfumato.table.engine import MEMORY_LIMIT_BYTES, connect, from_arrow_beside, quote_literal


def setting(connection, name):
    return connection.sql(f"SELECT current_setting('{name}')").fetchall()[0][0]


def test_connections_reach_for_nothing_outside():
    connection = connect()
    assert setting(connection, "autoinstall_known_extensions") is False
    assert setting(connection, "autoload_known_extensions") is False
    assert setting(connection, "temp_directory").startswith(str(process_folder()))
    assert setting(connection, "temp_directory") != setting(connect(), "temp_directory")
    with pytest.raises(duckdb.Error):
        connection.sql("SELECT * FROM read_csv('https://example.invalid/a.csv')").fetchall()


def test_connections_hold_little_memory():
    number, unit = setting(connect(), "memory_limit").split()
    assert float(number) * {"MiB": 2**20, "GiB": 2**30}[unit] <= MEMORY_LIMIT_BYTES


@pytest.mark.skipif(sys.platform == "win32", reason="rights are not numbers there")
def test_the_folder_of_the_process_is_private():
    assert process_folder().stat().st_mode & 0o077 == 0
    assert process_folder() is process_folder()


def test_arrow_tables_join_relations_of_any_connection():
    relation = duckdb.connect().sql("SELECT 1 AS a UNION ALL SELECT 2")
    beside = from_arrow_beside(relation, pa.table({"a": [2], "b": ["two"]}))
    joined = relation.set_alias("l").join(beside.set_alias("r"), "l.a = r.a").select("r.b")
    assert joined.fetchall() == [("two",)]


def test_a_connection_that_does_not_see_variables_is_told_so():
    relation = duckdb.connect(config={"python_enable_replacements": "false"}).sql("SELECT 1 AS a")
    with pytest.raises(DataError, match="Set python_enable_replacements = true"):
        from_arrow_beside(relation, pa.table({"a": [2]}))


def test_literals_are_quoted():
    assert connect().sql(f"SELECT {quote_literal(chr(39) + 'a')}").fetchall() == [("'a",)]


SCRIPT = """
import sys
import numpy as np
from sfumato.spec import Spec
from sfumato.table import Recode, apply, code_table, open_source, write_table
from pathlib import Path

spec = Spec(attributes={"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}})
table = code_table(open_source(sys.argv[1]), spec)
recode = Recode("age", np.zeros(2, dtype=np.int32), ["*"])
write_table(apply(table, [recode], np.zeros((0, 1), dtype=np.int32)), Path(sys.argv[2]))
print(len(table.warnings), [name for name in ("pandas", "polars", "numba") if name in sys.modules])
"""


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_file_is_worked_on_without_loading_frames_and_without_a_word(suffix, tmp_path):
    source, target = tmp_path / "in.csv", tmp_path / f"out.{suffix}"
    source.write_text("age,ill\n1,flu\n2,cold\n")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(source), str(target)],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "0 []\n"


def test_importing_the_room_loads_no_engine():
    code = (
        "import sfumato.table, sys; print([m for m in ('duckdb','pyarrow','narwhals') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert done.stdout == "[]\n"
