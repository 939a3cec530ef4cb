"""From a table of any kind to a protected one: what leaves, what is promised, what is refused."""

from __future__ import annotations

import csv
import datetime as dt
import json
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import DataError, OutputError, ParameterError, VerificationError
from sfumato.release.microaggregated import measure_centres
from tests.table import backends

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 60
LEVELS = ("low", "mid", "high")


def people() -> dict[str, list[object]]:
    random = np.random.default_rng(5)
    born = [dt.date(1950, 1, 1) + dt.timedelta(days=int(day)) for day in random.integers(0, 20_000, ROWS)]
    return {
        "name": [f"p{row}" for row in range(ROWS)],
        "age": [int(age) for age in random.integers(18, 90, ROWS)],
        "height": [
            None if row % 7 == 0 else float(tall) for row, tall in enumerate(random.normal(170, 9, ROWS))
        ],
        "born": born,
        "income": [LEVELS[number] for number in random.integers(0, 3, ROWS)],
        "sex": [("f", "m")[row % 2] for row in range(ROWS)],
    }


COLUMNS = ["age", "height", "born", "income"]
ORDERS = {"income": LEVELS}


def protect(data: object, **changes: object) -> sf.Microaggregated:
    settings: dict[str, object] = {
        "columns": COLUMNS,
        "k": 4,
        "orders": ORDERS,
        "keep": ["name", "sex"],
    } | changes
    return sf.microaggregate(data, **settings)  # type: ignore[arg-type]


def _read(frame: object) -> list[tuple[object, ...]]:
    import narwhals as nw

    found = nw.from_native(frame)
    table = (found.collect("pyarrow") if isinstance(found, nw.LazyFrame) else found).to_arrow()
    return [
        tuple(None if value != value else value for value in row)
        for row in zip(*(column.to_pylist() for column in table.columns), strict=True)
    ]


@pytest.mark.some(3)
@pytest.mark.parametrize("backend", backends.ALL)
def test_every_kind_of_table_gives_the_same(backend: str, tmp_path: Path) -> None:
    expected = protect(pa.table(people()), within="sex")
    data = backends.make(backend, people(), tmp_path)
    found = protect(data, within="sex")
    assert np.allclose(found.centres, expected.centres, equal_nan=True)
    assert [row[0] for row in _read(found.frame)] == people()["name"]
    assert found.verify() == expected.verify()
    if backend in backends.FRAMES:
        assert type(found.frame) is type(data)


def test_nothing_is_published_that_is_not_named() -> None:
    import pandas as pd
    import polars as pl

    columns = {"age": people()["age"], "sex": people()["sex"], "name": people()["name"]}
    frame = pd.DataFrame(columns, index=[f"i{row}" for row in range(ROWS)])
    frame["sex"] = pd.Categorical(frame["sex"], categories=["f", "m", "seen nowhere else"])
    frame.attrs["from"] = "the ward of Ann"
    found = sf.microaggregate(frame, ["age"], 4, keep=["sex"])
    made = found.frame
    assert isinstance(made, pd.DataFrame)
    assert list(made.columns) == ["age", "sex"]
    assert list(made.index) == list(range(ROWS))  # an index may identify people
    assert list(made["sex"].cat.categories) == ["f", "m"]  # others may be those of other rows
    assert made.attrs == {}
    assert found.recipe.dropped == ("name",)
    enum = pl.DataFrame(columns).with_columns(pl.col("sex").cast(pl.Enum(["f", "m", "seen nowhere else"])))
    kept = sf.microaggregate(enum, ["age"], 4, keep=["sex"]).frame
    assert isinstance(kept, pl.DataFrame)
    assert "seen nowhere else" not in str(kept.schema["sex"])
    noted = pa.table(columns).replace_schema_metadata({"about": "name"})
    assert sf.microaggregate(noted, ["age"], 4).frame.schema.metadata is None  # type: ignore[attr-defined]


