"""One specification for each scheme, from checking it to the reports about its releases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.goldens.tables import draw_people, write_areas, write_table

if TYPE_CHECKING:
    from tests.goldens.desk import Desk


@dataclass(frozen=True)
class Plan:
    """What differs between the cases.

    Parameters
    ----------
    pick
        Which solution of a front is released; without it, the best release alone.
    rows, missing
        Of the table.
    is_shown
        Whether the page of the front is kept.
    is_internal
        Whether the internal report is made: it takes most of the time.
    """

    pick: str | None = "knee"
    rows: int = 120
    missing: bool = True
    is_shown: bool = False
    is_internal: bool = True


PLANS = {
    "levels": Plan("k >= 4 and loss <= 0.9", is_shown=True),
    "cuts": Plan(None),
    "ordered": Plan("knee", is_internal=False),
    "guided-ordered": Plan("knee", missing=False),
    "sets": Plan("knee", rows=90, is_internal=False),
    "guided-sets": Plan(None, is_internal=False),
    "admissible": Plan("1", is_internal=False),
    "mixed": Plan("knee", missing=False),
    "persons": Plan("knee"),
    "confidential": Plan("knee", rows=160, is_shown=True),
    "granulation": Plan("1", is_internal=False),
    "local": Plan(None, rows=90, is_internal=False),
}


def whole_way(desk: Desk, plan: Plan) -> None:
    """Check, explore, release, anonymize, verify and report."""
    spec = lay_out(desk, f"{desk.folder.name}.toml", plan)
    (desk.folder / "out").mkdir()
    desk.run("check", "check", spec)
    desk.run("check-json", "check", spec, "--json")
    desk.run("anonymize-json", "anonymize", spec, "--out", "out/best.csv", "--json")
    desk.keep_files("out/best.csv", "out/best.csv.json")
    desk.run("verify-data-spec", "verify", "out/best.csv", "--data", "people.csv", "--spec", spec)
    if plan.pick is not None:
        pick_from_front(desk, plan, spec)
    released = ("--release", "out/best.csv" if plan.pick is None else "out/picked.csv")
    desk.run("report", "report", "out", *released)
    desk.keep_files("out/report.html")
    if plan.is_internal:
        desk.run("report-internal", "report", "out", *released, "--internal", "--spec", spec)
        desk.keep_files("out/report-internal.html")


def pick_from_front(desk: Desk, plan: Plan, spec: str) -> None:
    """Explore, release one solution and verify it."""
    desk.run("explore", "explore", spec, "--out", "out")
    desk.keep_files("out/front.csv", "out/run.json", *(["out/front.html"] if plan.is_shown else []))
    picked = ("--pick", str(plan.pick), "--out", "out/picked.csv")
    desk.run("release", "release", spec, "--front", "out", *picked)
    desk.keep_files("out/picked.csv", "out/picked.csv.json")
    desk.run("verify", "verify", "out/picked.csv")


def lay_out(desk: Desk, spec: str, plan: Plan) -> str:
    """Put table, hierarchy and specification into the folder; return the specification's name."""
    write_table(desk.folder / "people.csv", draw_people(plan.rows, missing=plan.missing))
    write_areas(desk.folder)
    return desk.bring(spec)
