"""What is gathered about a release, from Python and from files."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd
import pytest

import sfumato as sf
from sfumato.assess.gather import Origin, file_name, find_solution, gather, specification_text
from sfumato.assess.published import published
from sfumato.report.document import find_front, find_origin
from tests.cli.running import change, declare, write_people

if TYPE_CHECKING:
    from pathlib import Path

    from sfumato.assess.gather import Evidence, Lack

QUASI = ("age", "zip", "sex")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with a front, a release and all that they come from."""
    folder = tmp_path_factory.mktemp("gather")
    front = sf.explore(None, sf.Spec.load(declare(write_people(folder, 120))))
    (folder / "front.csv").write_text(sf.front.front_csv(front), encoding="utf-8")
    (folder / "run.json").write_text(sf.front.run_json(front), encoding="utf-8")
    front.pick("knee").release().write(folder / "shared.csv")
    return folder


def _gather(folder: Path, *, with_spec: bool = True) -> Evidence:
    lacks: list[Lack] = []
    spec = sf.Spec.load(folder / "people.toml") if with_spec else None
    origin, front = find_origin(spec, lacks), find_front(folder, lacks)
    file = folder / "shared.csv"
    return gather(published(file), origin, front, lacks=lacks)


@pytest.fixture(scope="module")
def evidence(folder: Path) -> Evidence:
    return _gather(folder)


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_classes_are_counted_before_and_after(folder: Path, evidence: Evidence) -> None:
    for name, found in (("people.csv", evidence.sizes_before), ("shared.csv", evidence.sizes_after)):
        assert found is not None
        counted = Counter(tuple(row[column] for column in QUASI) for row in _read(folder / name))
        sizes = Counter(counted.values())
        assert dict(zip(found.sizes, found.classes, strict=True)) == dict(sizes)
        assert dict(zip(found.sizes, found.rows, strict=True)) == {
            size: size * n for size, n in sizes.items()
        }


def test_blocks_are_those_of_the_file(folder: Path, evidence: Evidence) -> None:
    rows = _read(folder / "shared.csv")
    assert [item.name for item in evidence.attributes] == list(QUASI)
    for item in evidence.attributes:
        assert {block.label: block.rows for block in item.blocks} == dict(
            Counter(row[item.name] for row in rows)
        )


def test_losses_of_attributes_make_the_loss(evidence: Evidence) -> None:
    stated = evidence.subject.verdict.stated
    losses = [item.loss for item in evidence.attributes if item.loss is not None]
    assert sum(losses) / len(QUASI) == pytest.approx(stated["loss"])


def test_solution_is_found_in_the_front(folder: Path, evidence: Evidence) -> None:
    front = sf.Front.load(folder)
    assert evidence.solution == front.knee().number
    other = next(item for item in front if item.number != evidence.solution)
    rows = {"suppressed": other.suppressed + 1}
    for changed in ({"measures": {"k": 2.0}}, {"rows": rows}):
        verdict = replace(evidence.subject.verdict, **changed)
        assert find_solution(front, replace(evidence.subject, verdict=verdict)) is None


def test_everything_is_plain_json(evidence: Evidence) -> None:
    told = evidence.to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told["lacks"] == []
    assert told["left_out"] == ["visit"]
    utility = told["utility"]
    assert isinstance(utility, dict)
    assert all({"labels", "before", "after"}.isdisjoint(item) for item in utility["attributes"])


def test_no_value_that_the_release_hides_is_told(folder: Path, evidence: Evidence) -> None:
    text = json.dumps(evidence.to_dict())
    shown = {value for row in _read(folder / "shared.csv") for value in row.values()}
    for row in _read(folder / "people.csv"):
        assert row["name"] not in text
        if row["zip"] not in shown:
            assert row["zip"] not in text
    assert str(folder) not in text


def test_without_values_no_label_is_told(evidence: Evidence) -> None:
    text = json.dumps(evidence.to_dict(show_values=False))
    labels = {block.label for item in evidence.attributes for block in item.blocks}
    assert all(f'"{label}"' not in text for label in labels)


def test_a_release_alone_is_judged_by_itself(folder: Path) -> None:
    found = _gather(folder, with_spec=False)
    assert found.holds
    assert found.risk is None
    assert found.risk_after is not None
    assert found.risk_after.sizes.smallest == found.sizes_after.sizes[0]
    assert (found.sizes_before, found.utility, found.spec) == (None, None, None)
    assert {item.part for item in found.lacks} == {"specification", "sizes", "risk", "utility"}
    assert all(item.why and item.remedy for item in found.lacks)


