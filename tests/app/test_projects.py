"""Projects and sessions without a browser: folders, undo, runs, and who sees what."""

from __future__ import annotations

import contextlib
import gc
import os
import runpy
import sqlite3
import stat
import sys
from typing import TYPE_CHECKING, Any

import pytest

from sfumato.app.jobs import Job, in_words, let_go
from sfumato.app.projects import Desk, Project, clean_name
from sfumato.errors import DataError, SfumatoError
from sfumato.front import front_csv
from sfumato.spec import Spec
from tests.cli.running import run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sfumato.monitor import Progress

PEOPLE = "\n".join(
    ["name,age,zip,hiv"]
    + [f"p{n:03},{20 + n % 30},{10000 + n % 5},{'pos' if n % 3 else 'neg'}" for n in range(200)]
)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "projects")


@pytest.fixture
def opened(desk: Desk, tmp_path: Path) -> Project:
    file = tmp_path / "people.csv"
    file.write_text(PEOPLE + "\n")
    visit = desk.visit("me")
    desk.start_file(visit, file, move=False)
    assert visit.project is not None
    return finished(visit.project)


def finished(project: Project) -> Project:
    assert project.job is not None
    project.job.wait(120)
    assert project.job.error is None
    return project


def test_opening_suggests_roles_and_writes_the_specification(opened: Project) -> None:
    assert opened.spec is not None
    assert opened.spec.identifiers == ("name",)
    assert Spec.load(opened.folder / "specification.toml") == opened.spec
    assert opened.look is not None
    assert opened.look.rows == 200
    assert [column.distinct for column in opened.look.columns] == [200, 30, 5, 2]


