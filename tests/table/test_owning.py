"""Frames that hold nothing but what is published."""

from __future__ import annotations

import io
import pickle

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.table import own_frame, write_table
from tests.table import backends

SECRET = "hidden-and-long-enough-for-a-buffer"
ROWS = 6


def spec(output: str = "drop", **roles: str) -> sf.Spec:
    attributes = {"age": {"role": "quasi-identifier"}}
    attributes |= {name: {"role": role} for name, role in roles.items()}
    return sf.Spec.from_dict(
        {
            "attributes": attributes,
            "suppression": {"limit": 0.5, "output": output},
            "require": {"k": 5},
            "objectives": {"minimize": ["loss"]},
        }
    )


AGES = [30] * ROWS + [77, 78]
TEXTS = ["a long text that takes a buffer", "b"] * (ROWS // 2) + [SECRET, SECRET + "2"]
NUMBERS = [1, 2] * (ROWS // 2) + [424242424242, 424242424243]


def saved(frame: object) -> bytes:
    """Return all bytes that leave when a frame is saved in any way."""
    if isinstance(frame, pl.LazyFrame):
        return saved(frame.collect()) + frame.serialize()
    if isinstance(frame, pl.DataFrame):
        file = io.BytesIO()
        frame.write_ipc(file)
        return file.getvalue() + pickle.dumps(frame) + saved(frame.to_arrow())
    if isinstance(frame, pd.DataFrame):
        arrays = [column.array for _, column in frame.items()]
        held = [np.asarray(array._data).tobytes() for array in arrays if hasattr(array, "_mask")]
        return pickle.dumps(frame) + b"".join(held) + saved(pa.Table.from_pandas(frame))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, frame.schema) as writer:
        writer.write_table(frame)
    buffers = [buffer for column in frame.columns for chunk in column.chunks for buffer in chunk.buffers()]
    raw = b"".join(buffer.to_pybytes() for buffer in buffers if buffer is not None)
    return sink.getvalue().to_pybytes() + raw + pickle.dumps(frame)


def arrow(kind: pa.DataType | None = None) -> pa.Table:
    return pa.table({"age": AGES, "text": pa.array(TEXTS, kind), "number": NUMBERS})


def with_categories(frame: pd.DataFrame) -> pd.DataFrame:
    frame["text"] = pd.Categorical(
        TEXTS, categories=[SECRET, "z", *dict.fromkeys(TEXTS[:2]), SECRET + "2"], ordered=True
    )
    return frame


def nested(kind: pa.DataType) -> pa.Table:
    """Return texts inside of lists and structs, with dictionaries."""
    lists = pa.array([[text] for text in TEXTS], pa.list_(kind))
    structs = pa.array(
        [{"t": text} for text in TEXTS], pa.struct([pa.field("t", kind, metadata={"m": SECRET})])
    )
    return pa.table({"age": AGES, "text": lists, "number": structs})


class Wrapped(pa.ExtensionType):
    """Texts of a type of one's own."""

    def __init__(self) -> None:
        super().__init__(pa.dictionary(pa.int8(), pa.string()), "tests.wrapped")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type: pa.DataType, serialized: bytes) -> Wrapped:
        return cls()


def extended() -> pa.Table:
    storage = pa.array(TEXTS, pa.dictionary(pa.int8(), pa.string()))
    return pa.table(
        {"age": AGES, "text": pa.ExtensionArray.from_storage(Wrapped(), storage), "number": NUMBERS}
    )


DICTIONARY = pa.dictionary(pa.int32(), pa.string())
FRAMES = {
    "pandas": lambda: pd.DataFrame({"age": AGES, "text": TEXTS, "number": NUMBERS}),
    "pandas categories": lambda: with_categories(pd.DataFrame({"age": AGES, "number": NUMBERS})),
    "pandas nullable": lambda: arrow().to_pandas().convert_dtypes(),
    "pandas arrow": lambda: arrow(DICTIONARY).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas arrow nested": lambda: nested(DICTIONARY).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda: pl.DataFrame({"age": AGES, "text": TEXTS, "number": NUMBERS}),
    "polars lazy": lambda: pl.LazyFrame({"age": AGES, "text": TEXTS, "number": NUMBERS}),
    "polars enum": lambda: pl.DataFrame(
        {
            "age": AGES,
            "text": pl.Series(TEXTS, dtype=pl.Enum([*reversed(dict.fromkeys(TEXTS)), "z"])),
            "number": NUMBERS,
        }
    ),
    "polars categories": lambda: pl.DataFrame(
        {"age": AGES, "text": pl.Series(TEXTS, dtype=pl.Categorical), "number": NUMBERS}
    ),
    "polars nested": lambda: pl.DataFrame(
        {
            "age": AGES,
            "text": pl.Series([[text] for text in TEXTS], dtype=pl.List(pl.Categorical)),
            "number": pl.Series(
                [{"t": text} for text in TEXTS], dtype=pl.Struct({"t": pl.Enum(list(dict.fromkeys(TEXTS)))})
            ),
        }
    ),
    "arrow": arrow,
    "arrow views": lambda: arrow(pa.string_view()),
    "arrow dictionary": lambda: arrow(pa.dictionary(pa.int8(), pa.string(), ordered=True)),
    "arrow chunked dictionaries": lambda: pa.concat_tables(
        [arrow(DICTIONARY).slice(0, 3), arrow(DICTIONARY).slice(3)]
    ),
    "arrow nested": lambda: nested(DICTIONARY),
    "arrow extension": extended,
}


