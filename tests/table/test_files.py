"""Opening files: what is read, and what is said when it cannot be."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from sfumato.errors import DataError
from sfumato.spec import DataSpec
from sfumato.table.files import FORMATS, format_of, open_file


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(path, **reading):
    relation = open_file(path, DataSpec.model_construct(**reading)).relation
    return relation.columns, [tuple(row.values()) for row in relation.to_arrow_table().to_pylist()]


@pytest.mark.parametrize(
    ("name", "content", "columns", "rows"),
    [
        ("a.csv", "a,b\n1,2\n", ["a", "b"], [("1", "2")]),
        ("a.csv", "a;b\n1,5;2\n", ["a", "b"], [("1.5", "2")]),
        ("a.csv", "a;b\n1,5;2\nx,y;3\n", ["a", "b"], [("1,5", "2"), ("x,y", "3")]),
        ("a.csv", "a,b\n1,1\n".encode("utf-16"), ["a", "b"], [("1", "1")]),
        ("a.txt", "a|b|c\n1|2|3\n", ["a", "b", "c"], [("1", "2", "3")]),
        ("a.csv", "a\tb\n1\t2\n", ["a", "b"], [("1", "2")]),
        ("a.tab", "a\tb\n1,\t2,\n", ["a", "b"], [("1,", "2,")]),
        ("a.csv", "a\n1\n", ["a"], [("1",)]),
        ("a.csv", "a,b\r\n1,2\r\n", ["a", "b"], [("1", "2")]),
        ("a.csv", "a,b\r\n1,2\n3,4\r\n", ["a", "b"], [("1", "2"), ("3", "4")]),
        ("a.csv", 'a,b\n1,"x\r\ny"\r\n"3\nz",4\r\n', ["a", "b"], [("1", "x\r\ny"), ("3\nz", "4")]),
        ("a.csv", 'a,b\r\n1,"x\ny"\r\n', ["a", "b"], [("1", "x\ny")]),
        ("a.csv.gz", gzip.compress(b"a,b\r\n1,2\n", mtime=0), ["a", "b"], [("1", "2")]),
        ("a.csv", "a,b\n1,2", ["a", "b"], [("1", "2")]),
        (
            "a.csv",
            'a,b\n"x,1","y\n2"\n"say ""hi""",5" pipe\n',
            ["a", "b"],
            [("x,1", "y\n2"), ('say "hi"', '5" pipe')],
        ),
        ("a.csv", 'a,"b;c;d"\n1,2;3;4\n', ["a", "b;c;d"], [("1", "2;3;4")]),
        ("a.csv", "a,b\n007,2\n\n01,\n", ["a", "b"], [("007", "2"), ("01", None)]),
        ("a.csv", "\n\na,b\n1,2\n", ["a", "b"], [("1", "2")]),
        ("a.csv", " \r\n\r\na,b\r\n1,2\r\n", ["a", "b"], [("1", "2")]),
        ("a.csv", 'a,"b\nc"\n1,2\n', ["a", "b\nc"], [("1", "2")]),
        ("a.csv", ",b\n1,2\n", ["column_1", "b"], [("1", "2")]),
        ("a.csv", "it's,b\n1,2\n", ["it's", "b"], [("1", "2")]),
        ("a.csv", b"\xef\xbb\xbfa,b\n\xc3\xa4,2\n", ["a", "b"], [("ä", "2")]),
        ("a.csv.gz", gzip.compress(b"\xef\xbb\xbfa,b\n1,2\n", mtime=0), ["a", "b"], [("1", "2")]),
        ("a[1]*.csv", "a,b\n1,2\n", ["a", "b"], [("1", "2")]),
        ("a.jsonl", '{"a": 1, "b": "x"}\n{"b": "007", "a": null}\n', ["a", "b"], [(1, "x"), (None, "007")]),
        ("a.ndjson", '{"a": "2020-01-01"}\n', ["a"], [("2020-01-01",)]),
        ("a.json", '[{"a": 1.5}, {"a": 2}]', ["a"], [(1.5,), (2.0,)]),
        ("a.jsonl", '{"a": 1}\n{"a": "x"}\n', ["a"], [("1",), ("x",)]),
        ("a.jsonl", '{"a": true, "b": [1, {"c": 2}]}\n', ["a", "b"], [(True, '[1,{"c":2}]')]),
        ("a.jsonl", '{"a": 1, "a_1": 2}\n', ["a", "a_1"], [(1, 2)]),
        ("a.jsonl.gz", gzip.compress(b'{"a": 1}\n', mtime=0), ["a"], [(1,)]),
    ],
)
def test_text_is_read_as_it_is(name, content, columns, rows, tmp_path):
    assert read(write(tmp_path, name, content)) == (columns, rows)


def test_a_name_with_wildcards_reads_one_file(tmp_path):
    write(tmp_path, "q1.csv", "a\nwrong\n")
    assert read(write(tmp_path, "q[1].csv", "a\nright\n"))[1] == [("right",)]
    write(tmp_path, "qx.csv", "a\nwrong\n")
    assert read(write(tmp_path, "q?.csv", "a\nright\n"))[1] == [("right",)]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8", "utf-8-sig"])