def test_absent_data_are_named_without_their_folder(folder: Path, tmp_path: Path) -> None:
    lacks: list[Lack] = []
    spec = sf.Spec.from_dict(sf.Spec.load(folder / "people.toml").to_dict(), tmp_path)
    assert find_origin(spec, lacks) is None
    assert {item.part for item in lacks} == {"sizes", "risk", "utility"}
    assert all("people.csv" in item.why and str(tmp_path) not in item.why for item in lacks)


def test_other_data_are_refused_in_one_part_each(folder: Path, tmp_path: Path) -> None:
    spec = sf.Spec.load(write_people(tmp_path, 90))
    file = folder / "shared.csv"
    found = gather(published(file), Origin(tmp_path / "people.csv", spec))
    assert found.utility is None
    assert "not made from these data" in next(item.why for item in found.lacks if item.part == "utility")
    assert found.risk_after is not None


def test_masked_rows_are_no_class(tmp_path: Path) -> None:
    path = change(write_people(tmp_path, 120), "limit = 0.05", 'limit = 0.05\noutput = "mask"')
    release = sf.explore(None, sf.Spec.load(path)).pick("k >= 3").release()
    release.write(tmp_path / "shared.csv")
    found = release.report(tmp_path / "report.html", internal=True)
    assert found.holds
    assert found.sizes_after.total == 120 - release.rows["suppressed"]
    assert found.sizes_after.sizes[0] >= 3
    assert found.lacks == ()
    alone = published(tmp_path / "shared.csv")
    assert alone.risk_after is not None
    assert found.risk_after is not None
    assert alone.risk_after.prosecutor == found.risk_after.prosecutor


def test_frames_are_gathered_too(folder: Path, tmp_path: Path) -> None:
    spec = sf.Spec.load(folder / "people.toml")
    people = pd.read_csv(folder / "people.csv", dtype={"zip": str})
    found = sf.anonymize(people, spec).report(tmp_path / "report.html", internal=True)
    assert found.holds
    assert found.lacks == ()
    assert (found.front, found.subject.file) == (None, None)
    assert "not picked from a front" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_microaggregated_tables_have_a_report(tmp_path: Path) -> None:
    table = pd.DataFrame({"weight": range(40), "height": [number * 7 % 40 for number in range(40)]})
    made = sf.microaggregate(table, columns=["weight", "height"], k=4)
    found = made.report(tmp_path / "report.html", internal=True)
    assert found.holds
    assert found.lacks == ()
    assert found.sizes_after.sizes[0] >= 4
    assert found.utility is not None
    assert "Similar rows were grouped" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_specification_tells_no_folder_comment_or_list_of_values(tmp_path: Path) -> None:
    path = write_people(tmp_path)
    change(path, "[attributes.sex]", "# call Anna about this\n[attributes.sex]")
    change(path, 'hierarchy = { file = "zip.csv" }', 'hierarchy = { file = "/elsewhere/anna/zip.csv" }')
    change(
        path,
        '[attributes.disease]\nrole = "sensitive"',
        '[attributes.disease]\nrole = "sensitive"\nkind = "ordinal"\norder = ["flu", "gout", "cold"]',
    )
    tree = 'hierarchy = { tree = { Known = ["f", "m"], Unknown = ["x"] } }'
    change(
        path,
        '[attributes.sex]\nrole = "quasi-identifier"',
        f'[attributes.sex]\nrole = "quasi-identifier"\n{tree}',
    )
    sentence = '\n[[confidential]]\nsentence = "disease == gout"\nfor = "age < 30"\n'
    path.write_text(path.read_text(encoding="utf-8") + sentence, encoding="utf-8")
    text = specification_text(sf.Spec.load(path))
    for word in ("Anna", "anna", "flu", "Known", "age < 30"):
        assert word not in text
    for word in ('"zip.csv"', "left out: 3 values", "disease == gout", "intervals = [10, 20, 40]"):
        assert word in text
    assert "gout" not in specification_text(sf.Spec.load(path), show_values=False)


@pytest.mark.parametrize("path", ["/a/b.csv", "C:\\a\\b.csv", "a/b.csv", "..\\b.csv", "b.csv"])
def test_names_of_files_have_no_folders(path: str) -> None:
    assert re.fullmatch(r"b\.csv", file_name(path))
