"""`Release.report`: from Python to one HTML file."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import OutputError
from tests.cli.running import write_people

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def release(tmp_path: Path) -> sf.results.Release:
    return sf.explore(None, sf.Spec.load(write_people(tmp_path, 90))).pick("k >= 3").release()


def _page(folder: Path) -> str:
    return (folder / "report.html").read_text(encoding="utf-8")


def test_a_release_that_is_not_written_has_a_report(release: sf.results.Release, tmp_path: Path) -> None:
    found = release.report(tmp_path / "report.html")
    assert found.holds
    assert found.subject.file is None
    assert "sha256:" not in _page(tmp_path)
    assert release.report(tmp_path / "inside.html", internal=True).solution is not None


def test_a_written_release_is_recounted_where_it_stands(release: sf.results.Release, tmp_path: Path) -> None:
    manifest = release.write(tmp_path / "shared.csv")
    found = release.report(str(tmp_path / "report.html"))
    assert found.subject.verdict.sha256 == manifest.sha256
    assert manifest.sha256 in _page(tmp_path)
    with (tmp_path / "shared.csv").open("a", encoding="utf-8") as file:
        file.write("*,*,*,flu\n")
    assert not release.report(tmp_path / "report.html", force=True).holds
    assert "Not verified." in _page(tmp_path)
    (tmp_path / "shared.csv").unlink()
    assert release.report(tmp_path / "report.html", force=True).subject.file is None


def test_report_replaces_nothing_unless_asked(release: sf.results.Release, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError, match="exists already"):
        release.report(tmp_path / "report.html")
    assert _page(tmp_path) == "mine"
    with pytest.raises(OutputError):
        release.report(tmp_path / "nowhere" / "report.html")


def test_labels_can_be_left_out(release: sf.results.Release, tmp_path: Path) -> None:
    found = release.report(tmp_path / "report.html", show_values=False)
    labels = {block.label for item in found.attributes for block in item.blocks} - {"*"}
    assert labels
    assert all(f">{label}<" not in _page(tmp_path) for label in labels)


def test_persons_and_confidential_sentences_have_a_report(tmp_path: Path) -> None:
    draw = random.Random(3)
    rows = 120
    people = pd.DataFrame(
        {
            "person": [number // 2 for number in range(rows)],
            "age": [20 + 10 * (number // 2 % 3) for number in range(rows)],
            "sex": ["fm"[number // 2 % 2] for number in range(rows)],
            "disease": [draw.choice(["flu", "gout", "cold"]) for _ in range(rows)],
        }
    )
    spec = sf.Spec(
        data={"person": "person"},
        attributes={
            "person": {"role": "identifier"},
            "age": {"role": "quasi-identifier"},
            "sex": {"role": "quasi-identifier"},
            "disease": {"role": "sensitive"},
        },
        confidential=[{"sentence": 'disease == "gout"'}],
        require={"k": 4},
        objectives={"minimize": ["loss"]},
    )
    found = sf.anonymize(people, spec).report(tmp_path / "report.html")
    assert found.holds
    assert found.lacks == ()
    assert "requirements count persons" in _page(tmp_path)
    assert "Confidential: 1 sentence." in _page(tmp_path)
