"""A project is one folder with one specification; a visit is a browser session with its project."""

from __future__ import annotations

import io
import os
import re
import secrets
import shutil
import zipfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato import api, datasets
from sfumato.app.jobs import Job, in_words, let_go
from sfumato.errors import DataError, OutputError, SfumatoError
from sfumato.front import front_csv, local_files, run_json
from sfumato.private import process_folder, remove, write_whole
from sfumato.release.json_files import atomic_folder
from sfumato.results import Front
from sfumato.searching import why_empty
from sfumato.spec import DataSpec, Spec, parse_measure_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sfumato.assess.risk_results import Risk, SubsetScan
    from sfumato.previewing import HierarchyLook, ReleaseLook, TableLook
    from sfumato.releases import Release
    from sfumato.suggesting import RoleSuggestion

SPECIFICATION = "specification.toml"
RUNS, RELEASES, CHOSEN, ASSIGNMENT = "runs", "release", "chosen", "assignment.json"
_REPRODUCE = '''\
"""Make the release again, to the byte: the one recoding that was chosen, without searching for it."""

import sys

import sfumato as sf

spec = sf.Spec.load("reproduce.toml")
front = sf.Front.load("chosen")  # holds this one solution
release = sf.release_solution(None, spec, front, 1)
release.write(sys.argv[1] if len(sys.argv) > 1 else {file!r}, force=True)  # verified first
'''
MOST_UNDO = 100
MOST_LABELLED = 500  # solutions of a front up to which labels of all of them are made
LEFT_OUT = "left out"
COUNTING = "Counting"


@dataclass(frozen=True)
class Detail:
    """One solution looked at closely."""

    look: ReleaseLook
    risk: Risk


@dataclass(frozen=True)
class Made:
    """A release that was written, with what was checked."""

    number: int  # the solution
    release: Release
    file: Path
    verdict: Mapping[str, Any]  # what `sfumato.verify` says about the file


