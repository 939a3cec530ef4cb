"""Local releases through the public functions, held against an oracle that knows nothing of the package."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import InfeasibleError, SpecError
from tests.oracles import local_release as oracle

if TYPE_CHECKING:
    from pathlib import Path

TREE = {"north": {"coast": ["Kiel", "Rostock"], "inland": ["Hof, an der Saale"]}, "south": ["Ulm", "{Ost}"]}
ABOVE = {
    "Kiel": ["coast", "north"],
    "Rostock": ["coast", "north"],
    "Hof, an der Saale": ["inland", "north"],
    "Ulm": ["south"],
    "{Ost}": ["south"],
}
ORDER = ["low", "mid", "high", "top"]
KINDS = ("pandas", "polars", "lazy", "arrow", "csv", "parquet")


@dataclass
class Drawn:
    """One random table with its specification."""

    rows: list[dict]
    spec: dict
    attributes: list[oracle.Attribute]


def draw(seed: int) -> Drawn:
    """Draw rows of texts, and a specification with labels of all kinds."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 50))

    def some(values: list[str | None], missing: float = 0.0) -> list[str | None]:
        return [None if rng.random() < missing else values[int(rng.integers(len(values)))] for _ in range(n)]

    blank = float(rng.choice([0.0, 0.1]))
    days = [f"2024-0{m}-1{d}" for m in range(1, 5) for d in range(4)]
    columns = {
        "age": some([str(age) for age in rng.integers(-3, 40, 12)], blank),
        "mass": some([f"{x / 4:g}" for x in rng.integers(0, 40, 12)]),
        "born": some(days, blank),
        "town": some(list(ABOVE), blank),
        "job": some(["a", 'b "x"', "c, d", "*", " e"], blank),
        "rank": some(ORDER),
        "sex": some(["f", "m"]),
        "zip": some(["12345", "12346", "12999", "20000"]),
        "illness": some(["flu", "cold", "hiv", "cut"], blank),
        "note": some(["x", "y", "z"]),
    }
    kinds = {
        "age": [
            {},
            {"labels": "set"},
            {"snap": 5},
            {"labels": "suppress"},
            {"snap": "hierarchy", "hierarchy": {"intervals": [4, 8], "origin": 1}},
        ],
        "mass": [{}, {"snap": 0.5}, {"granularity": 0.5}],
        "born": [{}, {"hierarchy": {"dates": ["month", "year"]}, "labels": "tree"}, {"labels": "set"}],
        "town": [{"hierarchy": {"tree": TREE}}, {"hierarchy": {"tree": TREE}, "levels": [1, 3]}, {}],
        "job": [{}, {"labels": "suppress"}],
        "rank": [{"kind": "ordinal", "order": ORDER}, {"kind": "ordinal", "order": ORDER, "labels": "range"}],
        "sex": [{"keep": True}, {}],
        "zip": [{"hierarchy": {"mask": 5}}],
    }
    chosen = [*rng.choice(list(kinds), int(rng.integers(1, 5)), replace=False)]
    spec = {
        name: {"role": "quasi-identifier", **kinds[name][int(rng.integers(len(kinds[name])))]}
        for name in chosen
    }
    above = {"town": ABOVE, "born": {day: [day[:7], day[:4]] for day in days}}
    above["zip"] = {text: [text[:i] + "*" * (5 - i) for i in range(5)] for text in (*columns["zip"], "99999")}  # type: ignore[assignment]
    attributes = [
        oracle.Attribute(
            name,
            {"age": "number", "mass": "number", "born": "date"}.get(name, "category"),
            above.get(name, {}) if "hierarchy" in spec[name] else {},
        )
        for name in chosen
    ]
    require = {"k": int(rng.integers(2, 5))}
    name, limit = [("distinct_l", 2), ("entropy_l", 1.5), ("share_l", 1.4), ("t", 0.6)][int(rng.integers(4))]
    require |= {f"{name}(illness)": limit} if rng.random() < 0.5 else {}
    whole = {
        "attributes": {
            **spec,
            "illness": {"role": "sensitive"},
            "note": {"role": "other"},
            "id": {"role": "other"},
        },
        "recoding": {"scope": "local"},
        "suppression": {
            "limit": float(rng.choice([0.0, 0.1, 0.3])),
            "output": str(rng.choice(["drop", "mask"])),
        },
        "require": require,
        "objectives": {"minimize": [str(rng.choice(["loss", "loss", "loss", "dm", "average_class"]))]},
        "search": {"iterations": 500, "seed": seed},
    }
    rows = [
        {"id": f"r{number}", **{key: column[number] for key, column in columns.items()}}
        for number in range(n)
    ]
    if rng.random() < 0.3:
        whole["data"] = {"person": "person"}
        for row in rows:
            row["person"] = f"p{rng.integers(n)}"
    require_more(seed, whole, has_missing=blank > 0)
    return Drawn(rows, whole, attributes)


