"""Commands that the schemes leave out, formats of files, mistakes and broken promises."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any
from unittest import mock

from sfumato import local
from sfumato.local import bound_cost
from tests.goldens.schemes import Plan, lay_out
from tests.goldens.tables import delimited, draw_people, take, write_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.goldens.desk import Desk

COMMANDS = (
    *("demo", "init", "check", "explore", "compare", "anonymize", "release", "verify", "report", "measure"),
    *("risk", "microaggregate"),
)
SUFFIXES = ("csv", "csv.gz", "tsv", "parquet", "arrow", "jsonl")
WITHOUT_NOTE = ("name", "age", "height", "sex", "born", "pay", "note", "visit")


def show_help(desk: Desk) -> None:
    """What every command says about itself."""
    desk.run("sfumato", "--help", columns=80)
    desk.run("version", "--version")
    for name in COMMANDS:
        desk.run(name, name, "--help", columns=80)


def make_mistakes(desk: Desk) -> None:
    """What is said about wrong use, wrong specifications and wrong data."""
    spec = lay_out(desk, "levels.toml", Plan(rows=60))
    text = (desk.folder / spec).read_text(encoding="utf-8")
    changes = {
        "unknown-key": ("limit = 0.05", "limt = 0.05"),
        "unknown-role": ('role = "sensitive"', 'role = "secret"'),
        "unknown-measure": ("k = 3", '"distinct_l(il)" = 3'),
        "out-of-range": ("limit = 0.05", "limit = 1.5"),
        "not-toml": ("[require]", "[require"),
        "unknown-column": ("[attributes.ill]", "[attributes.illness]"),
        "value-not-in-tree": ('["f", "m"]', '["f"]'),
        "no-such-file": ("people.csv", "persons.csv"),
        "wrong-method": ("[require]", '[search]\nmethod = "optimal"\n\n[require]'),
    }
    for name, (old, new) in changes.items():
        assert old in text
        (desk.folder / f"{name}.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
        desk.run(name, "explore", f"{name}.toml", "--out", "front", status=2)
    desk.run("several-json", "check", "unknown-key.toml", "--json", status=2)
    desk.run("hidden-value", "check", "value-not-in-tree.toml", "--no-values", status=2)
    desk.run("no-command", "anonymise", spec, status=2)
    desk.run("no-option", "check", spec, "--fast", status=2)
    desk.run("no-output", "anonymize", spec, status=2)
    desk.run("unknown-format", "anonymize", spec, "--out", "a.xls", status=2)
    desk.run("over-input", "anonymize", spec, "--out", "people.csv", status=2)
    desk.run("measure-no-column", "measure", "people.csv", "--qi", "age,zipp", status=2)
    desk.run("risk-json", "risk", "people.csv", "--qi", "age", "--fraction", 2, "--json", status=2)
    desk.run("verify-nothing", "verify", "people.csv", status=2)
    desk.run("report-nothing", "report", ".", status=2)


def fail_to_meet(desk: Desk) -> None:
    """What cannot be met, and the nearest that can."""
    spec = lay_out(desk, "levels.toml", Plan(rows=60))
    text = (desk.folder / spec).read_text(encoding="utf-8")
    asked_for = {
        "size": "k = 60\nloss = 0.9",
        "loss": "k = 3\nloss = 0.05",
        "values": 'k = 2\n"t(ill)" = 0.001',
    }
    for name, asked in asked_for.items():
        (desk.folder / f"{name}.toml").write_text(text.replace("k = 3", asked), encoding="utf-8")
    desk.run("size", "anonymize", "size.toml", "--out", "a.csv", status=1)
    desk.run("size-json", "anonymize", "size.toml", "--out", "a.csv", "--json", status=1)
    desk.run("loss", "anonymize", "loss.toml", "--out", "a.csv", status=1)
    desk.run("values", "anonymize", "values.toml", "--out", "a.csv")
    desk.run("explore", "explore", "size.toml", "--out", "empty", status=1)
    desk.run("front", "explore", spec, "--out", "front", "--json")
    more = ("--front", "front", "--out", "b.csv")
    desk.run("pick-none", "release", spec, *more, "--pick", "k >= 10 and loss <= 0.1", status=1)
    desk.run("pick-number", "release", spec, *more, "--pick", "99", status=2)
    desk.run("pick-nonsense", "release", spec, *more, "--pick", "k >> 2", status=2)
    desk.run("quiet", "release", spec, *more, "--pick", "knee", "--quiet")
    desk.run("there-already", "release", spec, *more, "--pick", "knee", status=2)
    desk.run("no-values", "release", spec, *more, "--pick", "1", "--force", "--no-values")
    desk.run("other-front", "release", "loss.toml", *more, "--pick", "1", "--force", "--json", status=1)


def look_first(desk: Desk) -> None:
    """Guess a specification, check it, and use it."""
    table = draw_people(100)
    write_table(desk.folder / "people.csv", table)
    write_table(desk.folder / "people.parquet", table)
    (desk.folder / "odd.csv").write_bytes(delimited(take(table, "age", "note"), ";").encode("latin-1"))
    desk.run("init", "init", "people.csv")
    desk.keep_files("people.toml")
    desk.run("init-json", "init", "people.parquet", "--out", "typed.toml", "--json")
    desk.keep_files("typed.toml")
    asked = ("--separator", ";", "--encoding", "latin-1", "--no-values")
    desk.run("init-odd", "init", "odd.csv", "--out", "odd.toml", *asked)
    desk.keep_files("odd.toml")
    desk.run("check", "check", "people.toml")
    desk.run("check-typed", "check", "typed.toml")


def measure(desk: Desk) -> None:
    """Measure tables as they are."""
    write_table(desk.folder / "people.csv", draw_people(100))
    write_table(desk.folder / "people.arrow", draw_people(100))
    asked = ("measure", "people.csv", "--qi", "sex,area", "--sensitive", "ill")
    desk.run("measure", *asked)
    desk.run("measure-json", *asked, "--sensitive", "pay", "--person", "person", "--json")
    desk.run(
        "measure-arrow", "measure", "people.arrow", "--qi", "born", "--qi", "height", "--sensitive", "pay"
    )


def attack(desk: Desk) -> None:
    """What attackers achieve, with and without a release, a population and a specification."""
    spec = lay_out(desk, "guided-ordered.toml", Plan(missing=False))
    people = draw_people(120, missing=False)
    everyone = {name: [*people[name], *draw_people(200, 2, missing=False)[name]] for name in people}
    write_table(desk.folder / "everyone.csv", everyone)
    desk.run("all-columns", "risk", "people.csv")
    desk.run("person-json", "risk", "people.csv", "--qi", "age,sex", "--person", "person", "--json")
    desk.run("anonymize", "anonymize", spec, "--out", "a.csv")
    desk.run("population", "risk", "people.csv", "--qi", "age,job,sex", "--population", "everyone.csv")
    desk.run("spec", "risk", "people.csv", "--spec", spec, "--release", "a.csv", "--fraction", 0.1)
    asked = ("risk", "people.csv", "--sensitive", "ill", "--release", "a.csv", "--threshold", 0.1)
    desk.run("release-json", *asked, "--seed", 3, "--json")


def compare(desk: Desk) -> None:
    """Put solutions side by side."""
    spec = lay_out(desk, "levels.toml", Plan(rows=60))
    asked = ("compare", spec, "--front", "front")
    desk.run("explore-json", "explore", spec, "--out", "front", "--json", "--seed", 5)
    desk.run("anonymize", "anonymize", spec, "--out", "a.csv")
    desk.run("two", *asked, "1", "knee", "--out", "pair.html")
    desk.keep_files("pair.html")
    desk.run("two-json", *asked, "k >= 5", "2", "--json", "--no-values")
    desk.run("one", *asked, "knee")
    desk.run("one-json", *asked, "3", "--better", "k", "--worse", "loss", "--at-most", "20 %", "--json")
    desk.run("release", *asked, "--release", "a.csv")


def write_formats(desk: Desk) -> None:
    """Read and write every format."""
    spec = lay_out(desk, "files.toml", Plan())
    table = take(draw_people(60), *WITHOUT_NOTE)
    text = (desk.folder / spec).read_text(encoding="utf-8")
    write_table(desk.folder / "people.csv", table)
    for place, suffix in enumerate(SUFFIXES):
        # Each format is read once, and each is written once.
        source, out = f"source.{suffix}", f"out-{suffix}.{SUFFIXES[place - 1]}"
        write_table(desk.folder / source, table)
        (desk.folder / "typed.toml").write_text(text.replace("people.csv", source), encoding="utf-8")
        desk.run(f"from-{suffix}", "anonymize", "typed.toml", "--out", out)
        desk.keep_files(out, f"{out}.json")
        desk.run(f"verify-{suffix}", "verify", out)
    desk.run("verify-data", "verify", out, "--data", "people.csv", "--spec", spec, "--json")
    write_in_order(desk, text)


def write_in_order(desk: Desk, text: str) -> None:
    """Keep the order of the input, where that is asked for, and escape formulas."""
    order = '\n[release]\norder = "input"\nformulas = "escape"\n'
    (desk.folder / "order.toml").write_text(text + order, encoding="utf-8")
    desk.run("check-order", "check", "order.toml")
    desk.run("to-order", "anonymize", "order.toml", "--out", "order.tsv")
    desk.keep_files("order.tsv", "order.tsv.json")


def break_promises(desk: Desk) -> None:
    """Verify files, manifests and data that were changed."""
    spec = lay_out(desk, "levels.toml", Plan(rows=80))
    desk.run("anonymize", "anonymize", spec, "--out", "a.csv", "--quiet")
    desk.run("alone", "verify", "a.csv", "--json")
    desk.run("with-spec", "verify", "a.csv", "--spec", spec)
    desk.run("with-data", "verify", "a.csv", "--data", "people.csv")
    lines = (desk.folder / "a.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    manifest = json.loads((desk.folder / "a.csv.json").read_text(encoding="utf-8"))
    shutil.copy(desk.folder / "a.csv", desk.folder / "bare.csv")
    desk.run("bare", "verify", "bare.csv", "--spec", spec)
    desk.run("bare-json", "verify", "bare.csv", "--spec", spec, "--json")
    put(desk, "fewer", "".join(lines[:-3]), manifest)
    put(desk, "swapped", "".join([lines[0], lines[2], lines[1], *lines[3:]]), manifest)
    put(desk, "more", "".join(lines), {**manifest, "require": {"k": 40.0}})
    put(desk, "stated", "".join(lines), {**manifest, "measures": {**manifest["measures"], "k": 9}})
    for name in ("fewer", "swapped", "more", "stated"):
        desk.run(name, "verify", f"{name}.csv", status=1)
    desk.run("fewer-json", "verify", "fewer.csv", "--data", "people.csv", "--json", status=1)
    write_table(desk.folder / "people.csv", draw_people(80, seed=9))
    desk.run("other-data", "verify", "a.csv", "--data", "people.csv", "--spec", spec, status=1)


def put(desk: Desk, name: str, text: str, manifest: object) -> None:
    """Write a release and its manifest."""
    (desk.folder / f"{name}.csv").write_text(text, encoding="utf-8")
    (desk.folder / f"{name}.csv.json").write_text(json.dumps(manifest), encoding="utf-8")


def demonstrate(desk: Desk) -> None:
    """Go the whole way on the embedded census table."""

    # On a busy machine the time for the bounds would be up before they are found.
    def bound(*given: Any, seconds: float, monitor: object, **named: Any) -> object:
        return bound_cost(*given, **named) if seconds and monitor else None

    with mock.patch.object(local, "bound_cost", bound):
        desk.run("demo", "demo", "--out", "demo")
    # The release itself has megabytes, and its manifest lists thousands of classes: what the recount says
    # stands for both, with the digest of the release.
    desk.keep_files("demo/front.csv", "demo/run.json")
    desk.keep_files("demo/report.html", "demo/report-internal.html")
    desk.run("verify-json", "verify", "demo/adult-k10.csv", "--json")


CASES: dict[str, Callable[[Desk], None]] = {
    "help": show_help,
    "mistakes": make_mistakes,
    "infeasible": fail_to_meet,
    "init": look_first,
    "measure": measure,
    "risk": attack,
    "compare": compare,
    "files": write_formats,
    "verify": break_promises,
    "demo": demonstrate,
}
