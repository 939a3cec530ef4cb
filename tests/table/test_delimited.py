"""Text files: what a plain CSV writer writes is read back as it was."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from sfumato.spec import DataSpec
from sfumato.table.delimited import SEPARATORS
from sfumato.table.files import open_file
from tests.examples import examples

cells = st.text(alphabet="ab,;|\t\"\n '#0é.\\", max_size=6)
tables = st.integers(2, 4).flatmap(
    lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=8)
)


@examples(60)
@given(tables, st.sampled_from(SEPARATORS), st.sampled_from(["\n", "\r\n"]), st.booleans())
@example([["", ""], ["", ""]], ",", "\n", False)
@example([['"', "\n"], ["a\n\nb", ""]], ";", "\r\n", False)
def test_any_table_is_read_back(rows, separator, line_end, quoted):
    file = io.StringIO()
    quoting = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
    writer = csv.writer(file, delimiter=separator, lineterminator=line_end, quoting=quoting)
    writer.writerow(f"name {number}" for number in range(len(rows[0])))
    writer.writerows(rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        path.write_bytes(file.getvalue().encode())
        opened = open_file(path, DataSpec())
        found = opened.relation.to_arrow_table().to_pylist()
    assert opened.layout.separator == separator
    assert [list(row.values()) for row in found] == [[cell or None for cell in row] for row in rows]