def require_more(seed: int, whole: dict, *, has_missing: bool) -> None:
    """Let some tables require what is left: recursive, ordered and hierarchical, a sentence, households."""
    rng, illness = np.random.default_rng([seed, 1]), whole["attributes"]["illness"]
    way = ("", "", "", "recursive", "ordered", "hierarchical", "sentence", "household")[int(rng.integers(8))]
    if way == "recursive":
        whole["require"]["recursive_l(illness, 3)"] = 2
    elif way == "ordered" and not has_missing:
        illness |= {"kind": "ordinal", "order": list(oracle.ORDER)}
        whole["require"]["t(illness, ordered)"] = 0.4
    elif way == "hierarchical" and not has_missing:
        first, last = oracle.ORDER[:2], oracle.ORDER[2:]
        illness |= {"hierarchy": {"tree": {"air": list(first), "other": list(last)}}}
        whole["require"]["t(illness, hierarchical)"] = 0.5
    elif way == "sentence" and "data" not in whole:
        whole["confidential"] = [{"sentence": " == ".join(oracle.SENTENCE)}]
        whole["require"]["secure"] = 1
    elif way == "household" and "data" in whole and len(whole["require"]) == 1:
        whole["data"] = {"household": "person"}


def as_data(rows: list[dict], kind: str, folder: Path) -> object:
    """Return rows as a frame or a file."""
    names = list(rows[0])
    if kind == "csv":
        with (folder / "in.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            writer.writerows(
                [{key: "" if cell is None else cell for key, cell in row.items()} for row in rows]
            )
        return folder / "in.csv"
    # An engine's own types, wherever all texts are numbers.
    table = pa.table({name: [row[name] for row in rows] for name in names})
    for name, made in (("age", pa.int64()), ("mass", pa.float64()), ("born", pa.date32())):
        table = table.set_column(names.index(name), name, table.column(name).cast(made))
    if kind == "parquet":
        import pyarrow.parquet as pq

        pq.write_table(table, folder / "in.parquet")
        return folder / "in.parquet"
    made = {"pandas": table.to_pandas, "polars": lambda: pl.from_arrow(table), "arrow": lambda: table}
    return pl.from_arrow(table).lazy() if kind == "lazy" else made[kind]()


def read_rows(path: Path) -> list[dict]:
    """Return the rows of a written CSV file as texts."""
    with path.open(encoding="utf-8", newline="") as file:
        return [{key: cell or None for key, cell in row.items()} for row in csv.DictReader(file)]