def test_encodings(encoding, tmp_path):
    path = write(tmp_path, "a.csv", "name,b\nMüller,1\n".encode(encoding))
    assert read(path, encoding=encoding) == (["name", "b"], [("Müller", "1")])
    packed = write(tmp_path, "a.csv.gz", gzip.compress("name,b\nMüller,1\n".encode(encoding)))
    assert read(packed, encoding=encoding) == (["name", "b"], [("Müller", "1")])


@pytest.mark.parametrize(
    ("missing", "expected"),
    [
        (("",), [("?", None), (None, "NA")]),
        (("?", "NA"), [(None, ""), ("", None)]),
        (("", "?", "NA"), [(None, None), (None, None)]),
        ((), [("?", ""), ("", "NA")]),
        (("it's",), [("?", ""), ("", "NA")]),
    ],
)
def test_missing_texts(missing, expected, tmp_path):
    assert read(write(tmp_path, "a.csv", "a,b\n?,\n,NA\n"), missing=missing)[1] == expected


def test_a_table_as_wide_as_you_like(tmp_path):
    names = [f"a_rather_long_name_{number}" for number in range(8000)]
    path = write(tmp_path, "a.csv", ",".join(names) + "\n" + ",".join("1" * 8000) + "\n")
    assert open_file(path, DataSpec()).relation.columns == names


def test_an_explicit_separator_wins(tmp_path):
    path = write(tmp_path, "a.csv", "a,b;c\n1,x;3\n")
    assert read(path, separator=";") == (["a,b", "c"], [("1,x", "3")])
    assert read(write(tmp_path, "a.csv", "a:b\n1:2\n"), separator=":")[1] == [("1", "2")]


