"""Every scheme, from the specification to the recipe on new data."""

from __future__ import annotations

import csv
import json
import random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.release import seal_of
from tests.api.test_whole_way import read_csv, rows_of
from tests.oracles import measures as oracle_measures

if TYPE_CHECKING:
    from pathlib import Path

TREE = {"G": ["a", "b"], "P": ["c", {"Q": ["d", "e"]}]}
Q = "quasi-identifier"

# Attribute, what is said of it, the size of its space, and what may stand in its released column.
CASES: dict[str, tuple[str, dict[str, object], int, set[str] | None]] = {
    "ordered integers": ("age", {"scheme": "ordered"}, 2**5, None),
    "ordered integers with intervals": (
        "age",
        {"scheme": "OPS", "hierarchy": {"intervals": [5]}, "granularity": 5},
        2**4,
        None,
    ),
    "granularity": ("age", {"granularity": 5}, 2**3, None),
    "ordered decimals with missing": ("height", {"scheme": "ordered"}, 2**3 + 1, None),
    "guided-ordered dates": (
        "born",
        {"scheme": "GOPS", "hierarchy": {"dates": ["month", "year"]}},
        4,
        None,
    ),
    "ordered categories": (
        "work",
        {"scheme": "ordered", "hierarchy": {"tree": TREE}},
        2**4,
        None,
    ),
    "cuts of dates": ("born", {"scheme": "GHS", "hierarchy": {"dates": ["month", "year"]}}, 16, None),
    "cuts": ("work", {"scheme": "cuts", "hierarchy": {"tree": TREE}}, 7, {"G", "P", "Q", "*", *"abcde"}),
    "sets": ("work", {"scheme": "sets"}, 52, None),
    "guided-sets": ("work", {"scheme": "GSPS", "hierarchy": {"tree": TREE}}, 7, None),
    "ordinal": (
        "work",
        {"scheme": "ordered", "kind": "ordinal", "order": ["e", "d", "c", "b", "a"]},
        2**4,
        None,
    ),
    "admissible": (
        "work",
        {
            "scheme": "admissible",
            "hierarchy": {"tree": TREE},
            "partitions": [1, [["a", "c"], ["b", "d", "e"]]],
        },
        4,
        None,
    ),
}


def make_columns(rows: int, seed: int = 3) -> dict[str, list[Any]]:
    generator = random.Random(seed)
    return {
        "age": [generator.choice([20, 22, 25, 30, 31, 44]) for _ in range(rows)],
        "work": [generator.choice("abcde") for _ in range(rows)],
        "height": [generator.choice([1.5, 1.6, 1.75, 1.9, None]) for _ in range(rows)],
        "born": [
            generator.choice(["2001-01-03", "2001-02-07", "2001-02-09", "2003-05-05"]) for _ in range(rows)
        ],
        "disease": [generator.choice(["flu", "gout"]) for _ in range(rows)],
    }


def make_spec(attributes: dict[str, dict[str, object]], **parts: object) -> sf.Spec:
    asked = {name: {"role": Q, **about} for name, about in attributes.items()}
    return sf.Spec.from_dict(
        {
            "attributes": {**asked, "disease": {"role": "sensitive"}},
            "require": {"k": 25},
            "suppression": {"limit": 0.1},
            "objectives": {"maximize": ["k"], "minimize": ["loss"]},
            "search": {"method": "exhaustive"},
            **parts,
        }
    )


