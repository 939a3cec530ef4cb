"""``sfumato report``: one HTML file about the release in a folder."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.running import change, listing, run, write_people

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with a specification, a front and a release."""
    folder = tmp_path_factory.mktemp("made")
    spec = write_people(folder, 200)
    assert run("explore", spec, "--out", folder, "--quiet").status == 0
    out = folder / "shared.csv"
    assert run("release", spec, "--front", folder, "--pick", "k >= 3", "--out", out, "--quiet").status == 0
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """Give a copy that may be changed."""
    return Path(shutil.copytree(made, tmp_path / "copy"))


def _page(folder: Path, name: str = "report.html") -> str:
    return (folder / name).read_text(encoding="utf-8")


def _inside(folder: Path) -> str:
    return _page(folder, "report-internal.html")


@pytest.mark.some(1)
@pytest.mark.parametrize("edition", ["external", "internal"])
def test_report_is_written_into_the_folder(folder: Path, edition: str) -> None:
    before, name = listing(folder), "report.html" if edition == "external" else "report-internal.html"
    found = run("report", folder, *(["--internal"] if edition == "internal" else []), columns=80)
    assert (found.status, found.err) == (0, "")
    assert listing(folder).keys() - before.keys() == {name}
    assert "shared.csv: verified, no violations" in found.out
    assert f"the {edition} edition" in found.out
    page = _page(folder, name)
    assert "Not shown" not in page
    assert "Verified:" in page
    assert str(folder) not in page
    assert ("Do not publish." in page) is (edition == "internal")


def test_report_is_replaced_by_force_alone(folder: Path) -> None:
    (folder / "report.html").write_text("mine", encoding="utf-8")
    found = run("report", folder)
    assert found.status == 2
    assert "exists already" in found.line
    assert _page(folder) == "mine"
    assert run("report", folder, "--force", "--quiet").status == 0
    assert "Verified:" in _page(folder)


def test_report_goes_where_it_is_asked_for(folder: Path, tmp_path: Path) -> None:
    assert run("report", folder, "--out", tmp_path / "mine.html", "--quiet").status == 0
    assert (tmp_path / "mine.html").is_file()
    assert not (folder / "report.html").exists()
    assert run("report", folder, "--out", tmp_path / "nowhere" / "mine.html").status == 2


def test_json_is_the_evidence(folder: Path) -> None:
    found = run("report", folder, "--internal", "--json").json
    assert (found["holds"], found["file"], found["lacks"]) == (True, "shared.csv", [])
    for part in ("verdict", "risk", "utility", "class_sizes", "attributes", "specification", "versions"):
        assert found[part]
    assert found["report"] == str(folder / "report-internal.html")
    assert found["edition"] == "internal"


def test_json_of_the_external_edition_tells_nothing_of_the_original(folder: Path) -> None:
    found = run("report", folder, "--json").json
    assert (found["holds"], found["edition"]) == (True, "external")
    assert found["report"] == str(folder / "report.html")
    for part in ("risk", "utility", "specification", "run", "solution", "left_out", "exact"):
        assert part not in found
    sizes = found["class_sizes"]
    assert isinstance(sizes, dict)
    assert sizes.keys() == {"after"}


def test_no_values_shows_no_label(folder: Path) -> None:
    found = run("report", folder, "--no-values", "--json")
    assert found.status == 0
    with (folder / "shared.csv").open(encoding="utf-8", newline="") as file:
        labels = {row[name] for row in csv.DictReader(file) for name in ("age", "zip", "sex")} - {"*"}
    assert labels
    assert all(f">{label}<" not in _page(folder) and f'"{label}"' not in found.out for label in labels)


def test_a_changed_release_does_not_hold(folder: Path) -> None:
    lines = (folder / "shared.csv").read_text(encoding="utf-8").splitlines()
    (folder / "shared.csv").write_text("\n".join(lines[:-2]) + "\n", encoding="utf-8")
    found = run("report", folder)
    assert found.status == 1
    assert "not verified" in found.out
    assert 'class="verdict bad"' in _page(folder)
    assert "sha256" in _page(folder)


def test_a_release_without_a_column_does_not_hold(folder: Path) -> None:
    change(folder / "shared.csv", "age,", "years,")
    found = run("report", folder, "--json")
    assert found.status == 1
    assert found.json["holds"] is False
    assert "Not verified." in _page(folder)


def test_a_manifest_that_contradicts_itself_does_not_hold(folder: Path) -> None:
    manifest = folder / "shared.csv.json"
    values = json.loads(manifest.read_text(encoding="utf-8"))
    values["require"] = {"k": 2.0}
    manifest.write_text(json.dumps(values), encoding="utf-8")
    assert run("report", folder, "--quiet").status == 1
    assert "contradicts itself" in _page(folder)


def test_without_a_specification_the_release_alone_is_told(folder: Path) -> None:
    (folder / "people.toml").unlink()
    found = run("report", folder, "--internal")
    assert found.status == 0
    assert "missing: there is no specification" in found.out
    assert "--spec" in _inside(folder)
    assert "Finding one person" in _inside(folder)


