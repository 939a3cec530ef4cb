"""The running example of attribute-oriented granulation, and releases by statistics, the whole way."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import HierarchyError, SpecError
from sfumato.release import seal_of
from tests.api.test_whole_way import read_csv, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Q = "quasi-identifier"
NAMES = ("born", "zip", "height", "income", "health")
FIGURE_1 = [
    ("1956-09-24", "24126", 161, 400, 1),
    ("1956-09-06", "24129", 167, 300, 1),
    ("1956-09-30", "24133", 163, 300, 1),
    ("1956-03-23", "10427", 160, 300, 0),
    ("1956-03-18", "10431", 165, 100, 2),
    ("1956-03-05", "10466", 168, 100, 2),
    ("1955-04-20", "26015", 175, 400, 2),
    ("1955-04-18", "26032", 170, 300, 1),
    ("1955-04-09", "26617", 173, 100, 0),
    ("1955-04-01", "26628", 171, 400, 0),
    ("1955-04-23", "26328", 176, 400, 0),
]
# Figure 4 has 26617 in the last five rows, which is the middle row and not the middle value.
FIGURE_2 = [("1956-09", "24***", "160-169")] * 3 + [("1956-03", "10***", "160-169")] * 3
FIGURE_2 += [("1955-04", "26***", "170-179")] * 5
FIGURE_4 = [("1956-09-24", "24129", 164)] * 3 + [("1956-03-18", "10431", 164)] * 3
FIGURE_4 += [("1955-04-18", "26328", 173)] * 5


def attributes(**changes: dict[str, object]) -> dict[str, dict[str, object]]:
    """Return the attributes of the running example with its admissible partitions, Figure 3."""
    known: dict[str, dict[str, object]] = {
        "born": {"role": Q, "hierarchy": {"dates": ["month", "year"]}},
        "zip": {"role": Q, "hierarchy": {"mask": 5}},
        "height": {"role": Q, "hierarchy": {"intervals": [5, 10, 20]}},
        "income": {"role": "sensitive"},
        "health": {"role": "sensitive"},
    }
    return {name: known[name] | changes.get(name, {}) for name in known}


def spec_of(attributes: dict[str, dict[str, object]], **parts: object) -> sf.Spec:
    """Return a specification that requires classes of three."""
    parts = {"require": {"k": 3}, "objectives": {"minimize": ["loss"]}} | parts
    return sf.Spec.from_dict({"attributes": attributes, **parts})


def by_statistics(**parts: object) -> sf.Spec:
    """Return (mm/yy, d1d2***, I10) with mean and medians."""
    return spec_of(
        attributes(
            born={"levels": [1, 1], "output": "median"},
            zip={"levels": [3, 3], "output": "median"},
            height={"levels": [2, 2], "output": "mean"},
        ),
        **parts,
    )


def columns() -> dict[str, list[Any]]:
    return {name: [row[place] for row in FIGURE_1] for place, name in enumerate(NAMES)}


def relation() -> object:
    table = pa.table(columns())
    return duckdb.connect().from_arrow(table)


FRAMES: dict[str, Callable[[], object]] = {
    "pandas": lambda: pd.DataFrame(columns()),
    "polars": lambda: pl.DataFrame(columns()),
    "polars lazy": lambda: pl.LazyFrame(columns()),
    "arrow": lambda: pa.table(columns()),
    "duckdb": relation,
}


def test_figure_2():
    """Generalization labels."""
    spec = spec_of(attributes(born={"levels": [1, 1]}, zip={"levels": [3, 3]}, height={"levels": [2, 2]}))
    release = sf.anonymize(pa.table(columns()), spec)
    assert [row[:3] for row in rows_of(release.frame)] == FIGURE_2
    assert release.classes == 3


@pytest.mark.some(2)
@pytest.mark.parametrize("backend", FRAMES)
def test_figure_4(backend: str):
    """Median and mean of each attribute's blocks over all rows, not of the classes; heights are numbers."""
    release = sf.anonymize(FRAMES[backend](), by_statistics())
    assert [row[:3] for row in rows_of(release.frame)] == FIGURE_4
    assert [row[3:] for row in rows_of(release.frame)] == [row[3:] for row in FIGURE_1]
    assert release.verify()["k"] == 3