@dataclass(eq=False)
class Project:
    """The state of everything that pages show; all of it is on disk too, or can be computed again."""

    folder: Path
    spec: Spec | None = None
    look: TableLook | None = None
    suggestion: RoleSuggestion | None = None
    subsets: SubsetScan | None = None
    scanned: tuple[str, ...] | None = None  # the quasi-identifiers that were scanned last
    levels: dict[str, HierarchyLook] = field(default_factory=dict)
    measures: dict[str, bool] = field(default_factory=dict)
    checked: Mapping[str, Any] | None = None  # what `sfumato.check` says
    trouble: str | None = None  # why it could not be checked
    front: Front | None = None
    run: int | None = None  # which run the front is of
    why_empty: str | None = None
    labels: dict[int, dict[str, str]] | None = None  # what columns look like in each solution
    drawn: dict[int | None, str] = field(default_factory=dict)  # its picture, by the solution that is picked
    chosen: list[int] = field(default_factory=list)  # solutions side by side
    details: dict[int, Detail] = field(default_factory=dict)
    made: Made | None = None
    tables: dict[str, Path] = field(default_factory=dict)  # tables that tools were given, by their words
    specs: dict[Path, Spec] = field(default_factory=dict)  # how tables that tools were given are read
    results: dict[str, Any] = field(default_factory=dict)  # what tools found, by their page
    exported: list[dict[str, str]] = field(default_factory=list)  # scripts as last shown, and before
    job: Job | None = None
    version: int = 0  # grows with everything that pages have to show anew
    past: list[tuple[Spec, str]] = field(default_factory=list)  # specifications before each change, for undo

    @property
    def name(self) -> str:
        """What people call it."""
        return self.folder.name

    @property
    def is_busy(self) -> bool:
        """Whether something is being done."""
        return self.job is not None and not self.job.done

    @property
    def data(self) -> Path | str:
        """Where the data are: a file, or the address of a database."""
        found = None if self.spec is None else self.spec.data_path
        if found is None:
            raise DataError("no data: open a file first.")
        return found

    def touch(self) -> None:
        """Let every page show the state anew."""
        self.version += 1

    def begin(
        self,
        doing: str,
        work: Callable[[Job], object],
        *,
        is_quiet: bool = False,
        after: Callable[[], object] = lambda: None,
    ) -> Job:
        """Do something in a thread; one thing at a time, and counting is waited for.

        A page that begins something while it is shown shows that already.
        """
        before = self.job if self.is_busy else None
        if before is not None and (before.doing != COUNTING or doing == COUNTING):
            raise SfumatoError("something is still being done. Stop it, or wait until it is done.")

        def run(job: Job) -> None:
            if before is not None:
                before.wait()
            work(job)

        def finish() -> None:
            after()
            self.touch()

        self.job = Job(doing, run, finish)
        if not is_quiet:
            self.touch()
        return self.job.start()

    # The specification.

    def change(self, words: str, edit: Callable[[dict[str, Any]], object]) -> None:
        """Change the specification by editing its tables; nothing happens if the result is wrong."""
        assert self.spec is not None
        tables = self.spec.to_dict()
        edit(tables)
        self._take(Spec.from_dict(tables, self.folder), words)

    def set_keys(self, words: str, *place: str, **keys: Any) -> None:
        """Set keys of one table of the specification, given by its place; None removes a key."""

        def edit(tables: dict[str, Any]) -> None:
            part = tables
            for name in place:
                part = part.setdefault(name, {})
            for key, value in keys.items():
                part.pop(key, None)
                if value is not None:
                    part[key] = value

        self.change(words, edit)

    def _take(self, spec: Spec, words: str) -> None:
        if spec == self.spec:
            return
        if self.spec is not None:
            self.past = [*self.past[1 - MOST_UNDO :], (self.spec, words)]
        self.set_spec(spec)

    def set_spec(self, spec: Spec) -> None:
        """Make a specification the current one, on disk too."""
        spec.save(self.folder / SPECIFICATION)
        self.spec, self.checked, self.trouble = Spec.load(self.folder / SPECIFICATION), None, None
        self.touch()

    def undo(self) -> str | None:
        """Take the last change back; return what it was."""
        if not self.past:
            return None
        before, words = self.past.pop()
        self.set_spec(before)
        return words

    def set_role(self, name: str, role: str) -> None:
        """Give a column another role, with the hierarchy that is suggested for it."""

        def edit(tables: dict[str, Any]) -> None:
            attributes = tables["attributes"]
            if role == LEFT_OUT:
                attributes.pop(name, None)
            else:
                attributes[name] = self._keys(name, role)
            if role != "sensitive":
                _forget_measures(tables, name)

        self.change(f"{name}: {role}", edit)

    def set_scope(self, scope: str) -> None:
        """Let rows share labels by value or by group; keys of the other scope go."""
        assert self.spec is not None
        found = self.spec.to_local() if scope == "local" else self.spec.to_global()
        self._take(Spec.from_dict(found.to_dict(), self.folder), f"{scope} recoding")

    def _keys(self, name: str, role: str) -> dict[str, Any]:
        """Return what a specification says about a column in a role: the suggestion, or the role alone."""
        known = [] if self.suggestion is None else self.suggestion.guesses
        for guess in known:
            if guess.name == name and guess.role == role:
                return guess.keys()
        if role == "quasi-identifier":
            from sfumato.suggesting import specify

            try:
                return specify(self.data, None, [name], ()).to_dict()["attributes"][name]  # type: ignore[call-overload, index, return-value]
            except SfumatoError:
                pass
        return {"role": role}

    def check(self, job: Job) -> None:
        """Count groups, list measures, and see what a search would do; a mistake is told and kept."""
        from sfumato.preparing import load
        from sfumato.previewing import list_measures, look_at_hierarchies

        spec = self.spec
        assert spec is not None
        try:
            prepared = load(None, spec)
            self.levels, self.measures = look_at_hierarchies(prepared), list_measures(prepared)
            found = api.check(spec)
        except Exception as error:
            if spec == self.spec:
                self.checked, self.trouble = None, in_words(error)
        else:
            if spec == self.spec:
                self.checked, self.trouble = found, None

    # Opening data.

    def open_data(
        self,
        path: Path | str,
        spec: Spec | None = None,
        reading: DataSpec | None = None,
        after: Callable[[], object] = lambda: None,
    ) -> Job:
        """Read a table, and take the suggested specification if there is none."""

        def work(job: Job) -> None:
            from sfumato.previewing import look_over
            from sfumato.suggesting import suggest_specification

            suggestion = suggest_specification(path, reading if spec is None else spec.data)
            is_inside = isinstance(path, Path) and path.is_relative_to(self.folder)
            named = Path(path).relative_to(self.folder).as_posix() if is_inside else str(path)
            taken = suggestion.to_spec(reading or DataSpec(), named) if spec is None else spec
            self.look = look_over(path, taken.data)
            self.suggestion = suggestion
            self.past = []
            self.set_spec(taken)
            self.scan(job)
            self.check(job)

        return self.begin("Reading the data", work, after=after)

    def read_again(self) -> Job:
        """Read the data that the specification names."""
        return self.open_data(self.data, self.spec)

    def scan(self, job: Job) -> None:
        """Count whom a few quasi-identifiers single out."""
        from sfumato.previewing import find_subsets

        assert self.spec is not None
        self.scanned, self.subsets = self.spec.quasi_identifiers, None
        self.subsets = find_subsets(self.data, self.spec.data, self.scanned)

    @property
    def is_scanned(self) -> bool:
        """Whether the scan is of the current quasi-identifiers, or failed with them."""
        return self.spec is None or self.scanned == self.spec.quasi_identifiers

    # Searching.

    def search(self) -> Job:
        """Look for the front; what is found is kept as a run, also where it was stopped."""
        spec = self.spec
        assert spec is not None

        def work(job: Job) -> None:
            front = api.explore(None, spec, callback=job.watch)
            self._show_front(front)
            if len(front):
                self.run = max(self.runs, default=0) + 1
                files = _files_of(front)
                atomic_folder(self.folder / RUNS / str(self.run), files, private=files)
                spec.save(self.folder / RUNS / f"{self.run}.toml")

        (self.folder / RUNS).mkdir(exist_ok=True)
        return self.begin("Searching", work)

    def _show_front(self, front: Front) -> None:
        """Make a front the one that pages show, with its first suggestion chosen."""
        self.front, self.details, self.made, self.drawn = front, {}, None, {}
        self.why_empty = None if len(front) else why_empty(front)
        self.labels = front.labels() if len(front) <= MOST_LABELLED else None
        self.chosen = [item.solution.number for item in front.suggestions(1)] if len(front) else []

    @property
    def runs(self) -> list[int]:
        """The numbers of the runs that were kept, oldest first."""
        found = (self.folder / RUNS).glob("*/front.csv")
        return sorted(int(file.parent.name) for file in found if file.parent.name.isdigit())

    def load_run(self, number: int) -> Job:
        """Go back to an earlier run, and to the specification that it was made with."""

        def work(job: Job) -> None:
            tables = Spec.load(self.folder / RUNS / f"{number}.toml").to_dict()
            self._take(Spec.from_dict(tables, self.folder), f"back to run {number}")
            assert self.spec is not None
            self._show_front(Front.load(self.folder / RUNS / str(number)).attach(None, self.spec))
            self.run = number

        return self.begin("Loading the run", work)

    @property
    def is_outdated(self) -> bool:
        """Whether the specification was changed since the front was found."""
        asked = self._front_spec
        return asked is not None and _without_release(asked) != _without_release(self.spec)

    @property
    def _front_spec(self) -> Spec | None:
        return None if self.front is None or self.front.source is None else self.front.source[0].spec

    def look_closely(self, job: Job) -> None:
        """Apply the chosen solutions, compare rows, and attack them, as far as that was not done yet."""
        front = self.front
        for number in [*self.chosen]:
            if front is None or number in self.details:
                continue
            release = front[number - 1].release()
            risk = api.risk(None, release=release, spec=release.spec, subsets=False, downcoding=False)
            let_go()
            if front is self.front:
                self.details[number] = Detail(release.preview(), risk)

    def choose(self, number: int) -> None:
        """Put a solution beside the others, or take it away; at most three, the oldest goes."""
        if number in self.chosen:
            self.chosen.remove(number)
        else:
            self.chosen = [*self.chosen[-2:], number]
        self.touch()

    # Releasing.

    def put_last(self, number: int) -> None:
        """Make a solution the one that is released."""
        self.chosen = [*(other for other in self.chosen if other != number), number]
        self.touch()

    def release(self, number: int, name: str) -> Job:
        """Apply a solution, verify it, and write it with its reports and what reproduces it."""

        def work(job: Job) -> None:
            assert self.front is not None
            assert self.spec is not None
            # Who releases it and why may have been written since the search.
            is_same = self._front_spec == self.spec or self.is_outdated
            front = self.front if is_same else self.front.attach(None, self.spec)
            release = front[number - 1].release()
            folder = self.folder / RELEASES
            folder.mkdir(exist_ok=True)
            file = folder / clean_name(name)
            release.write(file, force=True)
            release.report(folder / "report.html", force=True)
            release.report(folder / "report-internal.html", internal=True, force=True)
            (folder / ASSIGNMENT).unlink(missing_ok=True)
            if front.is_local:
                release.write_assignment(folder / ASSIGNMENT)
            self._pin(release, number)
            let_go()
            self.made = Made(number, release, file, api.verify(file, release.spec, self.data))
            script = _REPRODUCE.format(file=f"{RELEASES}/{file.name}")
            write_whole(self.folder / "reproduce.py", script.encode(), private=True)

        return self.begin("Applying, writing and verifying", work)

    def _pin(self, release: Release, number: int) -> None:
        """Keep the one recoding that was released as a front of its own, with its specification."""
        assert self.front is not None
        # What was drawn is not drawn again, but applied.
        asked = release.spec.release.model_copy(update={"choice": "optimal", "seed": None})
        release.spec.model_copy(update={"release": asked}).save(self.folder / "reproduce.toml")
        only = replace(self.front.solutions[number - 1], number=1)
        if not self.front.is_local:  # another recoding may have been drawn
            measures = {name: release.measures[name] for name in only.measures}
            drawn = {"measures": measures, "recoding": release.recoding}
            only = replace(only, suppressed=release.rows["suppressed"], **drawn)  # type: ignore[arg-type]
        files = _files_of(replace(self.front, solutions=(only,), source=None))
        atomic_folder(self.folder / CHOSEN, files, private=files, force=True)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, text in files.items():
                archive.writestr(f"{CHOSEN}/{name}", text)
        write_whole(self.folder / f"{CHOSEN}.zip", packed.getvalue(), private=True)