def frame_rows(frame: object) -> list[dict]:
    """Return the rows of a released frame as texts."""
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    table = (
        frame
        if isinstance(frame, pa.Table)
        else pa.table(frame)
        if not isinstance(frame, pd.DataFrame)
        else None
    )
    rows = table.to_pylist() if table is not None else frame.to_dict("records")  # type: ignore[union-attr]

    def text(cell: object) -> str | None:
        if cell is None or cell != cell:
            return None
        return (
            f"{cell:g}" if isinstance(cell, float) else str(cell)[:10] if hasattr(cell, "year") else str(cell)
        )

    return [{key: text(cell) for key, cell in row.items()} for row in rows]


def release_of(drawn: Drawn, kind: str, folder: Path) -> sf.Release | None:
    """Make a release; None where nothing meets the requirements."""
    try:
        return sf.anonymize(as_data(drawn.rows, kind, folder), sf.Spec.from_dict(drawn.spec), threads=1)
    except InfeasibleError:
        return None


def faults_of(drawn: Drawn, rows: list[dict]) -> list[str]:
    limit = drawn.spec["suppression"]["limit"]
    return oracle.find_faults(
        drawn.attributes,
        {row["id"]: row for row in drawn.rows},
        rows,
        drawn.spec["require"],
        unchanged=["note"],
        sensitive=["illness"],
        masked=drawn.spec["suppression"]["output"] == "mask",
        budget=int(limit * len(drawn.rows) + 1e-9),
    )


def check_seeds(seeds: range, folder: Path, every: int = 1) -> int:
    """Release drawn tables and hold them against the oracle; return how many could be released.

    All are looked at as frames. Of so many one is written, looked at as a file, and by ``verify``.
    """
    made = 0
    for seed in seeds:
        drawn, kind = draw(seed), KINDS[seed % len(KINDS)]
        release = release_of(drawn, kind, folder)
        if release is None:
            continue
        made += 1
        own = frame_rows(release.frame)
        assert faults_of(drawn, own) == [], f"seed {seed}"
        if kind not in ("csv", "parquet"):
            ids = [row["id"] for row in own]
            assert ids == sorted(ids, key=lambda text: int(text[1:])), "frames keep their order"
        if seed % every:
            continue
        path = folder / f"{seed}.csv"
        release.write(path, force=True)
        rows = read_rows(path)
        assert faults_of(drawn, rows) == [], f"seed {seed}"
        verdict = sf.verify(path, data=as_data(drawn.rows, "csv", folder))
        assert verdict["holds"], f"seed {seed}: {verdict['violations']}"
        path.unlink()
    return made


# Writing and verifying takes five times as long as all else: a short run does it with few of its releases.
PARTS = [
    pytest.param(part, 7 if part < 3 else 1, marks=pytest.mark.slow if part else ()) for part in range(20)
]


@pytest.mark.parametrize(("part", "every"), PARTS)
def test_releases_cover_their_cells_and_keep_their_promises(part, every, tmp_path):
    """``python -m tests.release.local_checking --count 5000`` draws more."""
    assert check_seeds(range(part * 25, part * 25 + 25), tmp_path, every) >= 15


def test_the_oracle_sees_what_is_wrong(tmp_path):
    """A class of one row, a label that covers nothing: otherwise the tests above could not fail."""
    drawn = draw(3)
    release = release_of(drawn, "csv", tmp_path)
    assert release is not None
    release.write(tmp_path / "r.csv")
    rows = read_rows(tmp_path / "r.csv")
    assert faults_of(drawn, rows) == []
    assert faults_of(drawn, rows[:1])
    name = drawn.attributes[0].name
    assert faults_of(drawn, [{**row, name: "nowhere"} for row in rows])


def test_a_row_of_missing_cells_is_one_of_the_class_that_hides_everything(tmp_path):
    """Nothing is suppressed, yet one row looks as if it were: its class has more than three rows."""
    drawn = draw(2099)
    release = release_of(drawn, "csv", tmp_path)
    assert release is not None
    assert release.rows["suppressed"] == 0
    release.write(tmp_path / "r.csv")
    rows = read_rows(tmp_path / "r.csv")
    names = [item.name for item in drawn.attributes]
    hiding = [row for row in rows if all(row[name] == "*" for name in names)]
    assert [row["illness"] is None for row in hiding].count(True) == 1
    assert faults_of(drawn, rows) == []
    # Without the doubtful row, or any other, the class is too small.
    for one in hiding:
        faults = faults_of(drawn, [row for row in rows if row is not one])
        assert any(fault.startswith("k is") for fault in faults)


