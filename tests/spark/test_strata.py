"""Microaggregation within strata on Spark: the clusters of every other engine; and releases in folders."""

from __future__ import annotations

import datetime as dt
import random

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import sfumato as sf
from sfumato.errors import DataError, ParameterError
from sfumato.table import spark_strata
from tests.databases import cases
from tests.spark.test_releases import spec_of
from tests.table import backends

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
LEVELS = ["low", "mid", "high"]
WAYS = {
    "several groups": {"groups": [["height"], ["born", "age", "income"]], "keep": ["note"]},
    "annealing": {"method": "annealing", "steps": 20, "keep": ["note", "region"], "standardize": False},
    "v-mdav": {"method": "v-mdav", "centroid": "median"},
}


def people(rows: int = 90) -> pa.Table:
    draw = random.Random(11)
    return pa.table(
        {
            "note": [f"n{number % 4}" for number in range(rows)],
            "age": [draw.randint(18, 60) for _ in range(rows)],
            "height": [None if number % 13 == 0 else draw.gauss(170, 9) for number in range(rows)],
            "born": [dt.date(1950, 1, 1) + dt.timedelta(draw.randint(0, 900)) for _ in range(rows)],
            "income": [draw.choice(LEVELS) for _ in range(rows)],
            "region": [["n", "s", None][number % 3] for number in range(rows)],
        }
    )


def protect(data: object, **changes: object) -> sf.Microaggregated:
    given = {"columns": ["age", "height", "born", "income"], "k": 4, "orders": {"income": LEVELS}}
    return sf.microaggregate(data, within="region", **given | changes)  # type: ignore[arg-type]


def by_value(table: pa.Table, way: str) -> pa.Table:
    """The rows by their values, so that the engines in memory meet them in the order of Spark's ties."""
    groups = WAYS[way].get("groups", [["age", "height", "born", "income"]])
    ranked = table.append_column(
        "rank", pa.array([LEVELS.index(text) for text in table["income"].to_pylist()])
    )
    names = ["rank" if name == "income" else name for group in groups for name in group]
    return ranked.sort_by([(name, "ascending") for name in names]).drop(["rank"])


def sorted_rows(frame: object) -> list[tuple[str | None, ...]]:
    return sorted(backends.rows_of(frame), key=lambda row: [cell or "" for cell in row])


@pytest.mark.some(1)
@pytest.mark.parametrize("way", WAYS)
def test_executors_make_the_clusters_of_every_other_engine(spark, way, tmp_path):
    table = people()
    due = protect(by_value(table, way), **WAYS[way])
    found = protect(spark.createDataFrame(table).repartition(3), **WAYS[way])
    assert sorted_rows(found.frame) == sorted_rows(due.frame)
    assert (found.rows, found.joint_k, found.missing) == (due.rows, due.joint_k, due.missing)
    assert found.verify() == due.verify()
    both = found.measures
    assert both == pytest.approx({name: due.measures[name] for name in both})
    assert set(due.measures) - set(both) == {"dld", "score"}
    assert found.warnings == due.warnings
    stated = found.write(tmp_path / "r.parquet")
    assert stated.measures["k"] == due.joint_k
    # In memory the original gives the same clusters again.
    verdict = sf.verify(tmp_path / "r.parquet", data=table)
    assert verdict["holds"], verdict["violations"]


def test_parts_of_text_are_those_of_a_sorted_file(spark, tmp_path, monkeypatch):
    from pyspark.sql.classic.dataframe import DataFrame

    left = []
    for name in ("toArrow", "collect"):
        act = getattr(DataFrame, name)
        monkeypatch.setattr(DataFrame, name, lambda self, act=act: left.append(found := act(self)) or found)
    table = people()
    protect(spark.createDataFrame(table), keep=["note"]).write(tmp_path / "spark.csv")
    assert left
    # Sums of each of two tasks, and counts: no rows come to the driver.
    assert max(getattr(found, "num_rows", None) or len(found) for found in left) <= 4 * 2 * 3
    protect(by_value(table, "v-mdav"), keep=["note"], sort=True).write(tmp_path / "other.csv")
    header, *lines = (tmp_path / "other.csv").read_text().splitlines()
    texts = [part.read_text().splitlines() for part in sorted((tmp_path / "spark.csv").iterdir())]
    assert all(text[0] == header for text in texts)
    assert [line for text in texts for line in text[1:]] == lines


def test_what_executors_cannot_do_is_refused(spark, monkeypatch):
    frame = spark.createDataFrame(people())
    with pytest.raises(DataError, match="within='region'"):
        sf.microaggregate(frame, ["age"], k=3)
    with pytest.raises(ParameterError, match="Name the groups"):
        protect(frame, groups="auto")
    with pytest.raises(DataError, match="3 of 3 strata have fewer than k = 31 rows, 90 in all"):
        protect(frame, k=31)
    with pytest.raises(DataError, match="leaves out"):
        protect(frame, orders={"income": LEVELS[:2]})
    with pytest.raises(DataError, match="Cast it first"):
        sf.microaggregate(frame, ["note"], k=3, within="region")
    monkeypatch.setattr(spark_strata, "MOST_CELLS", 100)
    with pytest.raises(DataError, match="the largest stratum has 30 rows of 4 columns"):
        protect(frame)


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ["r.csv", "r.parquet", "r.csv.gz"])
def test_folders_named_by_labels_are_those_of_every_other_engine(spark, name, tmp_path):
    known, table = spec_of("levels", tmp_path), cases.arrow("levels")
    by = [*known.quasi_identifiers[:1], *known.sensitive[:1]]
    (tmp_path / "spark").mkdir()
    (tmp_path / "other").mkdir()
    sf.anonymize(spark.createDataFrame(table).repartition(3), known).write(
        tmp_path / "spark" / name, partition_by=by
    )
    sf.anonymize(table, known).write(tmp_path / "other" / name, partition_by=by)
    found = [
        {folder.relative_to(top).as_posix(): rows_in(folder) for folder in top.glob(f"{by[0]}=*/{by[1]}=*")}
        for top in (tmp_path / "spark" / name, tmp_path / "other" / name)
    ]
    assert len(found[1]) > 3
    assert found[0] == found[1]
    assert sf.verify(tmp_path / "spark" / name, data=table)["holds"]


def rows_in(folder) -> list[tuple[str | None, ...]]:
    parts = sorted(folder.iterdir())
    if parts[0].suffix == ".parquet":
        return backends.rows_of(pa.concat_tables(pa.parquet.ParquetFile(part).read() for part in parts))
    return backends.rows_of(pa.concat_tables(pa.csv.read_csv(part) for part in parts))