@pytest.mark.some(1)
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_figure_4_as_a_file(tmp_path: Path, suffix: str):
    """From a file to a file: the manifest records the statistics, and the recount confirms all measures."""
    source = tmp_path / "source.csv"
    with source.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([NAMES, *FIGURE_1])
    spec = by_statistics(data={"path": str(source)}, release={"order": "input"})
    target = tmp_path / f"release{suffix}"
    # ZIP codes of a mask stay texts.
    manifest = sf.anonymize(None, spec).write(target)
    found = sf.verify(target)
    assert found["holds"], found["violations"]
    assert found["measures"]["dm"] == manifest.measures["dm"]
    if suffix == ".csv":
        assert [tuple(row.values())[:3] for row in read_csv(target)] == [
            tuple(map(str, row)) for row in FIGURE_4
        ]
    else:
        import pyarrow.parquet as pq

        table = pq.read_table(target)
        assert pa.types.is_integer(table.schema.field("height").type)
        assert table.column("height").to_pylist() == [row[2] for row in FIGURE_4]
    height = json.loads((tmp_path / f"release{suffix}.json").read_text())["recipe"]["attributes"]["height"]
    assert height["output"] == "mean"
    assert height["partition"] == {"level": 2, "statistics": [["160-169", "164"], ["170-179", "173"]]}


def test_a_changed_statistic_in_the_recipe_is_found(tmp_path: Path):
    release = sf.anonymize(pa.table(columns()), by_statistics())
    target = tmp_path / "release.csv"
    release.write(target)
    path = tmp_path / "release.csv.json"
    changed = json.loads(path.read_text().replace('"164"', '"165"'))
    path.write_text(json.dumps({**changed, "seal": seal_of(changed)}), encoding="utf-8")
    assert any("column 'height' holds" in text for text in sf.verify(target)["violations"])


def test_secure_recodings_of_the_running_example():
    """For Health = 2 the most specific ones are (mm/yy, d1d2d3**, I10) and (yy, *, I5), of 38 of 120."""
    spec = spec_of(
        attributes(),
        confidential=[{"sentence": "health == 2"}],
        require={"secure": 1},
        objectives={},
        search={"method": "lattice"},
    )
    tests = {}
    for variant in ("incognito", "breadth-first"):
        search = spec.search.model_copy(update={"variant": variant})
        front = sf.explore(pa.table(columns()), spec.model_copy(update={"search": search}))
        assert [dict(item.recoding) for item in front] == [
            {"born": 1, "zip": 2, "height": 2},
            {"born": 2, "zip": 5, "height": 1},
        ]
        assert front.complete
        assert front.run["space"] == "120"
        assert [item.name for item in front.objectives] == ["loss"]
        assert front.pick(2).release().verify()["secure"] == 1
        tests[variant] = front.run["certificate"]["tests"]
    assert tests["incognito"] < tests["breadth-first"] < 120


def test_one_person_with_another_sentence():
    """u1 holds Health = 1, and (mm/yy, d1d2***, I10) discloses it."""
    levels = {name: {"levels": [level, level]} for name, level in (("born", 1), ("zip", 3), ("height", 2))}
    for holder, holds in (({}, False), ({"record": 4}, True)):
        spec = spec_of(
            attributes(**levels),
            confidential=[{"sentence": "health == 1", **({"record": 1} if not holds else holder)}],
            require={"secure": 1},
            search={"method": "lattice"},
        )
        assert len(sf.explore(pa.table(columns()), spec)) == int(holds)


def test_every_most_specific_recoding_is_listed_though_others_beat_it():
    """front.csv lists recodings, not objective vectors; better ones come first."""
    spec = spec_of(
        attributes(),
        confidential=[{"sentence": "health == 2"}],
        require={"secure": 1},
        objectives={"minimize": ["suppressed"]},
        search={"method": "lattice"},
    )
    front = sf.explore(pa.table(columns()), spec)
    assert len(front) == 2
    assert len({item.recoding_text for item in front}) == len(front)
    assert {item.measures["suppressed"] for item in front} == {0.0}


def test_lattice_needs_requirements():
    spec = spec_of(attributes(), search={"method": "lattice"}, require={})
    with pytest.raises(SpecError, match="there are none"):
        sf.explore(pa.table(columns()), spec)