def release_files(drawn: Drawn, folder: Path) -> Path:
    """Write a release of a drawn table with its private assignment; return the released file."""
    release = release_of(drawn, "csv", folder)
    assert release is not None
    release.write(folder / "out.csv", force=True)
    release.write_assignment(folder / "private.json", force=True)
    return folder / "out.csv"


@pytest.mark.some(2)
@pytest.mark.parametrize("seed", [1, 2, 5, 8, 58])
def test_an_assignment_makes_the_same_rows_again(seed, tmp_path):
    path = release_files(draw(seed), tmp_path)
    recipe = sf.Recipe.load(tmp_path / "out.csv.json")
    again = recipe.apply(tmp_path / "in.csv", assignment=tmp_path / "private.json")
    again.write(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == path.read_bytes()
    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / "private.json").stat().st_mode) == 0o600
    assert "private.json" not in path.with_name("out.csv.json").read_text(encoding="utf-8")


@pytest.mark.some(2)
@pytest.mark.parametrize("seed", range(10))
def test_a_recipe_alone_gives_new_rows_labels_that_cover_them(seed, tmp_path):
    drawn, new = draw(seed), draw(seed)
    release_files(drawn, tmp_path)
    rng = np.random.default_rng(seed)
    for row in new.rows:  # people who moved
        row["zip"], row["job"] = str(rng.choice(["12345", "99999"])), str(rng.choice(["a", "new"]))
    recipe = sf.Recipe.load(tmp_path / "out.csv.json")
    made = None
    with contextlib.suppress(InfeasibleError):
        made = recipe.apply(as_data(new.rows, "csv", tmp_path))
    if made is None:
        return
    made.write(tmp_path / "new.csv")
    assert faults_of(new, read_rows(tmp_path / "new.csv")) == []


def test_rows_that_no_class_covers_are_refused_or_suppressed():
    frame = pa.table({"job": ["a", "a", "b", "b", "c", "c"]})
    asked = {"job": {"role": "quasi-identifier", "keep": True}}
    spec = {**BASE, "attributes": asked, "suppression": {"limit": 0.5}, "search": {"iterations": 500}}
    recipe = sf.anonymize(frame, sf.Spec.from_dict(spec)).recipe
    new = pa.table({"job": ["a", "a", "z"]})
    assert frame_rows(recipe.apply(new).frame) == [{"job": "a"}, {"job": "a"}]
    with pytest.raises(sf.DataError, match="covers 1 row"):
        recipe.apply(new, unknown="refuse")
    with pytest.raises(InfeasibleError, match="no class of the release covers"):
        recipe.apply(pa.table({"job": ["z", "z"]}))
    with pytest.raises(sf.ParameterError, match="suppressed or refused"):
        recipe.apply(new, unknown="generalize")


def test_an_assignment_of_another_release_is_refused(tmp_path):
    release_files(draw(1), tmp_path)
    content = json.loads((tmp_path / "private.json").read_text(encoding="utf-8"))
    content["assignment"] = [
        [values, labels and ["nowhere"] * len(labels)] for values, labels in content["assignment"]
    ]
    (tmp_path / "other.json").write_text(json.dumps(content), encoding="utf-8")
    recipe = sf.Recipe.load(tmp_path / "out.csv.json")
    with pytest.raises(sf.DataError, match="another release"):
        recipe.apply(tmp_path / "in.csv", assignment=tmp_path / "other.json")


