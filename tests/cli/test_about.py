"""What a release says about itself beyond what was done: when, by whom, for whom, what for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.cli.running import change, run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.cli.running import Run

ABOUT = """[release]
organisation = "City <Hospital>"
purpose = "Research"
recipient = "The Institute"
contact = "data@hospital.example"

[require]"""


def anonymize(spec: Path, out: str = "out.csv") -> Run:
    made = run("anonymize", spec, "--out", spec.parent / out)
    assert made.status == 0, made.err
    return made


def test_the_manifest_and_the_report_say_who_releases(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(spec, "[require]", ABOUT)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    anonymize(spec)
    stated = json.loads((spec.parent / "out.csv.json").read_text())["about"]
    assert stated == {
        "date": "1970-01-02",
        "organisation": "City <Hospital>",
        "purpose": "Research",
        "recipient": "The Institute",
        "contact": "data@hospital.example",
    }
    assert run("report", spec.parent, "--json").json["about"] == stated
    page = (spec.parent / "report.html").read_text()
    for words in ("1970-01-02", "City &lt;Hospital&gt;", "The Institute", "data@hospital.example"):
        assert words in page
    assert run("verify", spec.parent / "out.csv").status == 0


def test_what_is_said_is_sealed(spec: Path) -> None:
    change(spec, "[require]", ABOUT)
    anonymize(spec)
    change(spec.parent / "out.csv.json", "The Institute", "Everyone")
    assert run("verify", spec.parent / "out.csv").status == 1


def test_a_front_in_a_folder_beside_the_release_is_found(spec: Path) -> None:
    assert run("explore", spec, "--out", spec.parent / "front").status == 0
    made = run(
        "release", spec, "--front", spec.parent / "front", "--pick", "knee", "--out", spec.parent / "a.csv"
    )
    assert made.status == 0
    told = run("report", spec.parent, "--internal", "--json").json
    assert told["solution"] is not None
    assert not [item for item in told["lacks"] if item["part"] == "front"]  # type: ignore[attr-defined]


def test_without_a_front_nothing_is_claimed_about_how_the_release_was_made(spec: Path) -> None:
    anonymize(spec)
    told = run("report", spec.parent, "--internal", "--json").json
    (lack,) = [item for item in told["lacks"] if item["part"] == "front"]  # type: ignore[attr-defined]
    assert "made without" not in lack["why"]