@pytest.fixture(params=FRAMES)
def frame(request: pytest.FixtureRequest) -> object:
    return FRAMES[request.param]()


def test_nothing_that_was_dropped_is_in_the_frame(frame: object) -> None:
    released = sf.anonymize(frame, spec(text="other", number="other")).frame
    assert type(released) is type(frame)
    assert len(backends.rows_of(released)) == ROWS
    assert SECRET.encode() not in saved(released)
    assert (424242424242).to_bytes(8, "little") not in saved(released)


@pytest.mark.parametrize(
    "kind", [kind for kind in FRAMES if "nested" not in kind and "extension" not in kind]
)
def test_nothing_that_was_masked_is_in_the_frame(kind: str) -> None:
    released = sf.anonymize(FRAMES[kind](), spec("mask", text="sensitive", number="sensitive")).frame
    assert len(backends.rows_of(released)) == ROWS + 2
    assert SECRET.encode() not in saved(released)
    assert (424242424242).to_bytes(8, "little") not in saved(released)


def test_a_slice_leaves_the_rest_behind(frame: object) -> None:
    part = frame.iloc[:ROWS] if isinstance(frame, pd.DataFrame) else frame[:ROWS]
    released = sf.anonymize(part, spec(text="other", number="other")).frame
    assert backends.rows_of(released) == backends.rows_of(own_frame(part, keep_index=True))
    assert SECRET.encode() not in saved(released)
    assert (424242424242).to_bytes(8, "little") not in saved(released)


def test_categories_that_remain_keep_their_order_and_their_type() -> None:
    roles = spec(text="other", number="other")
    pandas = sf.anonymize(FRAMES["pandas categories"](), roles).frame
    assert list(pandas["text"].cat.categories) == ["a long text that takes a buffer", "b"]
    assert pandas["text"].cat.ordered
    polars = sf.anonymize(FRAMES["polars enum"](), roles).frame
    assert polars["text"].dtype == pl.Enum(["b", "a long text that takes a buffer"])
    assert sf.anonymize(FRAMES["polars categories"](), roles).frame["text"].dtype == pl.String
    table = sf.anonymize(FRAMES["arrow dictionary"](), roles).frame
    assert table.schema.field("text").type == pa.dictionary(pa.int8(), pa.string(), ordered=True)
    assert table.column("text").chunk(0).dictionary.to_pylist() == ["a long text that takes a buffer", "b"]


def test_metadata_stay_behind() -> None:
    fields = [pa.field("age", pa.int64(), metadata={"m": SECRET}), pa.field("text", pa.string())]
    table = pa.table([AGES, TEXTS], pa.schema(fields, metadata={"owner": SECRET}))
    released = sf.anonymize(table, spec(text="other")).frame
    assert released.schema.metadata is None
    assert released.schema.field("age").metadata is None
    frame = pd.DataFrame({"age": AGES, "text": TEXTS})
    frame.attrs["owner"], frame.columns.name = SECRET, SECRET
    found = sf.anonymize(frame, spec(text="other")).frame
    assert found.attrs == {}
    assert found.columns.name is None
    assert frame.attrs == {"owner": SECRET}


def test_files_have_no_metadata_and_no_categories_of_others(tmp_path) -> None:
    connection = duckdb.connect()
    connection.execute(f"CREATE TYPE kind AS ENUM ('b', '{SECRET}', 'z')")
    relation = connection.sql(
        f"SELECT 30 AS age, 'b'::kind AS text FROM range({ROWS}) UNION ALL SELECT 77, '{SECRET}'::kind"
    )
    released = sf.anonymize(relation, spec(text="other"))
    assert [str(found) for found in released.frame.types][1] == "VARCHAR"
    for data in (released, sf.anonymize(FRAMES["arrow dictionary"](), spec(text="other"))):
        for suffix in ("arrow", "parquet", "csv", "jsonl"):
            path = tmp_path / f"r.{suffix}"
            data.write(path, force=True)
            assert SECRET.encode() not in path.read_bytes()
    write_table(relation.filter("age < 77"), tmp_path / "a.arrow")
    assert SECRET.encode() not in (tmp_path / "a.arrow").read_bytes()


def test_nothing_stands_below_what_is_missing_in_an_arrow_file(tmp_path) -> None:
    released = sf.anonymize(FRAMES["polars"](), spec("mask", text="sensitive", number="sensitive"))
    released.write(tmp_path / "r.arrow")
    assert (424242424242).to_bytes(8, "little") not in (tmp_path / "r.arrow").read_bytes()