def _files_of(front: Front) -> dict[str, str]:
    """Return the files of a front, which are for its owner only."""
    return {**local_files(front), "front.csv": front_csv(front), "run.json": run_json(front)}


def _without_release(spec: Spec | None) -> dict[str, Any]:
    """Return what a front depends on."""
    return {} if spec is None else {key: part for key, part in spec.to_dict().items() if key != "release"}


def _forget_measures(tables: dict[str, Any], name: str) -> None:
    """Remove requirements and objectives about an attribute that is no longer sensitive."""

    def is_about(measure: str) -> bool:
        return name in parse_measure_name(measure)[1][:1]

    tables["require"] = {key: value for key, value in tables.get("require", {}).items() if not is_about(key)}
    for measures in tables.get("objectives", {}).values():
        measures[:] = [item for item in measures if not is_about(item)]


def clean_name(name: str) -> str:
    """Return a file name that every system takes and that stays in its folder."""
    found = re.sub(r"[^\w.\- ]+", "_", Path(name.replace("\\", "/")).name).strip(" .")
    return found[:120] or "table"


@dataclass(eq=False)
class Visit:
    """One browser session."""

    project: Project | None = None
    before: Project | None = None  # the project that was left, until the data of the new one are read
    trouble: str | None = None  # why data could not be opened, until others are; all tabs say it
    dark: bool | None = None  # None until the browser has said what the system prefers
    uploads: dict[str, Path] = field(default_factory=dict)  # page → the file that came last
    tools: Project | None = None  # where tools work while no project is open

    @property
    def bench(self) -> Project:
        """Where work is done: the project, or the place for tools."""
        found = self.project or self.tools
        assert found is not None
        return found


