"""The external edition: a function of FILE and FILE.json, and of nothing else."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import fields, replace
from typing import TYPE_CHECKING

import pandas as pd
import pytest

import sfumato as sf
from sfumato.assess.gather import Evidence
from sfumato.assess.published import Published, published
from sfumato.release import Manifest, seal_of
from sfumato.report.document import INTERNAL, report_html
from sfumato.report.summary import not_protected
from tests.cli.running import change, run, write_people
from tests.report.test_document import HOSTILE, Report

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 150
NAMES = {"shared.csv", "shared.csv.json"}
HIDDEN = "person-3,99,24301,x,kuru,6\n"


def _release(folder: Path, pick: str = "k >= 3") -> sf.results.Release:
    release = sf.explore(None, sf.Spec.load(folder / "people.toml")).pick(pick).release()
    release.write(folder / "shared.csv", force=True)
    return release


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[sf.results.Release, Path]:
    """Give a release and its folder."""
    folder = tmp_path_factory.mktemp("world")
    write_people(folder, ROWS)
    assert run("explore", folder / "people.toml", "--out", folder, "--quiet").status == 0
    return _release(folder), folder


@pytest.fixture(scope="module")
def found(world: tuple[sf.results.Release, Path]) -> Published:
    return published(world[1] / "shared.csv")


def _other_world(folder: Path, source: Path) -> Path:
    """Write another original, with other hidden rows, columns and names, beside the same release."""
    folder.mkdir()
    spec = change(write_people(folder, ROWS), '"people.csv"', '"patients-of-2024.csv"')
    people = (folder / "people.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "people.csv").unlink()
    text = "".join([line.replace(",visit", ",ward") for line in people] + 2 * [HIDDEN])
    (folder / "patients-of-2024.csv").write_text(text, encoding="utf-8")
    spec.rename(folder / "study.toml")
    assert run("explore", folder / "study.toml", "--out", folder, "--quiet").status == 0
    for name in NAMES:
        shutil.copy(source / name, folder / name)
    return folder


def test_it_depends_on_the_two_published_files_alone(
    world: tuple[sf.results.Release, Path], tmp_path: Path
) -> None:
    folder, other = world[1], _other_world(tmp_path / "elsewhere", world[1])
    alone = tmp_path / "alone"
    alone.mkdir()
    for name in NAMES:
        shutil.copy(folder / name, alone / name)
    pages, inside = [], []
    for place, home in enumerate((folder, other, alone)):
        out = tmp_path / f"{place}.html"
        assert run("report", home, "--out", out, "--quiet").status == 0
        pages.append(out.read_bytes())
        assert run("report", home, "--internal", "--out", out, "--quiet", "--force").status == 0
        inside.append(out.read_bytes())
    assert pages[0] == pages[1] == pages[2]
    assert len(set(inside)) == 3  # so there was something to keep out


def test_python_writes_the_same_bytes(world: tuple[sf.results.Release, Path], tmp_path: Path) -> None:
    release, folder = world
    release.report(tmp_path / "python.html")
    assert run("report", folder, "--out", tmp_path / "command.html", "--quiet").status == 0
    assert (tmp_path / "python.html").read_bytes() == (tmp_path / "command.html").read_bytes()


def test_a_release_of_other_people_under_the_same_files_is_told_alike(
    world: tuple[sf.results.Release, Path], tmp_path: Path
) -> None:
    write_people(tmp_path, ROWS)
    with (tmp_path / "people.csv").open("a", encoding="utf-8") as file:
        file.write(HIDDEN.replace(",x,", ",f,"))
    other = _release(tmp_path)
    for name in NAMES:
        shutil.copy(world[1] / name, tmp_path / name)
    other.report(tmp_path / "other.html")
    world[0].report(tmp_path / "first.html")
    assert (tmp_path / "other.html").read_bytes() == (tmp_path / "first.html").read_bytes()


def test_it_tells_no_path_data_seed_or_time(world: tuple[sf.results.Release, Path], found: Published) -> None:
    page = report_html(found)
    for word in (str(world[1]), world[1].name, "people.csv", "people.toml", "zip.csv", "visit", "seed"):
        assert word not in page
    days = re.findall(r"\b20\d\d-\d\d-\d\d\b|\d\d:\d\d", page)
    assert days == [found.subject.about["date"]]  # which FILE.json states
    for word in ("gap", "bound", "optim", "front", "specification", "seconds"):
        assert word not in re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL), word


def test_it_holds_what_was_promised_and_how_to_check_it(
    world: tuple[sf.results.Release, Path], found: Published
) -> None:
    text = report_html(found)
    page = Report(text)
    assert page.open == []
    manifest = Manifest.load(world[1] / "shared.csv.json")
    words = [content for _, content in page.all("li")]
    assert "Smallest class (k): at least 3." in words
    assert f"{manifest.rows['suppressed']:,} of {ROWS} rows were left out" in text
    assert manifest.sha256 in [content for _, content in page.all("code")]
    assert "sfumato verify shared.csv" in text
    assert "Verified:" in text
    links = [str(a["href"])[1:] for a, _ in page.all("a")][1:]
    assert links == ["summary", "sizes", "risk", "attributes", "verification", "making"]
    assert [a["id"] for a, _ in page.all("h2")] == links
    for item in found.attributes:
        for block in item.blocks:
            assert item.is_gone or f">{block.label}<" in text
    assert INTERNAL not in text
    assert "before" not in re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)


def test_risks_are_those_of_the_released_rows(
    world: tuple[sf.results.Release, Path], found: Published
) -> None:
    rows = pd.read_csv(world[1] / "shared.csv", dtype=str)
    sizes = rows.groupby(["age", "zip", "sex"], dropna=False)["disease"].agg(["size", "nunique"])
    assert found.risk_after is not None
    assert found.risk_after.prosecutor.highest == pytest.approx(1 / sizes["size"].min())
    assert found.risk_after.prosecutor.average == pytest.approx(len(sizes) / len(rows))
    (disease,) = found.risk_after.attributes
    assert disease.homogeneous_rows == sizes.loc[sizes["nunique"] == 1, "size"].sum()


def test_only_measures_that_the_manifest_states_are_shown(found: Published) -> None:
    stated = {"k": found.subject.verdict.stated["k"]}
    verdict = replace(found.subject.verdict, stated=stated, measures={**stated, "loss": 0.123456})
    page = report_html(replace(found, subject=replace(found.subject, verdict=verdict)))
    assert "12.3 %" not in page
    assert "0.1235" not in page


def _withhold(path: Path, why: str, **more: object) -> None:
    """Take the loss out of a manifest, say why, and seal it anew."""
    values = {**json.loads(path.read_text(encoding="utf-8")), **more}
    values["measures"].pop("loss", None)
    values["withheld"] = {"loss": why}
    values["seal"] = seal_of({key: value for key, value in values.items() if key != "seal"})
    path.write_text(json.dumps(values), encoding="utf-8")


def test_withheld_measures_are_listed_with_their_reason(
    world: tuple[sf.results.Release, Path], tmp_path: Path
) -> None:
    why = f"it depends on the range of age {HOSTILE}"
    for name in NAMES:
        shutil.copy(world[1] / name, tmp_path / name)
    _withhold(tmp_path / "shared.csv.json", why, choice="near-optimal")
    found = published(tmp_path / "shared.csv")
    assert found.subject.release["choice"] == "near-optimal"
    page = Report(report_html(found))
    assert (found.holds, found.withheld) == (True, {"loss": why})
    assert "<script" not in report_html(found)
    assert f"Share of detail lost (loss): {why}." in [content for _, content in page.all("li")]
    assert "of the detail of the values is lost" not in report_html(found)


def test_the_internal_edition_shows_what_the_manifest_withholds(
    world: tuple[sf.results.Release, Path], tmp_path: Path
) -> None:
    copy = shutil.copytree(world[1], tmp_path / "copy")
    _withhold(copy / "shared.csv.json", "it depends on the range of age")
    assert run("report", copy, "--internal", "--quiet").status == 0
    assert run("report", copy, "--quiet").status == 0
    exact = f"{world[0].measures['loss']:.4g}"
    assert f"<td>{exact}</td>" in (copy / "report-internal.html").read_text(encoding="utf-8")
    assert exact not in (copy / "report.html").read_text(encoding="utf-8")


def test_the_internal_edition_is_marked_and_private(
    world: tuple[sf.results.Release, Path], tmp_path: Path
) -> None:
    path = tmp_path / "inside.html"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o644)
    found = world[0].report(path, internal=True, force=True)
    assert isinstance(found, Evidence)
    text = path.read_text(encoding="utf-8")
    assert text.index(INTERNAL) < text.index("<html")  # in its file
    body = text[text.index("<body>") :]
    assert body.index(INTERNAL) < body.index('id="summary"')  # on its first screen
    assert "(internal)" in Report(text).all("title")[0][1]
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600


def test_no_edition_embeds_the_path_of_the_data(tmp_path: Path) -> None:
    spec = write_people(tmp_path, 90)
    change(spec, 'path = "people.csv"', f'path = "{(tmp_path / "people.csv").as_posix()}"')
    change(spec, 'file = "zip.csv"', f'file = "{(tmp_path / "zip.csv").as_posix()}"')
    found = sf.explore(None, sf.Spec.load(spec)).pick("k >= 3").release()
    for internal in (False, True):
        told = found.report(tmp_path / "report.html", internal=internal, force=True)
        for text in ((tmp_path / "report.html").read_text(encoding="utf-8"), json.dumps(told.to_dict())):
            assert tmp_path.name not in text
            assert ("people.csv" in text) is internal


def test_a_published_object_has_no_place_for_the_original() -> None:
    inside = {field.name for field in fields(Evidence)} - {field.name for field in fields(Published)}
    assert inside == {
        *(
            "sizes_before",
            "risk",
            "utility",
            "front",
            "solution",
            "run",
            "spec",
            "left_out",
            "exact",
            "losses",
        ),
    }


def test_masked_rows_are_no_class(tmp_path: Path) -> None:
    change(write_people(tmp_path, 120), "limit = 0.05", 'limit = 0.05\noutput = "mask"')
    release = _release(tmp_path)
    assert release.rows["suppressed"]
    found = release.report(tmp_path / "report.html")
    assert found.lacks == ()
    assert found.risk_after is not None
    assert found.risk_after.rows == found.sizes_after.total == 120 - release.rows["suppressed"]


def test_rows_of_one_person_give_no_chance_that_is_too_low(tmp_path: Path) -> None:
    people = pd.DataFrame(
        {
            "person": [number // 3 for number in range(90)],
            "age": [20 + 10 * (number // 3 % 3) for number in range(90)],
            "disease": ["flu", "gout", "cold"] * 30,
        }
    )
    spec = sf.Spec(
        data={"person": "person"},
        attributes={
            "person": {"role": "identifier"},
            "age": {"role": "quasi-identifier"},
            "disease": {"role": "sensitive"},
        },
        require={"k": 4},
        objectives={"minimize": ["loss"]},
    )
    release = sf.anonymize(people, spec)
    release.write(tmp_path / "shared.csv")
    found = release.report(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert found.sizes_after.sizes[0] == 30  # rows, of ten persons
    assert ">10\u00a0%<" in text
    assert ">3.3 %<" not in text
    assert "Finding one person" not in text


def test_microaggregated_files_have_an_external_edition(tmp_path: Path) -> None:
    table = pd.DataFrame({"weight": range(40), "height": [number * 7 % 40 for number in range(40)]})
    made = sf.microaggregate(table, columns=["weight", "height"], groups=[["weight"], ["height"]], k=4)
    made.write(tmp_path / "shared.csv")
    assert run("report", tmp_path, "--quiet").status == 0
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert Report(text).open == []
    found = published(tmp_path / "shared.csv")
    assert report_html(found) == text
    more = replace(found, subject=replace(found.subject, columns=("weight", "height", "note")))
    said = " ".join(not_protected(more))
    for word in ("weight, height", "published unchanged: note", "classes as small as", "order of the"):
        assert word in said
    unwritten = made.report(tmp_path / "python.html")
    assert unwritten.holds
    assert "Evidence" not in type(unwritten).__name__
    assert made.report(tmp_path / "inside.html", internal=True).utility is not None


def test_what_is_not_protected_follows_from_the_manifest(found: Published) -> None:
    said = not_protected(found)
    together = " ".join(said)
    assert "age, zip, sex" in together
    assert "No diversity of disease within classes is required" in together
    assert "differential privacy" in together
    assert "other releases" in together
    verdict = replace(found.subject.verdict, require={"k": 3.0, "distinct_l(disease)": 2.0})
    fewer = not_protected(replace(found, subject=replace(found.subject, verdict=verdict)))
    assert len(fewer) == len(said) - 1
    near = replace(found.subject, release={"order": "sorted", "choice": "near-optimal"})
    assert len(not_protected(replace(found, subject=near))) == len(said) - 1
    assert "What this release does not protect against" in report_html(found)


def test_labels_can_be_left_out(found: Published) -> None:
    bare = report_html(found, show_values=False)
    for item in found.attributes:
        for block in item.blocks:
            assert block.label == "*" or f">{block.label}<" not in bare


def test_a_file_that_does_not_hold_says_so(world: tuple[sf.results.Release, Path], tmp_path: Path) -> None:
    for name in NAMES:
        shutil.copy(world[1] / name, tmp_path / name)
    with (tmp_path / "shared.csv").open("a", encoding="utf-8") as file:
        file.write("*,*,*,flu\n")
    assert run("report", tmp_path).status == 1
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert 'class="verdict bad"' in text
    assert str(tmp_path) not in text


def test_options_of_the_internal_edition_need_it(world: tuple[sf.results.Release, Path]) -> None:
    found = run("report", world[1], "--spec", world[1] / "people.toml")
    assert found.status == 2
    assert "--internal" in found.line