def test_a_label_that_does_not_cover_its_row_is_found(tmp_path):
    path = release_files(draw(1), tmp_path)
    rows = read_rows(path)
    other = [dict(row) for row in draw(1).rows]
    name = draw(1).attributes[0].name
    for row in other:
        row[name] = {"age": "999", "mass": "999", "born": "1950-01-01"}.get(name, "elsewhere")
    assert any(row[name] != "*" for row in rows)
    verdict = sf.verify(path, data=as_data(other, "csv", tmp_path))
    assert not verdict["holds"]
    assert any("do not cover" in text for text in verdict["violations"])


@pytest.mark.parametrize("wanted", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_hidden_rows_change_nothing_that_is_published(tmp_path, wanted):
    """Two tables that differ in suppressed rows alone, and give the same rows, give the same manifest."""
    same = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        crowd = [
            {"age": str(rng.integers(30, 34)), "town": str(rng.choice(["Kiel", "Ulm"]))} for _ in range(30)
        ]
        found = []
        for age, town in ((str(rng.integers(60, 99)), "Rostock"), (str(rng.integers(1, 9)), "{Ost}")):
            rows = [{"id": str(place), **row, "illness": "flu"} for place, row in enumerate(crowd)]
            rows.append({"id": "30", "age": age, "town": town, "illness": "hiv"})
            folder = tmp_path / f"{seed}-{len(found)}"
            folder.mkdir()
            spec = {
                "attributes": {
                    "age": {"role": "quasi-identifier"},
                    "town": {
                        "role": "quasi-identifier",
                        **({"hierarchy": {"tree": TREE}} if seed % 2 else {}),
                    },
                    "illness": {"role": "sensitive"},
                },
                "recoding": {"scope": "local"},
                "suppression": {"limit": 0.04},
                "require": {"k": 4},
                "objectives": {"minimize": ["loss"]},
                "search": {"iterations": 3000},
            }
            data = pa.table({name: [row[name] for row in rows] for name in rows[0]})
            sf.anonymize(data, sf.Spec.from_dict(spec), threads=1).write(folder / "out.csv")
            found.append([(folder / name).read_bytes() for name in ("out.csv", "out.csv.json")])
        if found[0][0] == found[1][0]:
            same += 1
            assert found[0][1] == found[1][1], f"seed {seed}"
        if same == wanted:
            break
    assert same == wanted


BASE = {
    "attributes": {
        "age": {"role": "quasi-identifier", "kind": "number"},
        "job": {"role": "quasi-identifier"},
    },
    "recoding": {"scope": "local"},
    "require": {"k": 2},
    "objectives": {"minimize": ["loss"]},
}


@pytest.mark.parametrize(
    ("change", "place", "words"),
    [
        ({"age": {"scheme": "ordered"}}, "[attributes.age] scheme", 'labels = "tree"'),
        ({"age": {"scheme": "levels"}}, "[attributes.age] scheme", "global recoding"),
        ({"age": {"output": "mean"}}, "[attributes.age] output", "global recoding"),
        ({"job": {"labels": "tree"}}, "[attributes.job] labels", "needs a hierarchy"),
        ({"job": {"labels": "trees"}}, "[attributes.job] labels", "tree"),
        ({"job": {"labels": "set", "snap": 5}}, "[attributes.job] snap", "range labels only"),
        ({"job": {"keep": True, "labels": "set"}}, "[attributes.job] labels", "keep = true"),
        ({"age": {"snap": 0}}, "[attributes.age] snap", "above 0"),
        ({"age": {"granularity": 2, "snap": 3}}, "[attributes.age] snap", "multiple of the granularity"),
        ({"job": {"role": "sensitive", "labels": "set"}}, "[attributes.job] labels", "quasi-identifiers"),
        (
            {"recoding": {"scope": "global"}, "job": {"labels": "set"}},
            "[attributes.job] labels",
            'scope = "local"',
        ),
        ({"suppression": {"rule": "smallest"}}, "[suppression] rule", '"auto"'),
        ({"release": {"choice": "near-optimal"}}, "[release] choice", "global recoding"),
        ({"search": {"method": "optimal"}}, "[search] method", "its own search"),
    ],
)
def test_wrong_specifications_are_told_with_their_place(change, place, words):
    spec = json.loads(json.dumps(BASE))
    for key, more in change.items():
        part = spec["attributes"] if key in spec["attributes"] else spec
        part[key] = {**part.get(key, {}), **more}
    with pytest.raises(SpecError) as caught:
        sf.Spec.from_dict(spec)
    assert place in str(caught.value)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"job": {"labels": "range"}}, "ranges need"),
        ({"job": {"snap": 5}}, "labels here are 'set'"),
        ({"job": {"levels": [0, 1]}}, "labels here are 'set'. Remove it, or set labels"),
    ],
)
def test_labels_that_do_not_fit_the_data_are_refused(attributes, words):
    spec = json.loads(json.dumps(BASE))
    for name, more in attributes.items():
        spec["attributes"][name] |= more
    frame = pa.table({"age": [1, 2, 3, 4], "job": ["a", "b", "a", "b"]})
    with pytest.raises(SpecError, match=words):
        sf.anonymize(frame, sf.Spec.from_dict(spec))


