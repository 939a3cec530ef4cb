"""``sfumato init``: guesses that load, and that a check accepts at once."""

from __future__ import annotations

import csv
import datetime as dt
import tempfile
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.cli.init import specification_path, toml, toml_key
from tests.cli.running import listing, run, write_people
from tests.examples import examples

COLUMNS = {
    "id": st.integers(0, 10**6).map(str),
    "age": st.integers(0, 99).map(str),
    "zip": st.sampled_from(["01234", "01299", "99999"]),
    "income": st.floats(0, 1e6, allow_nan=False).map(lambda number: f"{number:.2f}"),
    "born": st.dates(dt.date(1930, 1, 1), dt.date(2010, 1, 1)).map(str),
    "disease": st.sampled_from(["flu", "gout", "?", ""]),
    "a.b, (c)": st.sampled_from(["x y", 'say "x"', "*", "null", "back\\slash", ""]),
    "größe": st.sampled_from(["NA", "1", "2", "1.5", "-3"]),
    "long": st.integers(-(10**12), 10**12).map(str),
}


def write_table(path: Path, header: list[str], rows: list[list[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


@given(st.data())
@examples(40)
def test_what_init_writes_passes_check(data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=6, unique=True))
    rows = data.draw(
        st.lists(st.tuples(*(COLUMNS[name] for name in names)).map(list), min_size=2, max_size=25)
    )
    if len(names) == 1:  # a blank line is no row
        rows = [row for row in rows if row[0]] or [["1"]]
        rows = rows * 2 if len(rows) == 1 else rows
    with tempfile.TemporaryDirectory() as folder:
        table = write_table(Path(folder) / "table.csv", names, rows)
        made = run("init", table, "--json")
        assert (made.status, made.err) == (0, "")
        spec, left_out = sfumato.Spec.load(table.with_suffix(".toml")), made.json["left_out"]
        assert list(spec.attributes) == [name for name in names if name not in left_out]
        assert list(made.json["reasons"]) == left_out
        assert "other" not in {item.role for item in spec.attributes.values()}
        checked = run("check", table.with_suffix(".toml"))
        assert (checked.status, checked.err) == (0, "")


@pytest.mark.parametrize("rows", [[["3", "2000-01-01"]], [["3", "2000-01-01"], ["3", "2000-01-01"]]])
def test_a_single_person_is_not_published(tmp_path: Path, rows: list[list[str]]) -> None:
    table = write_table(tmp_path / "table.csv", ["id", "born"], rows)
    found = run("init", table)
    assert (found.status, listing(tmp_path).keys()) == (2, {"table.csv"})
    assert "which nothing can hide" in found.line
    assert "2000" not in found.line


def test_k_is_at_most_the_number_of_persons(tmp_path: Path) -> None:
    rows = [["3", "2000-01-01"], ["3", "2000-01-01"], ["4", "2000-01-01"]]
    table = write_table(tmp_path / "table.csv", ["id", "born"], rows)
    assert run("init", table).status == 0
    assert sfumato.Spec.load(tmp_path / "table.toml").require == {"k": 2.0}
    assert run("check", table.with_suffix(".toml")).status == 0


def test_guesses_of_a_plain_table(tmp_path: Path) -> None:
    write_people(tmp_path)
    target = tmp_path / "guess.toml"
    found = run("init", tmp_path / "people.csv", "--out", target, "--json").json
    spec = sfumato.Spec.load(target)
    assert spec.identifiers == ("name",)
    assert spec.sensitive == ("disease",)
    assert set(spec.quasi_identifiers) == {"age", "zip", "sex", "visit"}
    assert spec.attributes["zip"].hierarchy is not None
    assert spec.attributes["zip"].hierarchy.mask == 5
    assert spec.require == {"k": 5.0}
    assert spec.suppression.limit == 0.01
    assert spec.objectives.maximize == ("k", "distinct_l(disease)")
    assert spec.objectives.minimize == ("loss",)
    assert spec.data.path == "people.csv"
    checked = run("check", target, "--json").json
    assert (found["space"], found["rows"]) == (checked["space"], checked["rows"])


def test_every_attribute_has_one_line_that_says_why(tmp_path: Path) -> None:
    write_people(tmp_path)
    run("init", tmp_path / "people.csv", "--force")
    lines = (tmp_path / "people.toml").read_text(encoding="utf-8").splitlines()
    heads = [number for number, line in enumerate(lines) if line.startswith("[attributes.")]
    assert len(heads) == 6
    for number in heads:
        assert lines[number - 1].startswith("# ")
        assert "distinct value" in lines[number - 1]
        assert "missing" in lines[number - 1]
    assert "60 distinct values" in lines[heads[0] - 1]


def test_no_cell_stands_in_it_but_values_of_small_categories(tmp_path: Path) -> None:
    rows = [[f"person-{n}", str(1000 + n), "red" if n % 2 else "blue", f"town-{n % 30}"] for n in range(90)]
    rows[0][2] = "green"
    table = write_table(tmp_path / "t.csv", ["name", "wage", "colour", "town"], rows)
    run("init", table)
    text = (tmp_path / "t.toml").read_text(encoding="utf-8")
    assert '["blue", "green", "red"]' in text
    assert "person-" not in text
    assert "town-" not in text
    run("init", table, "--force", "--no-values")
    text = (tmp_path / "t.toml").read_text(encoding="utf-8")
    assert "blue" not in text
    assert run("check", tmp_path / "t.toml").status == 0


def test_texts_for_missing_are_found(tmp_path: Path) -> None:
    rows = [[str(20 + n % 9), "?" if n % 5 == 0 else "a"] for n in range(40)]
    rows[3][0] = "k.A."
    table = write_table(tmp_path / "t.csv", ["age", "work"], rows)
    run("init", table)
    spec = sfumato.Spec.load(tmp_path / "t.toml")
    assert spec.data.missing == ("", "?", "k.A.")
    assert spec.attributes["age"].kind == "number"
    found = run("init", table, "--force", "--json").json["attributes"]
    assert isinstance(found, list)
    assert [item["missing"] for item in found] == [1, 8]


@pytest.mark.parametrize(
    ("header", "row"),
    [(["email"], "m{}@x.org"), (["salary"], "{}"), (["patient id", "salary"], "{},{}"), (["note"], "same")],
)
def test_there_is_always_a_quasi_identifier(tmp_path: Path, header: list[str], row: str) -> None:
    rows = [row.format(number, number // 3).split(",") for number in range(30)]
    table = write_table(tmp_path / "t.csv", header, rows)
    assert run("init", table).status == 0
    assert sfumato.Spec.load(tmp_path / "t.toml").quasi_identifiers
    assert run("check", tmp_path / "t.toml").status == 0


def test_nothing_is_guessed_to_be_published_unchanged(tmp_path: Path) -> None:
    """Flags that are set or blank, names in a small file, and the same value everywhere."""
    rows = [
        [
            "Meier" if place == 1 else "",
            "yes" if place % 3 else "",
            "positive",
            "x" if place % 2 else "",
            "A",
            "f",
        ]
        for place in range(12)
    ]
    table = write_table(tmp_path / "t.csv", ["Nachname", "pregnant", "hiv", "flag", "site", "sex"], rows)
    made = run("init", table, "--json").json
    roles = {item["name"]: item["role"] for item in made["attributes"]}
    assert roles == {
        "Nachname": "identifier",
        "pregnant": "sensitive",
        "hiv": "sensitive",
        "flag": "sensitive",
        "sex": "quasi-identifier",
    }
    assert made["left_out"] == ["site"]
    text = (tmp_path / "t.toml").read_text(encoding="utf-8")
    assert "\n# site: left out, every row has the same value\n" in text
    assert run("check", tmp_path / "t.toml").status == 0


def test_a_key_that_repeats_counts_persons(tmp_path: Path) -> None:
    rows = [[str(number // 2), str(20 + number % 9)] for number in range(40)]
    table = write_table(tmp_path / "t.csv", ["patient_id", "age"], rows)
    run("init", table)
    text = (tmp_path / "t.toml").read_text(encoding="utf-8")
    assert '\nperson = "patient_id"' in text
    found = run("check", tmp_path / "t.toml")
    assert found.status == 0


def test_keys_of_a_household_survey_are_found(tmp_path: Path) -> None:
    header = ["household_id", "person_id", "final_weight", "age"]
    rows = [
        [f"H{number // 6}", f"P{number // 2}", f"{200 + number % 37}.5", str(20 + number % 9)]
        for number in range(240)
    ]
    run("init", write_table(tmp_path / "t.csv", header, rows))
    data = sfumato.Spec.load(tmp_path / "t.toml").data
    assert (data.household, data.person, data.weight) == ("household_id", "person_id", "final_weight")
    suggested = sfumato.suggest(tmp_path / "t.csv").data
    assert (suggested.household, suggested.person, suggested.weight) == (
        data.household,
        data.person,
        data.weight,
    )
    assert run("check", tmp_path / "t.toml").status == 0
    rows[7][2] = "0"  # no weight can be 0, so none is suggested
    run("init", write_table(tmp_path / "u.csv", header, rows))
    assert sfumato.Spec.load(tmp_path / "u.toml").data.weight is None


def test_existing_specification_is_kept(tmp_path: Path) -> None:
    write_people(tmp_path)
    before = listing(tmp_path)
    found = run("init", tmp_path / "people.csv")
    assert (found.status, found.out) == (2, "")
    assert "people.toml" in found.line
    assert listing(tmp_path) == before


def test_small_table_gets_a_k_that_it_can_have(tmp_path: Path) -> None:
    table = write_table(tmp_path / "t.csv", ["age", "sex"], [["20", "f"], ["30", "m"]])
    run("init", table)
    assert sfumato.Spec.load(tmp_path / "t.toml").require == {"k": 2.0}
    assert run("check", tmp_path / "t.toml").status == 0


def test_how_the_file_is_read_is_kept(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("alter~größe\n20~ä\n30~ö\n".encode("latin-1"))
    assert run("init", tmp_path / "t.csv", "--encoding", "latin-1", "--separator", "~").status == 0
    spec = sfumato.Spec.load(tmp_path / "t.toml")
    assert (spec.data.encoding, spec.data.separator) == ("latin-1", "~")
    assert list(spec.attributes) == ["alter", "größe"]
    assert run("check", tmp_path / "t.toml").status == 0


def test_folder_of_parquet_files(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = tmp_path / "people"
    folder.mkdir()
    ages = [20 + number % 9 for number in range(30)]
    pq.write_table(pa.table({"age": ages, "tags": [["a"]] * 30}), folder / "1.parquet")
    found = run("init", folder)
    assert (found.status, found.err) == (0, "")
    assert "# tags: left out" in (tmp_path / "people.toml").read_text(encoding="utf-8")
    assert run("check", tmp_path / "people.toml").status == 0


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("a/b.csv", "a/b.toml"),
        ("b.csv.gz", "b.toml"),
        ("b.2024.parquet", "b.2024.toml"),
        ("folder", "folder.toml"),
    ],
)
def test_specification_stands_beside_the_data(data: str, expected: str) -> None:
    assert specification_path(Path(data)).as_posix() == expected


VALUES = st.recursive(
    st.text(st.characters(exclude_categories=["Cs"])) | st.integers(-(2**62), 2**62) | st.floats(-1e9, 1e9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.text(st.characters(exclude_categories=["Cs"])), VALUES)
def test_values_survive_the_file(key: str, value: object) -> None:
    assert tomllib.loads(f"{toml_key(key)} = {toml(value)}\n") == {key: value}