def test_typed_formats_keep_their_types(tmp_path):
    table = pa.table({"a": pa.array([1, None], pa.int16()), "b": pa.array(["x", None]).dictionary_encode()})
    pa.parquet.write_table(table, tmp_path / "a.parquet")
    pa.feather.write_feather(table, tmp_path / "a.feather")
    with pa.OSFile(str(tmp_path / "s.arrow"), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    for name in ("a.parquet", "a.feather", "s.arrow"):
        relation = open_file(tmp_path / name, DataSpec()).relation
        assert [str(found) for found in relation.types] == ["SMALLINT", "VARCHAR"]
        assert len(relation) == 2


def test_a_folder_is_all_its_parquet_files_in_order(tmp_path):
    (tmp_path / "t" / "deep").mkdir(parents=True)
    (tmp_path / "t" / "_tmp").mkdir()
    for number, name in enumerate(
        ["t/a.parquet", "t/b.PARQUET", "t/deep/c.pq", "t/_tmp/d.parquet", "t/.e.parquet"]
    ):
        pa.parquet.write_table(pa.table({"a": [number]}), tmp_path / name)
    (tmp_path / "t" / "README.txt").write_text("x")
    assert read(tmp_path / "t")[1] == [(0,), (1,), (2,)]


EMPTY = "the file is empty. Put a header and at least one row into it."
OBJECTS = "the lines are not JSON objects. Write one object for each row."
ENCODING = (
    "the file is not text in the encoding 'utf-8'. Set encoding in [data], "
    'for example "latin-1", "cp1252" or "utf-16".'
)
NUL = (
    "the file holds NUL bytes: it is not text, or in another encoding. Save it as CSV, or set encoding in "
    '[data], for example "utf-16".'
)
BAD = [
    ("a.csv", "", {}, EMPTY),
    ("a.csv", "\n \n", {}, EMPTY),
    ("a.parquet", "", {}, EMPTY),
    ("a.csv", "a,b\n", {}, "the file has a header and no rows. Nothing can be released from it."),
    ("a.jsonl", "\n", {}, "the file has no rows. Nothing can be released from it."),
    (
        "a.csv",
        "a;b\n1;2\n",
        {"separator": ","},
        "read with the separator ',' the file has a single column, but its header holds ';'. "
        'Set separator = ";" in [data].',
    ),
    (
        "a.tsv",
        "a,b\n1,2\n",
        {},
        "read with the separator '\\t' the file has a single column, but its header holds ','. "
        'Set separator = "," in [data].',
    ),
    (
        "a.csv",
        "a,b\n1,2\n3\n4,5\n",
        {},
        "line 3 has 1 field where the header has 2. Repair the line, or set separator in [data].",
    ),
    (
        "a.csv",
        'a,b\n1,2\n"3\n3",4\n5,6,7\n',
        {},
        "line 5 has 3 fields where the header has 2. Repair the line, or set separator in [data].",
    ),
    (
        "a.csv",
        "\n \na,b\n1,2\n3\n",
        {},
        "line 5 has 1 field where the header has 2. Repair the line, or set separator in [data].",
    ),
    ("a.csv", 'a,b\n1,2\n"3,4\n', {}, "the quotes in line 3 are not balanced. Repair the line."),
    (
        "a.csv",
        "a,b\r1,2\n3,4\r",
        {},
        "the file is not regular text with the separator ',': its quotes are unbalanced or its line ends are "
        "mixed. Save it again as plain CSV.",
    ),
    ("a.csv", "a,b,a\n1,2,3\n", {}, "the column name 'a' occurs twice. Rename one of the columns."),
    (
        "a.csv",
        "a,A\n1,2\n",
        {},
        "the column name 'A' differs from 'a' in upper and lower case alone. Rename one of the columns.",
    ),
    (
        "a.jsonl",
        '{"a": 1, "A": 2}\n',
        {},
        "the column name 'a' differs from 'A' in upper and lower case alone. Rename one of the columns.",
    ),
    ("a.csv", "a,b\nMüller,1\n".encode("latin-1"), {}, ENCODING),
    ("a.csv", "a,b\n1,1\n".encode("utf-16-le"), {}, NUL),
    (
        "a.csv",
        "a,b\n1,1\n",
        {"encoding": "utf-16"},
        ENCODING.replace("utf-8", "utf-16"),
    ),
    (
        "a.csv",
        "a\n1\n",
        {"encoding": "klingon"},
        "the encoding 'klingon' is not known. Use for example 'utf-8', 'latin-1' or 'cp1252'.",
    ),
    (
        "a.csv.gz",
        gzip.compress(b"a,b\n" + bytes(range(48, 58)) * 99 + b",2\n", mtime=0)[:-12],
        {},
        "the file cannot be read: it is damaged or cut off, or it is not what its name says.",
    ),
    (
        "a.csv.gz",
        "a,b\n1,2\n",
        {},
        "the file cannot be read: it is damaged or cut off, or it is not what its name says.",
    ),
    (
        "a.xyz",
        "x",
        {},
        f"this file type is not supported; save it as CSV first. Supported: {', '.join(FORMATS)}.",
    ),
    ("a.parquet", "no", {}, "the file 'a.parquet' is not a Parquet file, or it is damaged. Write it again."),
    ("a.arrow", "no", {}, "the file is not an Arrow file, or it is damaged. Write it again."),
    ("a.jsonl", '{"a": 1}\n{"a": \n', {}, "line 2 is not JSON. Write one object for each row."),
    (
        "a.jsonl.gz",
        gzip.compress(b'{"a": 1}\nx\n', mtime=0),
        {},
        "line 2 is not JSON. Write one object for each row.",
    ),
    ("a.jsonl", '{"a": 1}\n7\n{"a"\n', {}, "line 2 is not a JSON object. Write one object for each row."),
    ("a.json", '[{"a": 1},\n {"a": 2]', {}, "line 1 is not JSON. Write one object for each row."),
    ("a.jsonl", "1\n2\n", {}, OBJECTS),
    ("a.json", "[1, 2]", {}, OBJECTS),
]


@pytest.mark.parametrize(("name", "content", "reading", "message"), BAD)
def test_bad_files_are_refused_with_one_clear_line(name, content, reading, message, tmp_path):
    path = write(tmp_path, name, content)
    with pytest.raises(DataError) as caught:
        open_file(path, DataSpec.model_construct(**reading))
    assert caught.value.message == message
    assert caught.value.where == str(path)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    write(tmp_path, "adult.csv", "a\n1\n")
    with pytest.raises(DataError) as caught:
        open_file(tmp_path / "adlut.csv", DataSpec())
    assert caught.value.message == "there is no such file. Did you mean 'adult.csv'?"
    with pytest.raises(DataError) as caught:
        open_file(tmp_path / "none" / "a.csv", DataSpec())
    assert caught.value.message == "there is no such file. Its folder does not exist either."
    with pytest.raises(DataError) as caught:
        open_file(tmp_path / "zzzzzzzzzz.parquet", DataSpec())
    assert caught.value.message == "there is no such file."


def test_a_folder_without_tables(tmp_path):
    write(tmp_path, "a.txt", "a\n1\n")
    with pytest.raises(DataError) as caught:
        open_file(tmp_path, DataSpec())
    assert caught.value.message == (
        "the folder holds no Parquet, CSV or Excel files. Name a file, or another folder."
    )


def test_a_folder_with_a_damaged_file(tmp_path):
    pa.parquet.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    write(tmp_path, "b.parquet", "no")
    with pytest.raises(DataError, match=r"the file 'b\.parquet' is not a Parquet file"):
        open_file(tmp_path, DataSpec())
    (tmp_path / "a.parquet").unlink()
    with pytest.raises(DataError, match=r"the file 'b\.parquet' is not a Parquet file"):
        open_file(tmp_path, DataSpec())


def test_formats_by_name():
    assert format_of(Path("a.CSV.GZ")) == "csv"
    assert format_of(Path("a.parquet.gz")) is None
    assert format_of(Path("noname")) is None
