"""Files as offices have them: read, released in the same dialect, and verified from disk."""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import io
import json
import lzma
import random
import subprocess
import sys
import zipfile
from dataclasses import dataclass

import openpyxl
import pyarrow as pa
import pyreadstat
import pytest

import sfumato as sf
from tests.cli.running import run

HEADER = ["name", "größe", "age", "band", "note"]
KEYS = """
[attributes.name]
role = "identifier"

["attributes"."größe"]
role = "other"

[attributes.age]
role = "quasi-identifier"
hierarchy = { intervals = [5, 10], origin = 0 }

[attributes.band]
role = "quasi-identifier"

[attributes.note]
role = "sensitive"

[suppression]
limit = 0.2

[require]
k = 3

[objectives]
minimize = ["loss"]
"""


def rows(count=60):
    """Rows with decimals, umlauts, texts that spreadsheets change, and missing cells."""
    drawn = random.Random(7)
    return [
        [
            f"Person {number}",
            f"{drawn.randint(150, 190)}.{drawn.choice('05')}",
            str(drawn.randint(20, 29)),
            drawn.choice(["5-9", "1/2", "=1+1"]),
            drawn.choice(["ja; sicher", 'sagt "nein"', "weiß\nnicht", ""]),
        ]
        for number in range(count)
    ]


@dataclass(frozen=True)
class Spelling:
    """How the csv module writes an input, and how it reads the release."""

    separator: str = ","
    encoding: str = "utf-8"
    decimal: str = "."
    end: str = "\n"
    bom: bytes = b""
    sep_line: bool = False
    keys: str = ""
    suffix: str = "csv"

    def write(self, path, header, table):
        text = io.StringIO(newline="")
        if self.sep_line:
            text.write(f"sep={self.separator}{self.end}")
        writer = csv.writer(text, delimiter=self.separator, lineterminator=self.end)
        writer.writerow(header)
        writer.writerows([row[0], row[1].replace(".", self.decimal), *row[2:]] for row in table)
        path.write_bytes(self.bom + text.getvalue().encode(self.encoding))

    def read(self, path):
        content = path.read_bytes()
        assert content.startswith(self.bom)
        text = content[len(self.bom) :].decode(self.encoding)
        # Line ends inside of quotes are cells.
        bare = "".join(part for place, part in enumerate(text.split('"')) if place % 2 == 0)
        assert bare.count("\n") == bare.count(self.end)
        if self.sep_line:
            first, text = text.split(self.end, 1)
            assert first == f"sep={self.separator}"
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=self.separator))


DIALECTS = {
    "plain": Spelling(),
    "german": Spelling(";", "cp1252", ",", "\r\n", keys='encoding = "cp1252"'),
    "excel-utf8": Spelling(";", "utf-8", ",", "\r\n", codecs.BOM_UTF8),
    "excel-unicode": Spelling(
        "\t", "utf-16-le", ",", "\r\n", codecs.BOM_UTF16_LE, keys='decimal = ","', suffix="txt"
    ),
    "big-endian": Spelling(";", "utf-16-be", ".", "\n", codecs.BOM_UTF16_BE),
    "sep-line": Spelling(";", "utf-8", ",", "\r\n", sep_line=True),
    "sep-line-mark": Spelling(",", "utf-8", ".", "\r\n", codecs.BOM_UTF8, sep_line=True),
    "bars": Spelling("|", "latin-1", keys='encoding = "latin-1"'),
    "tabs": Spelling("\t", suffix="tsv"),
    "quoted-comma": Spelling(",", "utf-8", ",", keys='decimal = ","'),
    "windows": Spelling(end="\r\n"),
}


def release(folder, data, keys="", out="shared.csv"):
    """Anonymize as a user does; return the path of the release."""
    (folder / "spec.toml").write_text(f'[data]\npath = "{data}"\n{keys}\n{KEYS}', encoding="utf-8")
    done = run("anonymize", folder / "spec.toml", "--out", folder / out)
    assert (done.status, done.err) == (0, ""), done.err
    return folder / out


