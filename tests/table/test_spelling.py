"""Random tables in random dialects: read, written and read by the verifier, each against the csv module."""

from __future__ import annotations

import csv
import io
import random

import pytest

from sfumato.errors import OutputError
from sfumato.spec import DataSpec
from sfumato.table.dialects import Dialect
from sfumato.table.files import open_file
from sfumato.table.writing import write_table
from sfumato.verifier.spelling import plain_copy

CELLS = ["a", "", "*", "007", "true", "-,5", "+3,25", "1,5e-3", "1,5", "x;y", 'say "q"', "l1\nl2", "l1\r\nl2"]
CELLS += [
    " lead",
    "trail ",
    "=1+1",
    "-x",
    "ä€",
    "a|b",
    "t\tb",
    "_x0041_",
    "_x005F_",
    "<&>",
    "sep=;",
    "1.234,5",
]
POINTED = ["12.03", "2.5", "x", "1e5", ""]


def draw(seed):
    """Return a dialect and a table without numbers of both kinds in one column."""
    drawn = random.Random(seed)
    encoding = drawn.choice(["utf-8", "cp1252", "utf-16-le"])
    dialect = Dialect(
        drawn.choice(",;|"),
        encoding,
        line_end=drawn.choice(["\n", "\r\n"]),
        bom=encoding == "utf-16-le" or (encoding == "utf-8" and drawn.random() < 0.5),
        sep_line=drawn.random() < 0.3,
    )
    pools = [drawn.sample(CELLS, 6) if drawn.random() < 0.7 else POINTED for _ in range(drawn.randint(2, 4))]
    rows = [[drawn.choice(pool) for pool in pools] for _ in range(drawn.randint(1, 20))]
    names = [f"c{place}" for place in range(len(pools))]
    return (
        dialect,
        drawn.choice([None, ",", "."]),
        names,
        [row for row in rows if any(row)] or [["v"] * len(pools)],
    )


def texts(relation):
    return [[cell or "" for cell in row] for row in relation.fetchall()]


@pytest.mark.some(16)
@pytest.mark.parametrize("seed", range(40))
def test_what_is_written_is_what_was_read(seed, tmp_path):
    dialect, decimal, names, rows = draw(seed)
    text = io.StringIO(newline="")
    text.write("\ufeff" if dialect.bom else "")
    text.write(f"sep={dialect.separator}{dialect.line_end}" if dialect.sep_line else "")
    writer = csv.writer(text, delimiter=dialect.separator, lineterminator=dialect.line_end)
    writer.writerows([names, *rows])
    (tmp_path / "in.csv").write_bytes(text.getvalue().encode(dialect.encoding))
    asked = DataSpec(encoding=dialect.encoding, decimal=decimal, separator=dialect.separator)
    opened = open_file(tmp_path / "in.csv", asked)
    found = opened.layout.dialect
    write_table(opened.relation, tmp_path / "out.csv", dialect=found)
    written = (tmp_path / "out.csv").read_bytes().decode(dialect.encoding)
    assert written.startswith("\ufeff") == dialect.bom
    lines = written.removeprefix("\ufeff")
    if dialect.sep_line:
        first, lines = lines.split(dialect.line_end, 1)
        assert first == f"sep={dialect.separator}"
    assert list(csv.reader(io.StringIO(lines, newline=""), delimiter=dialect.separator)) == [names, *rows]
    stated = {"separator": ",", **found.stated(tmp_path / "out.csv")}
    write_table(opened.relation, tmp_path / "out.xlsx")
    for name, how in (("out.csv", stated), ("out.xlsx", {})):
        copy = plain_copy(tmp_path / name, how, tmp_path / "plain.csv")
        with copy.open(encoding="utf-8", newline="") as file:
            assert list(csv.reader(file)) == [names, *texts(opened.relation)]
    assert texts(open_file(tmp_path / "out.xlsx", DataSpec()).relation) == texts(opened.relation)


def test_characters_that_the_encoding_lacks(tmp_path):
    (tmp_path / "in.csv").write_text("a,b\nΩ,1\n", encoding="utf-8")
    relation = open_file(tmp_path / "in.csv", DataSpec()).relation
    with pytest.raises(
        OutputError, match="characters that cp1252, the encoding of the data, lacks"
    ) as caught:
        write_table(relation, tmp_path / "out.csv", dialect=Dialect(encoding="cp1252"))
    assert "Ω" not in str(caught.value)


def test_rows_without_any_value_stay_in_a_workbook(tmp_path):
    (tmp_path / "in.csv").write_text('a\n1\n""\n""\n', encoding="utf-8")
    write_table(open_file(tmp_path / "in.csv", DataSpec()).relation, tmp_path / "out.xlsx")
    copy = plain_copy(tmp_path / "out.xlsx", {}, tmp_path / "plain.csv")
    with copy.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["a"], ["1"], [""], [""]]