def test_the_column_of_strata_is_published_only_if_it_is_kept(tmp_path: Path) -> None:
    for keep in ((), ("sex",)):
        found = protect(pa.table(people()), within="sex", keep=keep)
        assert ("sex" in found.frame.column_names) == bool(keep)  # type: ignore[attr-defined]
        path = tmp_path / f"{len(keep)}.csv"
        found.write(path)
        assert sf.verify(path, data=pa.table(people()))["holds"]


def test_drop_is_deprecated_and_leaves_no_more_in() -> None:
    with pytest.warns(DeprecationWarning, match="keep"):
        found = sf.microaggregate(pa.table(people()), ["age"], 4, drop=["name"])
    assert found.recipe.columns == ("age",)


@pytest.mark.some(2)
@pytest.mark.parametrize("backend", backends.ALL)
def test_sorted_rows_do_not_tell_the_order_of_the_input(backend: str, tmp_path: Path) -> None:
    # No two rows are as far from each other as two others: clusters do not depend on the order either.
    own = {"age": [(row * 37 % ROWS) ** 2 for row in range(ROWS)], "sex": people()["sex"]}
    turned = {name: values[::-1] for name, values in own.items()}
    tables = []
    for place, columns in enumerate((own, turned)):
        folder = tmp_path / str(place)
        folder.mkdir()
        found = protect(
            backends.make(backend, columns, folder), columns=["age"], orders=None, keep=["sex"], sort=True
        )
        found.write(folder / "r.csv")
        tables.append((folder / "r.csv").read_bytes())
        assert sf.verify(folder / "r.csv", data=pa.table(columns))["holds"]
        assert _read(found.frame) == sorted(_read(found.frame))  # type: ignore[type-var]
        assert found.recipe.to_dict()["release"] == {"order": "sorted"}
    assert tables[0] == tables[1]


@pytest.mark.parametrize("column", ["age", "sex"])
def test_a_changed_cell_of_sorted_rows_is_found(tmp_path: Path, column: str) -> None:
    from tests.release.audited import adapt

    out = tmp_path / "r.csv"
    protect(pa.table(people()), columns=["age"], orders=None, keep=["sex"], sort=True).write(out)
    with out.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    one, other = lines[0], next(line for line in lines if line[column] != lines[0][column])
    one[column], other[column] = other[column], one[column]
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["age", "sex"])
        writer.writeheader()
        writer.writerows(lines)
    adapt(out)
    assert not sf.verify(out, data=pa.table(people()))["holds"]


def test_published_percentages_do_not_let_anyone_solve_for_values(tmp_path: Path) -> None:
    """Tables that differ in one cluster of two have the same centres, and the same manifest."""
    manifests = []
    for half in (3.0, 3.4):
        values = [10 - half, 10 + half, 100.0, 100.0, 150.0, 150.0]
        found = sf.microaggregate(pa.table({"a": values}), ["a"], 2)
        out = tmp_path / f"{half}.csv"
        manifest = found.write(out)
        exact = found.measures["il"]
        assert manifest.measures["il"] in (1, 2, 5, 10, 20, 50, 100)
        assert exact <= manifest.measures["il"]
        # What an outsider solves for: the spread between clusters is known, so il tells that within.
        between = 2 * sum((centre - 260 / 3) ** 2 for centre in (10, 100, 150))
        assert (between * exact / (100 - exact) / 2) ** 0.5 == pytest.approx(half)
        manifests.append(manifest.to_json())
        again = sf.verify(out, data=pa.table({"a": values}))
        assert again["holds"]
        assert again["measures"]["il"] == pytest.approx(exact)  # type: ignore[index,call-overload]
    assert manifests[0] == manifests[1]


def test_index_of_a_pandas_frame_stays_only_where_it_is_asked_for() -> None:
    import pandas as pd

    frame = pd.DataFrame(people(), index=[f"i{row}" for row in range(ROWS)])
    found = protect(frame)
    assert found.frame.index.equals(pd.RangeIndex(ROWS))  # type: ignore[attr-defined]
    assert list(found.to_frame(keep_index=True).index) == list(frame.index)  # type: ignore[attr-defined]
    assert not found.frame["age"].isna().any()  # type: ignore[attr-defined]


