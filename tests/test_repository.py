"""What the house rules ask of every file, checked by reading the files themselves."""

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib
import inspect
import itertools
import pkgutil
import re
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from numpydoc.validate import validate

import sfumato
from tests import rooms

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "sfumato"
MODULES = sorted(PACKAGE.rglob("*.py"))
CODE = [*MODULES, *sorted((ROOT / "tests").rglob("*.py"))]

# A module, or an attribute of a module, that is missing on Windows or on macOS.
POSIX_ONLY = {
    *("fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"),
    *("os.chown", "os.fchmod", "os.fork", "os.forkpty", "os.getegid", "os.geteuid", "os.getgid"),
    *("os.getloadavg", "os.getpgid", "os.getuid", "os.killpg", "os.mkfifo", "os.nice"),
    *("os.posix_fallocate", "os.posix_fadvise", "os.register_at_fork", "os.sched_getaffinity"),
    *("os.sched_setaffinity", "os.setsid", "os.statvfs", "os.sysconf", "os.uname", "os.wait"),
    *("signal.SIGALRM", "signal.SIGHUP", "signal.SIGKILL", "signal.SIGUSR1", "signal.SIGUSR2"),
    *("signal.alarm", "signal.pause", "signal.pthread_kill", "signal.pthread_sigmask"),
    *("signal.setitimer", "signal.sigwait", "time.clock_gettime"),
}
# What runs code that came as data, or speaks to the network.
DANGEROUS = {
    *("eval", "exec", "__import__", "os.system", "os.popen"),
    *("cloudpickle", "dill", "marshal", "pickle", "shelve"),
    *("ftplib", "http.client", "httpx", "requests", "smtplib", "urllib.request", "urllib3"),
}
FRAGMENT = re.compile(r"[a-z0-9-]+\.(privacy|added|changed|deprecated|removed|fixed|performance)\.md")


@functools.cache
def parsed(source: str) -> ast.Module:
    """Read a module's text once for all tests."""
    return ast.parse(source)


