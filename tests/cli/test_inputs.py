"""No command replaces what it reads, ``--force`` or not, and every name is the name of a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

import sfumato
from sfumato.errors import OutputError
from tests.cli.running import change, run

if TYPE_CHECKING:
    from pathlib import Path

posix = pytest.mark.skipif(os.name == "nt", reason="names and links as POSIX systems have them")


def every(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def refuse(folder: Path, *words: object) -> None:
    before = every(folder)
    found = run(*words, "--force")
    assert found.status == 2, found.out
    assert "this is an input, which is never replaced" in found.line
    assert every(folder) == before


def test_explore_beside_data_of_that_name(spec: Path, tmp_path: Path) -> None:
    (tmp_path / "people.csv").rename(tmp_path / "front.csv")
    change(spec, "people.csv", "front.csv")
    refuse(tmp_path, "explore", spec, "--out", tmp_path)


def test_init_over_the_data(spec: Path, tmp_path: Path) -> None:
    refuse(tmp_path, "init", tmp_path / "people.csv", "--out", tmp_path / "people.csv")


@posix
def test_anonymize_over_data_hierarchy_specification_and_links(spec: Path, tmp_path: Path) -> None:
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "people.csv")
    (tmp_path / "soft.csv").symlink_to(tmp_path / "zip.csv")
    spec.rename(tmp_path / "r.csv.json")  # where the manifest of r.csv would be
    for name in ("people.csv", "zip.csv", "hard.csv", "soft.csv", "r.csv"):
        refuse(tmp_path, "anonymize", tmp_path / "r.csv.json", "--out", tmp_path / name)


def test_release_report_and_compare_over_what_they_read(spec: Path, tmp_path: Path) -> None:
    assert run("explore", spec, "--out", tmp_path).status == 0
    assert run("release", spec, "--front", tmp_path, "--pick", 1, "--out", tmp_path / "r.csv").status == 0
    refuse(tmp_path, "release", spec, "--front", tmp_path, "--pick", 1, "--out", tmp_path / "front.csv")
    for name in ("r.csv", "r.csv.json", "front.csv", "people.toml", "zip.csv", "people.csv"):
        refuse(tmp_path, "report", tmp_path, "--release", "r.csv", "--out", tmp_path / name)
    refuse(tmp_path, "compare", spec, 1, 2, "--front", tmp_path, "--out", tmp_path / "run.json")
    modes = {
        name: (tmp_path / name).stat().st_mode & 0o077 for name in ("front.csv", "front.html", "run.json")
    }
    assert os.name == "nt" or set(modes.values()) == {0}


def test_microaggregate_over_data_and_groups(spec: Path, tmp_path: Path) -> None:
    groups = tmp_path / "groups.json"
    groups.write_text('[["age"], ["visit"]]', encoding="utf-8")
    words = ["microaggregate", tmp_path / "people.csv", "--columns", "age,visit", "--groups", groups]
    for name in ("people.csv", "groups.json", "groups"):
        change(groups, '"age"', '"age"')
        target = tmp_path / (name if "." in name else "groups.json")
        refuse(tmp_path, *words, "--out", target)


def test_saving_over_what_is_named_or_is_no_recipe(spec: Path, tmp_path: Path) -> None:
    loaded = sfumato.Spec.load(spec)
    with pytest.raises(OutputError, match="is an input"):
        loaded.save(tmp_path / "zip.csv")
    loaded.save(spec)
    made = sfumato.anonymize(None, loaded)
    made.write(tmp_path / "r.csv")
    recipe = sfumato.Recipe.load(tmp_path / "r.csv.json")
    before = every(tmp_path)
    for name in ("r.csv.json", "people.csv", "people.toml"):
        with pytest.raises(OutputError, match="not a recipe"):
            recipe.save(tmp_path / name, force=True)
    with pytest.raises(OutputError, match="is an input"):
        made.report(tmp_path / "people.csv", force=True)
    assert every(tmp_path) == before
    recipe.save(tmp_path / "recipe.json")
    recipe.save(tmp_path / "recipe.json", force=True)


def test_a_lone_manifest_is_replaced_and_any_other_file_is_not(spec: Path, tmp_path: Path) -> None:
    out = tmp_path / "r.csv"
    assert run("anonymize", spec, "--out", out).status == 0
    out.unlink()  # as if the run had been killed between its last two steps
    assert run("anonymize", spec, "--out", out).status == 0
    assert run("verify", out).status == 0
    out.unlink()
    (tmp_path / "r.csv.json").write_text('{"mine": 1}', encoding="utf-8")
    found = run("anonymize", spec, "--out", out)
    assert found.status == 2
    assert "exists already" in found.line
    assert (tmp_path / "r.csv.json").read_text(encoding="utf-8") == '{"mine": 1}'
    assert not out.exists()


def test_a_folder_is_no_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (["verify", "."], ["verify", "..", "--spec", "none.toml"]):
        assert run(*words).status == 2
    assert "this is a folder" in run("verify", ".").line


@pytest.mark.parametrize("command", ["check", "verify", "measure"])
def test_a_nul_is_one_line(command: str) -> None:
    found = run(command, "a\0b.csv", *(["--qi", "a"] if command == "measure" else []))
    assert found.status == 2
    assert "NUL" in found.line


@posix
def test_every_name_is_that_of_a_file(spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a home, nor a pattern, nor an option: the file of this name is read, and no other."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    for name in ("~", "~x.csv", "home/x.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / "home" / "x.csv").write_text("age\n1\n", encoding="utf-8")
    text = (tmp_path / "people.csv").read_text(encoding="utf-8")
    for name in ("~x.csv", "~/x.csv", "a[1].csv", "a*.csv", "-x.csv", "a'b\".csv", "a\nb.csv", "{a,b}.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
        found = run("measure", "--qi", "age,sex", "--json", "--", name)
        assert found.status == 0, (name, found.err)
        assert found.json["rows"] == 60, name


@posix
def test_bytes_that_are_no_text_are_one_line(spec: Path, tmp_path: Path) -> None:
    strange = os.fsdecode(bytes(tmp_path) + b"/n\xff.csv")
    try:
        (tmp_path / "people.csv").rename(strange)
    except OSError:
        pytest.skip("this file system knows text alone")
    for words in (["measure", strange, "--qi", "age"], ["verify", strange]):
        found = run(*words)
        assert found.status == 2
        assert "UTF-8" in found.line or "no n" in found.line
