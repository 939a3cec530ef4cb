"""A release in folders that labels name: the rows of the one file, recounted and read back, or nothing."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import unquote

import duckdb
import pandas as pd
import pyarrow.parquet
import pytest

import sfumato as sf
from sfumato.errors import DataError, OutputError, SpecError
from sfumato.table import parts
from tests.cli.running import run

if TYPE_CHECKING:
    from pathlib import Path

ODD = ["F", "a/b", "x=y", "*", "ü é", "100 %", "+1", "'q'", ".", "a\\b", "né\nw", None]
MISSING = "__HIVE_DEFAULT_PARTITION__"


def table(rows: int = 360) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": [20 + number * 7 % 30 for number in range(rows)],
            "a. b": [ODD[number * 5 % len(ODD)] for number in range(rows)],
            "visits": [number % 11 for number in range(rows)],
            "ill": [["flu", "cold", "007"][number % 3] for number in range(rows)],
        }
    )


def spec(**release: object) -> sf.Spec:
    attributes: dict[str, object] = {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5, 10]}},
        "a. b": {"role": "quasi-identifier"},
        "visits": {"role": "other"},
        "ill": {"role": "sensitive"},
    }
    return sf.Spec.from_dict(
        {
            "attributes": attributes,
            "require": {"k": 2},
            "objectives": {"minimize": ["loss"]},
            "release": release,
        }
    )


def cell(value: object) -> str | None:
    return None if value is None or value == "" or value != value else str(value)


def rows_in(folder: Path, columns: list[str]) -> list[tuple[tuple[str, ...], list[tuple[str | None, ...]]]]:
    """Read a folder without the package: for each file its folders, and its rows with their labels."""
    found = []
    for part in sorted(file for file in folder.rglob("*") if file.is_file()):
        folders = part.relative_to(folder).parts[:-1]
        pairs = [name.split("=") for name in folders]
        labels = {unquote(name): None if text == MISSING else unquote(text) for name, text in pairs}
        if part.suffix == ".parquet":
            lines = pyarrow.parquet.ParquetFile(part).read().to_pylist()
        else:
            with gzip.open(part, "rt") if part.suffix == ".gz" else part.open(newline="") as file:
                lines = list(csv.DictReader(file))
        assert lines
        assert not labels.keys() & lines[0].keys()
        shown = [{name: cell(value) for name, value in line.items()} | labels for line in lines]
        found.append((folders, [tuple(line[name] for name in columns) for line in shown]))
    return found


@pytest.mark.some(4)
@pytest.mark.parametrize("by", [["a. b"], ["ill", "a. b"], ["visits"], ["age"]])
@pytest.mark.parametrize("name", ["r.parquet", "r.csv", "r.csv.gz"])
def test_folders_hold_the_rows_of_the_one_file(name: str, by: list[str], tmp_path: Path) -> None:
    release = sf.anonymize(table(), spec())
    release.write(tmp_path / "one.csv")
    with (tmp_path / "one.csv").open(newline="") as file:
        columns, *lines = csv.reader(file)
    rows = [tuple(map(cell, line)) for line in lines]
    folder = tmp_path / name
    release.write(folder, partition_by=by)
    found = rows_in(folder, columns)
    assert Counter(row for _, part in found for row in part) == Counter(rows)
    # In each folder the rows are in the order of the one file.
    places = [columns.index(column) for column in by]
    for _, part in found:
        labels = [part[0][place] for place in places]
        assert part == [row for row in rows if [row[place] for place in places] == labels]
    assert len(found) == len({tuple(row[place] for place in places) for row in rows})
    verdict = sf.verify(folder, data=table())
    assert verdict["holds"], verdict["violations"]
    # The package itself, and DuckDB, read the labels back.
    assert sf.measure(folder, quasi_identifiers=["age", "a. b"])["k"] == release.measures["k"]
    if name == "r.parquet":
        name = by[0].replace(" ", "%20")
        options = "hive_partitioning = true, hive_types_autocast = false"
        source = f"read_parquet('{folder}/**/*.parquet', {options})"
        answers = dict(duckdb.sql(f'SELECT "{name}", count(*) FROM {source} GROUP BY ALL').fetchall())
        assert answers == dict(Counter(row[places[0]] for row in rows))


def test_the_specification_and_the_command_say_the_same(tmp_path: Path) -> None:
    table().to_parquet(tmp_path / "people.parquet")
    sf.anonymize(table(), spec(partition_by=["ill"], rows_per_file=50)).write(tmp_path / "a.parquet")
    found = sorted((tmp_path / "a.parquet").rglob("*.parquet"))
    rows = [pyarrow.parquet.read_metadata(part).num_rows for part in found]
    assert sum(rows) == 360
    assert max(rows) <= 50
    assert {part.parent.name for part in found} == {"ill=007", "ill=cold", "ill=flu"}
    known = spec().to_dict() | {"data": {"path": str(tmp_path / "people.parquet")}}
    sf.Spec.from_dict(known).save(tmp_path / "people.toml")
    out = tmp_path / "b.csv"
    done = run("anonymize", tmp_path / "people.toml", "--out", out, "--partition-by", "ill")
    assert done.status == 0, done.err
    assert sorted(entry.name for entry in out.iterdir()) == ["ill=007", "ill=cold", "ill=flu"]
    assert run("verify", out).status == 0


def test_what_was_changed_is_found(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    sf.anonymize(table(), spec()).write(path, partition_by=["ill"])
    (path / "ill=flu").rename(path / "ill=gout")
    broken = {check["name"] for check in sf.verify(path)["checks"] if check["verdict"] == "broken"}
    assert "file digest" in broken
    (path / "ill=gout").rename(path / "ill=flu")
    assert sf.verify(path)["holds"]
    (path / "ill=told").mkdir()
    with pytest.raises(DataError, match="no parts of the release"):
        sf.verify(path)
    (path / "ill=told").rmdir()
    (path / "ill=flu").rename(path / "sick=flu")
    with pytest.raises(DataError, match="do not name the same columns"):
        sf.verify(path)


@pytest.mark.parametrize(
    ("by", "told"),
    [
        (["illl"], "Did you mean 'ill'"),
        (["name"], "not published. Valid names: 'a. b', 'age', 'ill', 'visits'"),
        (["age", "a. b", "visits", "ill"], "a column beside"),
        (["note"], "no folder can be named after"),
        (["long"], "too long"),
        (["visits"], "more than 5 folders"),
    ],
)
def test_nothing_is_written_where_folders_cannot_be(
    by: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "MOST_FOLDERS", 5)
    more = {"note": ["", "x"] * 180, "long": ["y" * 300, "z"] * 180} if by[0] in ("note", "long") else {}
    known = spec().to_dict()
    known["attributes"] |= {name: {"role": "other"} for name in more}
    known["data"] = {"missing": ["?"]}
    release = sf.anonymize(table().assign(**more), sf.Spec.from_dict(known))
    with pytest.raises(OutputError, match=told):
        release.write(tmp_path / "r.parquet", partition_by=by)
    assert not list(tmp_path.iterdir())
    release = sf.anonymize(table(), spec(order="input"))
    with pytest.raises(OutputError, match="sorted"):
        release.write(tmp_path / "r.csv", partition_by=["ill"])
    for wrong in ([1], 5, ["ill", "ill"]):
        with pytest.raises(SpecError, match="partition_by"):
            release.write(tmp_path / "r.csv", partition_by=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("release", "told"),
    [
        ({"partition_by": ["ill", "illl"]}, "partition_by, entry 2: the column 'illl' is not published. Did"),
        ({"partition_by": ["ill"], "order": "input"}, "partition_by: rows in folders are sorted"),
        ({"partition_by": ["ill", "age", "visits", "a. b"]}, "partition_by: needs a column beside"),
    ],
)
def test_a_specification_with_unfit_folders_is_refused(release: dict[str, object], told: str) -> None:
    with pytest.raises(SpecError, match=told):
        spec(**release)


@pytest.mark.parametrize(
    ("given", "options", "told"),
    [
        ({}, ("--out", "r.parquet", "--partition-by", "illl"), "Did you mean 'ill'"),
        ({}, ("--out", "r.xlsx", "--partition-by", "ill"), "or do without partition_by"),
        ({"rows_per_file": 9}, ("--out", "r.xlsx"), "or do without rows_per_file"),
        (
            {"rows_per_file": 9},
            ("--out", "r.arrow", "--partition-by", "ill"),
            "rows_per_file and partition_by",
        ),
        (
            {"rows_per_file": 9},
            ("--out", "sqlite:///r.db", "--table", "r"),
            "files. Do without rows_per_file",
        ),
    ],
)
def test_the_command_says_so_before_it_searches(
    given: dict[str, object],
    options: tuple[str, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    known = spec(**given).to_dict() | {"data": {"path": "no.csv"}}
    sf.Spec.from_dict(known).save(tmp_path / "people.toml")
    done = run("anonymize", "people.toml", *options)
    assert (done.status, told in done.err) == (2, True), done.err
    assert [entry.name for entry in tmp_path.iterdir()] == ["people.toml"]


@pytest.mark.parametrize("how", [{"rows_per_file": 100}, {"partition_by": ["ill"]}])
def test_a_folder_is_reported_on_like_a_file(how: dict[str, object], tmp_path: Path) -> None:
    release = sf.anonymize(table(), spec(**how))
    path = tmp_path / "r.parquet"
    release.write(path)
    for given in ((path,), (tmp_path,), (tmp_path, "--release", path)):
        done = run("report", *given, "--force")
        assert done.status == 0, done.err
        page = (tmp_path / "report.html").read_text()
        assert "sfumato verify r.parquet" in page
        assert "sha256sum" not in page  # which takes no folder
    assert sf.verify(path)["holds"]  # nothing was written into it
    own = tmp_path / "own.html"
    assert release.report(own).holds
    (part, *_) = path.rglob("*.parquet")
    part.write_bytes(part.read_bytes() + b"x")
    with pytest.raises(DataError):  # what was found before is not said again
        release.report(own, force=True)


def test_a_folder_is_the_last_release_of_a_series(tmp_path: Path) -> None:
    people = table().assign(id=range(360))
    asked = spec().to_dict() | {"data": {"person": "id"}}
    release = sf.anonymize(people, sf.Spec.from_dict(asked))
    release.write(tmp_path / "one.parquet", partition_by=["ill"])
    after = release.in_series(after=tmp_path / "one.parquet", after_data=people)
    after.write(tmp_path / "two.parquet", partition_by=["ill"])
    assert sf.verify(tmp_path / "two.parquet")["holds"]
