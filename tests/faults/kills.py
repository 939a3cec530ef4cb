"""Kill commands at random moments, and see that nothing readable stays and the next run works.

``python -m tests.faults.kills --count 300`` prints how many kills fell into which phase; the tests run a
few. Every killed process has its own folder for outputs and its own temporary folder.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import sfumato
from tests.cli.running import run

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
SPECIFICATION = """
[data]
path = "people.csv"
{person}
[attributes.name]
role = "identifier"
[attributes.age]
role = "quasi-identifier"
{age}
[attributes.zip]
role = "quasi-identifier"
hierarchy = {{ mask = 2 }}
[attributes.sex]
role = "quasi-identifier"
[attributes.disease]
role = "sensitive"
[suppression]
limit = 0.2
[require]
k = 3
{sentence}
[objectives]
{maximize}minimize = ["loss"]
"""
LEVELS = "hierarchy = { intervals = [10, 20, 40], origin = 0 }"
SENTENCE = '[[confidential]]\nsentence = "disease == \'flu\'"\nfor = "age < 40"\n'


@dataclass(frozen=True)
class Case:
    """A command: its words, where ``{out}`` is the folder of its outputs, and what it may leave there."""

    name: str
    words: tuple[str, ...]
    finals: frozenset[str]


RELEASE = frozenset({"r.csv", "r.csv.json"})
FRONT = frozenset({"front.csv", "front.html", "run.json"})
CASES = (
    Case("anonymize", ("anonymize", "{in}/plain.toml", "--out", "{out}/r.csv"), RELEASE),
    Case("anonymize persons", ("anonymize", "{in}/persons.toml", "--out", "{out}/r.csv"), RELEASE),
    Case("anonymize sentence", ("anonymize", "{in}/sentence.toml", "--out", "{out}/r.parquet"),
         frozenset({"r.parquet", "r.parquet.json"})),
    Case("anonymize checkpoint",
         ("anonymize", "{in}/mixed.toml", "--out", "{out}/r.csv", "--checkpoint", "{out}/c.npz"),
         RELEASE | {"c.npz"}),
    Case("explore", ("explore", "{in}/plain.toml", "--out", "{out}"), FRONT),
    Case("release", ("release", "{in}/persons.toml", "--front", "{in}/front", "--pick", "1", "--out",
                     "{out}/r.csv"), RELEASE),
    Case("microaggregate", ("microaggregate", "{in}/people.csv", "--columns", "age", "--k", "3", "--out",
                            "{out}/r.csv"), RELEASE),
    Case("report", ("report", "{in}/released", "--internal", "--spec", "{in}/plain.toml", "--out",
                    "{out}/report.html"), frozenset({"report.html"})),
    Case("verify", ("verify", "{in}/released/r.csv"), frozenset()),
)  # fmt: skip
INTERNAL = FRONT | {"c.npz", "report.html"}


class World:
    """A folder with small inputs, and commands run on them in processes of their own."""

    def __init__(self, folder: Path, seed: int = 1) -> None:
        self.folder, self.random = folder, random.Random(seed)
        self.seconds: dict[str, float] = {}
        self.inputs = folder / "in"
        self.inputs.mkdir()
        self._write_inputs()
        sfumato.warm_up()  # no killed process compiles
        for words in (
            ("explore", self.inputs / "persons.toml", "--out", self.inputs / "front"),
            ("anonymize", self.inputs / "plain.toml", "--out", self.inputs / "released" / "r.csv"),
        ):
            (self.inputs / "released").mkdir(exist_ok=True)
            assert run(*words, "--quiet").status == 0

    def _write_inputs(self) -> None:
        generator = random.Random(7)
        lines = ["name,age,zip,sex,disease"]
        for number in range(400):
            person, zip_code = f"person-{number // 2}", generator.choice(("11", "12", "21", "22"))
            cells = (person, generator.randint(20, 59), zip_code, generator.choice("fm"))
            lines.append(",".join(map(str, (*cells, generator.choice(("flu", "gout", "cold"))))))
        (self.inputs / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        both = 'maximize = ["k"]\n'
        for name, person, age, sentence, maximize in (
            ("plain", "", LEVELS, "", both),
            ("persons", 'person = "name"', LEVELS, "", both),
            ("sentence", "", LEVELS, SENTENCE, both),
            ("mixed", "", 'granularity = 4\nscheme = "ordered"', "", ""),
        ):
            text = SPECIFICATION.format(person=person, age=age, sentence=sentence, maximize=maximize)
            (self.inputs / f"{name}.toml").write_text(text, encoding="utf-8")

    def start(self, case: Case, out: Path, *more: str) -> subprocess.Popen[bytes]:
        """Start a command whose temporary folder is ``out``'s own."""
        temporary = out.with_name(out.name + "-tmp")
        temporary.mkdir(exist_ok=True)
        words = [word.replace("{in}", str(self.inputs)).replace("{out}", str(out)) for word in case.words]
        threads = ("--threads", "1") if words[0] in ("anonymize", "explore", "microaggregate") else ()
        where = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
        return subprocess.Popen(
            [sys.executable, "-m", "sfumato", *words, "--quiet", *threads, *more],
            env={**os.environ, **where, "PYTHONPATH": str(ROOT / "src")},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def run(self, case: Case, out: Path, *more: str) -> subprocess.CompletedProcess[bytes]:
        """Run a command to its end."""
        with self.start(case, out, *more) as process:
            _, errors = process.communicate(timeout=300)
        return subprocess.CompletedProcess([], process.returncode, b"", errors)

    def measure(self, case: Case) -> float:
        """Return how long a command takes once its kernels are compiled."""
        if case.name not in self.seconds:
            out, begin = self.new_folder(), time.perf_counter()
            done = self.run(case, out)
            self.seconds[case.name] = time.perf_counter() - begin
            assert done.returncode == 0, done.stderr.decode()
            assert left_by_us(out) == []
            self.forget(out)
        return self.seconds[case.name]

    def new_folder(self) -> Path:
        """Make a folder for outputs."""
        return Path(tempfile.mkdtemp(prefix="out-", dir=self.folder))

    def forget(self, out: Path) -> None:
        """Remove what a command left, with its temporary folder."""
        shutil.rmtree(out)
        shutil.rmtree(out.with_name(out.name + "-tmp"))

    def kill(self, case: Case, *, number: int = signal.SIGTERM, existing: bool = False) -> str:
        """Kill a command once, check what stays, run it again, check again; return the phase it was in.

        Parameters
        ----------
        case
            The command.
        number
            The signal; where a system has no SIGKILL, terminating a process is one.
        existing
            Whether outputs of an earlier run stand there, to be replaced.
        """
        length, out = self.measure(case), self.new_folder()
        existing &= bool(case.finals)
        if existing:
            assert self.run(case, out).returncode == 0
        process = self.start(case, out, *(["--force"] if existing else []))
        # The reading and searching of a small table is short: most kills belong to what comes after.
        time.sleep(length * self.random.triangular(0.2, 1.05, 0.9))
        process.send_signal(number)
        with process:
            _, errors = process.communicate(timeout=60)
        readable = readable_by_others(out, case, INTERNAL)
        assert readable == [], (case.name, readable)
        wrong = [name for name in contents(out) if name not in case.finals]
        assert wrong == [], (case.name, wrong)
        if number == signal.SIGTERM and process.returncode == 143:
            assert left_by_us(out) == [], (case.name, left_by_us(out), errors)
        phase = phase_of(out, process.returncode)
        verify(out)
        is_there = existing or (process.returncode == 0 and bool(case.finals))
        done = self.run(case, out, *(["--force"] if is_there else []))
        if done.returncode == 2 and b"exists already" in done.stderr:  # killed when all was done
            verify(out)
            assert set(contents(out)) == case.finals
            done = self.run(case, out, "--force")
        assert done.returncode == 0, (case.name, done.stderr.decode())
        assert left_by_us(out) == [], (case.name, left_by_us(out))
        assert set(contents(out)) >= case.finals - {"c.npz"}
        verify(out)
        self.forget(out)
        return phase


def verify(out: Path) -> None:
    """Whatever stands under the name of a release has to verify."""
    for name in ("r.csv", "r.parquet"):
        if (out / name).exists():
            assert sfumato.verify(out / name)["holds"], name


def phase_of(out: Path, status: int) -> str:
    """Say by what a killed command left behind what it was at."""
    if status == 0:
        return "had finished"
    if any(path.name.startswith(".") for path in out.iterdir()):
        return "was writing"
    return "was at work" if left_by_us(out) else "left nothing"


def contents(out: Path) -> dict[str, bytes]:
    """Return the files of a folder that are not hidden."""
    return {path.name: path.read_bytes() for path in out.iterdir() if not path.name.startswith(".")}


def left_by_us(out: Path) -> list[str]:
    """Return hidden or temporary things that a command left behind."""
    hidden = [path.name for path in out.iterdir() if path.name.startswith(".")]
    return hidden + [path.name for path in out.with_name(out.name + "-tmp").iterdir()]


def readable_by_others(out: Path, case: Case, internal: frozenset[str]) -> list[str]:
    """Return what others can read and should not: all but finished outputs that are to be published."""
    if os.name == "nt":
        return []
    found = []
    for top in (out, out.with_name(out.name + "-tmp")):
        for path in top.iterdir():  # nobody else gets beyond a closed folder
            is_published = top == out and path.name in case.finals - internal
            if not is_published and path.stat().st_mode & 0o077:
                found.append(str(path))
    return found


def kill_many(
    world: World, count: int, *, number: int, cases: Sequence[Case] = CASES
) -> Counter[tuple[str, str]]:
    """Kill commands in turn, every other time over outputs that exist; return what happened how often."""
    found: Counter[tuple[str, str]] = Counter()
    for step in range(count):
        case = cases[step % len(cases)]
        phase = world.kill(case, number=number, existing=step // len(cases) % 2 == 1)
        found[case.name, phase] += 1
        if (step + 1) % 10 == 0:
            print(f"{step + 1} of {count} kills, nothing wrong", file=sys.stderr, flush=True)
    return found


def main() -> None:
    """Kill as often as asked, and say what happened."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--terminate", action="store_true", help="send SIGTERM instead of SIGKILL")
    options = parser.parse_args()
    number = signal.SIGTERM if options.terminate else getattr(signal, "SIGKILL", signal.SIGTERM)
    with tempfile.TemporaryDirectory() as folder:
        found = kill_many(World(Path(folder), options.seed), options.count, number=number)
    for (name, phase), many in sorted(found.items()):
        print(f"{many:5}  {name}: {phase}")
    print(f"{found.total():5}  kills; nothing readable, nothing unverified, every next run worked")


if __name__ == "__main__":
    main()