def test_specification_may_stand_elsewhere(folder: Path, made: Path) -> None:
    (folder / "people.toml").unlink()
    assert run("report", folder, "--internal", "--spec", made / "people.toml", "--quiet").status == 0
    assert "Not shown" not in _inside(folder)


def test_without_data_or_front_the_rest_is_told(folder: Path) -> None:
    (folder / "people.csv").unlink()
    (folder / "front.csv").unlink()
    found = run("report", folder, "--internal")
    assert found.status == 0
    assert found.out.count("missing:") == 2
    assert "people.csv, are not where" in _inside(folder)
    assert "The specification" in _inside(folder)


def test_several_releases_or_specifications_are_a_question(folder: Path) -> None:
    for name in ("shared.csv", "shared.csv.json"):
        shutil.copy(folder / name, folder / f"second-{name}")
    found = run("report", folder, "--internal")
    assert found.status == 2
    assert "second-shared.csv, shared.csv" in found.line
    assert run("report", folder, "--internal", "--release", "shared.csv", "--quiet").status == 0
    shutil.copy(folder / "people.toml", folder / "more.toml")
    assert run("report", folder, "--release", "shared.csv", "--quiet").status == 0
    found = run("report", folder, "--internal", "--release", folder / "shared.csv", "--force")
    assert found.status == 2
    assert "more.toml, people.toml" in found.line


@pytest.mark.parametrize("arguments", [["nowhere"], ["."], [".", "--release", "nothing.csv"]])
def test_wrong_use_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    monkeypatch.chdir(tmp_path)
    found = run("report", *arguments)
    assert (found.status, found.out) == (2, "")
    assert found.line
    assert listing(tmp_path) == {}


def test_anonymized_release_has_a_report(tmp_path: Path) -> None:
    spec = write_people(tmp_path)
    assert run("anonymize", spec, "--out", tmp_path / "best.csv", "--quiet").status == 0
    assert run("report", tmp_path, "--internal", "--quiet").status == 0
    assert "no front.csv" in _inside(tmp_path)


@pytest.mark.some(1)
@pytest.mark.parametrize("formulas", ["keep", "escape"])
def test_an_office_export_is_compared_with_its_release(tmp_path: Path, formulas: str) -> None:
    lines = [
        f"{20 + place % 40};{1 + place % 28:02}.{1 + place % 9:02}.2024;{'Übelkeit' if place % 3 else 'HIV'}"
        for place in range(400)
    ]
    # one row is so far away that it is left out
    text = "\n".join(["Alter;Aufnahme;Diagnose", *lines, "99;24.12.1924;Grippe"])
    (tmp_path / "kranke.csv").write_text(text, encoding="cp1252")
    (tmp_path / "spec.toml").write_text(
        f"""
[data]
path = "kranke.csv"
encoding = "cp1252"
[attributes]
Alter = {{ role = "quasi-identifier", hierarchy = {{ intervals = [10, 20], bottom = 0, top = 100 }} }}
Diagnose = {{ role = "sensitive" }}
[attributes.Aufnahme]
role = "quasi-identifier"
format = "%d.%m.%Y"
hierarchy = {{ dates = ["month", "year"] }}
[require]
k = 3
[suppression]
limit = 0.01
[objectives]
minimize = ["loss"]
[release]
formulas = "{formulas}"
"""
    )
    made = tmp_path / "best.csv"
    assert run("anonymize", tmp_path / "spec.toml", "--out", made, "--quiet").status == 0
    assert (b"'20-29;" in made.read_bytes()) == (formulas == "escape")
    told = run("report", tmp_path, "--internal", "--quiet", "--json")
    assert told.status == 0, told.err
    evidence = json.loads(told.out)
    assert [lack["part"] for lack in evidence["lacks"]] == ["front"]
    assert evidence["utility"] is not None
    # dates in their own format lie on a line, so that they are told in bands of time
    groups = {item["attribute"]: item["groups"] for item in evidence["suppressed_by_group"]}["Aufnahme"]
    assert groups[0]["name"].startswith("24.12.1924")


@pytest.mark.some(1)
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine to open the report with")
@pytest.mark.parametrize("edition", [[], ["--internal"]], ids=["external", "internal"])
def test_report_opens_in_a_browser_in_silence(folder: Path, tmp_path: Path, edition: list[str]) -> None:
    assert run("report", folder, *edition, "--out", tmp_path / "page.html", "--quiet").status == 0
    log = _open(tmp_path / "page.html", tmp_path)
    assert "CONSOLE" not in log
    assert "Refused" not in log
    size = (tmp_path / "page.pdf").stat().st_size
    assert 20_000 < size < 3_000_000


def _open(page: Path, folder: Path) -> str:
    """Print a page to a file in Chromium, and return what its console says."""
    command = [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
    command += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    command += [f"--user-data-dir={folder / 'profile'}", f"--print-to-pdf={folder / 'page.pdf'}"]
    command += ["--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr", page.as_uri()]
    found = subprocess.run(command, capture_output=True, timeout=120, check=False, text=True)
    assert (folder / "page.pdf").is_file(), found.stderr[-2000:]
    return found.stderr
