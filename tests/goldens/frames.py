"""Frames of every library: what goes in comes out, with the same types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa

import sfumato as sf
from tests.goldens.desk import SPECS
from tests.goldens.tables import Table, draw_numbers, draw_people, take

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.goldens.desk import Desk

NAMES = ("name", "age", "height", "sex", "born", "pay", "note", "visit")


def to_pandas(table: Table) -> pd.DataFrame:
    """Return a frame with an index of its own, a category and an attribute."""
    frame = pd.DataFrame({name: table[name] for name in table})
    if "born" in table:
        frame["born"] = pd.to_datetime(frame["born"])
        frame["sex"] = frame["sex"].astype(pd.CategoricalDtype(["f", "m", "x"]))
        frame["pay"] = frame["pay"].astype("Int64")
    frame.index = pd.Index([f"row {number}" for number in range(len(frame))])
    frame.attrs["source"] = "survey"
    return frame


def to_duckdb(table: Table) -> duckdb.DuckDBPyRelation:
    """Return a relation; it lives as long as its connection."""
    rows = pa.table(table)
    return duckdb.connect().from_arrow(rows)


MAKERS: dict[str, Callable[[Table], object]] = {
    "pandas": to_pandas,
    "polars": lambda table: pl.DataFrame(table, strict=False),
    "polars-lazy": lambda table: pl.DataFrame(table, strict=False).lazy(),
    "pyarrow": lambda table: pa.table(table).replace_schema_metadata({"source": "survey"}),
    "duckdb": to_duckdb,
}


def release_frames(desk: Desk) -> None:
    """Anonymize the same rows as frames of every library."""
    spec = sf.Spec.load(SPECS / "files.toml")
    table = take(draw_people(40), *NAMES)
    for kind, make in MAKERS.items():
        release = sf.anonymize(make(table), spec)
        desk.keep_frame(kind, release.frame)
        desk.keep_json(f"{kind}-told", {"measures": release.measures, "rows": release.rows})
        # What a library's types become in a file.
        release.write(f"{kind}.parquet")
        desk.keep_files(f"{kind}.parquet", f"{kind}.parquet.json")
    kept = sf.anonymize(to_pandas(table), spec).to_frame(keep_index=True)
    desk.keep_frame("pandas-index", kept)


def explore_frames(desk: Desk) -> None:
    """The front as a frame of the library that the data came from, and measures of frames."""
    spec = sf.Spec.load(SPECS / "guided-ordered.toml")
    table = draw_people(50, missing=False)
    for kind, make in MAKERS.items():
        front = sf.explore(make(table), spec)
        desk.keep_frame(f"{kind}-front", front.to_frame())
        found = sf.measure(make(table), quasi_identifiers=["sex", "area"], sensitive=["ill"])
        desk.keep_json(f"{kind}-measures", found)
        made = sf.microaggregate(make(draw_numbers(30)), ["weight", "size", "day"], 4, keep=["ward"])
        desk.keep_frame(f"{kind}-microaggregated", made.frame)


CASES: dict[str, Callable[[Desk], None]] = {"frames": release_frames, "frames-more": explore_frames}
