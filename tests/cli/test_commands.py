"""Each command on a small table: what it prints, what it writes, what its JSON holds."""

from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path

import pytest

import sfumato
from tests.cli.running import change, listing, run, write_people

SHAPES = {
    "check": ["check", "SPEC"],
    "explore": ["explore", "SPEC", "--out", "FRONT2"],
    "compare": ["compare", "SPEC", "--front", "FRONT", "1", "2"],
    "anonymize": ["anonymize", "SPEC", "--out", "OUT2"],
    "release": ["release", "SPEC", "--front", "FRONT", "--pick", "knee", "--out", "OUT2"],
    "verify": ["verify", "OUT"],
    "measure": ["measure", "DATA", "--qi", "age,sex", "--sensitive", "disease"],
    "init": ["init", "DATA", "--out", "SPEC2"],
}
WRITERS = ("explore", "anonymize", "release", "init")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with a front and a release."""
    folder = tmp_path_factory.mktemp("made")
    spec = write_people(folder)
    assert run("explore", spec, "--out", folder / "front").status == 0
    assert run("anonymize", spec, "--out", folder / "out.csv").status == 0
    return folder


@pytest.fixture
def places(made: Path, tmp_path: Path) -> dict[str, str]:
    """Give a front and a release to work on, and names for more."""
    folder = tmp_path / "work"
    shutil.copytree(made, folder)
    names = {"SPEC": "people.toml", "DATA": "people.csv", "FRONT": "front", "OUT": "out.csv"}
    names |= {"FRONT2": "front2", "OUT2": "out2.csv", "SPEC2": "other.toml"}
    return {name: str(folder / file) for name, file in names.items()}


def words(command: str, places: dict[str, str]) -> list[str]:
    return [places.get(word, word) for word in SHAPES[command]]


@pytest.mark.some(5)
@pytest.mark.parametrize("command", SHAPES)
def test_json_is_one_object_and_nothing_else(command: str, places: dict[str, str]) -> None:
    found = run(*words(command, places), "--json")
    assert (found.status, found.err) == (0, "")
    assert found.json
    more = ["--force"] if command in WRITERS else []
    in_front = run("--json", *words(command, places), *more)
    assert in_front.json.keys() == found.json.keys()


@pytest.mark.some(5)
@pytest.mark.parametrize("command", SHAPES)
def test_quiet_prints_nothing(command: str, places: dict[str, str]) -> None:
    found = run(*words(command, places), "--quiet")
    assert (found.status, found.out, found.err) == (0, "", "")


@pytest.mark.some(5)
@pytest.mark.parametrize("command", SHAPES)
@pytest.mark.parametrize("columns", [80, 120])
def test_text_fits_the_terminal(command: str, columns: int, places: dict[str, str]) -> None:
    found = run(*words(command, places), columns=columns)
    assert (found.status, found.err) == (0, "")
    folder = str(Path(places["SPEC"]).parent)
    for line in found.out.splitlines():
        assert len(line) <= columns or folder in line  # paths are not cut
        assert line == line.rstrip()
        assert "\x1b" not in line


@pytest.mark.parametrize("command", [*SHAPES, "demo"])
def test_every_command_says_its_version(command: str) -> None:
    assert run(command, "--version").out == f"sfumato {sfumato.__version__}\n"


def test_check_json_is_what_the_contract_says(spec: Path) -> None:
    found = run("check", spec, "--json").json
    keys = ["ok", "rows", "distinct", "space", "method", "exact", "warnings", "attributes"]
    assert set(keys) <= set(found)
    assert (found["ok"], found["rows"], found["space"]) == (True, 60, str(5 * 3 * 2))
    attributes = found["attributes"]
    assert isinstance(attributes, list)
    assert [item["name"] for item in attributes] == ["name", "age", "zip", "sex", "disease"]
    assert set(attributes[1]) == {"name", "role", "kind", "scheme", "values", "levels", "space"}
    assert (attributes[2]["values"], attributes[2]["levels"]) == (4, 3)


def test_check_prints_attributes_and_space(spec: Path) -> None:
    out = run("check", spec).out
    assert re.search(r"zip +quasi-identifier +category +levels +4 +3", out)
    assert "30 recodings" in out


def test_explore_writes_three_files_that_belong_together(spec: Path) -> None:
    folder = spec.with_name("front")
    before = listing(spec.parent)
    found = run("explore", spec, "--out", folder, "--json").json
    after = listing(spec.parent)
    assert sorted(set(after) - set(before)) == [
        f"front/{name}" for name in ("front.csv", "front.html", "run.json")
    ]
    run_file = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    for key in (
        "method",
        "why",
        "status",
        "seed",
        "space",
        "evaluated",
        "complete",
        "seconds",
        "seconds_total",
    ):
        assert key in run_file
    assert run_file["complete"] is True
    assert found["run"] == run_file
    with (folder / "front.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["solution", "k", "distinct_l(disease)", "loss", "suppressed", "recoding"]
    assert len(rows) == found["solutions"]
    front = found["front"]
    assert isinstance(front, list)
    for row, item in zip(rows, front, strict=True):
        assert json.loads(row["recoding"]) == item["recoding"]
        assert float(row["loss"]) == item["loss"]
        assert int(row["k"]) == item["k"] >= 3
    assert "<html" in (folder / "front.html").read_text(encoding="utf-8")


def test_explore_shows_front_knee_and_next_command(spec: Path) -> None:
    folder = spec.with_name("front")
    out = run("explore", spec, "--out", folder).out
    assert "30 recodings" in out
    assert "complete" in out
    assert "knee" in out
    command = next(line for line in out.splitlines() if "sfumato release" in line).split("sfumato ")[1]
    quoted = re.findall(r'"[^"]*"|\S+', command)
    again = run(*(word.strip('"') for word in quoted[:-1]), spec.with_name("next.csv"))
    assert again.status == 0
    assert spec.with_name("next.csv").is_file()


def test_seed_and_time_limit_have_the_last_word(spec: Path) -> None:
    found = run("explore", spec, "--out", spec.with_name("front"), "--seed", 7, "--json").json
    assert isinstance(found["run"], dict)
    assert found["run"]["seed"] == 7


def test_threads_do_not_change_the_front(spec: Path) -> None:
    for threads in (1, 2):
        assert run("explore", spec, "--out", spec.with_name(f"f{threads}"), "--threads", threads).status == 0
    one, two = (spec.with_name(f"f{threads}") / "front.csv" for threads in (1, 2))
    assert one.read_bytes() == two.read_bytes()


def test_anonymize_is_what_a_recount_by_hand_finds(spec: Path) -> None:
    out = spec.with_name("out.csv")
    found = run("anonymize", spec, "--out", out, "--json").json
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["age", "zip", "sex", "disease"]
    sizes: dict[tuple[str, ...], int] = {}
    for row in rows:
        key = (row["age"], row["zip"], row["sex"])
        sizes[key] = sizes.get(key, 0) + 1
    measures, counted = found["measures"], found["rows"]
    assert isinstance(measures, dict)
    assert isinstance(counted, dict)
    assert min(sizes.values()) == measures["k"] >= 3
    assert counted == {"in": 60, "out": len(rows), "suppressed": 60 - len(rows)}
    assert found["classes"] == len(sizes)
    assert found["file"] == str(out)
    stated = json.loads(Path(str(found["manifest"])).read_text(encoding="utf-8"))
    assert stated["measures"].items() <= measures.items()
    assert "loss" in measures
    assert "loss" in stated["withheld"]
    assert set(found["recoding"]) == {"age", "zip", "sex"}  # type: ignore[call-overload]
    assert isinstance(found["run"], dict)
    assert found["run"]["status"] == "optimal"


def test_anonymize_shows_what_was_asked_and_what_was_reached(spec: Path) -> None:
    out = run("anonymize", spec, "--out", spec.with_name("out.parquet")).out
    assert re.search(r"k +>= 3 +\d+", out)
    assert re.search(r"loss +minimize +0\.\d+", out)
    assert re.search(r"zip +\d of 2", out)
    assert "verified" in out
    assert "optimal" in out


def test_labels_are_shown_only_where_values_may_be(spec: Path) -> None:
    change(spec, 'hierarchy = { file = "zip.csv" }', 'hierarchy = { file = "zip.csv" }\nlevels = [1, 1]')
    assert "24" in _looks_like(run("anonymize", spec, "--out", spec.with_name("a.csv")).out)
    assert _looks_like(run("anonymize", spec, "--out", spec.with_name("b.csv"), "--no-values").out) == ""


def _looks_like(out: str) -> str:
    line = next(line for line in out.splitlines() if line.startswith("zip"))
    return line.partition("1 of 2")[2].strip()


@pytest.mark.parametrize("pick", ["knee", "1", "k >= 4 and loss <= 1"])
def test_release_applies_what_was_picked(places: dict[str, str], pick: str) -> None:
    spec, front, out = places["SPEC"], places["FRONT"], places["OUT2"]
    found = run("release", spec, "--front", front, "--pick", pick, "--out", out, "--json").json
    chosen = sfumato.Front.load(front).pick(pick)
    measures = found["measures"]
    assert isinstance(measures, dict)
    assert found["solution"] == chosen.number
    assert found["recoding"] == dict(chosen.recoding)
    assert measures["loss"] == pytest.approx(chosen.measures["loss"])
    assert run("verify", out).status == 0


def test_verify_shows_promise_beside_recount(places: dict[str, str]) -> None:
    found = run("verify", places["OUT"])
    assert found.status == 0
    assert re.search(r"k +>= 3 +(\d+) +\1\n", found.out)
    assert found.out.rstrip().endswith(": verified, no violations")
    assert run("verify", places["OUT"], "--spec", places["SPEC"]).status == 0


def test_verify_of_a_changed_file_is_status_1(places: dict[str, str]) -> None:
    out = Path(places["OUT"])
    lines = out.read_text(encoding="utf-8").splitlines()
    out.write_text("\n".join([*lines[:-1], ""]), encoding="utf-8")
    found = run("verify", out)
    assert found.status == 1
    assert "sha256 differs" in found.out
    assert "not verified" in found.out
    as_json = run("verify", out, "--json")
    assert (as_json.status, as_json.json["holds"]) == (1, False)


def test_verify_against_a_stricter_specification_is_status_1(places: dict[str, str]) -> None:
    change(Path(places["SPEC"]), "k = 3", "k = 30")
    found = run("verify", places["OUT"], "--spec", places["SPEC"])
    assert found.status == 1
    assert "at least 30 promised" in found.out


def test_verify_needs_a_promise(places: dict[str, str]) -> None:
    found = run("verify", places["DATA"])
    assert found.status == 2
    assert "--spec" in found.line
    assert run("verify", places["FRONT"] + "/none.csv").status == 2