def test_project_folder_runs_on_the_command_line(
    opened: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("check", opened.folder / "specification.toml", "--json")
    assert done.status == 0, done.err


def test_undo_takes_back_one_change_after_the_other(opened: Project) -> None:
    first = opened.spec
    opened.set_role("hiv", "left out")
    opened.set_role("name", "other")
    assert opened.undo() == "name: other"
    assert opened.undo() == "hiv: left out"
    assert opened.spec == first
    assert Spec.load(opened.folder / "specification.toml") == first
    assert opened.undo() is None


def test_who_is_singled_out_is_counted_again_when_roles_change(opened: Project) -> None:
    assert opened.is_scanned
    opened.set_role("hiv", "quasi-identifier")
    assert not opened.is_scanned
    opened.begin("Counting", opened.scan)
    finished(opened)
    assert opened.is_scanned
    opened.undo()
    assert not opened.is_scanned


def test_wrong_file_leaves_the_open_project_and_says_its_name_alone(
    desk: Desk, opened: Project, tmp_path: Path
) -> None:
    visit, file = desk.visit("me"), tmp_path / "empty.csv"
    file.write_text("")
    desk.start_file(visit, file, move=True)
    tried = visit.project
    assert tried is not None
    assert tried.job is not None
    tried.job.wait(120)  # or it failed already
    assert visit.project is opened
    assert visit.trouble is not None
    assert visit.trouble.startswith("empty.csv: the file is empty")
    assert [folder.name for folder in desk.home.iterdir()] == [opened.folder.name]


def test_data_that_are_gone_are_told_and_read_again(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text(PEOPLE + "\n")
    desk.start_file(desk.visit("me"), file, move=False)
    mine = desk.visit("me").project
    assert mine is not None
    folder = finished(mine).folder
    file.unlink()
    visit = desk.visit("me")
    desk.open(visit, folder)
    assert visit.project is not None
    assert visit.project.job is not None
    visit.project.job.wait(120)
    assert visit.project.look is None
    assert visit.project.job.error is not None
    file.write_text(PEOPLE + "\n")
    visit.project.read_again()
    assert finished(visit.project).look is not None


def test_wrong_change_changes_nothing(opened: Project) -> None:
    before = opened.spec
    with pytest.raises(SfumatoError):
        opened.change("nonsense", lambda tables: tables.update(search={"time_limit": -1}))
    assert opened.spec == before
    assert opened.past == []


def test_role_that_is_no_longer_sensitive_takes_its_measures_along(opened: Project) -> None:
    assert opened.spec is not None
    assert "distinct_l(hiv)" in opened.spec.objectives.maximize
    opened.set_role("hiv", "left out")
    assert opened.spec is not None
    assert opened.spec.objectives.maximize == ("k",)


def test_runs_are_kept_and_loaded_again(opened: Project, desk: Desk) -> None:
    finished_search(opened)
    assert opened.front is not None
    found = front_csv(opened.front)
    opened.change("k", lambda tables: tables.update(require={"k": 20}))
    assert opened.is_outdated
    finished_search(opened)
    assert opened.runs == [1, 2]
    opened.load_run(1)
    finished(opened)
    assert front_csv(opened.front) == found
    assert not opened.is_outdated
    for file in opened.folder.glob("runs/*/front.csv"):
        assert os.name == "nt" or stat.S_IMODE(file.stat().st_mode) == 0o600


def finished_search(project: Project) -> None:
    project.search()
    finished(project)


def test_local_recoding_is_kept_and_released(opened: Project) -> None:
    def edit(tables: dict[str, Any]) -> None:
        tables["attributes"]["age"] |= {"scheme": "ordered", "output": "median"}
        tables |= {"search": {"method": "nsga2", "iterations": 5000}, "suppression": {"rule": "smallest"}}

    opened.change("what only global recoding has", edit)
    opened.set_scope("local")
    finished_search(opened)
    front = opened.front
    assert front is not None
    assert front.is_local
    assert front.beside is not None
    opened.load_run(1)
    finished(opened)
    assert opened.front is not None
    assert (front_csv(opened.front), len(opened.front.beside or ())) == (front_csv(front), len(front.beside))
    assert [item.classes.tolist() for item in opened.front] == [item.classes.tolist() for item in front]
    number = 2  # of several: in chosen/ it is the first
    opened.chosen = [number]
    opened.look_closely(Job("", print, lambda: None))
    assert any(before != after for before, after in zip(*rows_of(opened, number), strict=True))
    opened.release(number, "shared.csv")
    made = finished(opened).made
    assert made is not None
    assert made.verdict["holds"]
    secret = opened.folder / "release" / "assignment.json"
    assert os.name == "nt" or stat.S_IMODE(secret.stat().st_mode) == 0o600
    opened.set_scope("global")
    assert opened.spec is not None
    assert not opened.spec.is_local


def test_databases_are_opened_as_files_are(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("adbc_driver_sqlite", reason="the extra 'postgres' is not installed")
    rows = [line.split(",") for line in PEOPLE.splitlines()]
    with contextlib.closing(sqlite3.connect(tmp_path / "people.db")) as database, database:
        database.execute("create table people (name, age integer, zip, hiv)")
        database.executemany("insert into people values (?, ?, ?, ?)", rows[1:])
    visit = desk.visit("me")
    desk.start_database(visit, f"sqlite:///{tmp_path / 'people.db'}", "people")
    assert visit.project is not None
    project = finished(visit.project)
    assert project.look is not None
    assert project.look.rows == 200
    finished_search(project)
    project.release(1, "shared.csv")
    made = finished(project).made
    assert made is not None
    assert made.verdict["holds"]
    monkeypatch.chdir(project.folder)
    monkeypatch.setattr(sys, "argv", ["reproduce.py", "again.csv"])
    runpy.run_path("reproduce.py", run_name="__main__")
    assert (project.folder / "again.csv").read_bytes() == made.file.read_bytes()


def test_addresses_with_a_password_are_refused_and_leave_nothing(desk: Desk) -> None:
    with pytest.raises(SfumatoError) as found:
        desk.start_database(desk.visit("me"), "postgresql://me:hush@db.example.org/clinic", "visits")
    assert "password" in str(found.value)
    assert "hush" not in in_words(found.value)
    assert list(desk.home.iterdir()) == []


def rows_of(project: Project, number: int) -> tuple[Sequence[object], Sequence[object]]:
    look = project.details[number].look
    return look.before, look.after


def test_stop_keeps_what_was_found(opened: Project) -> None:
    job = opened.search()
    job.stop()
    finished(opened)
    assert opened.front is not None


def test_one_thing_at_a_time(opened: Project) -> None:
    job = opened.search()
    if not job.done:
        with pytest.raises(SfumatoError, match="still being done"):
            opened.search()
    job.wait()


def test_sessions_have_their_own_projects(desk: Desk, opened: Project) -> None:
    other = desk.visit("other")
    assert other.project is None
    assert desk.recent(other) == []
    with pytest.raises(DataError):
        desk.open(other, opened.folder)
    assert desk.recent(desk.visit("me")) == [opened.folder]


def test_folders_are_private(desk: Desk, opened: Project) -> None:
    if os.name == "nt":
        pytest.skip("Windows has other permissions")
    for folder in (opened.folder, desk.scratch, desk.private_folder(), desk.home):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\secret\\a.csv", "a.csv"),
        ("a\x00b.csv", "a_b.csv"),
        (".bashrc", "bashrc"),
        ("", "table"),
        ("Größe (1).csv", "Größe _1_.csv"),
    ],
)
def test_file_names_stay_in_their_folder(given: str, taken: str) -> None:
    assert clean_name(given) == taken


def test_memory_is_given_back_without_freezing_other_programs() -> None:
    before = gc.get_freeze_count()
    let_go()
    assert (gc.get_freeze_count() > 0) == (before > 0)


def test_errors_of_ours_show_nothing_of_the_data(caplog: pytest.LogCaptureFixture) -> None:
    words = in_words(ValueError("Mrs Miller, diagnosis HIV"))
    assert "Miller" not in words
    assert "Miller" not in caplog.text


def test_job_hands_on_progress_and_stops() -> None:
    seen: list[bool] = []
    job = Job("Working", lambda job: seen.append(job.watch(Steps)), lambda: None)  # type: ignore[arg-type]
    job.stop()
    job.start().wait()
    assert seen == [True]
    assert job.done
    assert job.progress is Steps


class Steps:
    fraction = 0.5


def test_searches_show_the_front_while_it_grows(opened: Project) -> None:
    from sfumato import api

    seen: list[Progress] = []
    assert opened.spec is not None
    front = api.explore(None, opened.spec, callback=seen.append)
    costs = seen[-1].costs
    assert costs is not None
    signs = [-1 if item.maximize else 1 for item in front.objectives]
    found = {
        tuple(sign * item.value(o.name) for sign, o in zip(signs, front.objectives, strict=True))
        for item in front
    }
    assert {tuple(round(cost, 9) for cost in row) for row in costs.tolist()} == {
        tuple(round(cost, 9) for cost in row) for row in found
    }