@pytest.mark.some(2)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_release_has_the_dialect_of_its_input(dialect, tmp_path):
    spelling, table = DIALECTS[dialect], rows()
    data = f"data.{spelling.suffix}"
    spelling.write(tmp_path / data, HEADER, table)
    shared = release(tmp_path, data, spelling.keys, f"shared.{spelling.suffix}")
    header, *found = spelling.read(shared)
    assert header == HEADER[1:]
    # The same rows by way of plain CSV, read by the csv module.
    plain = tmp_path / "plain"
    plain.mkdir()
    Spelling().write(plain / "data.csv", HEADER, table)
    _, *expected = Spelling().read(release(plain, "data.csv"))
    assert found == [[row[0].replace(".", spelling.decimal), *row[1:]] for row in expected]
    # Nothing but the file and its manifest is needed to verify it, and nothing else was written.
    alone = tmp_path / "alone"
    alone.mkdir()
    for name in (shared.name, f"{shared.name}.json"):
        (alone / name).write_bytes((tmp_path / name).read_bytes())
    checked = run("verify", alone / shared.name)
    assert checked.status == 0, checked.err
    with_data = run(
        "verify", alone / shared.name, "--data", tmp_path / data, "--spec", tmp_path / "spec.toml"
    )
    assert with_data.status == 0, with_data.err + with_data.out
    # A single cell that was moved is found.
    content = bytearray((alone / shared.name).read_bytes())
    content[-3] ^= 1
    (alone / shared.name).write_bytes(content)
    assert run("verify", alone / shared.name).status != 0


@pytest.mark.slow
@pytest.mark.parametrize("out", ["shared.csv", "shared.xlsx"])
def test_a_fresh_process_verifies_it(out, tmp_path):
    DIALECTS["german"].write(tmp_path / "data.csv", HEADER, rows())
    shared = release(tmp_path, "data.csv", DIALECTS["german"].keys, out)
    command = [sys.executable, "-m", "sfumato", "verify", str(shared)]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0


def test_the_manifest_states_the_dialect(tmp_path):
    DIALECTS["german"].write(tmp_path / "data.csv", HEADER, rows())
    shared = release(tmp_path, "data.csv", DIALECTS["german"].keys)
    stated = json.loads((tmp_path / "shared.csv.json").read_text(encoding="utf-8"))
    assert stated["dialect"] == {"separator": ";", "encoding": "cp1252", "decimal": ",", "line_end": "\r\n"}
    assert shared.read_bytes().startswith("größe;age;".encode("cp1252"))
    release(tmp_path, "data.csv", DIALECTS["german"].keys, "shared.parquet")
    assert "dialect" not in json.loads((tmp_path / "shared.parquet.json").read_text(encoding="utf-8"))


def test_a_malformed_dialect_is_refused(tmp_path):
    Spelling().write(tmp_path / "data.csv", HEADER, rows())
    shared = release(tmp_path, "data.csv")
    stated = json.loads((tmp_path / "shared.csv.json").read_text(encoding="utf-8"))
    for wrong in (
        {"separator": ";;"},
        {"encoding": "klingon"},
        {"decimal": 1},
        {"separator": None, "bom": 1},
    ):
        (tmp_path / "shared.csv.json").write_text(json.dumps({**stated, "dialect": wrong}), encoding="utf-8")
        assert run("verify", shared).status in (1, 2)


