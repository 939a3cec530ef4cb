"""The embedded census table against the original, and its hierarchies by hand."""

from __future__ import annotations

import csv
import itertools
import math
import tomllib
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from sfumato import datasets
from sfumato.errors import ParameterError

if TYPE_CHECKING:
    from pathlib import Path

LEVELS = {
    "pbg": {
        "age": 7,
        "workclass": 4,
        "education": 4,
        "marital-status": 4,
        "race": 2,
        "sex": 2,
        "native-country": 5,
        "salary-class": 2,
    },
    "schemes": {
        "age": 5,
        "workclass": 3,
        "education": 4,
        "native-country": 3,
        "marital-status": 3,
        "race": 3,
        "sex": 2,
    },
}
SPACE = {"pbg": 17_920, "schemes": 3_240}
FILES = [
    pytest.param(study, attribute, path, id=f"{study}-{attribute}")
    for study in LEVELS
    for attribute, path in datasets.hierarchies(study).items()
]


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return datasets.adult()


def specification(study: str) -> dict[str, dict[str, dict[str, object]]]:
    return tomllib.loads(datasets.adult_spec_path(study).read_text(encoding="utf-8"))


def read_hierarchy(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter=";"))


def age_ladder(study: str) -> list[list[int]]:
    """Write the intervals out: the block of each age from 17 to 90, level by level."""
    attribute = specification(study)["attributes"]["age"]
    hierarchy, ages = attribute["hierarchy"], range(17, 91)
    widths = [1, *hierarchy["intervals"]]
    ladder = [[(age - hierarchy["origin"]) // width for age in ages] for width in widths]
    ladder.append([0 for _ in ages])
    lowest, highest = attribute.get("levels", [0, len(ladder) - 1])
    return ladder[lowest : highest + 1]


def nests(fine: list[object], coarse: list[object]) -> bool:
    return len(set(zip(fine, coarse, strict=True))) == len(set(fine))


def test_table_has_the_complete_rows_of_the_papers(table: pa.Table) -> None:
    assert table.shape == (30_162, 15)
    assert sum(column.null_count for column in table.columns) == 0
    assert all(pa.types.is_int64(kind) or pa.types.is_string(kind) for kind in table.schema.types)


@pytest.mark.parametrize(
    ("column", "distinct"),
    [
        ("age", 72),
        ("workclass", 7),
        ("education", 16),
        ("marital-status", 7),
        ("occupation", 14),
        ("race", 5),
        ("sex", 2),
        ("native-country", 41),
        ("salary-class", 2),
    ],
)
def test_column_has_its_distinct_values(table: pa.Table, column: str, distinct: int) -> None:
    assert pc.count_distinct(table[column]).as_py() == distinct


def test_table_equals_the_original_row_by_row(table: pa.Table, data_folder: Path) -> None:
    with (data_folder / "adult_train.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    complete = [row for row in rows if "?" not in row]
    assert table.column_names == header
    columns = [[str(value) for value in column.to_pylist()] for column in table.columns]
    assert [list(row) for row in zip(*columns, strict=True)] == complete


@pytest.mark.parametrize(("study", "attribute", "path"), FILES)
def test_hierarchy_file_has_its_levels(study: str, attribute: str, path: Path) -> None:
    rows = read_hierarchy(path)
    assert {len(row) for row in rows} == {LEVELS[study][attribute]}
    assert {row[-1] for row in rows} == {"*"}
    assert path.stem == f"{attribute}-{LEVELS[study][attribute]}"


@pytest.mark.parametrize(("study", "attribute", "path"), FILES)
def test_hierarchy_file_covers_the_data(study: str, attribute: str, path: Path, table: pa.Table) -> None:
    leaves = [row[0] for row in read_hierarchy(path)]
    assert len(leaves) == len(set(leaves))
    assert set(leaves) - set(pc.unique(table[attribute]).to_pylist()) <= {"Never-worked"}
    assert set(leaves) >= set(pc.unique(table[attribute]).to_pylist())


@pytest.mark.parametrize(("study", "attribute", "path"), FILES)
def test_hierarchy_file_nests_and_every_step_merges(study: str, attribute: str, path: Path) -> None:
    levels = [list(level) for level in zip(*read_hierarchy(path), strict=True)]
    for fine, coarse in itertools.pairwise(levels):
        assert nests(fine, coarse)
        assert len(set(coarse)) < len(set(fine))


@pytest.mark.parametrize(("study", "attribute", "path"), FILES)
def test_label_means_one_set_of_values(study: str, attribute: str, path: Path) -> None:
    # Otherwise a reader of a release could not tell which values a label covers.
    rows = read_hierarchy(path)
    blocks: dict[str, set[frozenset[str]]] = {}
    for level in range(len(rows[0])):
        for label in {row[level] for row in rows}:
            block = frozenset(row[0] for row in rows if row[level] == label)
            blocks.setdefault(label, set()).add(block)
    assert {label: len(sets) for label, sets in blocks.items() if len(sets) > 1} == {}


@pytest.mark.parametrize(("study", "attribute", "path"), FILES)
def test_blocks_of_every_level_stand_together(study: str, attribute: str, path: Path) -> None:
    # The order of the rows serves the ordered schemes: each level must be one of their partitions.
    for level in zip(*read_hierarchy(path), strict=True):
        starts = sum(one != other for one, other in itertools.pairwise(level))
        assert starts + 1 == len(set(level))


@pytest.mark.parametrize("study", ["pbg", "schemes"])
def test_age_intervals_nest_and_every_step_merges(study: str) -> None:
    ladder = age_ladder(study)
    assert len(ladder) == LEVELS[study]["age"]
    for fine, coarse in itertools.pairwise(ladder):
        assert nests(fine, coarse)
        assert len(set(coarse)) < len(set(fine))


def test_schemes_begin_with_fifteen_intervals_of_five_years() -> None:
    finest = age_ladder("schemes")[0]
    assert len(set(finest)) == 15
    assert finest[:6] == [0, 0, 0, 0, 0, 1]


def test_schemes_have_the_work_class_tree_of_the_paper() -> None:
    groups = [row[1] for row in read_hierarchy(datasets.hierarchies("schemes")["workclass"])]
    assert [groups.count(group) for group in dict.fromkeys(groups)] == [3, 1, 2, 2]


@pytest.mark.parametrize("study", ["pbg", "schemes"])
def test_specification_spans_the_space_of_the_paper(study: str) -> None:
    attributes = specification(study)["attributes"]
    quasi = [name for name, entry in attributes.items() if entry["role"] == "quasi-identifier"]
    levels = {name: len(read_hierarchy(path)[0]) for name, path in datasets.hierarchies(study).items()}
    levels["age"] = len(age_ladder(study))
    assert quasi == list(LEVELS[study])
    assert math.prod(levels[name] for name in quasi) == SPACE[study]


@pytest.mark.parametrize("study", ["pbg", "schemes"])
def test_specification_finds_its_data(study: str, table: pa.Table) -> None:
    text = specification(study)
    assert datasets.adult_spec_path(study).parent / text["data"]["path"] == datasets.adult_path()
    assert set(text["attributes"]) <= set(table.column_names)


def test_demo_asks_for_k_and_diversity_against_loss() -> None:
    text = specification("pbg")
    assert text["objectives"] == {"maximize": ["k", "distinct_l(occupation)"], "minimize": ["loss"]}
    assert text["suppression"]["limit"] == 0.01
    assert text["attributes"]["occupation"]["role"] == "sensitive"


def test_unknown_study_names_the_nearest() -> None:
    with pytest.raises(ParameterError, match="Did you mean 'schemes'"):
        datasets.adult_spec_path("scheme")


def test_attribution_and_size() -> None:
    folder = datasets.adult_path().parent
    attribution = (folder / "ATTRIBUTION.md").read_text(encoding="utf-8")
    assert all(word in attribution for word in ("Becker", "Kohavi", "UCI", "CC BY 4.0"))
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 400_000
