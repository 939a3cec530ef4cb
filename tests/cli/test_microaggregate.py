"""``sfumato microaggregate``."""

from __future__ import annotations

import csv
import random
from typing import TYPE_CHECKING

import pytest

from tests.cli.running import run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    chance = random.Random(4)
    path = tmp_path / "people.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "age", "pay", "rank", "region"])
        for row in range(50):
            rank = chance.choice(["low", "mid", "high"])
            writer.writerow(
                [f"p{row}", chance.randint(18, 80), f"{chance.gauss(0, 1):.3f}", rank, "NS"[row % 2]]
            )
    return path


def test_whole_way(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    asked = ["--columns", "age,pay", "--k", 5, "--keep", "rank,region", "--out", out]
    done = run("microaggregate", table, *asked)
    assert done.status == 0, done.err
    assert "left out" in done.out
    for text in ("il", "dld", "written", "verified", "smallest class"):
        assert text in done.out
    assert run("verify", out).status == 0
    with out.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert list(rows[0]) == ["age", "pay", "rank", "region"]
    assert [row["region"] for row in rows] == ["NS"[row % 2] for row in range(50)]


def test_json_and_every_option(table: Path, tmp_path: Path) -> None:
    groups = tmp_path / "groups.toml"
    groups.write_text('groups = [["age", "pay"], ["rank"]]\n', encoding="utf-8")
    arguments = ["microaggregate", table, "--columns", "age,pay,rank", "--k", 3, "--within", "region"]
    arguments += [
        "--groups",
        groups,
        "--order",
        "rank=low,mid,high",
        "--method",
        "v-mdav",
        "--centroid",
        "median",
    ]
    arguments += [
        "--no-standardize",
        "--threads",
        1,
        "--seed",
        2,
        "--missing",
        "NA",
        "--out",
        tmp_path / "o.parquet",
    ]
    found = run(*arguments, "--json").json
    assert found["groups"] == [["age", "pay"], ["rank"]]
    assert found["k"] == 3
    assert found["joint_k"] == found["measures"]["k"]  # type: ignore[index]
    assert found["measures"]["k(rank)"] >= 3  # type: ignore[index]
    assert found["verified"] is True
    assert run(*arguments).status == 2
    assert run(*arguments, "--force", "--quiet").out == ""


def test_only_what_is_named_is_published_and_that_is_said(table: Path, tmp_path: Path) -> None:
    asked = ["microaggregate", table, "--columns", "age", "--keep", "name", "--force"]
    out = tmp_path / "out.csv"
    quiet = run(*asked, "--out", out, "--quiet")
    assert out.read_text(encoding="utf-8").startswith("name,age\n")
    assert quiet.out == ""
    assert "left out: pay, rank, region" in quiet.err
    assert "'name' differs in every row" in quiet.err
    found = run(*asked, "--out", out, "--json").json
    assert found["left_out"] == ["pay", "rank", "region"]
    assert found["kept"] == ["name"]
    assert any("'name'" in text for text in found["warnings"])  # type: ignore[attr-defined]
    # The numbers are exact here, and coarse for others.
    assert found["measures"]["il"] not in (1, 2, 5, 10, 20, 50, 100)  # type: ignore[index]


def test_sorted_rows_and_a_superseded_option(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    asked = ["microaggregate", table, "--columns", "age", "--keep", "rank", "--sort", "--out", out]
    done = run(*asked, "--drop", "name")
    assert done.status == 0, done.err
    assert "--drop has no effect" in done.err
    assert "sorted by all columns" in done.out
    with out.open(encoding="utf-8") as lines:
        rows = [(float(row["age"]), row["rank"]) for row in csv.DictReader(lines)]
    assert rows == sorted(rows)
    assert run("verify", out, "--data", table).status == 0
    assert run(*asked, "--drop", "age", "--force").status == 2


def test_groups_are_loudly_said_to_destroy_k(table: Path, tmp_path: Path) -> None:
    groups = tmp_path / "groups.json"
    groups.write_text('[["age"], ["pay"]]', encoding="utf-8")
    done = run(
        *("microaggregate", table, "--columns", "age,pay", "--groups", groups, "--out", tmp_path / "o.csv")
    )
    assert "not 5-anonymous" in " ".join(done.out.split())
    assert run("verify", tmp_path / "o.csv").status == 0


def test_groups_by_gomm(table: Path, tmp_path: Path) -> None:
    done = run(
        *(
            "microaggregate",
            table,
            "--columns",
            "age,pay",
            "--groups",
            "auto",
            "--out",
            tmp_path / "o.csv",
            "--json",
        )
    )
    assert sorted(name for group in done.json["groups"] for name in group) == ["age", "pay"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("g.toml", "groups = [[", "line 1"),
        ("g.toml", "x = 1", "g.toml"),
        ("g.toml", "groups = 3", "groups"),
        ("g.toml", 'groups = [["age"], 3]', "groups[1]"),
        ("g.json", '[["age", 3]]', "groups[0][1]"),
        ("g.json", "\n[", "line 2"),
        ("g.json", "[]", "groups"),
    ],
)
def test_groups_files_that_are_none(table: Path, tmp_path: Path, name: str, text: str, place: str) -> None:
    groups = tmp_path / name
    groups.write_text(text, encoding="utf-8")
    done = run(
        *("microaggregate", table, "--columns", "age,pay", "--groups", groups, "--out", tmp_path / "o.csv")
    )
    assert done.status == 2
    assert place in done.line
    assert not (tmp_path / "o.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--columns", "age,age"], "twice"),
        (["--columns", "agee"], "'age'"),
        (["--columns", "name"], "neither all numbers nor all dates"),
        (["--columns", "age", "--k", "1"], "k"),
        (["--columns", "age", "--k", "51"], "50 rows"),
        (["--columns", "age", "--groups", "absent.toml"], "file not found"),
        (["--columns", "age", "--order", "rank"], "COLUMN="),
        (["--columns", "age", "--within", "name"], "strata"),
        (["--columns", "age", "--method", "best"], "method"),
    ],
)
def test_mistakes_are_one_line(table: Path, tmp_path: Path, arguments: list[str], text: str) -> None:
    done = run("microaggregate", table, *arguments, "--out", tmp_path / "o.csv")
    assert done.status == 2
    assert text in done.line
    assert list(tmp_path.glob("o.csv*")) == []


def test_what_a_search_for_groups_found_is_written_on_request(tmp_path: Path) -> None:
    chance = random.Random(3)
    rows = [[f"{chance.gauss(50, 9):.3f}" for _ in range(3)] for _ in range(60)]
    table = tmp_path / "t.csv"
    table.write_text("\n".join(",".join(row) for row in [["a", "b", "c"], *rows]) + "\n", encoding="utf-8")
    words = ("microaggregate", table, "--columns", "a,b,c", "--out", tmp_path / "m.csv")
    refused = run(*words, "--search-out", tmp_path / "found")
    assert (refused.status, "add --groups auto" in refused.line) == (2, True)
    assert run(*words, "--groups", "gomm", "--search-out", tmp_path / "found", "--quiet").status == 0
    written = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "found").iterdir()}
    assert written == {"groupings.csv": 0o600, "operators.csv": 0o600}
    header = (tmp_path / "found" / "groupings.csv").read_text(encoding="utf-8").splitlines()[0]
    assert header == "solution,il,id,dld,score,a,b,c"
