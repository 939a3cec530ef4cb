"""Whatever is changed in a release or its manifest, verification notices."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from sfumato.errors import SfumatoError, VerificationError
from sfumato.release.manifest import Manifest, manifest_path
from sfumato.release.write import check_promise, write_release
from sfumato.verifier import Promise, hash_file, holds, recount
from tests.release.made import HEADER, LINES, make_manifest_of, make_promise, write_lines
from tests.release.oracle_release import write_csv

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Line = list[str | None]


@pytest.fixture
def released(tmp_path: Path) -> Path:
    path = tmp_path / "r.csv"
    write_release(write_lines, path, check_promise(make_promise(), make_manifest_of))
    return path


def violations(path: Path, *, seal: bool = True) -> list[str]:
    """Verify as a reader would; without the seal, as one who was given a matching digest."""
    stated = manifest_path(path)
    if not seal:
        content = json.loads(stated.read_text(encoding="utf-8"))
        content["sha256"] = hash_file(path)
        stated.write_text(json.dumps(content), encoding="utf-8")
    try:
        promise = Manifest.load(stated).promise()
        return holds(recount(path, promise), promise)
    except SfumatoError as error:
        return [str(error)]


def edit(path: Path, change: Callable[[list[Line]], None]) -> None:
    lines = [list(line) for line in LINES]
    change(lines)
    write_csv(path, HEADER, lines)


def test_an_honest_release_holds(released: Path) -> None:
    assert violations(released) == []


def change_cell(lines: list[Line]) -> None:
    lines[0][0] = "40-49"


def change_to_new_label(lines: list[Line]) -> None:
    lines[0][0] = "33"


def change_secret(lines: list[Line]) -> None:
    lines[0][2] = "plague"


def drop_row(lines: list[Line]) -> None:
    del lines[3]


def drop_class(lines: list[Line]) -> None:
    del lines[3:]


def add_row(lines: list[Line]) -> None:
    lines.append(list(lines[0]))


def repeat_rows(lines: list[Line]) -> None:
    lines += [list(line) for line in lines]


CHANGES = [change_cell, change_to_new_label, change_secret, drop_row, drop_class, add_row, repeat_rows]


@pytest.mark.some(4)
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_file_is_noticed(released: Path, change: Callable[[list[Line]], None]) -> None:
    edit(released, change)
    assert any("sha256" in text for text in violations(released))


@pytest.mark.some(4)
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_file_with_a_matching_digest_is_noticed(
    released: Path, change: Callable[[list[Line]], None]
) -> None:
    edit(released, change)
    assert violations(released, seal=False) != []


def test_a_change_that_no_measure_sees_breaks_the_seal(released: Path) -> None:
    def swap(lines: list[Line]) -> None:
        lines[0][3], lines[1][3] = lines[1][3], lines[0][3]

    edit(released, swap)
    assert len(violations(released)) == 1
    assert "sha256" in violations(released)[0]


def test_an_identifier_in_the_file_is_noticed(released: Path) -> None:
    write_csv(released, [*HEADER, "name"], [[*line, "Ann"] for line in LINES])
    assert "the column 'name' is in the file but should not be." in violations(released, seal=False)


def test_a_lost_column_is_noticed(released: Path) -> None:
    write_csv(released, HEADER[:-1], [line[:-1] for line in LINES])
    assert "the column 'note' is missing from the file." in violations(released, seal=False)
    write_csv(released, HEADER[1:], [line[1:] for line in LINES])
    assert "'age' was promised but is missing from the file" in violations(released, seal=False)[0]


def test_swapped_files_are_noticed(released: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"

    def write_other(path: Path) -> None:
        write_csv(path, HEADER, LINES[::-1])

    write_release(write_other, other, check_promise(make_promise(), make_manifest_of))
    other.replace(released)
    assert len(violations(released)) == 1
    assert "sha256" in violations(released)[0]


EDITS: dict[str, tuple[tuple[str, ...], object]] = {
    "k stated larger": (("measures", "k"), 4),
    "k stated smaller": (("measures", "k"), 2),
    "loss stated smaller": (("measures", "loss"), 0.1),
    "requirement tightened": (("require", "k"), 4),
    "requirement lowered": (("require", "k"), 2),
    "rows in": (("rows", "in"), 9),
    "rows out": (("rows", "out"), 7),
    "suppressed": (("rows", "suppressed"), 1),
    "digest": (("sha256",), "0" * 64),
    "distribution": (("reference", "distributions", "disease", "counts"), [1, 6, 1]),
    "distribution, plausible": (("reference", "distributions", "disease", "counts"), [3, 4, 1]),
    "cost of a label": (("reference", "attributes", "age", "loss", "cells"), [["30-39", 0, 1]]),
    "weight": (("reference", "attributes", "age", "weight"), 1.0),
    "role": (("recipe", "attributes", "note", "role"), "identifier"),
    "output": (("recipe", "suppression", "output"), "mask"),
    "limit": (("recipe", "suppression", "limit"), 0.1),
    "no reference": (("reference",), {}),
    "wrong kind": (("measures",), []),
    "wrong version": (("recipe", "version"), 2),
}


@pytest.mark.some(8)
@pytest.mark.parametrize(("place", "value"), EDITS.values(), ids=EDITS)
def test_an_edited_manifest_is_noticed(released: Path, place: tuple[str, ...], value: object) -> None:
    stated = manifest_path(released)
    content = json.loads(stated.read_text(encoding="utf-8"))
    target = content
    for key in place[:-1]:
        target = target[key]
    assert target[place[-1]] != value
    target[place[-1]] = value
    stated.write_text(json.dumps(content), encoding="utf-8")
    assert violations(released) != []


@pytest.mark.some(3)
@pytest.mark.parametrize("key", ["recipe", "measures", "require", "rows", "sha256", "reference", "versions"])
def test_a_manifest_without_a_key_is_noticed(released: Path, key: str) -> None:
    stated = manifest_path(released)
    content = json.loads(stated.read_text(encoding="utf-8"))
    del content[key]
    stated.write_text(json.dumps(content), encoding="utf-8")
    assert violations(released) == [f"{stated}: the key {key!r} is missing."]


def test_what_the_file_cannot_show_is_accepted_on_the_seal_alone(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    write_csv(path, ["q"], [["a"]] * 4)
    promise = Promise(("q",), require={"k": 2}, measures={"k": 2}, person="p", sha256=hash_file(path))
    found = recount(path, promise)
    assert "cannot be recounted" in holds(found, promise)[0]
    assert holds(found, promise, on_seal=True) == []
    too_little = replace(promise, measures={"k": 1})
    assert "cannot be recounted" in holds(found, too_little, on_seal=True)[0]
    broken = replace(promise, sha256="0" * 64)
    assert any("cannot be recounted" in text for text in holds(found, broken, on_seal=True))
    refuted = replace(promise, require={"k": 5}, measures={"k": 6})
    assert holds(recount(path, refuted), refuted, on_seal=True) == [
        "k: at least 5 promised, but it cannot exceed 4.",
        "k: 6 stated, but it cannot exceed 4.",
    ]


def test_a_requirement_that_the_recipe_does_not_have_is_a_contradiction(released: Path) -> None:
    stated = manifest_path(released)
    content = json.loads(stated.read_text(encoding="utf-8"))
    content["require"] = {}
    stated.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(VerificationError, match="contradicts itself"):
        Manifest.load(stated).promise()