def write_csv(path: Path, columns: dict[str, list[Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(columns)
        rows.writerows(zip(*columns.values(), strict=True))
    return path


@pytest.mark.some(3)
@pytest.mark.parametrize("case", CASES)
def test_explore_write_verify_and_apply_again(case: str, tmp_path: Path) -> None:
    """The front is complete; every solution releases what it says; the recipe does the same again."""
    name, about, space, allowed = CASES[case]
    data = write_csv(tmp_path / "in.csv", make_columns(120))
    spec = make_spec({name: about})
    front = sf.explore(data, spec)
    assert front.complete
    assert front.run["space"] == str(space)
    assert front.run["schemes"] == {name: spec.attributes[name].scheme}
    for item in front:
        release = item.release()
        assert release.recoding == item.recoding
        out = tmp_path / f"{item.number}.csv"
        manifest = release.write(out)
        assert sf.verify(out)["holds"]
        rows = read_csv(out)
        _check_by_hand(name, rows, manifest, release.recoding[name])
        assert allowed is None or {row[name] for row in rows} <= allowed
        again = sf.Recipe.load(f"{out}.json").apply(data)
        assert sorted(map(str, rows_of(again.frame))) == sorted(map(str, rows_of(release.frame)))


def _check_by_hand(name: str, rows: list[dict[str, str]], manifest: sf.Manifest, entry: object) -> None:
    """Count classes with plain Python, and see that no two blocks share a label."""
    places: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(row[name], []).append(place)
    assert oracle_measures.k(list(places.values())) == manifest.measures["k"] >= 25
    assert isinstance(entry, list)
    assert len(places) <= len(entry)
    partition = manifest.recipe["attributes"][name]["partition"]  # type: ignore[index,call-overload]
    if "labels" in partition:
        shown = [label for label in partition["labels"] if label is not None]
        assert len(set(shown)) == len(shown)
        assert {text for text in places if text} <= set(shown)


def test_mixed_schemes_and_every_kind_of_file(tmp_path: Path) -> None:
    """Levels beside blocks, in one recoding, out of parquet and into csv."""
    columns = make_columns(150)
    spec = make_spec(
        {
            "age": {"hierarchy": {"intervals": [10, 20]}},
            "work": {"scheme": "guided-sets", "hierarchy": {"tree": TREE}},
            "height": {"scheme": "ordered"},
        },
        require={"k": 4},
    )
    best = sf.anonymize(pa.table(columns), spec)
    assert isinstance(best.recoding["age"], int)
    assert isinstance(best.recoding["work"], list)
    assert best.verify()["k"] >= 4
    best.write(tmp_path / "out.parquet")
    assert sf.verify(tmp_path / "out.parquet")["holds"]
    again = sf.Recipe.load(tmp_path / "out.parquet.json").apply(pa.table(columns))
    assert rows_of(again.frame) == rows_of(best.frame)


def test_the_finest_partition_keeps_its_type() -> None:
    spec = make_spec({"age": {"scheme": "ordered"}}, require={"k": 1})
    best = sf.anonymize(pa.table(make_columns(60)), spec)
    frame: Any = best.frame
    assert frame.schema.field("age").type == pa.int64()
    again: Any = best.recipe.apply(pa.table({**make_columns(5), "age": [20, 21, 40, 43, 44]})).frame
    assert again.column("age").to_pylist() == [20, 21, 40, 43, 44]
    with pytest.raises(sf.HierarchyError, match="does not know 1 value in 1 row of 'age'"):
        best.recipe.apply(pa.table({**make_columns(5), "age": [19, 21, 40, 43, 44]}), unknown="refuse")


def test_ordered_blocks_on_new_data(tmp_path: Path) -> None:
    """Between two values of a block and up to the next block is known; below and above is not."""
    spec = make_spec({"age": {"scheme": "ordered"}})
    best = sf.anonymize(pa.table(make_columns(120)), spec)
    assert best.recoding == {"age": [[20, 22], [25, 30], [31, 44]]}
    best.write(tmp_path / "out.csv")
    recipe = sf.Recipe.load(tmp_path / "out.csv.json")
    new = {"age": [20, 23, 24, 25, 28, 31, 40, 44] * 30, "disease": ["flu"] * 240}
    frame: Any = recipe.apply(pa.table(new)).frame
    labels = ["20-24"] * 3 + ["25-30"] * 2 + ["31-44"] * 3
    assert frame.column("age").to_pylist() == labels * 30
    outside = {"age": [19] * 30 + [45] * 30 + [21] * 30, "disease": ["flu"] * 90}
    with pytest.raises(sf.HierarchyError, match="does not know 2 values in 60 rows of 'age'"):
        recipe.apply(pa.table(outside), unknown="refuse")
    stars: Any = recipe.apply(pa.table(outside), unknown="generalize").frame
    assert stars.column("age").to_pylist() == ["*"] * 60 + ["20-24"] * 30
    again = recipe.apply(pa.table(new)).recipe
    assert again.to_dict() == recipe.to_dict()


def test_what_is_suppressed_is_told_nowhere(tmp_path: Path) -> None:
    """The value of a lonely person stands neither in a label nor in the manifest."""
    columns = {"income": [10.5] * 20 + [20.25] * 20 + [987654.5], "disease": ["flu"] * 41}
    spec = make_spec({"income": {"scheme": "ordered"}}, require={"k": 5}, objectives={"minimize": ["loss"]})
    release = sf.anonymize(pa.table(columns), spec)
    assert release.rows["suppressed"] == 1
    release.write(tmp_path / "out.csv")
    for file in ("out.csv", "out.csv.json"):
        assert "987654" not in (tmp_path / file).read_text(encoding="utf-8")
    two = make_spec(
        {"income": {"scheme": "ordered"}, "sex": {}}, require={"k": 5}, objectives={"minimize": ["loss"]}
    )
    columns["sex"] = [["f", "m"][number % 2] for number in range(41)]
    front = sf.explore(pa.table(columns), two)
    for item in front:
        made = item.release()
        if made.rows["suppressed"] and item.recoding["income"][-1] == [987654.5, 987654.5]:  # type: ignore[index]
            assert "987654" not in json.dumps(made.recipe.to_dict())


def test_a_recipe_that_was_changed_is_noticed(tmp_path: Path) -> None:
    sf.anonymize(pa.table(make_columns(120)), make_spec({"age": {"scheme": "ordered"}})).write(
        tmp_path / "out.csv"
    )
    file = tmp_path / "out.csv.json"
    stated = json.loads(file.read_text(encoding="utf-8"))
    stated["recipe"]["attributes"]["age"]["partition"]["labels"][0] = "20-99"
    file.write_text(json.dumps({**stated, "seal": seal_of(stated)}), encoding="utf-8")
    violations: Any = sf.verify(tmp_path / "out.csv")["violations"]
    assert any("'age'" in text for text in violations)


def test_a_front_from_files_releases_the_same(tmp_path: Path) -> None:
    """``front.csv`` holds all that a release needs; what is wrong in it is said."""
    from sfumato.front import front_csv, run_json

    data = write_csv(tmp_path / "in.csv", make_columns(120))
    spec = make_spec({"work": {"scheme": "sets"}, "height": {"scheme": "ordered"}}, require={"k": 5})
    front = sf.explore(data, spec)
    (tmp_path / "front.csv").write_text(front_csv(front), encoding="utf-8")
    (tmp_path / "run.json").write_text(run_json(front), encoding="utf-8")
    loaded = sf.Front.load(tmp_path)
    assert [item.recoding for item in loaded] == [item.recoding for item in front]
    made = sf.release_solution(data, spec, loaded, 1)
    assert made.measures["k"] == front[0].measures["k"]
    for old, new, message in (
        ('""a""', '""z""', r"recoding of 'work' does not fit .* 1 of the values"),
        ("null", "1.5", r"recoding of 'height' does not fit"),
    ):
        text = front_csv(front)
        assert old in text
        (tmp_path / "front.csv").write_text(text.replace(old, new, 1), encoding="utf-8")
        broken = sf.Front.load(tmp_path)
        number = next(item.number for item in broken if item.recoding != front[item.number - 1].recoding)
        with pytest.raises(sf.DataError, match=message) as caught:
            sf.release_solution(data, spec, broken, number)
        assert "of the front" in str(caught.value.where)


def test_the_page_and_the_figure_show_blocks() -> None:
    from sfumato.report.page import front_html

    spec = make_spec({"age": {"scheme": "ordered"}, "work": {"hierarchy": {"tree": TREE}}}, require={"k": 3})
    front = sf.explore(pa.table(make_columns(120)), spec)
    labels = front.labels()
    assert labels is not None
    blocks = next(item for item in front if len(item.recoding["age"]) == 2)  # type: ignore[arg-type]
    assert " | " in labels[blocks.number]["age"]
    page = front_html(front, labels=labels)
    assert "Level or blocks of each attribute" in page
    assert f"2 blocks: {labels[blocks.number]['age']}" in page


def test_counts_in_frames_of_fronts_are_integers() -> None:
    frame: Any = sf.explore(pa.table(make_columns(60)), make_spec({"age": {}}, require={"k": 2})).to_frame()
    assert frame.schema.field("k").type == pa.int64()
    assert frame.schema.field("loss").type == pa.float64()


def test_spaces_beyond_all_bounds_are_counted_and_refused_where_they_must() -> None:
    """20,000 values in order: 2^19999 partitions, whose decimal text has more than 4,300 digits."""
    columns = {"number": list(range(20_000)), "disease": ["flu"] * 20_000}
    spec = make_spec({"number": {"scheme": "ordered"}}, search={"method": "auto"})
    found = sf.check(pa.table(columns), spec)
    assert len(str(found["space"])) == 6021
    assert str(found["space"]).startswith("199")
    assert found["method"] == "nsga2"
    assert not found["exact"]
    with pytest.raises(sf.SpecError, match="cannot be enumerated"):
        sf.explore(pa.table(columns), make_spec({"number": {"scheme": "ordered"}}))
    with pytest.raises(sf.SpecError, match="'pbg-ea' searches only levels"):
        sf.explore(
            pa.table(columns), make_spec({"number": {"scheme": "ordered"}}, search={"method": "pbg-ea"})
        )


def test_mistakes_found_in_the_data_name_the_line(tmp_path: Path) -> None:
    """The place in the specification file, not the attribute alone."""
    write_csv(tmp_path / "in.csv", make_columns(30))
    head = '[data]\npath = "in.csv"\n[attributes.work]\nrole = "quasi-identifier"\n'
    for lines, place, message in (
        (
            'scheme = "admissible"\npartitions = [\n  [["a", "b"], ["c", "d"]],\n]\n',
            "s.toml:7: [attributes.work] partitions, entry 1",
            "1 of the 5 values",
        ),
        (
            'scheme = "admissible"\npartitions = [\n  [["a", "b"],\n   ["c", "d", "e", "x"]],\n]\n',
            "s.toml:8: [attributes.work] partitions, entry 1, entry 2, entry 4",
            "not among the 5",
        ),
        ("hierarchy = { mask = 3 }\n", "s.toml:5: [attributes.work] hierarchy", "fewer than 3 characters"),
        ('kind = "number"\n', "s.toml:3: [attributes.work]", "are not numbers"),
        ('[attributes.wrok]\nrole = "other"\n', "s.toml:5: [attributes.wrok]", "Did you mean 'work'"),
    ):
        (tmp_path / "s.toml").write_text(head + lines, encoding="utf-8")
        with pytest.raises(sf.SfumatoError, match=message) as caught:
            sf.check(sf.Spec.load(tmp_path / "s.toml"))
        assert str(caught.value.where).endswith(place), caught.value.where


def test_missing_texts_hold_in_typed_columns(tmp_path: Path) -> None:
    """-9 is missing in a column of integers as it is in a file of text."""
    columns = {"age": [20, -9, 31] * 20, "disease": ["flu"] * 60}
    spec = make_spec({"age": {"scheme": "ordered"}}, data={"missing": ["", "-9"]}, require={"k": 5})
    from_file = sf.anonymize(write_csv(tmp_path / "in.csv", columns), spec)
    from_frame = sf.anonymize(pa.table(columns), spec)
    assert from_file.recoding == from_frame.recoding == {"age": [[20, 20], [31, 31], [None, None]]}
    frame: Any = from_frame.frame
    assert frame.column("age").to_pylist() == [20, None, 31] * 20


def test_parameters_of_the_search_reach_it() -> None:
    """Each of them changes what nsga2 evaluates; a parameter that is read and lost would not."""
    base = {"method": "nsga2", "population": 8, "iterations": 12, "seed": 3}
    attributes = {"age": {"scheme": "ordered"}, "work": {"hierarchy": {"tree": TREE}, "scheme": "cuts"}}

    def evaluated(**more: object) -> object:
        spec = make_spec(attributes, search=base | more)
        return sf.explore(pa.table(make_columns(120)), spec).run["evaluated"]

    plain = evaluated(seeding=False)
    assert evaluated(seeding=True) != plain
    assert evaluated(seeding=False, patience=1) != plain
    assert evaluated(seeding=False, patience=50) == plain
    fronts = [
        [
            item.recoding
            for item in sf.explore(
                pa.table(make_columns(120)),
                make_spec(attributes, search=base | {"seeding": False, "constrained_mutation": share}),
            )
        ]
        for share in (0.0, 1.0)
    ]
    assert fronts[0] != fronts[1]