def test_the_cells_of_a_workbook(tmp_path):
    table = rows()
    DIALECTS["german"].write(tmp_path / "data.csv", HEADER, table)
    shared = release(tmp_path, "data.csv", DIALECTS["german"].keys, "shared.xlsx")
    sheet = openpyxl.load_workbook(shared).active
    header, *cells = sheet.iter_rows()
    assert [cell.value for cell in header] == HEADER[1:]
    assert {cell.data_type for cell in (row[0] for row in cells)} == {"n"}
    assert {cell.data_type for cell in (row[2] for row in cells)} == {"s"}
    # Text stays text, even if somebody edits the cell.
    assert {cell.number_format for cell in (row[2] for row in cells)} == {"@"}
    assert {"5-9", "1/2", "=1+1"} >= {row[2].value for row in cells} > set()
    _, *expected = DIALECTS["german"].read(release(tmp_path, "data.csv", DIALECTS["german"].keys))
    found = [
        ["" if cell.value is None else str(cell.value).replace(".", ",") for cell in row] for row in cells
    ]
    assert found == expected
    with zipfile.ZipFile(shared) as archive:
        assert {item.date_time for item in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert not [name for name in archive.namelist() if "docProps" in name]


def test_a_workbook_is_the_same_from_every_format(tmp_path):
    table = rows()
    Spelling().write(tmp_path / "data.csv", HEADER, table)
    first = release(tmp_path, "data.csv", "", "a.xlsx").read_bytes()
    book = openpyxl.Workbook()
    book.active.append(HEADER)
    for row in table[::-1]:
        book.active.append([row[0], float(row[1]), int(row[2]), None, row[4] or None])
        # The library would take the text for a formula.
        cell = book.active.cell(book.active.max_row, 4, row[3])
        cell.data_type = "s"
    book.save(tmp_path / "data.xlsx")
    assert release(tmp_path, "data.xlsx", "", "b.xlsx").read_bytes() == first
    assert run("verify", tmp_path / "b.xlsx").status == 0


PACKED = {
    "data.csv.gz": gzip.compress,
    "data.csv.bz2": bz2.compress,
    "data.csv.xz": lzma.compress,
    "data.csv.zst": lambda content: pa.compress(content, "zstd", asbytes=True),
}


@pytest.mark.some(1)
@pytest.mark.parametrize("name", [*PACKED, "data.zip", "data.csv.zip"])
def test_compressed_files(name, tmp_path):
    DIALECTS["sep-line"].write(tmp_path / "data.csv", HEADER, rows())
    expected = release(tmp_path, "data.csv", "", "plain.csv").read_bytes()
    content = (tmp_path / "data.csv").read_bytes()
    if name.endswith(".zip"):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("table.csv", content)
    else:
        (tmp_path / name).write_bytes(PACKED[name](content))
    assert release(tmp_path, name).read_bytes() == expected


@pytest.mark.slow
def test_compressed_releases_keep_the_dialect(tmp_path):
    DIALECTS["german"].write(tmp_path / "data.csv", HEADER, rows())
    expected = release(tmp_path, "data.csv", DIALECTS["german"].keys).read_bytes()
    for suffix in ("gz", "zst"):
        packed = release(tmp_path, "data.csv", DIALECTS["german"].keys, f"shared.csv.{suffix}")
        assert pa.input_stream(str(packed), "detect").read() == expected
        assert run("verify", packed).status == 0


def save_statistics(path, table):
    import pandas as pd

    codes = {"5-9": 1.0, "1/2": 2.0, "=1+1": 3.0}
    frame = pd.DataFrame(table, columns=["name", "height", "age", "band", "note"])
    frame = frame.assign(
        height=frame["height"].astype(float),
        age=frame["age"].astype(float),
        band=[9.0 if place % 10 == 0 else codes[text] for place, text in enumerate(frame["band"])],
    )
    labels = {"band": {**{code: text for text, code in codes.items()}, 9.0: "no answer"}}
    if path.suffix == ".sav":
        pyreadstat.write_sav(
            frame, path, variable_value_labels=labels, missing_ranges={"band": [{"lo": 9, "hi": 9}]}
        )
    elif path.suffix == ".dta":
        pyreadstat.write_dta(
            frame.assign(band=frame["band"].astype(int)),
            path,
            variable_value_labels={"band": {int(code): text for code, text in labels["band"].items()}},
        )
    else:
        pyreadstat.write_xport(frame, path)


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("name", "keys", "bands"),
    [
        ("data.sav", "", {"5-9", "1/2", "=1+1", ""}),
        ("data.sav", "labels = false", {"1", "2", "3", ""}),
        ("data.dta", "", {"5-9", "1/2", "=1+1", "no answer"}),
        ("data.dta", "labels = false", {"1", "2", "3", "9"}),
        ("data.xpt", "", {"1", "2", "3", "9"}),
    ],
)
def test_statistics_files(name, keys, bands, tmp_path):
    save_statistics(tmp_path / name, rows(300))
    text = KEYS.replace('["attributes"."größe"]', "[attributes.height]").replace("limit = 0.2", "limit = 0")
    text += "\n[attributes.band]\nrole = 'other'\n"
    text = text.replace('[attributes.band]\nrole = "quasi-identifier"\n', "")
    (tmp_path / "spec.toml").write_text(f'[data]\npath = "{name}"\n{keys}\n{text}', encoding="utf-8")
    done = run("anonymize", tmp_path / "spec.toml", "--out", tmp_path / "shared.csv")
    assert done.status == 0, done.err
    with (tmp_path / "shared.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    assert {row["band"] for row in found} == bands
    assert sorted(float(row["height"]) for row in found) == sorted(float(row[1]) for row in rows(300))
    assert run("verify", tmp_path / "shared.csv").status == 0


@pytest.mark.some(1)
@pytest.mark.parametrize("way", ["anonymize", "microaggregate"])
def test_a_column_that_is_left_out_does_not_decide_the_decimal_mark(way, tmp_path):
    """It was stated if any column of the data had numbers with a comma."""

    def publish(pressure):
        path, out = tmp_path / "in.csv", tmp_path / "out.csv"
        rows = [f"{age};{pressure};{'xy'[age % 2]}" for age in (20, 20, 31, 31, 44, 45)]
        path.write_text("\n".join(["age;pressure;ill", *rows, ""]), encoding="utf-8")
        if way == "anonymize":
            roles = {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}}
            asked = {"require": {"k": 2}, "objectives": {"minimize": ["loss"]}, "suppression": {"limit": 0.4}}
            release = sf.anonymize(path, sf.Spec.from_dict({"attributes": roles, **asked}))
        else:
            release = sf.microaggregate(path, columns=["age"], k=2)
        stated = release.write(out, force=True)
        assert sf.verify(out, data=path)["holds"]
        return out.read_bytes(), stated.dialect

    assert publish("12") == publish("12,5")
