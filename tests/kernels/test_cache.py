"""Where compiled kernels are kept."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
import pytest

from sfumato.kernels import _options, dominance

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = Path(__file__).resolve().parents[2] / "src"
# One kernel stands for all: one decorator compiles and keeps them.
COMPILE_ONE = """
import numpy as np
from sfumato.kernels.dominance import keep_non_dominated
assert keep_non_dominated(np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]])).tolist() == [True, True, False]
"""


def _run(script: str, **more: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), **more}
    environment.pop("NUMBA_CACHE_DIR", None)
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return done.stdout.strip()


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")  # type: ignore[attr-defined]
def test_a_private_folder_where_nothing_else_can_be_written(tmp_path: Path) -> None:
    """Neither the package nor the home can be written: kernels compile all the same.

    The refusal is simulated, because the tests may run as root.
    """
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    script = f"""
import pathlib, tempfile
import sfumato.kernels
source = (pathlib.Path(sfumato.kernels.__file__).parent / "_options.py").read_text(encoding="utf-8")
refuse = "def _is_writable(folder: Path) -> bool:\\n    return False\\n\\n\\ndef _was_writable("
import types, sys
module = types.ModuleType("sfumato.kernels._options")
module.__file__ = str(pathlib.Path(sfumato.kernels.__file__).parent / "_options.py")
changed = source.replace("def _is_writable(", refuse, 1)
changed = changed.replace('HERE / "__pycache__"', "Path({str(blocked)!r})", 1)
exec(compile(changed, module.__file__, "exec"), module.__dict__)
sys.modules["sfumato.kernels._options"] = module
print(module.cache_folder())
{COMPILE_ONE}
"""
    folder = Path(_run(script, TMPDIR=str(tmp_path), TEMP=str(tmp_path), TMP=str(tmp_path)))
    assert folder.parent == tmp_path
    assert folder.name.startswith(_options.PREFIX)
    assert list(folder.rglob("*.nbi")), "kernels should be kept there"
    if os.name == "posix":
        assert folder.stat().st_mode & 0o077 == 0, "nobody else may plant compiled code there"


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")  # type: ignore[attr-defined]
def test_warming_up_leaves_nothing_to_compile_for_a_search_and_for_clusters() -> None:
    """In a process of its own: other tests have called kernels in this one."""
    script = """
import sfumato
sfumato.warm_up()
from sfumato.kernels import dominance, mdav, mdav_indexed, recoded_classes, univariate, variable_mdav
rooms = (dominance, mdav, mdav_indexed, recoded_classes, univariate, variable_mdav)
print([room.__name__ for room in rooms
       if not any(getattr(thing, "signatures", None) for thing in vars(room).values())])
"""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=300
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_a_folder_that_cannot_be_made_is_not_writable(tmp_path: Path) -> None:
    """Asked by trying, not by permission bits."""
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    assert not _options._is_writable(blocked / "folder")
    assert _options._is_writable(tmp_path / "folder")


def test_the_folder_is_named_after_all_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change in any kernel file means another folder, so that nothing stale is ever loaded."""
    (tmp_path / "one.py").write_text("a", encoding="utf-8")
    (tmp_path / "two.py").write_text("b", encoding="utf-8")
    monkeypatch.setattr(_options, "HERE", tmp_path)
    before = _options._digest()
    (tmp_path / "two.py").write_text("c", encoding="utf-8")
    assert _options._digest() != before


def test_what_others_compile_keeps_its_own_place() -> None:
    """The setting of the cache is ours only while a kernel is decorated."""
    assert _options.PREFIX not in str(vars(numba.config).get("CACHE_DIR"))


def test_leftovers_of_other_states_are_removed(tmp_path: Path) -> None:
    """Those beside the sources; nothing else is touched, nor what a running process may still use."""
    for name in ("sfumato-kernels-old", "sfumato-kernels-new", "sfumato-kernels-used", "other"):
        (tmp_path / name).mkdir()
        if name != "sfumato-kernels-used":
            os.utime(tmp_path / name, (0, 0))
    _options._forget_others(tmp_path, "sfumato-kernels-new")
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["other", "sfumato-kernels-new", "sfumato-kernels-used"]


