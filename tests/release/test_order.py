"""One table gives one file: the same bytes whatever engine holds it, in whatever order of rows."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import json
import random
from typing import TYPE_CHECKING

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import sfumato as sf
from sfumato.errors import OutputError
from sfumato.release.manifest import Manifest, manifest_path
from sfumato.table import Leaving, write_table
from sfumato.table.engine import connect
from sfumato.verifier import Promise, hash_file, recount
from tests.table import backends

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

FORMATS = ("csv", "parquet", "jsonl", "arrow", "csv.gz", "csv.zst", "tsv")
INPUTS = ("csv", "csv.gz", "parquet", "arrow", "pandas", "polars", "polars-lazy", "pyarrow", "duckdb")


def columns_of(seed: int = 0, rows: int = 120) -> dict[str, list[object]]:
    """Return a table with every type; the last two rows have an age of their own, and are suppressed."""
    draw = random.Random(7)
    lines = [
        (
            f"p{number}",
            draw.choice([20, 31, 100]),
            draw.choice(["01234", "98765", "é", "Z", "z"]),
            draw.choice([1.5, 2.0, -0.25, None]),
            draw.choice([3, 9, 10, 200, None]),
            draw.choice([True, False]),
            draw.choice([dt.date(1990, 1, 2), dt.date(1985, 12, 31), None]),
            draw.choice([5, 40, 1000, None]),
            draw.choice(["a,b", 'say "x"', "10", "9", "*"]),
        )
        for number in range(rows)
    ]
    lines += [
        ("h1", 77, "secret", 3.25, 8, True, None, 7, "hidden"),
        ("h2", 78, "other", None, 3, True, None, None, "h"),
    ]
    random.Random(seed).shuffle(lines)
    names = ("id", "age", "zip", "score", "pay", "member", "born", "visits", "note")
    return dict(zip(names, map(list, zip(*lines, strict=True)), strict=True))


def make_spec(**release: str | int) -> sf.Spec:
    roles = {
        "id": "identifier",
        "age": "quasi-identifier",
        "zip": "other",
        "score": "sensitive",
        "pay": "sensitive",
        "member": "other",
        "born": "sensitive",
        "visits": "other",
        "note": "other",
    }
    return sf.Spec.from_dict(
        {
            "attributes": {name: {"role": role} for name, role in roles.items()},
            "suppression": {"limit": 0.1, "output": release.pop("output", "drop")},
            "require": {"k": 5},
            "objectives": {"minimize": ["loss"]},
            **({"release": release} if release else {}),
        }
    )


def write(data: object, path: Path, spec: sf.Spec | None = None) -> bytes:
    path.parent.mkdir(exist_ok=True)
    sf.anonymize(data, spec or make_spec()).write(path, force=True)
    return path.read_bytes()


@pytest.mark.some(1)
@pytest.mark.parametrize("output", ["drop", "mask"])
@pytest.mark.parametrize("suffix", FORMATS)
def test_one_table_gives_one_file_and_one_manifest(suffix: str, output: str, tmp_path: Path) -> None:
    files, manifests = {}, {}
    for seed, backend in enumerate(INPUTS):
        data = backends.make(backend, columns_of(seed), tmp_path)
        path = tmp_path / "out" / f"r.{suffix}"
        files[backend] = write(data, path, make_spec(output=output))
        stated = json.loads(manifest_path(path).read_text(encoding="utf-8"))
        stated.pop("versions"), stated.pop("seal")
        manifests[backend] = stated
    assert {name for name, found in files.items() if found != files["csv"]} == set()
    assert {name for name, found in manifests.items() if found != manifests["csv"]} == set()
    verified = sf.verify(path)
    assert verified["holds"]
    assert {check["name"]: check["verdict"] for check in verified["checks"]}["order of rows"] == "holds"


def expected_key(row: list[str], numbers: list[bool]) -> list[tuple[object, ...]]:
    """Sort as the documentation says, in plain Python."""
    found: list[tuple[object, ...]] = []
    for cell, is_number in zip(row, numbers, strict=True):
        if cell == "":
            found.append((2, 0.0, b""))
        elif is_number:
            found.append((1, 0.0, b"*") if cell == "*" else (0, float(cell), cell.encode()))
        else:
            found.append((0, 0.0, cell.encode()))
    return found


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("output", ["drop", "mask"])
def test_the_order_is_the_one_that_is_documented(output: str, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    write(pd.DataFrame(columns_of()), path, make_spec(output=output))
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    numbers = [
        all(is_number(cell) for cell in column if cell not in ("", "*")) for column in zip(*rows, strict=True)
    ]
    assert numbers == [True, False, True, True, False, False, True, False]
    assert rows == sorted(rows, key=lambda row: expected_key(row, numbers))
    assert ("*" in {row[0] for row in rows}) == (output == "mask")


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["parquet", "csv.gz", "arrow", "csv.zst"])
def test_a_large_file_is_the_same_with_any_number_of_threads(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = 400_000
    frame = pl.DataFrame({"age": [20, 30, 40, 50] * (rows // 4), "visits": range(rows)})
    attributes = {"age": {"role": "quasi-identifier"}, "visits": {"role": "other"}}
    spec = sf.Spec.from_dict(
        {"attributes": attributes, "require": {"k": 5}, "objectives": {"minimize": ["loss"]}}
    )
    contents = set()
    for threads in (1, 2, 4):

        def limited(threads: int = threads) -> duckdb.DuckDBPyConnection:
            connection = connect()
            connection.execute(f"SET threads = {threads}")
            return connection

        monkeypatch.setattr("sfumato.table.writing.connect", limited)
        contents.add(
            write(frame.sample(fraction=1.0, shuffle=True, seed=threads), tmp_path / f"r.{suffix}", spec)
        )
    assert len(contents) == 1


def in_files(rows: int, suffix: str, folder: Path, backend: str = "polars") -> Path:
    """Write a release of 120 rows as files of at most so many rows."""
    path = folder / f"r.{suffix}"
    data = backends.make(backend, columns_of(), folder)
    sf.anonymize(data, make_spec(rows_per_file=rows)).write(path, force=True)
    return path


@pytest.mark.some(2)
@pytest.mark.parametrize("backend", ["csv", "parquet", "pandas", "polars-lazy", "duckdb"])
@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_files_of_some_rows_are_the_one_file_divided(suffix: str, backend: str, tmp_path: Path) -> None:
    whole = write(pl.DataFrame(columns_of()), tmp_path / "whole" / f"r.{suffix}")
    path = in_files(50, suffix, tmp_path, backend)
    parts = sorted(path.iterdir())
    assert [part.name for part in parts] == [f"part-{number:05}.{suffix}" for number in range(3)]
    if suffix == "parquet":
        one, found = pa.parquet.read_table(tmp_path / "whole" / "r.parquet"), pa.parquet.read_table(path)
        assert (found.schema, found.to_pylist()) == (one.schema, one.to_pylist())
    else:
        lines = [part.read_bytes().splitlines(keepends=True) for part in parts]
        assert [len(part) for part in lines] == [51, 51, 21]
        assert b"".join([lines[0][0], *(line for part in lines for line in part[1:])]) == whole
    assert sf.verify(path)["holds"]
    assert sf.measure(path, quasi_identifiers=["age"])["rows"] == 120


def test_files_are_divided_at_whole_groups_of_rows(tmp_path: Path) -> None:
    rows = pl.DataFrame({"visits": range(400_000)})
    write_table(rows, tmp_path / "r.parquet", leaving=Leaving({}, rows_per_file=250_000))
    found = [pa.parquet.read_metadata(part).num_rows for part in sorted((tmp_path / "r.parquet").iterdir())]
    assert found == [245_760, 154_240]
    write_table(rows.clear(), tmp_path / "none.parquet", leaving=Leaving({}, rows_per_file=5))
    assert pa.parquet.read_table(tmp_path / "none.parquet").column_names == ["visits"]


def test_files_in_another_order_are_found(tmp_path: Path) -> None:
    path = in_files(50, "parquet", tmp_path)
    first, second, last = (path / f"part-{number:05}.parquet" for number in (0, 1, 9))
    first.rename(last), second.rename(first), last.rename(second)
    verdicts = {check["name"]: check["verdict"] for check in sf.verify(path)["checks"]}
    assert verdicts["order of rows"] == verdicts["file digest"] == "broken"


@pytest.mark.parametrize("name", ["r.jsonl", "r.arrow", "r.xlsx", "r.txt"])
def test_files_of_some_rows_are_refused_in_other_formats(name: str, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="only Parquet, CSV and TSV"):
        in_files(50, name.removeprefix("r."), tmp_path)
    assert not [*tmp_path.glob("r.*")]


def test_a_table_of_a_database_is_not_divided(tmp_path: Path) -> None:
    release = sf.anonymize(pl.DataFrame(columns_of()), make_spec(rows_per_file=50))
    with pytest.raises(OutputError, match="not divided into files"):
        release.write(f"sqlite:///{tmp_path / 'open.db'}", table="people")


def test_permuted_rows_are_found_even_if_everything_is_sealed_anew(tmp_path: Path) -> None:
    for suffix in ("csv", "jsonl"):
        path = tmp_path / f"r.{suffix}"
        write(pl.DataFrame(columns_of()), path)
        lines = path.read_bytes().splitlines(keepends=True)
        assert len(lines) > 100
        lines[50], lines[90] = lines[90], lines[50]
        path.write_bytes(b"".join(lines))
        manifest = Manifest.load(manifest_path(path))
        resealed = Manifest(
            manifest.recipe,
            manifest.measures,
            manifest.require,
            manifest.rows,
            hash_file(path),
            manifest.reference,
            manifest.versions,
        )
        manifest_path(path).write_text(resealed.to_json(), encoding="utf-8")
        found = sf.verify(path)
        assert not found["holds"]
        assert len(found["violations"]) == 1
        assert found["violations"][0].startswith("the rows are not sorted by all columns")


def test_permuted_rows_of_a_typed_file_are_found(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    write(pl.DataFrame(columns_of()), path)
    pl.read_parquet(path).reverse().write_parquet(path)
    assert any("not sorted" in text for text in sf.verify(path)["violations"])


@pytest.mark.some(1)
@pytest.mark.parametrize("backend", ["csv", "pandas", "polars-lazy", "duckdb"])
def test_the_input_order_is_kept_only_where_it_is_asked_for(backend: str, tmp_path: Path) -> None:
    columns = columns_of(3)
    data = backends.make(backend, columns, tmp_path)
    path = tmp_path / "out" / "r.csv"
    write(data, path, make_spec(order="input"))
    with path.open(newline="", encoding="utf-8") as file:
        released = [row["note"] for row in csv.DictReader(file)]
    assert released == [
        note for note, age in zip(columns["note"], columns["age"], strict=True) if age < 77 or age == 100
    ]
    assert "order of rows" not in {check["name"] for check in sf.verify(path)["checks"]}
    warnings = sf.check(data, make_spec(order="input"))["warnings"]
    assert any("order" in text for text in warnings)
    assert not any("order of" in text for text in sf.check(data, make_spec())["warnings"])


@pytest.mark.some(3)
@pytest.mark.parametrize("backend", ["csv", "pandas", "polars", "polars-lazy", "pyarrow", "duckdb"])
def test_frames_keep_the_order_of_the_input(backend: str, tmp_path: Path) -> None:
    columns = columns_of(5)
    released = sf.anonymize(backends.make(backend, columns, tmp_path), make_spec())
    notes = [row[-1] for row in backends.rows_of(released.frame)]
    assert notes == [
        note for note, age in zip(columns["note"], columns["age"], strict=True) if age not in (77, 78)
    ]


@pytest.mark.some(2)
@pytest.mark.parametrize("backend", ["csv", "pandas", "polars", "pyarrow", "duckdb", "parquet"])
@pytest.mark.parametrize("role", ["sensitive", "other"])
def test_a_type_follows_from_published_rows_alone(backend: str, role: str, tmp_path: Path) -> None:
    schemas, files = [], set()
    for hidden in ([3, 4], [3.5, 4.0], [None, None], [10, None]):
        cells = [1, 2, 20, 3, 4, 5, *hidden]
        if any(isinstance(cell, float) for cell in hidden):
            cells = [None if cell is None else float(cell) for cell in cells]
        columns = {"age": [30] * 6 + [40, 41], "x": cells}
        folder = tmp_path / str(len(schemas))
        folder.mkdir()
        spec = sf.Spec.from_dict(
            {
                "attributes": {"age": {"role": "quasi-identifier"}, "x": {"role": role}},
                "suppression": {"limit": 0.5},
                "require": {"k": 5},
                "objectives": {"minimize": ["loss"]},
            }
        )
        path = folder / "out" / "r.parquet"
        files.add(write(backends.make(backend, columns, folder), path, spec))
        schemas.append(str(pa.parquet.read_schema(path).field("x").type))
    assert schemas == ["int64"] * 4
    assert len(files) == 1


@pytest.mark.slow
def test_widths_of_numbers_do_not_matter_and_texts_stay_texts(tmp_path: Path) -> None:
    frames = [
        pl.DataFrame({"age": pl.Series([30] * 6, dtype=found), "zip": ["007", "12", "1", "9", "9", "10"]})
        for found in (pl.Int8, pl.UInt16, pl.Int32, pl.Int64, pl.Float32, pl.Float64, pl.UInt64)
    ]
    attributes = {"age": {"role": "quasi-identifier"}, "zip": {"role": "other"}}
    spec = sf.Spec.from_dict(
        {"attributes": attributes, "require": {"k": 5}, "objectives": {"minimize": ["loss"]}}
    )
    assert len({write(frame, tmp_path / "r.parquet", spec) for frame in frames}) == 1
    released = pl.read_parquet(tmp_path / "r.parquet")
    assert released.schema == {"age": pl.Int64, "zip": pl.String}
    assert released["zip"].to_list() == ["1", "007", "9", "9", "10", "12"]


TEXTS = [
    "1",
    "1.0",
    "01",
    "1e5",
    "100000",
    "nan",
    "inf",
    " 1",
    "1_0",
    "*",
    "",
    "é",
    "Z",
    "a",
    "-0",
    "'-1",
    "-1",
]
TEXTS += [
    "=x",
    "+5",
    "0x10",
    "\t1",
    "9007199254740993",
    "9007199254740992",
    "1e400",
    ".5",
    "\n",
    '"',
    "𝄞",
    "\uffff",
]
ODD = [
    TEXTS,
    [1.5, 2.0, -0.0, float("nan"), 1e22],
    [1, -5, 2**53 + 1, 2**53],
    [[1, 10], [9], []],
    [{"a": "'"}, {"a": None}],
]


@pytest.mark.some(1)
@pytest.mark.parametrize("seed", range(12))
def test_any_rows_are_written_in_the_order_that_the_recount_reads(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    pools = [draw.sample(TEXTS, 4), *([*draw.choice(ODD)] for _ in range(2))]
    columns = {
        name: [draw.choice([*pool, None]) for _ in range(40)] for name, pool in zip("qxy", pools, strict=True)
    }
    frame = pl.DataFrame(columns, strict=False)
    for suffix in FORMATS:
        path, contents = tmp_path / f"r.{suffix}", set()
        for rows in (frame, frame.reverse()):
            write_table(rows, path, leaving=Leaving({"q": "text"}, "sorted", "escape"))
            contents.add(path.read_bytes())
        promise = Promise(("q",), columns=("q", "x", "y"), order="sorted", formulas="escape")
        assert [check.verdict for check in recount(path, promise).checks] == ["holds"]
        assert len(contents) == 1


@pytest.mark.slow
def test_large_whole_numbers_are_sorted_by_size_and_verified(tmp_path: Path) -> None:
    big = [2**53 + 1, 2**53, -(2**53) - 1, -(2**53), 10**17, 10**17 - 1, 7]
    attributes = {"age": {"role": "quasi-identifier"}, "n": {"role": "other"}}
    spec = sf.Spec.from_dict(
        {"attributes": attributes, "require": {"k": 5}, "objectives": {"minimize": ["loss"]}}
    )
    for suffix in FORMATS:
        path = tmp_path / f"r.{suffix}"
        write(pl.DataFrame({"age": [1] * 7, "n": big}), path, spec)
        assert sf.verify(path)["holds"]
    assert pl.read_parquet(tmp_path / "r.parquet")["n"].to_list() == sorted(big)
    lines = gzip.decompress((tmp_path / "r.csv.gz").read_bytes()).decode().split()
    assert [int(line.split(",")[1]) for line in lines[1:]] == sorted(big)