def test_numbers_whose_levels_are_bounded_show_nodes_of_the_hierarchy():
    """Level 0, which the bound rules out, would be part of a range."""
    spec = json.loads(json.dumps(BASE))
    spec["attributes"]["age"] |= {"levels": [1, 2], "hierarchy": {"intervals": [5, 10], "origin": 0}}
    frame = pa.table({"age": [1, 2, 13, 14, 17, 18], "job": ["a", "a", "b", "b", "b", "b"]})
    shown = sf.anonymize(frame, sf.Spec.from_dict(spec)).frame["age"].to_pylist()
    assert sorted(shown) == ["0-4", "0-4", "10-14", "10-14", "15-19", "15-19"]


def test_what_local_recoding_does_not_do_is_said():
    frame = pa.table({"age": [1, 2, 3, 4], "job": ["a", "b", "a", "b"]})
    with pytest.raises(SpecError, match="cannot be minimized"):
        sf.anonymize(frame, sf.Spec.from_dict({**BASE, "objectives": {"minimize": ["hdm"]}}))
    with pytest.raises(SpecError, match="not defined for local recoding"):
        sf.anonymize(frame, sf.Spec.from_dict({**BASE, "require": {"k": 2, "precision": 0.1}}))


def test_loss_is_that_of_the_search_and_of_a_declared_domain(tmp_path):
    frame = pa.table({"job": ["a", "a", "b", "c", "c", "d"] * 3, "sex": ["f", "m"] * 9})
    tree = {"x": ["a", "b"], "y": ["c", "d"], "z": ["e"]}
    spec = {
        "attributes": {
            "job": {"role": "quasi-identifier", "hierarchy": {"tree": tree}, "weight": 3},
            "sex": {"role": "quasi-identifier", "kind": "ordinal", "order": ["f", "m"]},
        },
        "recoding": {"scope": "local"},
        "require": {"k": 5},
        "objectives": {"minimize": ["loss"]},
    }
    release = sf.anonymize(frame, sf.Spec.from_dict(spec))
    manifest = release.write(tmp_path / "out.csv")
    # Tree nodes x and y hold 2 of 5 values; rows are counted by hand.
    costs = {"a": 0, "b": 0, "c": 0, "d": 0, "x": 1 / 4, "y": 1 / 4, "*": 1}
    rows = read_rows(tmp_path / "out.csv")
    loss = sum(3 * costs[row["job"]] + (row["sex"] not in ("f", "m")) for row in rows) / (4 * len(rows))
    assert release.measures["loss"] == pytest.approx(loss)
    assert manifest.measures["loss"] == pytest.approx(loss)
    assert release.run["bound"] <= loss + 1e-12
    assert "above the optimum" in manifest.certificate["text"]
    assert sf.verify(tmp_path / "out.csv")["holds"]