def test_what_leaves() -> None:
    found = protect(pa.table(people()), keep=["sex"])
    table = found.frame
    assert isinstance(table, pa.Table)
    assert table.column_names == ["age", "height", "born", "income", "sex"]
    assert table.schema.field("age").type == pa.float64()
    assert table.schema.field("born").type == pa.date32()
    assert set(table.column("income").to_pylist()) <= set(LEVELS)
    assert table.column("sex").to_pylist() == people()["sex"]
    for label, rows in enumerate(np.array(found.clusters[0].labels) == n for n in range(3)):
        ages = np.array(people()["age"], dtype=float)[rows]
        days = sorted(day for day, inside in zip(people()["born"], rows, strict=True) if inside)  # type: ignore[type-var]
        released = [row for row, inside in zip(table.to_pylist(), rows, strict=True) if inside]
        assert {row["born"] for row in released} == {days[(len(days) - 1) // 2]}, label
        assert released[0]["age"] == pytest.approx(ages.mean())


def test_missing_stays_missing_and_is_shared_by_k() -> None:
    found = protect(pa.table(people()))
    before = [value is None for value in people()["height"]]
    after = [value is None for value in found.frame.column("height").to_pylist()]  # type: ignore[attr-defined]
    assert after == before
    assert found.missing == {"before": sum(before), "blanked": 0}
    classes = Counter(tuple(row[1:5]) for row in _read(found.frame))
    assert min(classes.values()) == found.joint_k >= 4


def test_rare_patterns_of_missing_are_blanked() -> None:
    data = people()
    data["age"][3] = None
    found = protect(pa.table(data))
    assert found.missing["blanked"] > 0
    assert any("blanked" in text for text in found.warnings)
    assert found.verify()["k"] >= 4
    assert set(found.measures) == {"k", "il", "id", "id_standardized", "dld", "score"}


@pytest.mark.parametrize("standardize", [True, False])
def test_interval_disclosure_is_that_of_the_published_values(standardize: bool) -> None:
    """Near is within 10 % of the value as it stands in the file; years, far from 0, have wide intervals."""
    years, pay = [1950.0, 1955.0, 1960.0, 1990.0, 1995.0, 2000.0], [0.0, 1.0, 5.0, 90.0, 95.0, 110.0]
    data = {"year": years, "pay": pay}
    found = sf.microaggregate(pa.table(data), ["year", "pay"], 3, standardize=standardize)
    published = {name: found.frame.column(name).to_pylist() for name in data}  # type: ignore[attr-defined]

    def near(before: dict[str, list[float]], after: dict[str, list[float]]) -> float:
        pairs = [pair for name in before for pair in zip(before[name], after[name], strict=True)]
        return 100 * sum(abs(new - old) <= 0.1 * abs(old) * (1 + 1e-9) for old, new in pairs) / len(pairs)

    def scored(cells: dict[str, list[float]]) -> dict[str, list[float]]:
        made = {}
        for name, values in cells.items():
            mean = sum(data[name]) / 6
            spread = (sum((value - mean) ** 2 for value in data[name]) / 6) ** 0.5
            made[name] = [(value - mean) / spread for value in values]
        return made

    measures = found.measures
    assert measures["id"] == pytest.approx(near(data, published))
    assert measures["id_standardized"] == pytest.approx(near(scored(data), scored(published)))
    assert measures["id"] > measures["id_standardized"]
    due = (measures["il"] + (measures["id"] + measures["dld"]) / 2) / 2
    assert measures["score"] == pytest.approx(due)


def test_only_k_is_measured_where_every_row_lacks_something() -> None:
    data = {"a": [1.0, 2.0, None, None], "b": [None, None, 1.0, 2.0]}
    found = sf.microaggregate(pa.table(data), ["a", "b"], 2)
    assert found.measures == {"k": 2.0}


def test_groups_hold_k_alone_and_the_joint_k_is_said() -> None:
    found = protect(pa.table(people()), groups=[["age", "height"], ["born", "income"]])
    table = _read(found.frame)
    assert min(Counter(row[1:3] for row in table).values()) >= 4
    assert min(Counter(row[3:5] for row in table).values()) >= 4
    joint = min(Counter(row[1:5] for row in table).values())
    assert found.joint_k == joint == found.measures["k"] < 4
    assert any("not 4-anonymous" in text for text in found.warnings)
    assert list(found.verify()) == ["k", "k(age, height)", "k(born, income)"]


def test_groups_are_searched() -> None:
    data = pa.table({name: np.random.default_rng(2).standard_normal(80) for name in "abc"})
    found = sf.microaggregate(data, ["a", "b", "c"], 5, groups="auto", seed=3)
    assert sorted(name for group in found.groups for name in group) == ["a", "b", "c"]
    assert found.recipe.grouping == "auto"
    again = sf.microaggregation.group_attributes(data, k=5, seed=3)
    assert again.groups == found.groups


def test_group_attributes_takes_arrays_and_skips_texts() -> None:
    data = people()
    found = sf.microaggregation.group_attributes(pa.table({"n": data["name"], "a": data["age"]}), k=3)
    assert found.groups == (("a",),)
    values = np.array([data["age"], data["age"]], dtype=float).T
    named = sf.microaggregation.group_attributes(values, k=3, columns=["a2"])
    assert named.groups == (("a2",),)


def test_univariate_takes_each_column_alone() -> None:
    found = protect(pa.table(people()), columns=["age", "born"], orders=None, method="univariate")
    assert found.groups == (("age",), ("born",))
    best = found.measures["il"]
    for method in ("mdav", "v-mdav"):
        other = protect(
            pa.table(people()),
            columns=["age", "born"],
            orders=None,
            method=method,
            groups=[["age"], ["born"]],
            centroid="mean",
        )
        assert other.verify()["k(age)"] >= 4
    means = sf.microaggregate(pa.table(people()), ["age"], 4, method="univariate").measures["il"]
    assert means <= sf.microaggregate(pa.table(people()), ["age"], 4).measures["il"] + 1e-9
    assert best > 0


def test_standardizing_makes_units_irrelevant() -> None:
    data = people()
    larger = data | {"age": [1000 * age for age in data["age"]]}  # type: ignore[operator]
    names = ["age", "born"]
    first, second = (sf.microaggregate(pa.table(item), names, 4) for item in (data, larger))
    assert np.array_equal(first.clusters[0].labels, second.clusters[0].labels)
    raw = [sf.microaggregate(pa.table(item), names, 4, standardize=False) for item in (data, larger)]
    assert not np.array_equal(raw[0].clusters[0].labels, raw[1].clusters[0].labels)


def test_written_file_is_verified_and_can_be_verified_again(tmp_path: Path) -> None:
    path = backends.make("csv", people(), tmp_path)
    out = tmp_path / "out.csv"
    found = protect(path, groups=[["age", "height"], ["born", "income"]], keep=["sex"], within="sex")
    manifest = found.write(out)
    assert json.loads((tmp_path / "out.csv.json").read_text())["measures"] == dict(manifest.measures)
    again = sf.verify(out)
    assert again["holds"]
    assert again["measures"] == found.verify()
    with out.open(encoding="utf-8") as lines:
        written = list(csv.DictReader(lines))
    assert len(written) == ROWS
    assert [row["sex"] for row in written] == people()["sex"]
    with pytest.raises(OutputError, match="exists"):
        found.write(out)
    found.write(out, force=True)


@pytest.mark.parametrize("change", ["row", "cell", "k"])
def test_tampering_is_noticed(change: str, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    protect(pa.table(people())).write(out)
    lines = out.read_text(encoding="utf-8").splitlines()
    manifest = tmp_path / "out.csv.json"
    if change == "row":
        lines.pop()
    elif change == "cell":
        cells = lines[5].split(",")
        lines[5] = ",".join([cells[0], "1.5", *cells[2:]])
    else:
        manifest.write_text(manifest.read_text().replace('"k": 4,', '"k": 3,'), encoding="utf-8")
    out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if change == "k":
        with pytest.raises(VerificationError, match="contradicts itself"):
            sf.verify(out)
        return
    found = sf.verify(out)
    assert not found["holds"]
    assert any("sha256" in text for text in found["violations"])  # type: ignore[attr-defined]
    assert len(found["violations"]) > 1  # type: ignore[arg-type]


def test_input_is_not_overwritten(tmp_path: Path) -> None:
    path = backends.make("csv", people(), tmp_path)
    with pytest.raises(OutputError, match="input"):
        protect(path).write(str(path), force=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"columns": []}, "at least one column"),
        ({"columns": ["age", "age"]}, "named twice"),
        ({"k": 1}, "from 2 on"),
        ({"k": 2.5}, "from 2 on"),
        ({"k": 61}, "from 2 to the 60 rows"),
        ({"method": "mdva"}, "'mdav'"),
        ({"centroid": "mode"}, "centroid"),
        ({"threads": 0}, "threads"),
        ({"within": "age"}, "separates clusters"),
        ({"keep": ["age"]}, "cannot be kept"),
        ({"orders": {"age": ["1"], "ag": ["1"]}}, "'ag'"),
        ({"groups": "all"}, "groups must be"),
        ({"groups": [["age"]]}, "in no group"),
        ({"groups": [["age", "height"], ["born", "income", "age"]]}, "twice"),
        ({"groups": [["age", "height"], ["born", "income", "zip"]]}, "'zip'"),
        ({"groups": [["age", "height"], ["born", "income"], []]}, "empty"),
        ({"groups": [["age", "height"], ["born"], ["income"]], "method": "univariate"}, "by itself"),
    ],
)
def test_wrong_parameters(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        protect(pa.table(people()), **changes)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["a", "b", "c", "d"], "neither all numbers nor all dates"),
        (["1", "2", "x", "4"], "neither all numbers nor all dates"),
        (["1", "2", "nan", "4"], "neither all numbers nor all dates"),
        ([True, False, True, True], "neither numbers nor dates"),
        ([1.0, float("inf"), 2.0, 3.0], "1 infinite"),
        ([None, None, None, None], "no value"),
    ],
)
def test_columns_that_cannot_be_averaged(values: list[object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        sf.microaggregate(pa.table({"a": values}), ["a"], 2)


def test_unknown_column_and_incomplete_order() -> None:
    with pytest.raises(DataError, match="'age'"):
        protect(pa.table(people()), columns=["agee"], orders=None)
    with pytest.raises(DataError, match="leaves out 1 of its 3 values"):
        protect(pa.table(people()), orders={"income": ["low", "mid"]})
    with pytest.raises(DataError, match="once"):
        protect(pa.table(people()), orders={"income": ["low", "low"]})


def test_constant_columns_duplicate_rows_and_few_rows() -> None:
    same = sf.microaggregate(pa.table({"a": [1.0] * 7, "b": [2] * 7}), ["a", "b"], 3)
    assert same.measures["il"] == 0
    assert same.joint_k == 7
    assert same.frame.column("a").to_pylist() == [1.0] * 7  # type: ignore[attr-defined]
    two = sf.microaggregate(pa.table({"a": [1.0, 3.0]}), ["a"], 2)
    assert two.frame.column("a").to_pylist() == [2.0, 2.0]  # type: ignore[attr-defined]
    with pytest.raises(ParameterError, match="from 2 to the 1 rows"):
        sf.microaggregate(pa.table({"a": [1.0]}), ["a"], 2)


def test_columns_that_name_rows_are_pointed_at() -> None:
    assert any("'name'" in text for text in protect(pa.table(people())).warnings)
    kept = protect(pa.table(people()), keep=["sex"]).warnings
    assert kept == ["published unchanged, and not protected by k: 'sex'."]
    assert not protect(pa.table(people()), keep=[]).warnings


def test_times_and_numbers_in_texts(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    lines = ["when,much,day"] + [f"2020-01-0{n} 12:00:0{n}, {n}.5,2020-02-0{n}" for n in range(1, 9)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = sf.microaggregate(path, ["when", "much", "day"], 4)
    assert [column.kind for column in found.columns] == ["time", "number", "date"]
    assert found.verify()["k"] == 4
    assert _read(found.frame)[0] == ("2020-01-02 12:00:02", 3.0, "2020-02-02")


@pytest.mark.parametrize("method", ["annealing", "auto"])
def test_annealed_rows_are_verified_and_can_be_made_again(method: str, tmp_path: Path) -> None:
    out, data = tmp_path / "r.csv", pa.table(people())
    found = protect(data, method=method, sort=True, within="sex", seed=3, steps=200)
    found.write(out)
    assert sf.verify(out, data=data)["holds"]
    assert found.verify()["k"] >= 1
    assert found.recipe.to_dict()["steps"] == 200
    assert (
        sf.microaggregate(data, ["age"], 4, method="auto").recipe
        == sf.microaggregate(data, ["age"], 4, method="auto").recipe
    )


def test_annealing_by_the_clock_cannot_be_made_again(tmp_path: Path) -> None:
    out, data = tmp_path / "r.csv", pa.table(people())
    with pytest.raises(ParameterError, match="steps"):
        protect(data, method="annealing", sort=True, time_limit=0.2)
    protect(data, method="annealing", time_limit=0.2).write(out)
    assert sf.verify(out, data=data)["holds"]


def test_annealing_is_better_and_says_how_good_it_may_be() -> None:
    data = pa.table({name: np.random.default_rng(at).standard_normal(400) for at, name in enumerate("abc")})
    plain, found = (
        sf.microaggregate(data, list("abc"), 5, method=method) for method in ("mdav", "annealing")
    )
    assert found.measures["il"] < 0.95 * plain.measures["il"]
    assert 0 < found.gap < plain.gap


@pytest.mark.data
def test_census_loss_is_the_literature_s(data_folder: Path) -> None:
    path = data_folder / "casc_census.csv"
    with path.open(encoding="utf-8") as lines:
        names = next(csv.reader(lines))
    for k, expected in ((3, 5.6922), (5, 9.0884), (10, 14.1559)):
        assert sf.microaggregate(path, names, k).measures["il"] == pytest.approx(expected, abs=5e-5)


def test_groups_are_searched_as_printed_and_by_the_weight_of_the_loss() -> None:
    """The weight counts in what the search minimizes; the published score stays the paper's mean."""
    random = np.random.default_rng(1)
    names = list("abcde")
    values = random.normal(size=(120, 5)) @ random.normal(size=(5, 5)) + 50
    data = pa.table(dict(zip(names, values.T, strict=True)))
    found = {
        (search, weight): sf.microaggregate(data, names, 5, groups=search, loss_weight=weight)
        for search in ("gomm", "d-gomm")
        for weight in (0.1, 0.95)
    }
    for (search, weight), made in found.items():
        assert made.recipe.grouping == search
        assert made.search is not None
        best = made.search.scores
        assert best.score == pytest.approx(weight * best.il + (1 - weight) * (best.id + best.dld) / 2)
        listed = [item.measures for item in made.search.front]
        assert min(item["score"] for item in listed) == pytest.approx(best.score)
        assert {item.operator for item in made.search.operators} >= {"crossover", "split", "move"}
        tables = made.search.tables()
        assert len(tables["groupings.csv"].splitlines()) == len(listed) + 1
        due = (made.measures["il"] + (made.measures["id"] + made.measures["dld"]) / 2) / 2
        assert made.measures["score"] == pytest.approx(due)
    # what costs information matters little, and then a lot
    assert found["gomm", 0.1].measures["il"] > found["gomm", 0.95].measures["il"]
    with pytest.raises(ParameterError, match="from 0 to 1"):
        sf.microaggregate(data, names, 5, groups="gomm", loss_weight=1.5)


@pytest.mark.parametrize("scaled", [True, False])
def test_measures_say_nothing_of_rows_that_are_not_published_whole(scaled: bool) -> None:
    random = np.random.default_rng(3)
    before = random.normal(50, 10, (12, 2))
    after = before + random.normal(0, 2, before.shape)
    after[4, 1] = after[9, 0] = np.nan
    other = before.copy()
    other[4, 0], other[9, 1] = 9000.0, -3.0
    assert measure_centres(other, after, scaled=scaled) == measure_centres(before, after, scaled=scaled)
