"""Microaggregation: methods, groups, orders, strata, and releases that are verified and reported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sfumato as sf
from tests.goldens.tables import RANKS, draw_numbers, write_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.goldens.desk import Desk

ORDER = f"rank={','.join(RANKS)}"


def by_command(desk: Desk) -> None:
    """Microaggregate files with every option of the command."""
    write_table(desk.folder / "numbers.csv", draw_numbers())
    write_table(desk.folder / "numbers.parquet", draw_numbers())
    (desk.folder / "groups.toml").write_text('groups = [["weight", "size"], ["pulse"]]\n', encoding="utf-8")
    asked = ("microaggregate", "numbers.csv")
    all_three = ("--columns", "weight,size,pulse")
    desk.run("mdav", *asked, *all_three, "--keep", "ward,code", "--out", "mdav.csv")
    desk.run(
        "sorted", *asked, *all_three, "--k", 4, "--sort", "--keep", "ward", "--out", "sorted.csv", "--json"
    )
    desk.run("groups", *asked, *all_three, "--groups", "groups.toml", "--out", "groups.csv")
    desk.run("auto-json", *asked, *all_three, "--groups", "auto", "--seed", 3, "--out", "auto.tsv", "--json")
    more = ("--within", "ward", "--centroid", "median", "--order", ORDER, "--no-standardize")
    desk.run("v-mdav", *asked, "--columns", "weight,day,rank", "--method", "v-mdav", *more, "--out", "v.csv")
    typed = ("microaggregate", "numbers.parquet", "--columns", "size,day", "--method", "univariate")
    desk.run("univariate", *typed, "--k", 3, "--out", "univariate.parquet", "--quiet")
    files = ("mdav.csv", "sorted.csv", "groups.csv", "auto.tsv", "v.csv", "univariate.parquet")
    for file in files:
        desk.keep_files(file, f"{file}.json")
        desk.run(f"verify-{file}", "verify", file)


def reported(desk: Desk) -> None:
    """Verify, attack and report a microaggregated table, by commands and in Python."""
    write_table(desk.folder / "numbers.csv", draw_numbers(60))
    (desk.folder / "folder").mkdir()
    asked = ("--columns", "weight,size,pulse", "--keep", "ward", "--out", "folder/out.csv")
    desk.run("microaggregate", "microaggregate", "numbers.csv", *asked)
    desk.run("verify-data", "verify", "folder/out.csv", "--data", "numbers.csv", "--json")
    desk.run("risk", "risk", "numbers.csv", "--release", "folder/out.csv")
    desk.run("report", "report", "folder")
    desk.keep_files("folder/report.html")
    made = sf.microaggregate("numbers.csv", ["weight", "size"], 5, groups=[["weight"], ["size"]])
    made.report("internal.html", internal=True)
    desk.keep_files("internal.html")
    desk.keep_json("told", {"measures": made.measures, "joint": made.joint_k, "warnings": made.warnings})
    desk.keep_json("labels", {", ".join(group): labels for group, labels in made.labels.items()})
    desk.keep_json("verified", made.verify())
    grouped = sf.microaggregation.group_attributes(made.frame, k=5, seed=1)
    desk.keep("grouped.txt", f"{grouped.groups}\n")


CASES: dict[str, Callable[[Desk], None]] = {"microaggregate": by_command, "microaggregate-report": reported}
