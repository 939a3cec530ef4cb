"""What is shown of tables, levels and releases, counted again with plain loops."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

import sfumato as sf
from sfumato.preparing import load
from sfumato.previewing import hierarchy_csv, list_measures, look_at_file, look_at_hierarchies, look_over
from sfumato.spec import Spec

if TYPE_CHECKING:
    from pathlib import Path

AGES = [20 + number % 23 for number in range(97)] + [89, 90]
JOBS = ["nurse", "nurse", "cook", "", "smith"]
ROWS = [(age, JOBS[place % 5], "yes" if place % 4 else "no") for place, age in enumerate(AGES)]
TABLES = {
    "data": {"path": "people.csv"},
    "attributes": {
        "age": {
            "role": "quasi-identifier",
            "kind": "number",
            "hierarchy": {"intervals": [10, 20], "origin": 20},
        },
        "job": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive"},
    },
    "suppression": {"limit": 0.05},
    "require": {"k": 3},
    "objectives": {"minimize": ["loss"]},
}


@pytest.fixture
def spec(tmp_path: Path) -> Spec:
    lines = ["age,job,ill", *(f"{age},{job},{ill}" for age, job, ill in ROWS)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    return Spec.from_dict(TABLES, tmp_path)


def test_table_is_counted(spec: Spec) -> None:
    found = look_over(spec.resolve("people.csv"), spec.data, most=3)
    assert found.rows == len(ROWS)
    age, job, ill = found.columns
    assert (age.distinct, age.missing) == (len(set(AGES)), 0)
    assert sum(count for _, count in age.bars) == len(ROWS)
    jobs = Counter(job for _, job, _ in ROWS)
    assert job.missing == jobs.pop("")
    assert dict(job.bars) == jobs
    assert dict(ill.bars) == Counter(ill for *_, ill in ROWS)
    assert found.first == tuple((str(age), job, ill) for age, job, ill in ROWS[:3])
    assert [column.kind for column in found.columns] == ["number", "category", "category"]


def test_files_that_nobody_described_are_read_as_they_seem_to_be(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("Größe;job\n1,8;nurse\n1,7;cook\n", encoding="latin-1")
    columns, reading = look_at_file(file)
    assert columns == ["Größe", "job"]
    assert (reading.encoding, reading.decimal) == ("cp1252", ",")


def test_levels_count_the_rows_of_their_groups(spec: Spec) -> None:
    found = look_at_hierarchies(load(None, spec))["age"]
    tens = Counter(f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age in AGES)
    shown = {label: rows for label, rows in found.levels[1] if rows}
    assert sorted(shown.values()) == sorted(tens.values())
    assert shown["20-29"] == tens["20-29"]
    assert found.levels[-1] == (("*", len(ROWS)),)
    first = found.leaves[0]
    assert hierarchy_csv([first]).strip() == ";".join(first)


def test_measures_say_which_way_is_better(spec: Spec) -> None:
    found = list_measures(load(None, spec))
    assert (found["k"], found["loss"], found["distinct_l(ill)"], found["t(ill)"]) == (
        True,
        False,
        True,
        False,
    )


def test_release_is_shown_before_and_after(spec: Spec) -> None:
    release = sf.anonymize(None, spec)
    found = release.preview(len(ROWS))
    assert found.names == ("age", "job")
    assert found.before == tuple((str(age), job) for age, job, _ in ROWS)
    hidden = [place for place, row in enumerate(found.after) if set(row) == {"*"}]
    kept = Counter(row for place, row in enumerate(found.after) if place not in hidden)
    assert len(hidden) == release.rows["suppressed"]
    assert min(kept.values()) >= 3
    if hidden:
        lost = {loss.attribute: sum(group.left_out for group in loss.groups) for loss in found.losses}
        assert lost == dict.fromkeys(("age", "job", "ill"), len(hidden))