class Desk:
    """All sessions with their projects, and the folder in which projects are kept."""

    def __init__(self, home: Path | None = None) -> None:
        self.is_kept = home is not None
        self.home = process_folder() / "projects" if home is None else home
        self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.scratch = process_folder() / "uploads"
        self.scratch.mkdir(mode=0o700, exist_ok=True)
        self._visits: dict[str, Visit] = {}

    def visit(self, visitor: str) -> Visit:
        """Return the session of a visitor."""
        if visitor not in self._visits:
            self._visits[visitor] = Visit(tools=Project(self.private_folder()))
        return self._visits[visitor]

    def private_folder(self) -> Path:
        """Make a folder for files that come and go."""
        folder = self.scratch / secrets.token_hex(8)
        folder.mkdir(mode=0o700)
        return folder

    def recent(self, visit: Visit) -> list[Path]:
        """Return the projects of the folder, newest first, without those that other sessions have open."""
        if not self.is_kept:
            return [] if visit.project is None else [visit.project.folder]
        found = [file.parent for file in self.home.glob(f"*/{SPECIFICATION}")]
        mine = [folder for folder in found if not self._is_taken(folder, visit)]
        return sorted(mine, key=lambda folder: -(folder / SPECIFICATION).stat().st_mtime)

    def _is_taken(self, folder: Path, visit: Visit) -> bool:
        others = [other for other in self._visits.values() if other is not visit]
        theirs = [project for other in others for project in (other.project, other.before)]
        return any(project is not None and project.folder.samefile(folder) for project in theirs)

    def new_folder(self, name: str) -> Path:
        """Make a private folder for a project; a number is added to a name that is taken."""
        for number in range(1, 10_000):
            folder = self.home / (name if number == 1 else f"{name}-{number}")
            try:
                folder.mkdir(mode=0o700)
            except FileExistsError:
                continue
            return folder
        raise OutputError("there are too many projects of this name. Rename the file.", where=name)

    def start_example(self, visit: Visit) -> None:
        """Begin a project with the embedded census table."""
        specification = datasets.adult_spec_path()
        folder, home = self.new_folder("census"), specification.parent
        for file in (datasets.adult_path(), *datasets.hierarchies().values()):
            target = folder / file.relative_to(home)
            target.parent.mkdir(exist_ok=True)
            shutil.copyfile(file, target)
        tables = Spec.load(specification).to_dict()
        self._begin(visit, folder, folder / "adult.parquet", Spec.from_dict(tables, folder))

    def start_file(self, visit: Visit, path: Path, *, move: bool) -> None:
        """Begin a project with a file: one that was uploaded moves in, any other stays where it is."""
        if not path.exists():
            raise DataError("there is no such file on this machine.", where=str(path))
        folder = self.new_folder(clean_name(path.stem))
        if move:
            path = Path(shutil.move(path, folder / path.name))
        self._begin(visit, folder, path.absolute()).doing = f"Reading {path.name}"

    def start_database(self, visit: Visit, address: str, source: str) -> None:
        """Begin a project with a table of a database, or with what a query selects."""
        key = "query" if re.match(r"\s*(?:select|with)\b", source, re.IGNORECASE) else "table"
        # Refuses an address with a password, without repeating it.
        reading = DataSpec(path=address, **({key: source.strip()} if source.strip() else {}))  # type: ignore[arg-type]
        file = address.removeprefix("sqlite:///")
        address = address if file == address else f"sqlite:///{Path(file).absolute()}"
        folder = self.new_folder(clean_name(source) if key == "table" else "query")
        self._begin(visit, folder, address, reading=reading)

    def open(self, visit: Visit, folder: Path) -> None:
        """Open a project of the folder."""
        if not (folder / SPECIFICATION).is_file() or self._is_taken(folder, visit):
            raise DataError("this project is not here, or is open in another browser session.")
        project = Project(folder, Spec.load(folder / SPECIFICATION))
        project.read_again()
        visit.project, visit.trouble = project, None

    def _begin(
        self,
        visit: Visit,
        folder: Path,
        data: Path | str,
        spec: Spec | None = None,
        reading: DataSpec | None = None,
    ) -> Job:
        """Begin a project in a folder; if its data cannot be read, there is again what was before it."""
        if visit.project is not None and visit.project.spec is not None:
            visit.before = visit.project
        project = visit.project = Project(folder)
        visit.trouble = None

        def settle() -> None:
            is_here = visit.project is project
            if project.spec is None:
                remove(folder)
                error = "" if project.job is None else project.job.error or ""
            if project.spec is None and is_here:
                # A file that was uploaded is known to people by its name.
                visit.trouble = error.replace(f"{folder}{os.sep}", "") or "The file could not be read."
                visit.project = visit.before
            if is_here:
                visit.before = None

        return project.open_data(data, spec, reading, settle)
