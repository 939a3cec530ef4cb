"""``sfumato verify`` as an audit: a list of what was checked, one line where nothing can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest

from sfumato.release import manifest_path
from tests.cli.running import Run, run
from tests.release.audited import (
    changed,
    make_columns,
    read_manifest,
    write_case,
    write_manifest,
    write_microaggregated,
)

if TYPE_CHECKING:
    from pathlib import Path


def listed(found: Run) -> list[dict[str, str]]:
    checks = found.json["checks"]
    assert isinstance(checks, list)
    return checks


def test_the_audit_lists_what_was_checked(tmp_path: Path) -> None:
    path = write_case("sets", tmp_path / "r.csv")
    found = run("verify", path, "--json")
    assert found.status == 0
    checks = {item["name"]: item for item in listed(found)}
    assert {"name", "verdict", "detail"} == set(checks["seal"])
    assert checks["labels of 'work'"]["verdict"] == "holds"
    shown = run("verify", path)
    assert "labels of 'work'" in shown.out
    assert "seal" in shown.out


def test_a_changed_claim_is_status_1_and_named(tmp_path: Path) -> None:
    path = write_case("sets", tmp_path / "r.csv")
    write_manifest(path, changed(read_manifest(path), ("versions", "python")), sealed=False)
    found = run("verify", path)
    assert found.status == 1
    assert "does not match its seal" in found.out


def test_what_cannot_be_recounted_is_listed(tmp_path: Path) -> None:
    found = run("verify", write_microaggregated(tmp_path / "m.csv"), "--json")
    assert found.status == 0
    verdicts = {item["name"]: item["verdict"] for item in listed(found)}
    assert verdicts["il"] == verdicts["id"] == verdicts["dld"] == "cannot be recounted"


@pytest.mark.parametrize("content", ["[]", '{"a": NaN}', '{"a": 1, "a": 2}', '{"a": ' + "[" * 10_000])
def test_a_manifest_that_is_none_is_one_line_and_status_2(tmp_path: Path, content: str) -> None:
    path = write_case("sets", tmp_path / "r.csv")
    manifest_path(path).write_text(content, encoding="utf-8")
    found = run("verify", path)
    assert found.status == 2
    assert "r.csv.json" in found.line


def test_a_release_is_held_against_its_original(tmp_path: Path) -> None:
    path, table = write_case("hdm", tmp_path / "r.csv"), pa.table(make_columns())
    pa_csv.write_csv(table, tmp_path / "data.csv")
    pa_csv.write_csv(table.slice(0, 200), tmp_path / "less.csv")
    found = run("verify", path, "--data", tmp_path / "data.csv")
    assert found.status == 0
    assert "the recipe makes exactly the released rows from them" in found.out
    assert "not recounted: hdm" not in found.out
    assert "not recounted: hdm" in run("verify", path).out
    less = run("verify", path, "--data", tmp_path / "less.csv")
    assert less.status == 1
    assert "the release was not made from these data" in less.out


def test_wrong_use_with_an_original_is_one_line_and_status_2(tmp_path: Path) -> None:
    path = write_case("sets", tmp_path / "r.csv")
    (tmp_path / "data.csv").write_text("a,b\n", encoding="utf-8")
    for data, line in (("none.csv", "no such file"), ("data.csv", "no rows")):
        found = run("verify", path, "--data", tmp_path / data)
        assert found.status == 2
        assert line in found.line
    assert "no such file" in run("verify", tmp_path / "none.csv").line
    manifest_path(path).unlink()
    found = run("verify", path, "--data", tmp_path / "data.csv")
    assert found.status == 2
    assert "no r.csv.json next to it" in found.line
