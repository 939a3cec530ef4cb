"""Where offices keep tables: below titles, in several files, in a pipe; and what is refused."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
import tomllib
import zipfile

import openpyxl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from sfumato.spec import DataSpec
from sfumato.table.files import open_file
from tests.cli.running import run

DAMAGED = "the file cannot be read: it is damaged or cut off, or it is not what its name says."
SECRET = "Geheimnis"
ROWS = [[str(20 + place % 4), "mw"[place % 2], SECRET] for place in range(40)]
HEADER = ["age", "sex", "note"]


def text(rows, separator=",", end="\n"):
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=separator, lineterminator=end).writerows(rows)
    return file.getvalue()


def workbook(path, sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def read(path, **keys):
    """Open a table; return names and rows."""
    relation = open_file(path, DataSpec(**keys)).relation
    return relation.columns, relation.fetchall()


def as_rows(rows):
    return [tuple(cell or None for cell in row) for row in rows]


TITLES = {
    "one": (["Patients"], 1),
    "several": (["Patients 2024", "", "as of: 1 January, all wards", ""], 4),
    "padded": (["Patients;;", ";;"], 2),
    "quoted": (['"Patients; all"'], 1),
}


@pytest.mark.some(2)
@pytest.mark.parametrize("name", TITLES)
def test_titles_are_refused_with_the_remedy_and_found_by_init(name, tmp_path):
    lines, skip = TITLES[name]
    path = tmp_path / "data.csv"
    path.write_text("".join(f"{line}\n" for line in lines) + text([HEADER, *ROWS], ";"), encoding="utf-8")
    done = run("measure", path, "--qi", "age")
    assert (done.status, done.line) == (
        2,
        f"error: {path}: the header seems to be in line {skip + 1}. Use --read skip={skip}.",
    )
    assert run("measure", path, "--qi", "age", "--read", f"skip={skip}").status == 0
    assert read(path, skip=skip) == (HEADER, as_rows(ROWS))
    assert run("init", path).status == 0
    assert tomllib.loads((tmp_path / "data.toml").read_text(encoding="utf-8"))["data"]["skip"] == skip
    assert run("check", tmp_path / "data.toml").status == 0


def test_titles_in_a_workbook(tmp_path):
    path = workbook(tmp_path / "data.xlsx", {"A": [["Patients"], [], HEADER, *ROWS[:2], [], *ROWS[2:]]})
    assert read(path, skip=2) == (HEADER, as_rows(ROWS))
    assert run("init", path).status == 0
    assert tomllib.loads((tmp_path / "data.toml").read_text(encoding="utf-8"))["data"]["skip"] == 2


def test_a_table_that_begins_in_the_middle_of_a_sheet(tmp_path):
    rows = [[None, None, *row] for row in [HEADER, *ROWS]]
    assert read(workbook(tmp_path / "a.xlsx", {"A": rows})) == (HEADER, as_rows(ROWS))


def test_cells_of_a_workbook_as_text(tmp_path):
    import datetime

    book = openpyxl.Workbook()
    book.active.append(["n", "x", "d", "t", "b", "s", "e"])
    book.active.append(
        [7, 0.1, datetime.date(2024, 2, 3), datetime.datetime(2024, 2, 3, 4, 5, 6), True, "007", None]
    )
    book.save(tmp_path / "a.xlsx")
    expected = ("7", "0.1", "2024-02-03", "2024-02-03 04:05:06", "true", "007", None)
    assert read(tmp_path / "a.xlsx")[1] == [expected]


def test_cached_values_of_formulas(tmp_path):
    path = workbook(tmp_path / "a.xlsx", {"A": [["a", "b"], [1, "=1+1"], [2, "=2+1"]]})
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"].replace(b"<f>1+1</f><v></v>", b"<f>1+1</f><v>2</v>")
    sheet = sheet.replace(b"<f>1+1</f><v />", b"<f>1+1</f><v>2</v>").replace(b"<v />", b"<v>3</v>")
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in {**parts, "xl/worksheets/sheet1.xml": sheet}.items():
            archive.writestr(name, content)
    assert read(path)[1] == [("1", "2"), ("2", "3")]


def test_files_without_header(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(text(ROWS), encoding="utf-8")
    names = ["column_1", "column_2", "column_3"]
    assert read(path, header=False) == (names, as_rows(ROWS))
    book = workbook(tmp_path / "b.xlsx", {"A": ROWS})
    assert read(book, header=False) == (names, as_rows(ROWS))
    path.write_text("1,2020-01-02,x\n2,2020-01-03,y\n2,2020-01-04,y\n", encoding="utf-8")
    done = run("init", path)
    assert done.status == 0
    assert "the first line looks like a row" in done.out
    assert run("init", path, "--read", "header=false", "--force").status == 0
    data = tomllib.loads((tmp_path / "data.toml").read_text(encoding="utf-8"))["data"]
    assert data == {"path": "data.csv", "header": False}


@pytest.mark.parametrize(
    "content",
    ["a;b;\n1;2;\n3;4;\n", "a;b\n1;2;\n3;4;\n"],
)
def test_separators_at_the_ends_of_lines(content, tmp_path):
    (tmp_path / "a.csv").write_text(content, encoding="utf-8")
    assert read(tmp_path / "a.csv") == (["a", "b"], [("1", "2"), ("3", "4")])


def test_a_late_value_after_the_last_separator(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a;b;\n" + "1;2;\n" * 3000 + f"1;2;{SECRET}\n", encoding="utf-8")
    done = run("measure", path, "--qi", "a")
    message = "the last column has no name, but some rows have a value there. Name it."
    assert (done.status, done.line) == (2, f"error: {path}: {message}")


def test_decimal_commas(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a;b;c;d\n1,5;x,5;12.03;-,25\n2;1,5;1.5;1,5e-3\n", encoding="utf-8")
    assert read(path)[1] == [("1.5", "x,5", "12.03", "-.25"), ("2", "1.5", "1.5", "1.5e-3")]
    assert read(path, decimal=".")[1][0] == ("1,5", "x,5", "12.03", "-,25")
    path.write_text("a;b\n1,5;x\n2.5;y\n", encoding="utf-8")
    assert read(path)[1] == [("1,5", "x"), ("2.5", "y")]
    done = run("measure", path, "--qi", "a", "--read", "decimal=,")
    assert done.status == 2
    assert "the column 'a' has numbers with a comma and numbers with a point." in done.line


def save(path, rows, header=HEADER):
    columns = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
    if path.suffix == ".parquet":
        pa.parquet.write_table(pa.table(columns), path)
    elif path.suffix == ".xlsx":
        workbook(path, {"A": [header, *rows]})
    else:
        path.write_text(text([header, *rows], ";"), encoding="utf-8")


@pytest.mark.some(2)
@pytest.mark.parametrize("suffix", ["csv", "parquet", "xlsx"])
def test_folders_and_patterns(suffix, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    for place in range(4):
        save(folder / f"{place}.{suffix}", ROWS[10 * place : 10 * place + 10])
    (folder / "readme.txt").write_text("nothing", encoding="utf-8")
    for path in (folder, folder / f"*.{suffix}", folder / f"[0-3].{suffix}"):
        names, rows = read(path)
        assert (names, sorted(rows)) == (HEADER, sorted(as_rows(ROWS)))
    (tmp_path / "s.toml").write_text(
        f'[data]\npath = "data/*.{suffix}"\n[attributes.age]\nrole = "quasi-identifier"\n'
        '[require]\nk = 3\n[objectives]\nminimize = ["loss"]\n',
        encoding="utf-8",
    )
    done = run("anonymize", tmp_path / "s.toml", "--out", folder / f"9.{suffix}")
    assert (done.status, "never replaced" in done.line) == (2, True)
    assert run("anonymize", tmp_path / "s.toml", "--out", tmp_path / "out.csv").status == 0


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_files_with_other_columns(suffix, tmp_path):
    save(tmp_path / f"a.{suffix}", ROWS)
    save(tmp_path / f"b.{suffix}", ROWS, ["age", "other", "note"])
    done = run("measure", tmp_path, "--qi", "age")
    message = f"the file has no column 'sex', but 'a.{suffix}' has one. All files need the same columns."
    assert (done.status, done.line) == (2, f"error: {tmp_path / f'b.{suffix}'}: {message}")
    done = run("measure", tmp_path / "z*.csv", "--qi", "age")
    assert (done.status, done.line) == (2, f"error: {tmp_path / 'z*.csv'}: no file fits this pattern.")


def feather(table):
    sink = pa.BufferOutputStream()
    pa.feather.write_feather(table, sink, compression="uncompressed")
    return sink.getvalue().to_pybytes()


def parquet(table):
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(table, sink)
    return sink.getvalue().to_pybytes()


TABLE = pa.table(dict(zip(HEADER, map(list, zip(*ROWS, strict=True)), strict=True)))
PIPED = {
    "csv": text([HEADER, *ROWS], ";").encode(),
    "parquet": parquet(TABLE),
    "ragged": b"a,b\n1,2\n3\n",
    "arrow": feather(TABLE),
    "nothing": b"",
}


def pipe(content, *arguments, folder):
    command = [sys.executable, "-m", "sfumato", *map(str, arguments)]
    return subprocess.run(command, input=content, check=False, capture_output=True, cwd=folder)


@pytest.mark.some(1)
@pytest.mark.parametrize("name", PIPED)
def test_standard_input(name, tmp_path):
    done = pipe(PIPED[name], "measure", "-", "--qi", "age,sex", "--json", folder=tmp_path)
    if name in ("ragged", "nothing"):
        assert done.returncode == 2
        assert b'"where": "standard input"' in done.stdout
    else:
        assert done.returncode == 0, done.stderr
        assert b'"k": 10' in done.stdout


@pytest.mark.slow
def test_a_specification_of_standard_input(tmp_path):
    assert pipe(PIPED["csv"], "init", "-", folder=tmp_path).returncode == 2
    assert pipe(PIPED["csv"], "init", "-", "--out", "s.toml", folder=tmp_path).returncode == 0
    assert tomllib.loads((tmp_path / "s.toml").read_text(encoding="utf-8"))["data"]["path"] == "-"
    assert pipe(PIPED["csv"], "check", "s.toml", folder=tmp_path).returncode == 0
    assert pipe(PIPED["csv"], "anonymize", "s.toml", "--out", "a.csv", folder=tmp_path).returncode == 0
    assert (tmp_path / "a.csv").read_bytes().startswith(b"age")


def bad_inputs(folder):
    """Return name → file, keys and what is said."""
    plain = workbook(folder / "good.xlsx", {"A": [HEADER, *ROWS]}).read_bytes()
    two = workbook(folder / "two.xlsx", {"A": [HEADER, *ROWS], "B": []}).read_bytes()
    empty = workbook(folder / "empty.xlsx", {"A": []}).read_bytes()
    bare = workbook(folder / "bare.xlsx", {"A": [HEADER]}).read_bytes()
    damaged = "the workbook cannot be read: it is damaged or cut off, or it is not a workbook. Save it again."
    secret = text([HEADER, *ROWS]).encode()
    return {
        "cut.xlsx": (plain[:-500], {}, damaged),
        "text.xlsx": (secret, {}, damaged),
        "locked.xlsx": (
            bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600),
            {},
            "the workbook has a password, or is in the format of old versions of Excel. Save it as .xlsx "
            "without a password.",
        ),
        "old.xls": (
            bytes.fromhex("d0cf11e0a1b11ae1"),
            {},
            "this is the format of old versions of Excel; save it in Excel or LibreOffice as .xlsx or CSV "
            "first.",
        ),
        "a.ods": (
            plain,
            {},
            "OpenDocument is not supported; save it in LibreOffice or Excel as .xlsx or CSV first.",
        ),
        "sheets.xlsx": (two, {}, 'the workbook has 2 sheets. Set sheet = "NAME" in [data] to one of them.'),
        "wrong.xlsx": (
            plain,
            {"sheet": "C"},
            'no such sheet; the workbook has 1 sheet. Set sheet = "NAME" in [data] to one of them.',
        ),
        "none.xlsx": (empty, {}, "the file is empty. Put a header and at least one row into it."),
        "bare.xlsx": (bare, {}, "the file has a header and no rows. Nothing can be released from it."),
        "cut.sav": (
            b"$FL2" + secret,
            {},
            DAMAGED,
        ),
        "cut.dta": (
            secret,
            {},
            DAMAGED,
        ),
        "many.zip": (
            zipped({"a.csv": secret, "b.csv": secret}),
            {},
            "the archive holds 2 files, not one. Unpack it first.",
        ),
        "no.zip": (secret, {}, "the file is not a zip archive, or it is damaged."),
        "no.csv.bz2": (secret, {}, DAMAGED),
        "no.csv.xz": (secret, {}, DAMAGED),
        "no.csv.zst": (secret, {}, DAMAGED),
        "nul.csv": (
            secret.replace(b"\n", b"\n\0", 1),
            {},
            "the file holds NUL bytes: it is not text, or in another encoding. Save it as CSV, or set "
            'encoding in [data], for example "utf-16".',
        ),
        "late.csv": (
            secret + b"20,m,x\n" * 99999 + b"20,m,\0\n",
            {},
            "the file holds NUL bytes: it is not text, or in another encoding. Save it as CSV, or set "
            'encoding in [data], for example "utf-16".',
        ),
        "skip.csv": (
            secret,
            {"skip": 99},
            "the file ends within the lines to skip. Put a header and at least one row into it.",
        ),
        "ragged.csv": (
            secret + b"1,2\n",
            {"header": False},
            "line 42 has 2 fields where the first row has 3. Repair the line, or set separator in [data].",
        ),
    }


def zipped(files):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


def test_bad_inputs_are_refused_with_one_clear_line(tmp_path):
    for name, (content, keys, message) in bad_inputs(tmp_path).items():
        (tmp_path / name).write_bytes(content)
        lines = [
            f"{key} = {str(value).lower() if isinstance(value, bool) else repr(value)}"
            for key, value in keys.items()
        ]
        spec = tmp_path / "spec.toml"
        spec.write_text(
            "\n".join(
                ["[data]", f"path = '{name}'", *lines, "[attributes.age]", "role = 'quasi-identifier'"]
            ),
            encoding="utf-8",
        )
        done = run("check", spec)
        assert (done.status, done.line) == (2, f"error: {tmp_path / name}: {message}"), name
        assert SECRET not in done.err


@pytest.mark.parametrize("value", range(4))
def test_garbage_named_csv(value, tmp_path):
    import random

    content = random.Random(value).randbytes(5000)
    (tmp_path / "a.csv").write_bytes(content)
    done = run("init", tmp_path / "a.csv")
    assert (done.status, len(done.err.splitlines())) == (2, 1)
    assert not (tmp_path / "a.toml").exists()


@pytest.mark.parametrize(
    ("name", "library", "extra"),
    [
        ("a.xlsx", "python-calamine", "excel"),
        ("a.sav", "pyreadstat", "stats"),
        ("a.xpt", "pyreadstat", "stats"),
    ],
)
def test_without_the_extra(name, library, extra, tmp_path, monkeypatch):
    (tmp_path / name).write_bytes(b"x")
    monkeypatch.setitem(sys.modules, library.replace("-", "_"), None)
    done = run("measure", tmp_path / name, "--qi", "a")
    assert (done.status, done.line) == (
        2,
        f'error: {tmp_path / name}: this file type needs {library}: pip install "sfumato[{extra}]"',
    )


PEOPLE = "".join(f"{number % 7 + 20};{number % 3};w{number % 4}\n" for number in range(40))


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("head", "names", "skip"),
    [
        ('"age, in\nyears";sex;ward\n', ["age, in\nyears", "sex", "ward"], 0),
        ('"Patients";;\n"age, in\nyears";sex;ward\n', ["age, in\nyears", "sex", "ward"], 1),
        ("Person;;Place\nage;sex;ward\n", ["age", "sex", "ward"], 1),
        ("Person;Person;Place\nage;sex;ward\n", ["age", "sex", "ward"], 1),
        (";age;ward\n", ["column_1", "age", "ward"], 0),
    ],
)
def test_names_may_have_line_breaks_and_groups_above_them(tmp_path, head, names, skip):
    path = tmp_path / "data.csv"
    path.write_text(head + PEOPLE, encoding="utf-8")
    assert run("init", path, "--quiet").status == 0
    data = tomllib.loads((tmp_path / "data.toml").read_text(encoding="utf-8"))["data"]
    assert data.get("skip", 0) == skip
    assert (read(path, skip=skip)[0], len(read(path, skip=skip)[1])) == (names, 40)


def test_data_of_an_office_are_applied_and_verified_without_options(tmp_path):
    path, shared = tmp_path / "data.csv", tmp_path / "shared.csv"
    rows = "".join(f"{20 + number % 5};{('Süd', 'Köln')[number % 2]}\n" for number in range(60))
    path.write_bytes(f"Zählung;\nAlter;Ort\n{rows}".encode("cp1250"))
    assert run("init", path, "--encoding", "cp1250", "--quiet").status == 0
    assert run("anonymize", tmp_path / "data.toml", "--out", shared, "--quiet").status == 0
    again = run("apply", f"{shared}.json", path, "--out", tmp_path / "again.csv")
    assert (again.status, "is read as cp1250" in again.out) == (0, True)
    assert (tmp_path / "again.csv").read_bytes() == shared.read_bytes()
    assert run("verify", shared, "--data", path).status == 0
    assert run("report", shared, "--quiet").status == 0
    assert (tmp_path / "report.html").exists()


def test_blanks_after_separators_leave_numbers_numbers(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("sex, age\n" + "".join(f"f, {number % 30}\n" for number in range(60)), encoding="utf-8")
    found = {item["name"]: item for item in run("init", path, "--json").json["attributes"]}
    assert (found[" age"]["kind"], found[" age"]["levels"] > 2) == ("number", True)