def used_names(source: str) -> Iterator[str]:
    """Yield what a source imports, the dotted names it uses, and the bare functions it calls."""
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Attribute):
            yield ast.unparse(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id


def imported_modules(source: str) -> Iterator[str]:
    """Yield the modules that a source imports, each with the packages above it."""
    for node in ast.walk(parsed(source)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module]
        for name in names:
            yield from itertools.accumulate(name.split("."), "{}.{}".format)


def offences(source: str, banned: set[str]) -> set[str]:
    """Return the banned modules that a source imports, and the banned names that it uses."""
    return banned & all_names(source)


@functools.cache
def all_names(source: str) -> frozenset[str]:
    """Return the modules that a source imports, and the names that it uses."""
    return frozenset({*imported_modules(source), *used_names(source)})


def body_length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function below its signature and its docstring."""
    has_docstring = ast.get_docstring(function) is not None
    body = function.body[1:] if has_docstring else function.body
    return (function.end_lineno or 0) - body[0].lineno + 1 if body else 0


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


EXTENSION_POINTS = (
    *("sfumato.measures.Measure", "sfumato.measures.PropertyMeasure", "sfumato.schemes.Scheme"),
    *("sfumato.search.Problem", "sfumato.search.SearchResult"),
)


def public_objects() -> dict[str, object]:
    """Collect what users call and what they extend, with public methods, by the place of its definition."""
    names = [f"sfumato.{name}" for name in sfumato.__all__]
    for package in ("sfumato.conformance", "sfumato.datasets", "sfumato.microaggregation"):
        names += [f"{package}.{name}" for name in importlib.import_module(package).__all__]
    found: dict[str, object] = {}
    for package, _, name in (text.rpartition(".") for text in (*names, *EXTENSION_POINTS)):
        thing = getattr(importlib.import_module(package), name)
        if inspect.isfunction(thing) or inspect.isclass(thing):
            place = f"{thing.__module__}.{name}"
            found[place] = thing
            found |= {f"{place}.{key}": method for key, method in public_methods(thing)}
    return found


def import_everything() -> None:
    for info in pkgutil.walk_packages(sfumato.__path__, "sfumato."):
        if not info.name.endswith(".__main__"):
            importlib.import_module(info.name)


def documented(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the names of a module with their docstrings, and its own."""
    for node in ast.walk(parsed(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            yield getattr(node, "name", ""), ast.get_docstring(node) or ""


EXTENSION_FILES = (
    "src/sfumato/measures/contract.py",
    "src/sfumato/schemes/base.py",
    "src/sfumato/monitor.py",
)


def public_methods(thing: object) -> Iterator[tuple[str, object]]:
    if inspect.isclass(thing):
        bases = [base for base in thing.__mro__ if base.__module__.startswith("sfumato.")]
        for name, member in (item for base in bases for item in vars(base).items()):
            if not name.startswith("_") and (
                inspect.isfunction(member) or isinstance(member, property | classmethod)
            ):
                yield name, member


def docstring_errors(name: str, thing: object) -> list[str]:
    """Validate one docstring.

    Always: there is one, with a summary that ends with a period. Of functions and dataclasses: no
    parameter is documented that does not exist, and a Parameters section is complete. A function
    with four or more parameters has one; below that, a summary can say it all.
    """
    codes = {"GL08", "SS01", "SS03"}
    if inspect.isfunction(thing) or dataclasses.is_dataclass(thing):
        codes.add("PR02")
        if "Parameters\n---" in (inspect.getdoc(thing) or "") or takes_many(thing):
            codes.add("PR01")
    return [f"{name}: {text}" for code, text in validate(name)["errors"] if code in codes]


def takes_many(thing: object) -> bool:
    return inspect.isfunction(thing) and len({*inspect.signature(thing).parameters} - {"self", "cls"}) > 3


def test_no_module_is_over_600_lines() -> None:
    lengths = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in CODE}
    assert {name: length for name, length in lengths.items() if length > 600} == {}


def test_no_function_body_is_over_50_lines_and_no_kernel_over_80() -> None:
    long = {}
    for path in MODULES:
        limit = 80 if "kernels" in path.parts else 50
        for node in ast.walk(parsed(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and body_length(node) > limit:
                long[f"{name_of(path)}:{node.name}"] = body_length(node)
    assert long == {}


def test_every_folder_of_modules_is_a_package() -> None:
    folders = {path.parent for path in MODULES}
    assert [name_of(folder) for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_modules_are_named_after_what_they_hold() -> None:
    nameless = {"utils.py", "util.py", "core.py", "helpers.py", "misc.py", "common.py"}
    assert [name_of(path) for path in MODULES if path.name in nameless] == []


@pytest.mark.parametrize("banned", [POSIX_ONLY, DANGEROUS], ids=["posix-only", "dangerous"])
def test_package_uses_nothing_banned(banned: set[str]) -> None:
    found = {name_of(path): offences(path.read_text(encoding="utf-8"), banned) for path in MODULES}
    assert {name: names for name, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import resource", "resource"),
        ("import os\nos.fork()", "os.fork"),
        ("from os import fork", "os.fork"),
        ("import signal\nsignal.signal(signal.SIGALRM, f)", "signal.SIGALRM"),
        ("from pickle import loads", "pickle"),
        ("eval('1')", "eval"),
        ("import urllib.request", "urllib.request"),
    ],
)
def test_ban_finds(source: str, name: str) -> None:
    assert offences(source, POSIX_ONLY | DANGEROUS) == {name}


def test_ban_leaves_innocent_names_alone() -> None:
    source = "import os\nos.cpu_count()\nframe.eval('1')\nre.compile('x')\nrequests.append(resource.name)"
    assert offences(source, POSIX_ONLY | DANGEROUS) == set()


def test_package_starts_no_shell() -> None:
    calls = [
        name_of(path)
        for path in MODULES
        for node in ast.walk(parsed(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.keyword) and node.arg == "shell"
    ]
    assert calls == []


def test_verifier_shares_nothing_but_the_errors() -> None:
    verifier = [path for path in MODULES if name_of(path).startswith("src/sfumato/verifier")]
    assert verifier != []
    ours = {name for path in verifier for name in used_names(path.read_text(encoding="utf-8"))}
    ours = {name for name in ours if name.split(".")[0] == "sfumato"}
    assert [name for name in ours if not name.startswith(("sfumato.errors", "sfumato.verifier"))] == []


def test_oracles_import_nothing_of_the_package() -> None:
    oracles = sorted((ROOT / "tests" / "oracles").rglob("*.py"))
    assert oracles != []
    for path in oracles:
        assert not offences(path.read_text(encoding="utf-8"), {"sfumato"}), name_of(path)


def test_public_face_is_sorted_and_true() -> None:
    assert list(sfumato.__all__) == sorted(set(sfumato.__all__))
    assert [name for name in sfumato.__all__ if not hasattr(sfumato, name)] == []


def test_public_docstrings_are_complete() -> None:
    things = public_objects()
    assert things
    errors = [error for name, thing in things.items() for error in docstring_errors(name, thing)]
    assert errors == []


def test_summaries_are_sentences() -> None:
    """What must have a docstring is the lint's matter; where there is one, its first line is a sentence."""
    found = [
        f"{name_of(path)}:{name}"
        for path in MODULES
        for name, text in documented(path)
        if text and not text.split("\n\n")[0].rstrip().endswith((".", ":", "?"))
    ]
    assert found == []


def test_no_name_of_a_class_or_module_means_two_things() -> None:
    """A command's module is named as the command, and so may a room be that does its work."""
    classes: dict[str, list[str]] = {}
    modules: dict[str, list[str]] = {}
    for path in MODULES:
        place = path.relative_to(PACKAGE)
        name = place.parent.name if place.stem == "__init__" else place.stem
        if place.parts[0] != "cli" or len(place.parts) == 1:
            modules.setdefault(name, []).append(place.as_posix())
        for node in ast.walk(parsed(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name.lstrip("_"), []).append(f"{place.as_posix()}: {node.name}")
    assert [places for places in classes.values() if len(places) > 1] == []
    assert [places for places in modules.values() if len(places) > 1] == []


def test_internals_do_not_repeat_their_signatures() -> None:
    """Sections of parameters are for users; inside, a sentence says what a thing is for."""
    public = {place.rsplit(".", 1)[-1] for place in public_objects()} | {"equals"}
    found = [
        f"{name_of(path)}:{name}"
        for path in MODULES
        for name, text in documented(path)
        if name not in public
        and "Parameters\n---" in text
        and name_of(path) not in EXTENSION_FILES
        and "kernels" not in path.parts
    ]
    assert found == []


def test_public_face_documents_what_it_takes_and_returns() -> None:
    codes, errors = {"PR01", "RT01"}, []
    for name in sfumato.__all__:
        thing = getattr(sfumato, name)
        if inspect.isfunction(thing):
            place = f"{thing.__module__}.{thing.__qualname__}"
            errors += [f"{name}: {text}" for code, text in validate(place)["errors"] if code in codes]
    assert errors == []


def test_readme_and_ci_run_the_same_test_command() -> None:
    command = 'pip install ".[dev]" && pytest'
    assert f"\n{command}\n" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"bash -c '{command}'" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_readme_names_exist() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    names = {name.split(".")[1] for block in blocks for name in used_names(block) if name.startswith("sf.")}
    assert names
    assert names - set(sfumato.__all__) == set()


def test_contributing_lists_the_rooms_of_the_contracts() -> None:
    assert rooms.PAGE.read_text(encoding="utf-8") == rooms.page(), "run: python -m tests.rooms"


def test_every_room_says_what_it_is_for_in_one_sentence() -> None:
    told = {room: rooms.purpose(room) for row in rooms.layers() for room in row}
    assert {room: text for room, text in told.items() if not text.endswith(".") or ". " in text} == {}


def modules() -> dict[str, Path]:
    """Return the modules of the package by their names."""
    found = {}
    for path in MODULES:
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported_by(path: Path) -> set[str]:
    """Return the modules of the package that a module imports, wherever it does."""
    known, found = modules(), set()
    for node in ast.walk(parsed(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module in known:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in known else node.module for name in names}
    return found


def test_no_import_goes_round_in_a_circle() -> None:
    """Type-only imports and those inside of functions included."""
    # The face of the package names what it hands on, and everything may ask it for the version.
    left = {name: imported_by(path) for name, path in modules().items() if name != "sfumato"}
    while free := [
        name
        for name, used in left.items()
        if not used & left.keys() or not any(name in others for others in left.values())
    ]:
        for name in free:
            del left[name]
    assert sorted(left) == []


def test_version_is_told_the_same_everywhere() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert sfumato.__version__ == version


def test_change_fragments_have_a_known_type() -> None:
    fragments = [path.name for path in (ROOT / "changes").iterdir() if path.name != "README.md"]
    assert [name for name in fragments if not FRAGMENT.fullmatch(name)] == []


def test_tests_see_the_checkout_and_no_installed_copy() -> None:
    import_everything()
    files = {module.__file__ for name, module in sys.modules.items() if name.split(".")[0] == "sfumato"}
    assert [file for file in files if not Path(str(file)).is_relative_to(PACKAGE)] == []
