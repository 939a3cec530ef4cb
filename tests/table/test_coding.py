"""From rows to the cube, on every engine."""

from __future__ import annotations

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import DataError
from sfumato.hierarchies import build
from sfumato.spec import Spec
from sfumato.table import code_table, count_cube, open_source
from tests.table import backends, oracle

NAMES = ("age", "zip", "score", "member", "born", "ill", "pay")


def cells_of(cube):
    """Return a cube as a dictionary from codes to rows."""
    both = np.hstack([cube.codes, cube.sensitive_codes])
    return {tuple(codes): rows for codes, rows in zip(both.tolist(), cube.rows.tolist(), strict=True)}


def code(data, spec, **keywords):
    return code_table(open_source(data, spec.data), spec, **keywords)


def simple(*quasi_identifiers, sensitive=(), **data):
    roles = dict.fromkeys(quasi_identifiers, "quasi-identifier") | dict.fromkeys(sensitive, "sensitive")
    return Spec(data=data, attributes={name: {"role": role} for name, role in roles.items()})


def test_every_engine_counts_the_same_cube(data, spec, rows):
    table = code(data, spec)
    assert cells_of(table.cube) == oracle.cube(rows, NAMES)
    assert table.cube.row_count == 12
    assert table.cube.quasi_identifiers == NAMES[:5]
    assert table.cube.sensitive == NAMES[5:]
    for name in NAMES:
        expected = oracle.domain([row[name] for row in rows])
        hierarchy = {**table.hierarchies, **table.sensitive}[name]
        assert [backends.text(value) for value in hierarchy.values] == [
            backends.text(cell) for cell in expected
        ]
        assert table.cube.sizes + table.cube.sensitive_sizes


def test_every_engine_gives_the_same_fingerprint(columns, spec, tmp_path):
    columns["score"] = [None if cell != cell else cell for cell in columns["score"]]
    found = set()
    for backend in backends.ALL:
        folder = tmp_path / backend
        folder.mkdir()
        found.add(code(backends.make(backend, columns, folder), spec).cube.fingerprint)
    assert len(found) == 1


def test_roles_decide_what_leaves(data, spec):
    table = code(data, spec)
    assert table.left_out == ("extra",)
    assert table.roles.released == ("age", "zip", "score", "member", "born", "ill", "pay", "note")
    assert table.source.columns == ("id", *table.roles.released, "extra")


@pytest.mark.parametrize("backend", ["pandas", "csv", "duckdb"])
def test_persons_are_cells_of_their_own(backend, columns, tmp_path):
    columns["who"] = ["b", "a", "b", None, "a", "10", "9", None, "b", "b", "a", "a"]
    spec = simple("age", sensitive=["ill"], person="who")
    table = code(backends.make(backend, columns, tmp_path), spec)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    persons = oracle.domain(columns["who"])
    both = np.hstack([table.cube.codes, table.cube.sensitive_codes, table.cube.persons[:, None]])
    found = {tuple(codes): n for codes, n in zip(both.tolist(), table.cube.rows.tolist(), strict=True)}
    assert found == oracle.cube(rows, ("age", "ill", "who"))
    assert table.cube.persons.max() == len(persons) - 1
    assert "who" not in table.roles.released


def test_persons_have_the_same_codes_as_numbers_and_as_texts(tmp_path):
    columns = {"age": [1, 2, 3, 1], "who": [10, 9, None, 100]}
    spec = simple("age", person="who")
    prints = set()
    for backend in backends.ALL:
        folder = tmp_path / backend
        folder.mkdir()
        prints.add(code(backends.make(backend, columns, folder), spec).cube.fingerprint)
    assert len(prints) == 1