@pytest.mark.parametrize("name", ["sfumato", "sfumato.spec", "sfumato.errors"])
def test_light_imports(name: str) -> None:
    """Importing the package loads no heavy library."""
    heavy = (
        "numba",
        "numpy",
        "duckdb",
        "narwhals",
        "pyarrow",
        "pandas",
        "polars",
        "plotly",
        "moocore",
        "rich",
    )
    script = f"import sys, {name}; print([lib for lib in {heavy!r} if lib in sys.modules])"
    assert _run(script) == "[]"


COSTS = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]])
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda raw: b"",
    "cut": lambda raw: raw[: len(raw) // 2],
    "garbage": lambda raw: b"\x80\x05garbage" + raw[9:],
    "one byte": lambda raw: raw[: len(raw) // 2] + bytes([raw[len(raw) // 2] ^ 1]) + raw[len(raw) // 2 + 1 :],
    "appended": lambda raw: raw + b"x",
}


def _fresh(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a kernel as a new process sees it, kept in a folder."""
    monkeypatch.setattr(_options, "cache_folder", lambda: folder)
    return _options._compiled(dominance.keep_non_dominated.py_func, from_python=True)  # type: ignore[attr-defined]


def _hits(kernel: Any) -> int:
    """Call a kernel and return how often it was found in its cache."""
    assert kernel(COSTS).tolist() == [True, True, False]
    return sum(kernel.stats.cache_hits.values())


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that keeps a kernel, and is not to be written again."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        assert _hits(_fresh(folder, patch)) == 0
    return folder


@pytest.mark.some(4)
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")  # type: ignore[attr-defined]
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_a_damaged_cache_heals(
    tmp_path: Path, whole: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, damage: str
) -> None:
    """What was cut short, emptied or changed is compiled again, and then found again."""
    folder = tmp_path / "kept"
    shutil.copytree(whole, folder)
    assert _hits(_fresh(folder, monkeypatch)) == 1
    (path,) = folder.rglob(f"*{suffix}")
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    healed = _hits(_fresh(folder, monkeypatch))
    assert healed == 0 or suffix == ".nbi", "data that changed are never linked"
    assert _hits(_fresh(folder, monkeypatch)) == 1


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")  # type: ignore[attr-defined]
def test_data_of_another_signature_are_not_linked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A killed process lists data before it writes them; another one's may stand there."""
    kernel = _fresh(tmp_path, monkeypatch)
    assert kernel(COSTS).tolist() == kernel(COSTS.T.copy().T).tolist()  # two layouts, two signatures
    one, two = sorted(tmp_path.rglob("*.nbc"))
    two.write_bytes(one.read_bytes())
    fresh = _fresh(tmp_path, monkeypatch)
    assert fresh(COSTS).tolist() == fresh(COSTS.T.copy().T).tolist() == [True, True, False]
    assert sum(fresh.stats.cache_hits.values()) == 1


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")  # type: ignore[attr-defined]
def test_a_cache_that_cannot_be_used_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _hits(_fresh(tmp_path, monkeypatch)) == 0
    (path,) = tmp_path.rglob("*.nbi")
    path.unlink()
    path.mkdir()  # it can be neither read nor replaced
    assert _hits(_fresh(tmp_path, monkeypatch)) == 0


@pytest.mark.slow
def test_a_command_heals_its_cache(tmp_path: Path) -> None:
    """The whole way: every file of the cache is cut, the command works, and says nothing of it."""
    data = tmp_path / "d.csv"
    data.write_text("a\n" + "".join(f"{number}\n" for number in range(12)), encoding="utf-8")
    words = ["microaggregate", data, "--columns", "a", "--k", "3", "--method", "univariate", "--quiet"]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    for step in range(2):
        done = subprocess.run(
            [sys.executable, "-m", "sfumato", *map(str, words), "--out", str(tmp_path / f"{step}.csv")],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        kept = [path for path in (tmp_path / "cache").rglob("*.nb?") if path.stat().st_size]
        assert kept
        for path in kept:
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 3 if step else 0])
    assert (tmp_path / "0.csv").read_bytes() == (tmp_path / "1.csv").read_bytes()