def test_suppressing_cells_counts_them_by_attribute(tmp_path):
    drawn = draw(3)
    drawn.spec["recoding"] = {"scope": "global"}
    for name in list(drawn.spec["attributes"]):
        for key in ("labels", "keep", "snap", "levels"):
            drawn.spec["attributes"][name].pop(key, None)
    drawn.spec["suppression"] = {"limit": 0.0}
    spec = sf.Spec.from_dict(drawn.spec).suppress_cells()
    release = sf.anonymize(as_data(drawn.rows, "arrow", tmp_path), spec)
    rows = frame_rows(release.frame)
    names = [item.name for item in drawn.attributes]
    assert release.suppressed_cells == {name: sum(row[name] == "*" for row in rows) for name in names}
    before = {row["id"]: row for row in drawn.rows}
    assert all(row[name] in ("*", '{"*"}', before[row["id"]][name]) for row in rows for name in names)


def test_ranges_begin_and_end_at_borders_of_the_hierarchy(tmp_path):
    rng = np.random.default_rng(4)
    frame = pa.table({"age": rng.integers(15, 80, 300), "job": rng.choice(["a", "b", "c"], 300)})
    spec = json.loads(json.dumps(BASE))
    spec["attributes"]["age"] |= {
        "hierarchy": {"intervals": [5, 20], "origin": 17, "bottom": 17, "top": 77},
        "snap": "hierarchy",
    }
    spec["require"] = {"k": 6}
    release = sf.anonymize(frame, sf.Spec.from_dict(spec))
    release.write(tmp_path / "out.csv")
    assert sf.verify(tmp_path / "out.csv", data=frame)["holds"]
    seen = set()
    for row in read_rows(tmp_path / "out.csv"):
        if row["age"] != "*":
            first, _, last = row["age"].partition("-")
            assert (int(first) - 17) % 5 == 0
            assert (int(last) + 1 - 17) % 5 == 0
            seen.add(row["age"])
    assert len(seen) > 3
    for wrong in ({"snap": "hierarchy"}, {"snap": "tree"}):
        other = json.loads(json.dumps(BASE))
        other["attributes"]["age"] |= wrong
        with pytest.raises(SpecError, match="hierarchy"):
            sf.Spec.from_dict(other)


def test_property_vectors_of_a_local_release_are_those_of_its_rows():
    rng = np.random.default_rng(4)
    rows = 200
    frame = pa.table(
        {
            "age": rng.integers(15, 80, rows),
            "job": rng.choice(["a", "b", "c"], rows),
            "ill": rng.choice(["x", "y", "z"], rows),
        }
    )
    spec = json.loads(json.dumps(BASE))
    spec["attributes"]["ill"] = {"role": "sensitive"}
    spec |= {"require": {"k": 6}, "suppression": {"limit": 0.1, "output": "drop"}}
    release = sf.anonymize(frame, sf.Spec.from_dict(spec))
    shown = frame_rows(release.frame)
    keys = [(row["age"], row["job"]) for row in shown]
    sizes, distinct = release.property_vector("k"), release.property_vector("distinct_l(ill)")
    hidden = rows - len(shown)
    assert int(np.isnan(sizes).sum()) == hidden == release.rows["suppressed"]
    assert sorted(sizes[~np.isnan(sizes)]) == sorted(float(keys.count(key)) for key in keys)
    values = {key: {row["ill"] for row in shown if (row["age"], row["job"]) == key} for key in set(keys)}
    assert sorted(distinct[~np.isnan(distinct)]) == sorted(float(len(values[key])) for key in keys)
    assert min(sizes[~np.isnan(sizes)]) == release.measures["k"]
