"""The recipe of a release on new data, and what is said about input that does not fit it."""

from __future__ import annotations

import json
import random
import shutil
from typing import TYPE_CHECKING

import pytest

import sfumato
from tests.cli.running import ZIPS, change, listing, run

if TYPE_CHECKING:
    from pathlib import Path

SPECIFICATION = """
[data]
path = "first.csv"

[attributes.name]
role = "identifier"

[attributes.age]
role = "quasi-identifier"
hierarchy = { intervals = [20], origin = 0 }
levels = [1, 1]

[attributes.zip]
role = "quasi-identifier"
kind = "category"
levels = [0, 0]

[attributes.disease]
role = "sensitive"

[suppression]
limit = 0.1

[require]
k = 3

[objectives]
minimize = ["loss"]
"""


def write_rows(path: Path, *, seed: int, rows: int = 120, foreign: int = 1, separator: str = ",") -> Path:
    """Write people, the first of whom live where nobody else does."""
    chance = random.Random(seed)
    lines = [["name", "age", "zip", "disease", "visit"]]
    for number in range(rows):
        zip_code = f"9900{number}" if number < foreign else chance.choice(ZIPS)
        cells = [f"person-{number}", str(chance.randint(20, 59)), zip_code, chance.choice(("flu", "gout"))]
        lines.append([*cells, str(number % 7)])
    path.write_text("".join(separator.join(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with a release, and new data next to it, of which five rows are unknown."""
    folder = tmp_path_factory.mktemp("first")
    spec = folder / "first.toml"
    spec.write_text(SPECIFICATION, encoding="utf-8")
    write_rows(folder / "first.csv", seed=1)
    write_rows(folder / "next.csv", seed=2, foreign=5)
    assert run("anonymize", spec, "--out", folder / "shared.csv").status == 0
    return folder


@pytest.fixture
def made(first: Path, tmp_path: Path) -> Path:
    """Give the manifest in a copy of it."""
    shutil.copytree(first, tmp_path, dirs_exist_ok=True)
    return tmp_path / "shared.csv.json"


def test_its_own_data_without_an_option(made: Path, tmp_path: Path) -> None:
    found = run("apply", made, tmp_path / "first.csv", "--out", tmp_path / "again.csv")
    assert found.status == 0, found.err
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "shared.csv").read_bytes()
    assert "1 value of 'zip' in 1 row; these rows are suppressed" in found.out
    assert "visit (not named in the recipe)" in found.out
    assert run("verify", tmp_path / "again.csv", "--data", tmp_path / "first.csv").status == 0


def test_new_data_and_a_saved_recipe(made: Path, tmp_path: Path) -> None:
    """Both kinds of file do the same; counts are those that were drawn, and no value is shown."""
    sfumato.Recipe.load(made).save(tmp_path / "recipe.json")
    words = ("apply", tmp_path / "recipe.json", tmp_path / "next.csv")
    told = run(*words, "--out", tmp_path / "a.csv", "--json")
    assert told.json["unknown"] == {"zip": {"values": 5, "rows": 5}}
    assert told.json["treated"] == "suppress"
    assert told.json["verified"] is True
    assert told.json["rows"] == json.loads((tmp_path / "a.csv.json").read_text(encoding="utf-8"))["rows"]
    assert run("apply", made, tmp_path / "next.csv", "--out", tmp_path / "b.csv", "--quiet").out == ""
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert "9900" not in told.out + (tmp_path / "a.csv").read_text(encoding="utf-8")
    assert run("verify", tmp_path / "a.csv", "--data", tmp_path / "next.csv").status == 0


def test_unknown_values_generalized_and_refused(made: Path, tmp_path: Path) -> None:
    write_rows(tmp_path / "next.csv", seed=2, foreign=15)  # more than the 12 rows that may be suppressed
    words = ("apply", made, tmp_path / "next.csv", "--out", tmp_path / "a.csv")
    before = listing(tmp_path)
    refused = run(*words, "--unknown", "refuse")
    assert refused.status == 2
    assert refused.line.startswith(
        f"error: {tmp_path / 'next.csv'}: the recipe does not know 15 values in 15 "
    )
    assert "'suppress'" in refused.line
    assert "'generalize'" in refused.line
    too_many = run(*words)
    assert too_many.status == 1
    assert "15 rows with unknown values, but at most 12 may be suppressed" in too_many.line
    assert "'generalize'" in too_many.line
    assert listing(tmp_path) == before
    assert "9900" not in refused.line + too_many.line
    assert run(*words, "--unknown", "generalize").status == 0
    text = (tmp_path / "a.csv").read_text(encoding="utf-8")
    assert ",*," in text
    assert "9900" not in text
    assert run("verify", tmp_path / "a.csv", "--data", tmp_path / "next.csv").status == 0


def test_an_infeasible_result_says_what_fails(made: Path, tmp_path: Path) -> None:
    write_rows(tmp_path / "next.csv", seed=2, rows=12, foreign=0)
    before = listing(tmp_path)
    found = run("apply", made, tmp_path / "next.csv", "--out", tmp_path / "a.csv")
    assert found.status == 1
    assert "rows in classes that miss k >= 3, but at most 1 may be suppressed. Make a new" in found.line
    write_rows(tmp_path / "next.csv", seed=2, rows=2, foreign=0)
    assert (
        "requires k = 3, but there are only 2 rows"
        in run("apply", made, tmp_path / "next.csv", "--out", tmp_path / "a.csv").line
    )
    before["next.csv"] = (tmp_path / "next.csv").read_bytes()
    assert listing(tmp_path) == before


def test_how_the_data_are_read(made: Path, tmp_path: Path) -> None:
    data = write_rows(tmp_path / "next.csv", seed=2, separator="|")
    words = ("apply", made, data, "--out")
    assert run(*words, tmp_path / "a.csv", "--separator", "|").status == 0
    data.write_bytes(data.read_text(encoding="utf-8").replace("gout", "Gicht\xe4").encode("latin-1"))
    assert "--encoding" in run(*words, tmp_path / "b.csv").line
    assert run(*words, tmp_path / "b.csv", "--encoding", "latin-1").status == 0


def test_a_microaggregation_is_not_applied(made: Path, tmp_path: Path) -> None:
    words = ("--columns", "age,visit", "--k", "3", "--out", tmp_path / "m.csv")
    assert run("microaggregate", tmp_path / "first.csv", *words).status == 0
    found = run("apply", tmp_path / "m.csv.json", tmp_path / "next.csv", "--out", tmp_path / "a.csv")
    assert found.status == 2
    assert "a microaggregation is not applied to new data" in found.line
    assert "Run 'sfumato microaggregate' on the new data" in found.line


MISTAKES = {
    "no recipe": ("there.json", "next.csv", "a.csv", "there is no such file"),
    "no data": ("shared.csv.json", "there.csv", "a.csv", "there.csv: "),
    "the release itself": (
        "shared.csv",
        "next.csv",
        "a.csv",
        "shared.csv: this is a released file; its recipe is in shared.csv.json",
    ),
    "another JSON": ("other.json", "next.csv", "a.csv", "neither the FILE.json of a release nor a saved"),
    "a newer version": ("newer.json", "next.csv", "a.csv", "a newer Sfumato wrote it"),
    "a damaged recipe": (
        "damaged.json",
        "next.csv",
        "a.csv",
        "the key 'rule' is missing. The recipe is damaged",
    ),
    "a broken hierarchy": ("broken.json", "next.csv", "a.csv", "it is damaged"),
    "a changed manifest": ("edited.json", "next.csv", "a.csv", "it was changed after it was written"),
    "no column": ("shared.csv.json", "no-zip.csv", "a.csv", "no column 'zip'"),
    "another kind": ("shared.csv.json", "texts.csv", "a.csv", "Correct these values in the data"),
    "nothing": ("shared.csv.json", "empty.csv", "a.csv", "empty.csv: "),
    "no rows": ("shared.csv.json", "head.csv", "a.csv", "head.csv: "),
    "an output that exists": ("shared.csv.json", "next.csv", "shared.csv", "exists already"),
    "an output of no kind": ("shared.csv.json", "next.csv", "a.xyz", "a.xyz: "),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_line_and_nothing_is_written(case: str, made: Path, tmp_path: Path) -> None:
    manifest = json.loads(made.read_text(encoding="utf-8"))
    recipe = manifest["recipe"]
    edited = {**manifest, "recipe": {**recipe, "require": {"k": 2}}}
    (tmp_path / "edited.json").write_text(json.dumps(edited), encoding="utf-8")
    for name, changes in {
        "other": {"version": 1, "attributes": None},
        "newer": {"version": 2},
        "damaged": {"suppression": {"limit": 0.1, "output": "drop"}},
        "broken": {"attributes": {**recipe["attributes"]}},
    }.items():
        text = {**recipe, **changes}
        if name == "other":
            del text["attributes"]
        if name == "broken":
            text["attributes"]["age"] = {**recipe["attributes"]["age"], "hierarchy": {"intervals": "wide"}}
        (tmp_path / f"{name}.json").write_text(json.dumps(text), encoding="utf-8")
    lines = (tmp_path / "next.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "no-zip.csv").write_text("".join(lines).replace("zip", "plz"), encoding="utf-8")
    (tmp_path / "texts.csv").write_text("".join(lines).replace(",2", ",twenty"), encoding="utf-8")
    (tmp_path / "empty.csv").write_text("", encoding="utf-8")
    (tmp_path / "head.csv").write_text(lines[0], encoding="utf-8")
    before = listing(tmp_path)
    source, data, out, message = MISTAKES[case]
    found = run("apply", tmp_path / source, tmp_path / data, "--out", tmp_path / out)
    assert found.status == 2
    assert found.out == ""
    assert message in found.line
    assert "bug" not in found.line
    for cell in ("9900", "person-", "twenty", "gout"):
        assert cell not in found.line
    assert listing(tmp_path) == before


@pytest.mark.parametrize("out", ["next.csv", "shared.csv"])
def test_what_is_read_is_never_replaced(out: str, made: Path, tmp_path: Path) -> None:
    """Neither the data, nor the manifest that the recipe is in."""
    before = listing(tmp_path)
    found = run("apply", made, tmp_path / "next.csv", "--out", tmp_path / out, "--force")
    assert found.status == 2
    assert "is an input" in found.line
    assert listing(tmp_path) == before


def test_masked_rows_stay(made: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.json"
    sfumato.Recipe.load(made).save(recipe)
    change(recipe, '"output": "drop"', '"output": "mask"')
    found = run("apply", recipe, tmp_path / "next.csv", "--out", tmp_path / "a.csv", "--json")
    rows = found.json["rows"]
    assert isinstance(rows, dict)
    assert rows["in"] == rows["out"] == 120
    text = (tmp_path / "a.csv").read_text(encoding="utf-8")
    assert text.count("\n*,*,") == rows["suppressed"] >= 5
    assert "9900" not in text