def test_granulation_ga_takes_sf_and_ql_where_nothing_is_said():
    spec = spec_of(
        attributes(),
        confidential=[{"sentence": "health == 2"}],
        require={"secure": 1},
        objectives={},
        search={"method": "granulation-ga", "iterations": 20, "elite": 0},
    )
    front = sf.explore(pa.table(columns()), spec)
    assert front.run["objectives"] == {"maximize": ["sf", "ql"], "minimize": []}
    best = front[front.run["certificate"]["solution"] - 1]
    product = best.measures["sf"] * best.measures["ql"]
    assert product == pytest.approx(max(item.measures["sf"] * item.measures["ql"] for item in front))
    assert product == pytest.approx(front.run["certificate"]["fitness"])
    assert front.pick("product").number == best.number
    assert front.suggestions(1)[0].name == "product"
    released = sf.anonymize(pa.table(columns()), spec)
    assert released.measures["sf"] * released.measures["ql"] == pytest.approx(product)


# Statistics of all kinds, with missing values, discretized numbers and other schemes.

TABLE = {
    "age": [20, 21, 24, 31, 33, 38, None, None, 41, 47, 48, 48],
    "work": ["c", "a", "a", "b", "b", "c", "c", "d", "d", "d", "a", None],
}


def release_of(age: dict[str, object], work: dict[str, object] | None = None, **parts: object) -> Any:
    """Release the small table and return its rows; every row is its own class or not, as k allows."""
    spec = sf.Spec.from_dict(
        {
            "attributes": {"age": {"role": Q, **age}, "work": {"role": Q, **(work or {})}},
            "require": {"k": 1},
            "objectives": {"minimize": ["loss"]},
            **parts,
        }
    )
    release = sf.anonymize(pa.table(TABLE), spec)
    release.verify()
    return release


def column(release: Any, name: str) -> list[Any]:
    return release.frame.column(name).to_pylist()


def test_missing_stays_missing_below_the_root_and_takes_the_statistic_at_the_root():
    by_ten = {"hierarchy": {"intervals": [10]}, "levels": [1, 1], "output": "mean"}
    assert column(release_of(by_ten), "age") == [65 / 3] * 3 + [34.0] * 3 + [None] * 2 + [46.0] * 4
    everything = {"hierarchy": {"intervals": [10]}, "levels": [2, 2], "output": "median"}
    assert column(release_of(everything), "age") == [33] * 12


def test_discretized_numbers_have_the_mean_of_their_values():
    """Not of the starts of their granules."""
    found = column(release_of({"granularity": 10, "output": "mean"}), "age")
    assert found == [65 / 3] * 3 + [34.0] * 3 + [None] * 2 + [46.0] * 4


def test_mode_takes_the_first_of_equally_frequent_values():
    tree = {"tree": {"x": ["a", "b"], "y": ["d", "c"]}}
    found = column(release_of({}, {"hierarchy": tree, "levels": [1, 1], "output": "mode"}), "work")
    # a and d occur three times, b twice, c three times: of c and d the tree has d first.
    assert found == ["d", "a", "a", "a", "a", "d", "d", "d", "d", "d", "a", None]


def test_an_even_number_of_rows_has_the_lower_median():
    order = {"kind": "ordinal", "order": ["a", "b", "c", "d"], "scheme": "ordered", "output": "median"}
    spec = {"suppression": {"limit": 0}, "require": {"k": 5}}
    release = release_of({"levels": [1, 1]}, order, **spec)
    assert set(column(release, "work")) <= {"a", "b", "c", "d", None}
    assert release.recipe.attributes["work"].statistics


