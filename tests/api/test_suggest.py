"""``sf.suggest`` and the short form of ``sf.anonymize``: the guesses of init, for any kind of frame."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from tests.cli.running import run, write_people
from tests.traps.line_list import line_list

if TYPE_CHECKING:
    from pathlib import Path


def people(rows: int = 60) -> pa.Table:
    generator = random.Random(3)
    return pa.table(
        {
            "PLZ": [f"{generator.randrange(3)}0{generator.randrange(10)}" for _ in range(rows)],
            "Nachname": [f"Meier{place}" for place in range(rows)],
            "age": [generator.randrange(20, 60) for _ in range(rows)],
            "smokes": [generator.random() < 0.3 for _ in range(rows)],
            "hiv": ["positive" if generator.random() < 0.3 else None for _ in range(rows)],
            "tags": [["x"]] * rows,
        }
    )


def test_the_same_guesses_as_init(tmp_path: Path) -> None:
    for name, table in (("people", None), ("cases", line_list())):
        path = tmp_path / f"{name}.csv"
        if table is None:
            write_people(tmp_path)
        else:
            table.write(path)
        assert run("init", path, "--out", tmp_path / "guess.toml", "--force").status == 0
        written, found = sf.Spec.load(tmp_path / "guess.toml"), sf.suggest(path)
        for part in ("attributes", "require", "suppression", "objectives"):
            assert getattr(found, part) == getattr(written, part)
        assert found.data.missing == written.data.missing
        assert sf.check(found)["ok"]


@pytest.mark.some(2)
@pytest.mark.parametrize("kind", ["pyarrow", "pandas", "polars", "lazy", "duckdb"])
def test_frames_of_any_kind(kind: str) -> None:
    table = people()
    frame = {
        "pyarrow": lambda: table,
        "pandas": lambda: table.to_pandas(),
        "polars": lambda: pl.from_arrow(table),
        "lazy": lambda: pl.from_arrow(table).lazy(),
        "duckdb": lambda: duckdb.from_arrow(table),
    }[kind]()
    spec = sf.suggest(frame)
    assert {name: item.role for name, item in spec.attributes.items()} == {
        "PLZ": "quasi-identifier",
        "Nachname": "identifier",
        "age": "quasi-identifier",
        "smokes": "quasi-identifier",
        "hiv": "sensitive",
    }
    release = sf.anonymize(frame, spec)
    assert release.spec == spec
    assert release.left_out == ("tags",)
    assert release.verify()["k"] >= 5


def test_weights_are_written_out() -> None:
    spec = sf.suggest(people())
    assert {name: spec.attributes[name].weight for name in spec.quasi_identifiers} == {
        "PLZ": 2,
        "age": 2,
        "smokes": 1,
    }


def test_only_named_columns_are_published() -> None:
    release = sf.anonymize(people(), k=4, quasi_identifiers=["PLZ", "age"], sensitive=["hiv"])
    assert set(release.frame.column_names) == {"PLZ", "age", "hiv"}  # type: ignore[attr-defined]
    assert release.left_out == ("Nachname", "smokes", "tags")
    assert "left out: Nachname, smokes, tags" in repr(release)
    assert release.spec.require == {"k": 4}
    assert release.spec.attributes["PLZ"].hierarchy is not None
    assert release.verify()["k"] >= 4
    again = sf.anonymize(people(), release.spec)
    assert again.recoding == release.recoding


def test_five_rows_look_alike_if_nothing_is_said() -> None:
    frame = pd.DataFrame({"age": range(40)})
    assert sf.anonymize(frame, quasi_identifiers=["age"]).measures["k"] >= 5


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"quasi_identifiers": ["Plz"]}, "Did you mean 'PLZ'?"),
        ({"quasi_identifiers": ["age"], "sensitive": ["HIV"]}, "Did you mean 'hiv'?"),
        ({"quasi_identifiers": ["tags"]}, "holds neither text nor numbers nor dates"),
        ({"quasi_identifiers": ["age"], "sensitive": ["age"]}, "name it once"),
        ({"quasi_identifiers": "age"}, "quasi_identifiers=[...]"),
        ({"k": 5}, "sf.suggest(data)"),
    ],
)
def test_what_is_wrong_is_said(asked: dict[str, object], message: str) -> None:
    with pytest.raises(sf.SfumatoError, match=r".") as caught:
        sf.anonymize(people(), **asked)  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_a_specification_says_everything_itself() -> None:
    spec = sf.suggest(people())
    with pytest.raises(sf.ParameterError, match="cannot be combined"):
        sf.anonymize(people(), spec, k=5)


def test_large_files_are_guessed_as_small_ones_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small text files are read once; of large ones each column is counted by itself."""
    path = tmp_path / "people.csv"
    path.write_text("age;note;city\n" + '17;"";Ulm\n18;NA;Bern\n18;x;\n40;"";Ulm\n41;NA;Ulm\n;x;Bern\n' * 5)
    small = sf.suggest(path).to_dict()
    monkeypatch.setattr("sfumato.table.sources.SMALL", 0)
    assert sf.suggest(path).to_dict() == small
