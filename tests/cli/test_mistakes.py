"""Whatever a user gets wrong: one line, the right status, nothing written, no traceback."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.running import change, listing, run, write_people

Mistake = Callable[[Path], object]


def _write(name: str, text: str) -> Mistake:
    return lambda spec: spec.with_name(name).write_text(text, encoding="utf-8")


def _edit(old: str, new: str) -> Mistake:
    return lambda spec: change(spec, old, new)


def _ragged(spec: Path) -> None:
    with spec.with_name("people.csv").open("a", encoding="utf-8") as file:
        file.write("person-x,33,24126\n")


MISTAKES: dict[str, tuple[Mistake, str]] = {
    "missing data": (lambda spec: spec.with_name("people.csv").unlink(), "people.csv: there is no such file"),
    "missing specification": (lambda spec: spec.unlink(), "people.toml: there is no such file"),
    "empty data": (_write("people.csv", ""), "the file is empty"),
    "header alone": (_write("people.csv", "name,age,zip,sex,disease\n"), "a header and no rows"),
    "wrong separator": (
        _edit('path = "people.csv"', 'path = "people.csv"\nseparator = ";"'),
        "single column",
    ),
    "ragged rows": (_ragged, "line 62 has 3 fields where the header has 6"),
    "unknown attribute": (_edit("[attributes.age]", "[attributes.aeg]"), "Did you mean 'age'?"),
    "misspelt key": (_edit("[objectives]\nmaximize", "[objectives]\nmaximise"), "Did you mean 'maximize'?"),
    "misspelt section": (_edit("[suppression]", "[supression]"), "Did you mean 'suppression'?"),
    "not toml": (_edit("[suppression]", "[suppression"), "not valid TOML"),
    "unknown measure": (_edit('minimize = ["loss"]', 'minimize = ["los"]'), "there is no measure 'los'"),
    "wrong direction": (_edit('minimize = ["loss"]', 'minimize = ["mean_k"]'), "better when it is larger"),
    "k above the rows": (_edit("k = 3", "k = 61"), "from 1 to the 60 rows"),
    "hierarchy lacks values": (
        _write("zip.csv", "24126;*\n24127;*\n"),
        "2 of 4 distinct values of the data are missing",
    ),
    "hierarchy does not nest": (
        _write("zip.csv", "24126;241;a;*\n24127;241;b;*\n24200;242;b;*\n24301;243;b;*\n"),
        "does not nest",
    ),
    "hierarchy with two roots": (
        _write("zip.csv", "24126;241;*\n24127;241;*\n24200;242;all\n24301;243;*\n"),
        "last column has 2 different texts",
    ),
    "missing hierarchy": (lambda spec: spec.with_name("zip.csv").unlink(), "zip.csv"),
}
COMMANDS = {
    "check": ("check", "SPEC"),
    "explore": ("explore", "SPEC", "--out", "FOLDER"),
    "anonymize": ("anonymize", "SPEC", "--out", "FILE"),
}
WRITERS = {**COMMANDS, "init": ("init", "DATA", "--out", "OTHER")}


def arguments(command: str, spec: Path) -> list[str]:
    names = {"FOLDER": "front", "FILE": "out.csv", "DATA": "people.csv", "OTHER": "other.toml"}
    places = {"SPEC": spec, **{word: spec.with_name(name) for word, name in names.items()}}
    return [str(places.get(word, word)) for word in WRITERS[command]]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_is_told_in_one_line(spec: Path, name: str, command: str) -> None:
    make, expected = MISTAKES[name]
    make(spec)
    before = listing(spec.parent)
    found = run(*arguments(command, spec))
    assert (found.status, found.out) == (2, "")
    assert expected in found.line
    assert "Traceback" not in found.err
    assert "bug in sfumato" not in found.err
    assert listing(spec.parent) == before


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_is_told_as_json(spec: Path, name: str) -> None:
    make, expected = MISTAKES[name]
    make(spec)
    found = run("check", spec, "--json")
    error = found.json["error"]
    assert isinstance(error, dict)
    assert found.status == 2
    assert expected in f"{error['where']}: {error['message']}"
    assert found.err == ""


def test_missing_values_are_named_on_the_terminal_only_if_wanted(spec: Path) -> None:
    spec.with_name("zip.csv").write_text("24126;*\n24127;*\n", encoding="utf-8")
    assert "'24200', '24301'" in run("check", spec).line
    for options in (["--no-values"], ["--json"]):
        found = run("check", spec, *options)
        assert "24200" not in found.out + found.err


@pytest.mark.parametrize("name", MISTAKES)
def test_no_cell_is_shown_without_values(spec: Path, name: str) -> None:
    MISTAKES[name][0](spec)
    found = run("check", spec, "--no-values")
    for cell in ("person-", "24126", "24127", "24200", "24301", "gout"):
        assert cell not in found.out + found.err


def test_check_shows_all_broken_hierarchies_in_one_run(spec: Path) -> None:
    spec.with_name("zip.csv").write_text("24126;a;*\n24127;a;+\n", encoding="utf-8")
    change(spec, "intervals = [10, 20, 40], origin = 0", 'dates = ["year"]')
    found = run("check", spec)
    lines = found.err.splitlines()
    assert found.status == 2
    assert len(lines) == 4
    assert any("does not nest" in line for line in lines)
    assert any("different texts" in line for line in lines)
    assert any("2 of 4 distinct" in line for line in lines)
    assert any("age" in line and "dates" in line for line in lines)
    every = run("check", spec, "--json").json["error"]
    assert isinstance(every, dict)
    assert len(every["all"]) == 4


@pytest.mark.parametrize("command", ["explore", "anonymize"])
def test_requirement_out_of_reach_is_status_1_with_the_nearest(spec: Path, command: str) -> None:
    change(spec, "k = 3", 'k = 3\n"distinct_l(disease)" = 4')
    before = listing(spec.parent)
    found = run(*arguments(command, spec))
    assert (found.status, found.out) == (1, "")
    assert "distinct_l(disease) >= 4" in found.line
    assert "nearest" in found.line
    assert listing(spec.parent) == before
    assert "nearest" in str(run(*arguments(command, spec), "--json").json["error"])


def test_outputs_that_exist_need_force(spec: Path) -> None:
    out, folder = spec.with_name("out.csv"), spec.with_name("front")
    out.write_text("mine", encoding="utf-8")
    folder.mkdir()
    (folder / "run.json").write_text("mine", encoding="utf-8")
    for command in ("explore", "anonymize"):
        before = listing(spec.parent)
        assert "exists already" in run(*arguments(command, spec)).line
        assert listing(spec.parent) == before
        assert run(*arguments(command, spec), "--force").status == 0
    assert out.read_text(encoding="utf-8") != "mine"


@pytest.mark.parametrize("command", ["explore", "anonymize"])
@pytest.mark.parametrize("place", ["people.csv/out.csv", "nowhere/deep/out.csv"])
def test_output_that_cannot_be_written_is_found_before_the_work(
    spec: Path, command: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sfumato.api

    for name in ("explore", "anonymize"):
        monkeypatch.setattr(sfumato.api, name, lambda *_, **__: pytest.fail("the work began"))
    before = listing(spec.parent)
    found = run(command, spec, "--out", spec.parent / place)
    assert found.status == 2
    assert "folder" in found.line
    assert listing(spec.parent) == before


def test_unknown_suffix_is_found_before_the_work(spec: Path) -> None:
    found = run("anonymize", spec, "--out", spec.with_name("out.xls"))
    assert found.status == 2
    assert "out.xls" in found.line


@pytest.mark.parametrize("command", ["explore", "anonymize", "init"])
def test_full_disk_leaves_nothing(spec: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(handle: int) -> None:
        raise OSError(28, "No space left on device")

    before = listing(spec.parent)
    monkeypatch.setattr(os, "fsync", refuse)
    found = run(*arguments(command, spec))
    assert (found.status, found.out) == (2, "")
    assert "No space left on device" in found.line
    assert listing(spec.parent) == before
    assert not spec.with_name("front").exists()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["check"], "missing argument 'SPEC'"),
        (["check", "a", "b"], "unexpected extra argument"),
        (["check", "a", "--sed", "3"], "no such option: --sed"),
        (["chekc", "a"], "Did you mean 'check'?"),
        (["explore", "a"], "missing option '--out'"),
        (["explore", "a", "--out", "b", "--threads", "0"], "--threads"),
        (["explore", "a", "--out", "b", "--seed", "x"], "--seed"),
        (["explore", "a", "--out", "b", "--time-limit", "-1"], "--time-limit"),
        (["explore", "a", "--out", "b", "--time-limit", "nan"], "--time-limit"),
        (["measure", "a"], "missing option '--qi'"),
    ],
)
def test_wrong_use_is_one_line_or_one_object(words: list[str], expected: str) -> None:
    found = run(*words)
    assert (found.status, found.out) == (2, "")
    assert expected in found.line
    as_json = run(*words, "--json")
    assert as_json.status == 2
    assert expected in str(as_json.json["error"])


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("pick", "status", "expected"),
    [
        ("k >> 3", 2, "cannot read the pick"),
        ("los <= 1", 2, "Did you mean 'loss'?"),
        ("999", 2, "there is no solution 999"),
        ("k >= 1000", 1, "the nearest is solution"),
    ],
)
def test_pick_is_judged_before_the_data_are_read(spec: Path, pick: str, status: int, expected: str) -> None:
    front = spec.with_name("front")
    assert run("explore", spec, "--out", front).status == 0
    spec.with_name("people.csv").unlink()
    found = run("release", spec, "--front", front, "--pick", pick, "--out", spec.with_name("out.csv"))
    assert found.status == status
    assert expected in found.line


def test_front_of_other_data_is_refused(spec: Path) -> None:
    front, out = spec.with_name("front"), spec.with_name("out.csv")
    assert run("explore", spec, "--out", front).status == 0
    write_people(spec.parent, rows=61)
    found = run("release", spec, "--front", front, "--pick", "knee", "--out", out)
    assert found.status == 2
    assert "other data" in found.line
    assert "no front" in run("release", spec, "--front", spec.parent, "--pick", "1", "--out", out).line


def test_table_without_specification_is_told_about_options(tmp_path: Path) -> None:
    write_people(tmp_path, separator=";")
    data = tmp_path / "people.csv"
    found = run("measure", data, "--qi", "age", "--separator", ",")
    assert (found.status, found.out) == (2, "")
    assert 'Use --separator ";"' in found.line
    assert run("measure", data, "--qi", "age", "--separator", ";").status == 0
    assert "--separator" in run("measure", data, "--qi", "age", "--separator", "ab").line
    assert "--encoding" in run("measure", data, "--qi", "age", "--encoding", "utf-99").line