@pytest.mark.some(1)
@pytest.mark.parametrize("scheme", ["ordered", "sets", "guided-sets", "cuts", "admissible"])
def test_every_scheme_has_statistics(scheme: str, tmp_path: Path):
    """Released, written, verified and applied to new rows."""
    age: dict[str, object] = {"scheme": scheme, "hierarchy": {"intervals": [10, 20]}, "output": "mean"}
    if scheme == "sets":
        age = {"scheme": scheme, "granularity": 10, "output": "mean"}
    if scheme == "admissible":
        age["partitions"] = [1, 2]
    release = release_of(age, {"levels": [1, 1]}, require={"k": 3}, suppression={"limit": 0.2})
    target = tmp_path / "release.parquet"
    release.write(target)
    assert sf.verify(target)["holds"]
    shown = {number for number in column(release, "age") if number is not None}
    recipe = sf.Recipe.load(f"{target}.json")
    again = recipe.apply(pa.table(TABLE))
    assert column(again, "age") == column(release, "age")
    again.write(tmp_path / "again.parquet")
    assert sf.verify(tmp_path / "again.parquet")["holds"]
    assert shown <= {float(text) for _, text in recipe.attributes["age"].statistics or ()} | set(TABLE["age"])


def test_a_recipe_gives_new_values_the_recorded_statistics(tmp_path: Path):
    """A new value takes its block's statistic; a block that the release did not show is unknown."""
    by_ten = {"hierarchy": {"intervals": [10]}, "levels": [1, 1], "output": "mean"}
    recipe = release_of(by_ten, {"levels": [1, 1]}).recipe
    new = pa.table({"age": [29, 30, None, 45], "work": ["z"] * 4})
    assert column(recipe.apply(new), "age") == [65 / 3, 34.0, None, 46.0]
    beyond = pa.table({"age": [29, 35, 55, 65, 70], "work": ["z"] * 5})
    with pytest.raises(HierarchyError, match="does not know 3 values in 3 rows of 'age'"):
        recipe.apply(beyond, unknown="refuse")
    release = recipe.apply(beyond, unknown="generalize")
    assert column(release, "age") == [repr(65 / 3), "34", "*", "*", "*"]
    release.write(tmp_path / "new.csv")
    assert sf.verify(tmp_path / "new.csv")["holds"]


def test_masked_rows_are_text():
    by_ten = {"hierarchy": {"intervals": [10]}, "levels": [1, 1], "output": "mean"}
    parts = {"require": {"k": 4}, "suppression": {"limit": 0.7, "output": "mask"}}
    found = column(release_of(by_ten, {"levels": [1, 1]}, **parts), "age")
    assert set(found) == {"46", "*"}


def test_blocks_with_equal_statistics_are_refused():
    """They would merge; blocks that are suppressed do not count."""
    table = pa.table({"size": [1, 3, 9, 11, 5, 15, 25]})
    attribute: dict[str, object] = {"role": Q, "kind": "number", "scheme": "admissible", "output": "mean"}
    merging = [[1, 25], [11, 15], [3, 5, 9]]
    for blocks, merges in ((merging, True), ([[1, 3, 5], [9, 11], [15], [25]], False)):
        spec = sf.Spec.from_dict(
            {
                "attributes": {"size": attribute | {"partitions": [blocks]}},
                "require": {"k": 2},
                "suppression": {"limit": 0.3},
                "objectives": {"minimize": ["loss"]},
            }
        )
        if merges:
            with pytest.raises(SpecError, match="two blocks of 'size' have the same mean") as caught:
                sf.anonymize(table, spec)
            assert caught.value.where == "[attributes.size] output"
        else:
            assert set(sf.anonymize(table, spec).frame.column("size").to_pylist()) == {3, 10}


def test_only_numbers_have_a_mean():
    with pytest.raises(SpecError, match="only numbers have a mean, but the kind here is 'category'"):
        release_of({}, {"output": "mean"})


def test_hover_texts_show_statistics():
    front = sf.explore(pa.table(columns()), by_statistics())
    assert front.labels() == {1: {"born": "1956-03-18", "zip": "24129", "height": "173"}}


def test_a_front_with_the_objectives_of_its_method_is_released_again() -> None:
    """Attached again, a front has the objectives that its search had, though the specification names none."""
    spec = sf.Spec.from_dict(
        {
            "attributes": {"age": {"role": Q}, "work": {"role": "sensitive"}},
            "confidential": [{"sentence": "work == a"}],
            "search": {"method": "granulation-ga", "iterations": 5},
        }
    )
    front = sf.explore(pa.table(TABLE), spec)
    again = replace(front, source=None).attach(pa.table(TABLE), spec)
    assert again[0].release().recoding == front[0].release().recoding