def test_leading_zeros_stay(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("zip\n00501\n10001\n")
    masked = Spec(attributes={"zip": {"role": "quasi-identifier", "kind": "category"}})
    assert code(path, masked).hierarchies["zip"].values == ("00501", "10001")
    path.write_text("zip\n10501\n10001\n")
    forced = Spec(attributes={"zip": {"role": "quasi-identifier", "hierarchy": {"mask": 5}}})
    assert code(path, forced).hierarchies["zip"].labels[1] == ("1000*", "1050*")


def test_one_number_in_two_spellings_is_one_value(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("age\n39\n39.0\n40\n")
    table = code(path, simple("age"))
    assert table.hierarchies["age"].size == 2
    assert table.cube.rows.tolist() == [2, 1]
    assert len(set(table.raw["age"].codes.tolist())) < len(table.raw["age"].codes)


def test_granularity_gathers_numbers():
    spec = Spec(attributes={"height": {"role": "quasi-identifier", "granularity": 5}})
    table = code(pl.DataFrame({"height": [171.5, 174.0, 176.0, None]}), spec)
    assert table.hierarchies["height"].size == 3
    assert table.cube.rows.tolist() == [2, 1, 1]


@pytest.mark.parametrize(
    ("array", "kind", "domain"),
    [
        (pa.array([3, None, 1], pa.int8()), "number", (1, 3, None)),
        (pa.array([3, 2**63, 1], pa.uint64()), "category", ("1", "3", str(2**63))),
        (pa.array([1.0, float("nan"), 3.0], pa.float32()), "number", (1, 3, None)),
        (pa.array([-0.0, 0.0, None]), "number", (0, None)),
        (pa.array([decimal.Decimal("1.50"), decimal.Decimal("10.00")]), "number", (1.5, 10.0)),
        (pa.array([True, None]), "category", ("true", None)),
        (
            pa.array([dt.date(2020, 2, 1), dt.date(2019, 1, 1)]),
            "date",
            (dt.date(2019, 1, 1), dt.date(2020, 2, 1)),
        ),
        (pa.array([dt.datetime(2020, 2, 1, 3), None]), "date", (dt.datetime(2020, 2, 1, 3), None)),
        (
            pa.array([dt.datetime(2020, 2, 1, 3)], pa.timestamp("ns", "UTC")),
            "date",
            (dt.datetime(2020, 2, 1, 3),),
        ),
        (pa.array(["b", "a", None]).dictionary_encode(), "category", ("a", "b", None)),
        (pa.array(["b", "a"], pa.large_string()), "category", ("a", "b")),
        (pa.nulls(2), "category", (None,)),
    ],
)
@pytest.mark.parametrize("engine", ["pyarrow", "polars", "duckdb", "pandas"])
def test_every_type_has_a_domain(array, kind, domain, engine):
    import duckdb

    table = pa.table({"a": array})
    data = {
        "pyarrow": lambda: table,
        "polars": lambda: pl.from_arrow(table),
        "duckdb": lambda: duckdb.connect().from_arrow(table),
        "pandas": lambda: table.to_pandas(types_mapper=pd.ArrowDtype),
    }[engine]()
    found = code(data, simple("a")).hierarchies["a"]
    assert (found.kind, found.values) == (kind, domain)


def test_categories_of_polars_and_pandas_are_texts():
    frame = pl.DataFrame(
        {
            "a": pl.Series(["x", "?", None], dtype=pl.Categorical),
            "b": pl.Series(["x", "y", None], dtype=pl.Enum(["y", "x"])),
        }
    )
    table = code(frame, simple("a", "b", missing=["?"]))
    assert table.hierarchies["a"].values == ("x", None)
    assert table.hierarchies["b"].values == ("x", "y", None)
    pandas = pd.DataFrame({"a": pd.Categorical(["x", "?", None])})
    assert code(pandas, simple("a", missing=["?"])).hierarchies["a"].values == ("x", None)


def test_pandas_objects_of_one_type_are_taken_as_that_type():
    frame = pd.DataFrame({"a": pd.Series([dt.date(2020, 1, 1), None], dtype=object)})
    assert code(frame, simple("a")).hierarchies["a"].values == (dt.date(2020, 1, 1), None)


def test_huge_integers_of_an_engine_are_counted():
    import duckdb

    relation = duckdb.connect().sql("SELECT 12::HUGEINT AS a UNION ALL SELECT 7::HUGEINT")
    assert code(relation, simple("a")).hierarchies["a"].values == (7, 12)


def test_a_recipe_brings_its_own_hierarchy(spec, columns, tmp_path):
    seen = []

    def make(kind, values, has_missing):
        seen.append((kind, list(values), has_missing))
        own = Spec(attributes={"age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10]}}})
        return build(
            "age", own.attributes["age"], values, has_missing=has_missing, kind=kind, resolve=own.resolve
        )

    table = code(backends.make("csv", columns, tmp_path), spec, hierarchies={"age": make})
    assert seen == [("number", [27, 34, 51, 60], True)]
    assert table.hierarchies["age"].labels[1] == ("20-29", "30-39", "40-49", "50-59", "60-69", None)


def test_a_recipe_may_reach_between_values():
    def make(kind, values, has_missing):
        own = simple("age").attributes["age"]
        return build(
            "age", own, [10, 20, 30], has_missing=has_missing, kind="number", resolve=lambda path: path
        )

    frame = pa.table({"age": [12, 20, 29]})
    table = code(frame, simple("age"), hierarchies={"age": make}, reach=True)
    assert table.cube.codes.T.tolist() == [[0, 1]]
    with pytest.raises(DataError, match="2 of 3 distinct values are not in the domain"):
        code(frame, simple("age"), hierarchies={"age": make})


def test_a_name_that_is_no_column(columns):
    with pytest.raises(DataError) as caught:
        code(pl.DataFrame({"age": [1]}), simple("aeg"))
    assert caught.value.message == "the data have no column 'aeg'. Did you mean 'age'?"
    with pytest.raises(DataError, match="no column 'who'"):
        code(pl.DataFrame({"age": [1]}), simple("age", person="who"))


@pytest.mark.parametrize("frame", [pl.DataFrame({"age": []}), pa.table({"age": pa.array([], pa.int64())})])
def test_no_rows(frame):
    with pytest.raises(DataError, match="the data have no rows"):
        code(frame, simple("age"))


def test_a_column_that_mixes_types():
    frame = pd.DataFrame({"b": [1, 2], "a": pd.Series([1, "x"], dtype=object)})
    with pytest.raises(DataError, match="the column 'a' mixes values of several types"):
        code(frame, simple("b", "a"))


def test_a_type_that_cannot_be_counted():
    with pytest.raises(DataError, match="the column 'a' has the type List"):
        code(pl.DataFrame({"a": [[1], [2]]}), simple("a"))


def test_values_that_are_not_of_their_kind_are_counted_and_not_shown():
    spec = Spec(attributes={"age": {"role": "quasi-identifier", "kind": "number"}})
    with pytest.raises(DataError) as caught:
        code(pa.table({"age": ["12", "secret"]}), spec)
    assert caught.value.where == "age"
    assert "1 of 2 distinct values are not numbers" in caught.value.message
    assert "secret" not in str(caught.value)


def test_warnings_name_columns_and_counts():
    rows = 40
    frame = pl.DataFrame(
        {
            "id": [n // 2 for n in range(rows)],
            "age": [n % 2 for n in range(rows)],
            "ill": ["flu"] * rows,
            "note": [f"n{n}" for n in range(rows)],
            "tags": [[n] for n in range(rows)],
        }
    )
    roles = {
        "id": "identifier",
        "age": "quasi-identifier",
        "ill": "sensitive",
        "note": "other",
        "tags": "other",
    }
    attributes = {name: {"role": role} for name, role in roles.items()}
    assert code(frame, Spec(attributes=attributes)).warnings == [
        "the sensitive attribute 'ill' has the same value in every row.",
        "the identifier 'id' repeats (20 values in 40 rows). If it stands for a person, name it as person in "
        "[data], so that classes count persons.",
    ]
    two = Spec(attributes={**attributes, "age": {"role": "identifier"}, "note": {"role": "quasi-identifier"}})
    found = code(frame, two).warnings[-1]
    assert found.startswith("the identifiers 'id' (20 values in 40 rows) and 1 more repeat. If one of them")
    named = Spec(data={"person": "id"}, attributes=attributes)
    assert not any("identifier 'id'" in line for line in code(frame, named).warnings)


def test_counting_without_hierarchies(data, rows):
    cube = count_cube(open_source(data), ["age", "zip", "pay"], ["ill"])
    assert cells_of(cube) == oracle.cube(rows, ("age", "zip", "pay", "ill"))
    assert cube.sensitive_sizes == (4,)


def test_counting_a_column_in_both_roles_and_persons():
    source = open_source(pl.DataFrame({"a": ["x", "y", "x"], "p": [1, 1, 2]}))
    cube = count_cube(source, ["a"], ["a"], person="p")
    assert cube.codes.tolist() == cube.sensitive_codes.tolist() == [[0], [0], [1]]
    assert cube.persons.tolist() == [0, 1, 0]
    with pytest.raises(DataError, match="named twice"):
        count_cube(source, ["a", "a"])


def test_counting_no_columns_at_all():
    assert count_cube(open_source(pl.DataFrame({"a": [1, 2, 3]})), []).rows.tolist() == [3]


cell = st.one_of(st.none(), st.integers(-3, 12), st.just(float("nan")))
label = st.one_of(st.none(), st.sampled_from(["", "a", "b", "10", "9", "é"]))


@given(
    st.lists(st.tuples(cell, label, label), min_size=1, max_size=30),
    st.sampled_from(["polars", "pyarrow", "pandas"]),
)
def test_any_small_table_is_counted_like_the_oracle(cells, engine):
    columns = {name: list(column) for name, column in zip("abc", zip(*cells, strict=True), strict=True)}
    columns["a"] = [None if cell is None else float(cell) for cell in columns["a"]]
    frame = {
        "polars": lambda: pl.DataFrame(columns, schema={"a": pl.Float64, "b": pl.String, "c": pl.String}),
        "pyarrow": lambda: pa.table(
            columns, pa.schema({"a": pa.float64(), "b": pa.string(), "c": pa.string()})
        ),
        "pandas": lambda: pd.DataFrame(columns).astype({"a": "float64", "b": "str", "c": "object"}),
    }[engine]()
    spec = Spec(
        attributes={
            "a": {"role": "quasi-identifier"},
            "b": {"role": "quasi-identifier", "kind": "category"},
            "c": {"role": "sensitive", "kind": "category"},
        }
    )
    rows = [dict(zip("abc", row, strict=True)) for row in zip(*columns.values(), strict=True)]
    assert cells_of(code(frame, spec).cube) == oracle.cube(rows, ("a", "b", "c"))


def test_adult_has_the_domains_of_the_papers(data_folder):
    sizes = {
        "age": 72,
        "workclass": 7,
        "education": 16,
        "marital-status": 7,
        "occupation": 14,
        "race": 5,
        "sex": 2,
        "native-country": 41,
        "salary-class": 2,
    }
    frame = pl.read_csv(data_folder / "adult_train.csv", null_values="?").drop_nulls()
    table = code(frame, simple(*sizes))
    assert table.cube.row_count == 30_162
    assert dict(zip(sizes, table.cube.sizes, strict=True)) == sizes
    whole = code(data_folder / "adult_train.csv", simple(*sizes, missing=["?"]))
    assert whole.cube.row_count == 32_561
    assert [name for name, found in whole.hierarchies.items() if found.has_missing] == [
        "workclass",
        "occupation",
        "native-country",
    ]


def test_too_many_combinations_are_refused_before_memory_is_used_up(monkeypatch):
    frame = pl.DataFrame({"place": range(5000), "sex": ["f", "m"] * 2500})
    monkeypatch.setattr("sfumato.table.tally.FEW", 1000)
    monkeypatch.setattr("sfumato.table.engine.machine_memory", lambda: 2 * 100 * 5000)
    assert count_cube(open_source(frame), ("place", "sex")).distinct == 5000
    monkeypatch.setattr("sfumato.table.engine.machine_memory", lambda: 2 * 100 * 4999)
    words = r"more than 5,000 distinct combinations of 2 columns.*have place \(5,000\) and sex \(2\)"
    with pytest.raises(DataError, match=words):
        count_cube(open_source(frame), ("place", "sex"))