INDEXES = {
    "names": pd.Index([f"person {number}" for number in range(8)], name="who"),
    "numbers": pd.Index([5, 5, 3, 9, 9, 1, 0, 2]),
    "several": pd.MultiIndex.from_arrays([list("aabbccxy"), range(8)], names=["house", None]),
    "categories": pd.CategoricalIndex([*"aabbcc", SECRET, "y"]),
    "dates": pd.date_range("2020-01-01", periods=8, name="day"),
    "range": pd.RangeIndex(8),
    "another range": pd.RangeIndex(100, 108),
}


@pytest.mark.parametrize("kind", INDEXES)
def test_an_index_leaves_only_where_it_is_asked_for(kind: str) -> None:
    frame = pd.DataFrame({"age": AGES, "number": NUMBERS}, index=INDEXES[kind])
    released = sf.anonymize(frame, spec(number="other"))
    assert released.frame.index.equals(pd.RangeIndex(ROWS))
    assert released.frame.index.name is None
    kept = released.to_frame(keep_index=True).index
    assert kept.equals(
        frame.index[:ROWS].remove_unused_categories() if kind == "categories" else frame.index[:ROWS]
    )
    assert list(kept.names) == list(frame.index.names)
    assert SECRET.encode() not in pickle.dumps(kept)
    if kind == "several":
        assert set(kept.levels[0]) == {"a", "b", "c"}


def test_an_index_of_a_microaggregated_frame_too() -> None:
    frame = pd.DataFrame(
        {"x": [1.0, 2.0, 3.0, 4.0], "name": list("abcd")}, index=pd.Index(list("wxyz"), name="who")
    )
    frame.attrs["owner"] = SECRET
    done = sf.microaggregate(frame, ["x"], k=2)
    assert done.frame.index.equals(pd.RangeIndex(4))
    assert done.frame.attrs == {}
    assert list(done.to_frame(keep_index=True).index) == list("wxyz")


def test_a_frame_is_made_once() -> None:
    released = sf.anonymize(FRAMES["polars"](), spec(text="other"))
    assert released.frame is released.frame


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([None, 1, 2**100, 5], dtype=pl.Int128),
        pl.Series([None, 1, 2, 3], dtype=pl.Duration("ns")),
        pl.Series([None, 1, 2, 3], dtype=pl.Time),
        pl.Series([None, 1, 2, 3], dtype=pl.Datetime("ms", "Europe/Rome")),
        pl.Series([None, [1, 2], [3, 4], [5, None]], dtype=pl.Array(pl.Int16, 2)),
        pl.Series([None, [{"a": 1}], [], [{"a": None}]]),
        pl.Series([None] * 4),
        pl.Series([None, b"x", b"", b"yy"]),
        pl.Series([None, "1.50", "2", "3"]).str.to_decimal(scale=2),
        pl.Series([1, 2, 3, 4], dtype=pl.UInt8),
        pl.Series([None, True, False, True]),
    ],
    ids=lambda column: str(column.dtype),
)
def test_types_and_cells_of_polars_stay(column: pl.Series) -> None:
    frame = pl.DataFrame({"a": column})
    owned = own_frame(frame)
    assert owned.schema == frame.schema
    assert owned.equals(frame)
    assert own_frame(frame[:0]).schema == frame.schema


@pytest.mark.parametrize(
    ("published", "hidden"),
    [
        ([1, 2] * 3, [[3, 4], [3, None], [0.5, 4]]),
        ([True, False] * 3, [[True, False], [True, None]]),
        (["a", "b"] * 3, [["c", "d"], ["c", None]]),
        ([1.5, 2.0] * 3, [[3, 4], [3, None]]),
        ([1.0, None] * 3, [[3, 4], [3, None], [0.5, 4]]),
        ([2**60, 1] * 3, [[3, 4]]),
    ],
    ids=str,
)
def test_types_of_pandas_do_not_tell_what_is_missing_in_suppressed_rows(
    published: list[object], hidden: list[list[object]]
) -> None:
    roles = {"value": "other"}
    made = [
        sf.anonymize(pd.DataFrame({"age": AGES, "value": [*published, *ends]}), spec(**roles)).frame
        for ends in hidden
    ]
    for frame in made[1:]:
        pd.testing.assert_frame_equal(frame, made[0])
    assert [None if pd.isna(value) else value for value in made[0]["value"]] == published


def test_types_stay_where_no_row_is_suppressed() -> None:
    frame = pd.DataFrame({"age": [30] * 6, "value": np.array([1.0, 2.0] * 3), "small": np.ones(6, np.int8)})
    released = sf.anonymize(frame, spec(value="other", small="other"))
    assert released.frame.dtypes.astype(str).to_dict() == {
        "age": "int64",
        "value": "float64",
        "small": "int8",
    }
