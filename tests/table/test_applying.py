"""Applying a recoding to the full table, on every engine."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import DataError, ParameterError
from sfumato.hierarchies import rebuild
from sfumato.spec import Spec
from sfumato.table import Recode, apply, code_table, open_source
from tests.table import backends, oracle
from tests.table.test_coding import code, simple

NONE = np.zeros((0, 5), dtype=np.int32)


def recode(table, name, label, *, keep=False):
    """Make a recode from a function that gives the label of a value."""
    labels = [label(value) for value in table.hierarchies[name].values]
    blocks = list(dict.fromkeys(labels))
    return Recode(name, np.array([blocks.index(text) for text in labels], dtype=np.int32), blocks, keep)


def decade(value):
    return None if value is None else f"{value // 10 * 10}s"


def masked(value):
    return None if value is None else f"{str(value)[:2]}***"


def everything(_):
    return "*"


def itself(value):
    return backends.text(value)


LABELS = {"age": decade, "zip": masked, "score": itself, "member": itself, "born": everything}
KEPT = ("score", "member")


def recodes_of(table):
    return [recode(table, name, LABELS[name], keep=name in KEPT) for name in table.roles.quasi_identifiers]


def classes_of(recodes, labels):
    """Return tuples of labels as tuples of blocks."""
    found = [
        [list(recode.labels).index(text) for recode, text in zip(recodes, row, strict=True)] for row in labels
    ]
    return np.array(found, dtype=np.int32).reshape(-1, len(recodes))


SUPPRESSED = {
    ("20s", "01***", "2", "false", "*"),
    (None, "01***", None, None, "*"),
    ("50s", "98***", "2", "true", "*"),
}
RELEASED = ("age", "zip", "score", "member", "born", "ill", "pay", "note")


def expected_rows(rows, output):
    released = oracle.release(
        rows, LABELS, SUPPRESSED, sensitive=("ill", "pay"), output=output, columns=RELEASED
    )
    return [tuple(None if cell == "" else backends.text(cell) for cell in row.values()) for row in released]


@pytest.mark.parametrize("output", ["drop", "mask"])
def test_every_engine_releases_the_same_rows_in_their_order(data, backend, spec, rows, output):
    table = code(data, spec)
    recodes = recodes_of(table)
    released = apply(table, recodes, classes_of(recodes, SUPPRESSED), output=output)
    assert backends.columns_of(released) == list(RELEASED)
    assert backends.rows_of(released) == expected_rows(rows, output)
    assert backends.kind_of(released) == (
        "duckdb" if backend in backends.FILES else backend.split("-nul")[0].split("-arr")[0]
    )


def test_nothing_to_do_is_done(data, spec, rows):
    table = code(data, spec)
    recodes = [recode(table, name, itself, keep=True) for name in table.roles.quasi_identifiers]
    released = apply(table, recodes, NONE)
    assert backends.rows_of(released) == [
        tuple(None if row[name] == "" else backends.text(row[name]) for name in RELEASED) for row in rows
    ]


@pytest.mark.parametrize("backend", backends.FRAMES)
def test_kept_columns_keep_their_type_and_recoded_ones_are_text(data, spec):
    import narwhals as nw

    table = code(data, spec)
    recodes = recodes_of(table)
    before = open_source(data).schema
    after = open_source(apply(table, recodes, classes_of(recodes, SUPPRESSED))).schema
    assert {name: after[name] for name in ("score", "member", "ill", "pay", "note")} == {
        name: before[name] for name in ("score", "member", "ill", "pay", "note")
    }
    assert all(after[name] == nw.String for name in ("age", "zip", "born"))
    text = open_source(apply(table, recodes, classes_of(recodes, SUPPRESSED), output="mask")).schema
    assert all(text[name] == nw.String for name in ("age", "zip", "score", "member", "born"))


def test_pandas_keeps_its_index_even_a_repeated_one(columns, spec):
    frame = pd.DataFrame(columns, index=pd.Index([5, 5, 3, 9, 9, 1, 0, 2, 8, 7, 6, 4], name="row"))
    frame["note"] = pd.Categorical(frame["note"])
    table = code(frame, spec)
    recodes = recodes_of(table)
    suppressed = classes_of(recodes, SUPPRESSED)
    masked_frame = apply(table, recodes, suppressed, output="mask")
    assert masked_frame.index.equals(frame.index)
    assert masked_frame.index.name == "row"
    assert masked_frame["note"].dtype == frame["note"].dtype
    kept = [place for place, row in enumerate(backends.rows_of(masked_frame)) if row[:5] != ("*",) * 5]
    dropped = apply(table, recodes, suppressed)
    assert dropped.index.equals(frame.index[kept])
    assert list(frame.columns) == list(columns)


def test_categories_stay_categories_when_kept():
    frame = pl.DataFrame({"a": pl.Series(["x", "?", "y"], dtype=pl.Enum(["y", "x", "?"])), "b": [1, 2, 3]})
    table = code(frame, simple("a", "b", missing=["?"]))
    recodes = [recode(table, "a", itself, keep=True), recode(table, "b", everything)]
    released = apply(table, recodes, np.zeros((0, 2), dtype=np.int32))
    assert released["a"].dtype == frame["a"].dtype
    assert released["a"].to_list() == ["x", None, "y"]


def test_other_columns_of_any_type_pass():
    frame = pa.table({"a": [1, 2], "tags": [[1], [2, 3]], "blob": [b"x", None]})
    roles = {"a": "quasi-identifier", "tags": "other", "blob": "other"}
    spec = Spec(attributes={name: {"role": role} for name, role in roles.items()})
    table = code(frame, spec)
    recodes = [recode(table, "a", itself)]
    released = apply(table, recodes, np.array([[0]], dtype=np.int32))
    assert released.to_pylist() == [{"a": "2", "tags": [2, 3], "blob": None}]


@pytest.mark.parametrize("backend", ["pandas", "polars-lazy", "duckdb", "csv"])
def test_names_of_our_own_do_not_clash(backend, tmp_path):
    columns = {"SFUMATO_key_0": ["a", "b"], "sfumato_row": ["x", "y"], "key_0": [1, 2], "rows": [3, 3]}
    roles = {
        "SFUMATO_key_0": "quasi-identifier",
        "sfumato_row": "sensitive",
        "key_0": "quasi-identifier",
        "rows": "other",
    }
    spec = Spec(attributes={name: {"role": role} for name, role in roles.items()})
    table = code(backends.make(backend, columns, tmp_path), spec)
    recodes = [recode(table, "SFUMATO_key_0", itself), recode(table, "key_0", everything)]
    released = apply(table, recodes, np.array([[1, 0]], dtype=np.int32))
    assert backends.rows_of(released) == [("a", "x", "*", "3")]


def test_a_value_in_two_spellings_leaves_in_one(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("age,pay\n39,7\n39.0,7.0\n40,8\n")
    table = code(path, simple("age", sensitive=["pay"]))
    none = np.zeros((0, 1), dtype=np.int32)
    kept = [recode(table, "age", itself, keep=True)]
    assert backends.rows_of(apply(table, kept, none)) == [("39", "7"), ("39", "7"), ("40", "8")]


def test_texts_of_numbers_have_one_spelling_even_if_a_hidden_row_has_no_other(tmp_path):
    for hidden in ("7,9", "7.0,9"):
        path = tmp_path / "a.csv"
        path.write_text(f"age,pay,zip\n007.0,1.50,007\n,2,010\n100,,007\n{hidden},999\n")
        kinds = {"age": {"role": "quasi-identifier", "kind": "number"}, "zip": {"role": "quasi-identifier"}}
        table = code(path, Spec(attributes={**kinds, "pay": {"role": "sensitive"}}))
        recodes = [recode(table, name, itself, keep=True) for name in ("age", "zip")]
        released = apply(table, recodes, classes_of(recodes, [("7", "999")]))
        assert [str(found) for found in released.types] == ["VARCHAR"] * 3
        assert backends.rows_of(released) == [("7", "1.5", "007"), (None, "2", "010"), ("100", None, "007")]


@pytest.mark.parametrize("backend", ["csv", "polars", "duckdb"])
def test_a_value_that_a_recipe_does_not_know_is_never_shown(backend, tmp_path):
    spec = simple("a", "n")
    old = code(pa.table({"a": ["x", "y"], "n": [1, 2]}), spec)

    def again(name):
        definition, kind = old.hierarchies[name].definition, old.hierarchies[name].kind
        return lambda _, values, has_missing: rebuild(
            name, definition, kind, values, has_missing=has_missing, unknown="*"
        )

    data = backends.make(backend, {"a": ["x", "new"], "n": [7, 2]}, tmp_path)
    table = code(data, spec, hierarchies={"a": again("a"), "n": again("n")})
    recodes = [
        Recode(name, found.levels[0], found.labels[0], keep=True) for name, found in table.hierarchies.items()
    ]
    released = apply(table, recodes, np.zeros((0, 2), dtype=np.int32))
    assert backends.rows_of(released) == [("x", "*"), ("*", "2")]


def test_undefined_and_missing_are_one_in_a_release():
    column = pd.array(pa.array([1.5, float("nan"), None]), dtype=pd.ArrowDtype(pa.float64()))
    table = code(pd.DataFrame({"a": column}), simple("a"))
    released = apply(table, [recode(table, "a", itself, keep=True)], np.zeros((0, 1), dtype=np.int32))
    assert pa.array(released["a"]).null_count == 2


def test_granules_leave_as_numbers_where_the_column_has_numbers():
    spec = Spec(attributes={"h": {"role": "quasi-identifier", "granularity": 5}})
    for frame in (pl.DataFrame({"h": [171.5, 174.0, None]}), pd.DataFrame({"h": [171.5, 174.0, None]})):
        table = code_table(open_source(frame), spec)
        kept = [Recode("h", np.array([0, 1], dtype=np.int32), ["170-174", None], keep=True)]
        released = apply(table, kept, np.zeros((0, 1), dtype=np.int32))
        assert backends.rows_of(released) == [("170",), ("170",), (None,)]


@pytest.mark.parametrize("backend", ["polars", "csv"])
def test_the_person_comes_along_only_when_asked(backend, tmp_path):
    columns = {"who": ["p", "q", "p"], "age": [1, 2, 3]}
    table = code(backends.make(backend, columns, tmp_path), simple("age", person="who"))
    recodes = [recode(table, "age", itself, keep=True)]
    none = np.zeros((0, 1), dtype=np.int32)
    assert backends.columns_of(apply(table, recodes, none)) == ["age"]
    with_person = apply(table, recodes, none, with_person=True)
    assert backends.columns_of(with_person) == ["age", "who", "sfumato_person_rows"]
    assert backends.rows_of(with_person) == [("1", "p", "2"), ("2", "q", "1"), ("3", "p", "2")]


def test_a_file_that_changed_meanwhile_is_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("age\n1\n2\n")
    table = code(path, simple("age"))
    path.write_text("age\n1\n2\n3\n")
    with pytest.raises(DataError) as caught:
        apply(table, [recode(table, "age", itself)], np.zeros((0, 1), dtype=np.int32))
    assert caught.value.message == "the data changed while they were worked on. Start again."


def test_recodes_must_fit_the_table():
    table = code(pl.DataFrame({"a": [1, 2], "b": [1, 2]}), simple("a", "b"))
    good = [recode(table, "a", itself), recode(table, "b", itself)]
    with pytest.raises(ParameterError, match="each of the 2 quasi-identifiers once"):
        apply(table, good[:1], np.zeros((0, 1), dtype=np.int32))
    with pytest.raises(ParameterError, match="has 1 codes; its domain has 2"):
        apply(
            table,
            [good[0], Recode("b", np.zeros(1, dtype=np.int32), ["*"])],
            np.zeros((0, 2), dtype=np.int32),
        )
    with pytest.raises(ParameterError, match="shape"):
        apply(table, good, np.zeros((0, 1), dtype=np.int32))


def test_a_large_file_keeps_its_order(tmp_path):
    count = 300_000
    values = np.arange(count)
    frame = pa.table({"a": values % 7, "note": values})
    pa.feather.write_feather(frame, tmp_path / "a.arrow", chunksize=10_000)
    pa.parquet.write_table(frame, tmp_path / "a.parquet", row_group_size=10_000)
    pl.from_arrow(frame).write_csv(tmp_path / "a.csv")
    spec = Spec(attributes={"a": {"role": "quasi-identifier"}, "note": {"role": "other"}})
    for name in ("a.arrow", "a.parquet", "a.csv"):
        table = code(tmp_path / name, spec)
        recodes = [recode(table, "a", lambda value: "low" if value < 4 else "high")]
        released = apply(table, recodes, np.array([[1]], dtype=np.int32))
        notes = released.to_arrow_table().column("note").cast(pa.int64()).to_numpy()
        assert np.array_equal(notes, values[values % 7 < 4])


cells = st.tuples(
    st.one_of(st.none(), st.integers(0, 5)),
    st.one_of(st.none(), st.sampled_from(["", "a", "b", "c"])),
    st.one_of(st.none(), st.sampled_from(["x", "y"])),
)


@given(
    st.lists(cells, min_size=1, max_size=25),
    st.sampled_from(["polars", "polars-lazy", "pyarrow", "pandas", "duckdb"]),
    st.sampled_from(["drop", "mask"]),
    st.booleans(),
    st.data(),
)
def test_any_small_table_is_released_like_the_oracle(rows, engine, output, keep, draw):
    schema = pa.schema({"a": pa.int64(), "b": pa.string(), "c": pa.string()})
    arrow = pa.table(dict(zip("abc", map(list, zip(*rows, strict=True)), strict=True)), schema)
    frame = {
        "polars": lambda: pl.from_arrow(arrow),
        "polars-lazy": lambda: pl.from_arrow(arrow).lazy(),
        "pyarrow": lambda: arrow,
        "pandas": lambda: arrow.to_pandas(),
        "duckdb": lambda: __import__("duckdb").connect().from_arrow(arrow),
    }[engine]()
    kinds = {"a": None, "b": "category", "c": "category"}
    roles = {"a": "quasi-identifier", "b": "quasi-identifier", "c": "sensitive"}
    spec = Spec(attributes={name: {"role": roles[name], "kind": kinds[name]} for name in "abc"})
    table = code(frame, spec)
    labels = {"a": lambda value: None if value is None else ("low" if value < 3 else "high"), "b": itself}
    recodes = [recode(table, "a", labels["a"]), recode(table, "b", labels["b"], keep=keep)]
    dictionaries = [dict(zip("abc", row, strict=True)) for row in rows]
    present = sorted(
        {
            tuple(labels[name](None if row[name] == "" else row[name]) for name in "ab")
            for row in dictionaries
        },
        key=repr,
    )
    suppressed = set(draw.draw(st.lists(st.sampled_from(present), max_size=3)))
    released = apply(table, recodes, classes_of(recodes, suppressed), output=output)
    expected = oracle.release(
        dictionaries, labels, suppressed, sensitive=("c",), output=output, columns=("a", "b", "c")
    )
    assert backends.rows_of(released) == [tuple(row.values()) for row in expected]
