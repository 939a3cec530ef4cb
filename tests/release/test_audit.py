"""The audit: every changed claim and every changed file is seen, and what cannot be recounted is listed."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest

import sfumato as sf
from sfumato.errors import DataError
from sfumato.release import Generalization, Manifest, manifest_path, seal_of
from tests.release.audited import (
    CASES,
    SUFFIXES,
    adapt,
    changed,
    leaves_of,
    read_manifest,
    verdict,
    write_case,
    write_manifest,
    write_microaggregated,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SEAL = "the manifest was changed after it was written: it does not match its seal."


def checks_of(path: Path) -> dict[str, tuple[str, str]]:
    found = sf.verify(path)["checks"]
    assert isinstance(found, list)
    return {item["name"]: (item["verdict"], item["detail"]) for item in found}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("audit")


# The most different ones first: a short run has these alone.
KINDS = ["levels", "microaggregated", "closeness", "statistics", "masked", "confidential"]


@pytest.fixture(scope="module", params=[*KINDS, *(case for case in CASES if case not in KINDS)])
def released(request: pytest.FixtureRequest, folder: Path) -> Path:
    """Each kind of release, written once; tests put its manifest back."""
    path = folder / f"{request.param}.csv"
    if request.param == "microaggregated":
        return write_microaggregated(path)
    return write_case(request.param, path)


@pytest.mark.some(5)
def test_an_honest_release_holds_and_says_what_was_checked(released: Path) -> None:
    found = checks_of(released)
    assert {state for state, _ in found.values()} <= {"holds", "cannot be recounted"}
    assert {"file digest", "seal", "columns", "rows in", "rows out"} <= set(found)
    assert all(detail.endswith(".") for _, detail in found.values())
    assert found["seal"][0] == "holds"


@pytest.mark.some(4)
def test_every_changed_leaf_of_a_manifest_breaks_its_seal(released: Path) -> None:
    content = read_manifest(released)
    noticed = []
    for place in leaves_of(content):
        write_manifest(released, changed(content, place), sealed=False)
        try:
            noticed.append(Manifest.load(manifest_path(released)).seal == "broken")
        except DataError:
            noticed.append(True)
    write_manifest(released, content, sealed=False)
    assert len(noticed) > 30
    assert all(noticed)
    assert verdict(released) == []


@pytest.mark.some(4)
@pytest.mark.parametrize(
    "place",
    [
        ("measures", "k"),
        ("rows", "in"),
        ("versions", "python"),
        ("seal",),
    ],
)
def test_a_changed_claim_is_broken_in_the_audit(released: Path, place: tuple[str | int, ...]) -> None:
    content = read_manifest(released)
    write_manifest(released, changed(content, place), sealed=False)
    found = verdict(released)
    write_manifest(released, content, sealed=False)
    assert found
    if place[0] in ("versions", "seal"):
        assert found == [SEAL]


@pytest.mark.some(1)
@pytest.mark.parametrize("case", ["closeness", "microaggregated"])
def test_what_a_sealed_forgery_states_is_recounted(folder: Path, case: str) -> None:
    """With the seal made anew, the recount stands alone: what it lets pass is what nobody can recount."""
    path = folder / f"forged-{case}.csv"
    write_microaggregated(path) if case == "microaggregated" else write_case(case, path)
    content = read_manifest(path)
    for place in leaves_of({key: content[key] for key in ("measures", "require", "rows", "sha256")}):
        if place == ("measures", "id_standardized"):
            continue  # nothing else that is stated depends on it, and only the original tells it
        write_manifest(path, changed(content, place), sealed=True)
        # One of il, id and dld alone contradicts the score that is stated with it.
        assert verdict(path), place


def test_a_weight_that_costs_are_not_stated_for_is_found(tmp_path: Path) -> None:
    path = write_case("declared", tmp_path / "r.csv")
    made: Any = read_manifest(path)
    made["recipe"]["attributes"]["work"]["weight"] = 9.0
    write_manifest(path, made, sealed=True)
    assert any("the weight of 'work'" in text for text in verdict(path))


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        (("recipe", "attributes", "work", "scheme"), "best", "the scheme of 'work'"),
        (("recipe", "attributes", "zip", "hierarchy"), {"mask": 9}, "that its recipe cannot write"),
        (("recipe", "attributes", "born", "hierarchy"), {"dates": ["day"]}, "that its recipe cannot write"),
        (("recipe", "suppression", "limit"), 1.5, "between 0 and 1"),
        (("reference", "distributions"), {}, "does not hold the overall distribution"),
        (("reference", "distributions", "note"), {"values": ["x"], "counts": [240]}, "not sensitive"),
        (
            ("reference", "sentences"),
            [{"tree": ["==", "disease", "category", "x"], "everyone": True}],
            "sentences",
        ),
    ],
)
def test_a_sealed_contradiction_is_found(
    folder: Path, place: tuple[str, ...], value: object, told: str
) -> None:
    path = folder / "contradiction.csv"
    if not path.exists():
        write_case("closeness", path)
    content = read_manifest(path)
    made = json.loads(json.dumps(content))
    target = made
    for key in place[:-1]:
        target = target[key]
    target[place[-1]] = value
    write_manifest(path, made, sealed=True)
    found = verdict(path)
    write_manifest(path, content, sealed=False)
    assert any(told in text for text in found), found


def _rewrite(path: Path, change: Callable[[list[list[str]]], None]) -> int:
    with path.open(encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file)
    change(lines)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *lines])
    return len(lines)


def _cell(lines: list[list[str]]) -> None:
    lines[0][0] = "17"


def _more(lines: list[list[str]]) -> None:
    lines.append(list(lines[-1]))


def _less(lines: list[list[str]]) -> None:
    del lines[0]


def _swap(lines: list[list[str]]) -> None:
    lines[0], lines[-1] = lines[-1], lines[0]


@pytest.mark.some(4)
@pytest.mark.parametrize("change", [_cell, _more, _less, _swap])
def test_a_changed_file_is_seen_with_and_without_a_forged_manifest(
    released: Path, change: Callable[[list[list[str]]], None]
) -> None:
    original, content = released.read_bytes(), read_manifest(released)
    rows = content["rows"]
    assert isinstance(rows, dict)
    try:
        out = _rewrite(released, change)
        assert any("sha256" in text for text in verdict(released))
        adapt(released, out=out, came=rows["in"] + out - rows["out"])
        # Rows of a microaggregated file may stand in any order, and one more in a large cluster changes no
        # claim: there the digest alone tells.
        unseen = [_swap, _more] if released.stem == "microaggregated" else []
        assert bool(verdict(released)) == (change not in unseen)
    finally:
        released.write_bytes(original)
        write_manifest(released, content, sealed=False)


@pytest.mark.some(3)
@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("case", ["statistics", "microaggregated"])
def test_every_format_is_audited(tmp_path: Path, suffix: str, case: str) -> None:
    path = tmp_path / f"r{suffix}"
    write_microaggregated(path) if case == "microaggregated" else write_case(case, path)
    assert verdict(path) == []
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert len(verdict(path)) >= 1
    path.write_bytes(whole)
    write_manifest(path, changed(read_manifest(path), ("measures", "k")), sealed=True)
    assert any(text.startswith("k") for text in verdict(path))


def test_a_manifest_without_a_seal_is_recounted_with_a_note(tmp_path: Path) -> None:
    path = write_case("sets", tmp_path / "r.csv")
    content = read_manifest(path)
    del content["seal"]
    write_manifest(path, content, sealed=False)
    found = sf.verify(path)
    assert found["holds"]
    assert any("no seal" in text for text in found["notes"])  # type: ignore[attr-defined]
    assert checks_of(path)["seal"][0] == "cannot be recounted"
    write_manifest(path, changed(content, ("measures", "k")), sealed=False)
    assert not sf.verify(path)["holds"]


def test_the_recount_is_told_before_the_seal(tmp_path: Path) -> None:
    path = write_case("sets", tmp_path / "r.csv")
    content = read_manifest(path)
    counted = content["measures"]["k"]  # type: ignore[index,call-overload]
    write_manifest(path, changed(content, ("measures", "k")), sealed=False)
    assert verdict(path) == [f"k: {counted + 1} stated, {counted} counted.", SEAL]


def test_a_seal_does_not_depend_on_form_or_on_known_keys(tmp_path: Path) -> None:
    path = write_case("sets", tmp_path / "r.csv")
    manifest = Manifest.load(manifest_path(path))
    assert (
        json.loads(manifest.to_json())["seal"] == seal_of(read_manifest(path)) == read_manifest(path)["seal"]
    )
    content = {**read_manifest(path), "remark": "later"}
    write_manifest(path, content, sealed=False)
    assert verdict(path) == [SEAL]
    write_manifest(path, content, sealed=True)
    assert verdict(path) == []
    assert set(Generalization.load(manifest_path(path)).quasi_identifiers) == {"work", "age"}


def test_what_cannot_be_recounted_is_listed_with_its_reason(folder: Path) -> None:
    micro = checks_of(write_microaggregated(folder / "listed.csv"))
    for name in ("il", "id", "id_standardized", "dld", "score"):
        assert micro[name][0] == "cannot be recounted"
        assert "original values" in micro[name][1]
    hdm = checks_of(write_case("hdm", folder / "listed-hdm.csv"))
    assert hdm["hdm"][0] == hdm["require hdm"][0] == "cannot be recounted"
    person = checks_of(write_case("person", folder / "listed-person.csv"))
    assert "persons" in person["k"][1]


def test_persons_are_never_more_than_rows(tmp_path: Path) -> None:
    path = write_case("person", tmp_path / "r.csv")
    content = read_manifest(path)
    content["measures"]["k"] = 10_000  # type: ignore[index,call-overload]
    write_manifest(path, content, sealed=True)
    assert any("k: 10000 stated, but it cannot exceed" in text for text in verdict(path))


BROKEN = {
    "list": b"[]",
    "not a number": b'{"rows": NaN}',
    "infinite": b'{"rows": 1e999}',
    "many digits": b'{"rows": 1' + b"0" * 5000 + b"}",
    "a large whole number": b'{"rows": 1' + b"0" * 305 + b"}",
    "twice": b'{"rows": 1, "rows": 2}',
    "deep": b'{"a": ' + b"[" * 10_000 + b"]" * 10_000 + b"}",
    "rather deep": b'{"a": ' + b"[" * 700 + b"]" * 700 + b"}",
    "cut short": b'{"recipe": {',
    "empty": b"",
    "other bytes": b"\xff\xfe",
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_manifest_that_is_none_is_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "r.csv"
    path.write_text("a\n1\n", encoding="utf-8")
    manifest_path(path).write_bytes(content)
    with pytest.raises(DataError) as caught:
        sf.verify(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("number", [2**62, 10**200, -1, 1e300])
@pytest.mark.parametrize(
    "place", [("rows", "in"), ("rows", "suppressed"), ("measures", "k"), ("require", "k")]
)
def test_huge_numbers_are_one_line(folder: Path, place: tuple[str, str], number: float) -> None:
    path = folder / "huge.csv"
    if not path.exists():
        write_case("closeness", path)
    content = read_manifest(path)
    made = json.loads(json.dumps(content))
    made[place[0]][place[1]] = number
    if place[0] == "require":
        made["recipe"]["require"][place[1]] = number
    write_manifest(path, made, sealed=True)
    found = verdict(path)
    write_manifest(path, content, sealed=False)
    assert found == [] if (place, number) == (("require", "k"), -1) else found


def test_the_manifest_of_another_file_is_noticed(tmp_path: Path) -> None:
    one, other = write_case("sets", tmp_path / "a.csv"), write_case("levels", tmp_path / "b.csv")
    manifest_path(other).replace(manifest_path(one))
    found = verdict(one)
    assert any("'zip' was promised but is missing from the file" in text for text in found)
