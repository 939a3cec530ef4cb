"""Files of every format are read alike, and broken ones give one clear line."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyarrow import feather
from pyarrow import parquet as pq

from sfumato.errors import DataError, SfumatoError, VerificationError
from sfumato.verifier import Promise, hash_file, recount, release_suffix
from tests.release.oracle_release import write_csv

if TYPE_CHECKING:
    from pathlib import Path

HEADER = ["Age", "age", "it's", "s"]
ROWS: list[list[str | None]] = [
    ["35-39", "x", "1,5", "flu"],
    ["35-39", "x", "1,5", None],
    ["<15", None, 'say "hi"', "flu"],
    ["<15", None, 'say "hi"', "line\nbreak"],
    ["90+", "*", "é", "flu"],
]
NAMES = ("k", "spread_k", "distinct_l(s)", "spread_l(s)", "average_class")
PROMISE = Promise(("Age", "age", "it's"), ("s",), measures=dict.fromkeys(NAMES))
EXPECTED = {"k": 1, "spread_k": 9, "distinct_l(s)": 1, "spread_l(s)": 4, "average_class": 5 / 3}


def write_as(path: Path) -> Path:
    """Write the rows in the format of the suffix."""
    suffix = release_suffix(path)
    records = [dict(zip(HEADER, row, strict=True)) for row in ROWS]
    if suffix.startswith((".csv", ".txt", ".tsv", ".tab")):
        plain = path.with_name("plain")
        write_csv(plain, HEADER, ROWS, "\t" if suffix.startswith((".tsv", ".tab")) else ",")
        path.write_bytes(gzip.compress(plain.read_bytes()) if suffix.endswith(".gz") else plain.read_bytes())
    elif suffix.startswith((".json", ".ndjson")):
        text = "".join(json.dumps(record) + "\n" for record in records).encode()
        path.write_bytes(gzip.compress(text) if suffix.endswith(".gz") else text)
    else:
        table = pa.table([pa.array(column) for column in zip(*ROWS, strict=True)], names=HEADER)
        if suffix in (".parquet", ".pq"):
            pq.write_table(table, path)
        else:
            feather.write_feather(table, path)
    return path


FILES = ["r.csv", "r.CSV", "r.csv.gz", "r.tsv", "r.tsv.gz", "r.parquet", "r.arrow", "r.feather", "r.jsonl"]
ODD_NAMES = ["r.ndjson", "r.jsonl.gz", "with 'quote'.csv", "r[1].csv", "r[x].parquet", "é ü.arrow"]


@pytest.mark.parametrize("name", [*FILES, *ODD_NAMES])
def test_every_format_is_counted_alike(tmp_path: Path, name: str) -> None:
    found = recount(write_as(tmp_path / name), PROMISE)
    assert found.measures == pytest.approx(EXPECTED)
    assert sorted(found.columns) == sorted(HEADER)


def test_a_name_is_never_a_pattern(tmp_path: Path) -> None:
    write_csv(tmp_path / "r1.csv", ["q"], [["a"]] * 9)
    write_csv(tmp_path / "r[1].csv", ["q"], [["a"]] * 2)
    promise = Promise(("q",), measures={"k": None})
    assert recount(tmp_path / "r[1].csv", promise).counted == {"k": 2}
    (tmp_path / "r[1].csv").unlink()
    with pytest.raises(DataError, match="no such file"):
        recount(tmp_path / "r[1].csv", promise)


@pytest.mark.parametrize("folder_name", ["q=z", "c0=z"])
def test_a_folder_name_is_never_a_column(tmp_path: Path, folder_name: str) -> None:
    folder = tmp_path / folder_name
    folder.mkdir()
    write_csv(folder / "r.csv", ["q"], [["a"], ["b"]])
    pq.write_table(pa.table({"q": ["a", "b"]}), folder / "r.parquet")
    for name in ("r.csv", "r.parquet"):
        assert recount(folder / name, Promise(("q",), measures={"k": None})).counted == {"k": 1}


def test_numbers_and_other_types_count_as_their_text(tmp_path: Path) -> None:
    path = tmp_path / "typed.parquet"
    nested = pa.array([{"a": 1, "b": [1, 2]}] * 4)
    columns = [nested, pa.array([1.0, 1.0, None, None]), pa.array([True, True, False, None])]
    pq.write_table(pa.table(columns, names=["deep", "q", "s"]), path)
    promise = Promise(("q",), ("s",), measures={"k": None, "distinct_l(s)": None})
    found = recount(path, promise)
    assert (found.counted, found.columns) == ({"k": 2, "distinct_l(s)": 1}, ("deep", "q", "s"))


def test_numbers_in_the_reference_match_whatever_their_spelling(tmp_path: Path) -> None:
    path = tmp_path / "means.csv"
    write_csv(path, ["q", "s"], [["38", "1"], ["38.0", "1.0"], ["3.8e1", "2"], [None, None]])
    costs = {"cells": [[38, 1, 3], [None, 0, 3]]}
    values = {"values": [1, 2.0, None], "counts": [2, 1, 1]}
    reference = {"attributes": {"q": {"loss": costs}}, "distributions": {"s": values}}
    names = {"gl": None, "t(s)": None}
    rows = {"in": 4, "out": 4, "suppressed": 0}
    found = recount(path, Promise(("q",), ("s",), measures=names, reference=reference, rows=rows))
    assert (found.counted["gl"], found.contradictions) == (1, ())
    assert found.counted["t(s)"] == 0.75


def test_truth_values_in_the_reference_match_whatever_their_case(tmp_path: Path) -> None:
    path = tmp_path / "truth.csv"
    write_csv(path, ["q", "s"], [["a", "True"], ["a", "false"]])
    reference = {"distributions": {"s": {"values": [True, False], "counts": [1, 1]}}}
    rows = {"in": 2, "out": 2, "suppressed": 0}
    found = recount(path, Promise(("q",), ("s",), measures={"t(s)": None}, reference=reference, rows=rows))
    assert (found.counted, found.contradictions) == ({"t(s)": 0}, ())


BROKEN = {
    "too few cells": b"Age,age,it's,s\n1,2,3,4\n1,2,3\n1,2,3,4\n",
    "too many cells": b"Age,age,it's,s\n1,2,3,4\n1,2,3,4,5\n1,2,3,4\n",
    "open quote": b"Age,age,it's,s\n1,2,3,4\n1,2,3,\"4\n",
    "not text": b"Age,age,it's,s\n1,2,3,4\n1,2,3,\xff\xfe\n",
    "bad header": b"\xff\xfe\n",
    "blank header": b"\n1,2,3,4\n",
    "no rows": b"Age,age,it's,s\n",
    "other columns": b"Age,age,s\n1,2,3\n",
    "same name twice": b"Age,age,it's,s,s\n1,2,3,4,5\n",
    "nothing": b"",
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_broken_csv_file_gives_one_line_without_cells(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.csv"
    path.write_bytes(content)
    with pytest.raises(SfumatoError) as caught:
        recount(path, PROMISE)
    assert isinstance(caught.value, DataError | VerificationError)
    assert "\n" not in str(caught.value)
    assert "1,2,3" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize("name", ["r.csv.gz", "r.parquet", "r.arrow", "r.jsonl", "r.jsonl.gz"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.8, 0.99])
def test_a_file_cut_short_gives_one_line(tmp_path: Path, name: str, share: float) -> None:
    path = write_as(tmp_path / name)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(DataError, match=r"truncated|empty"):
        recount(path, PROMISE)


@pytest.mark.parametrize("name", ["r.parquet", "r.arrow", "r.csv.gz", "r.jsonl"])
def test_text_of_another_format_gives_one_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"Age,age,it's,s\n1,2,3,4\n" * 100)
    with pytest.raises(DataError, match="another format"):
        recount(path, PROMISE)


def test_json_lines_are_objects(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"q": 1}\n[2]\n', encoding="utf-8")
    with pytest.raises(DataError, match="not a JSON object"):
        recount(path, PROMISE)


@pytest.mark.parametrize("name", ["r.xls", "r", ".csv", "csv"])
def test_a_suffix_tells_the_format(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("q\n1\n", encoding="utf-8")
    with pytest.raises(DataError, match="suffix"):
        recount(tmp_path / name, PROMISE)


def test_a_missing_file_and_a_folder_give_one_line(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    for name, word in (("absent.csv", "no such file"), ("folder.csv", "a folder")):
        with pytest.raises(DataError, match=word):
            recount(tmp_path / name, PROMISE)


def test_the_digest_is_that_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "abc.csv"
    path.write_bytes(b"abc")
    assert hash_file(path) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


REFERENCES: dict[str, object] = {
    "attributes": [],
    "attributes.q": {"q": 3},
    "weight": {"q": {"weight": "heavy", "loss": {}}},
    "loss": {"q": {"loss": []}},
    "cells": {"q": {"loss": {"cells": [["a", 1]]}}},
    "cost": {"q": {"loss": {"cells": [["a", 3, 2]]}}},
    "default": {"q": {"loss": {"default": [1, 0]}}},
    "twice": {"q": {"loss": {"cells": [["a", 0, 1], ["a", 0, 1]]}}},
}


@pytest.mark.parametrize("attributes", REFERENCES.values(), ids=REFERENCES)
def test_a_wrong_reference_of_costs_gives_one_line(tmp_path: Path, attributes: object) -> None:
    path = tmp_path / "r.csv"
    write_csv(path, ["q"], [["a"]])
    promise = Promise(("q",), measures={"gl": None}, reference={"attributes": attributes})
    with pytest.raises(DataError, match="reference is malformed"):
        recount(path, promise)


@pytest.mark.parametrize(
    "stated",
    [
        {"values": "a", "counts": [1]},
        {"values": ["a"], "counts": [1, 2]},
        {"values": ["a"], "counts": [-1]},
        {"values": ["a"], "counts": [0]},
        {"values": ["a", "a"], "counts": [1, 1]},
        {"values": [1, "1.0"], "counts": [1, 1]},
        {"values": ["a"], "counts": [1], "levels": [[0, 1]]},
    ],
)
def test_a_wrong_reference_of_distributions_gives_one_line(tmp_path: Path, stated: object) -> None:
    path = tmp_path / "r.csv"
    write_csv(path, ["q", "s"], [["a", "a"]])
    reference = {"distributions": {"s": stated}}
    promise = Promise(("q",), ("s",), measures={"t(s)": None}, reference=reference)
    with pytest.raises(DataError, match="reference is malformed"):
        recount(path, promise)
