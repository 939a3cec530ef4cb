"""Suppressed rows by group, against counts over plain rows."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import sfumato as sf
from sfumato.assess.cells import read_cells
from sfumato.assess.left_out import BANDS, MOST_GROUPS, find_left_out
from sfumato.table import open_source
from tests.cli.running import run

if TYPE_CHECKING:
    from pathlib import Path


def people(rows: int = 900) -> pd.DataFrame:
    """Make a table in which a small group is spread over many values, so that its rows stand alone."""
    random = np.random.default_rng(4)
    group = np.where(random.random(rows) < 0.05, "few", "many")
    age = np.where(group == "few", random.integers(0, 90, rows), random.integers(30, 34, rows))
    return pd.DataFrame({"age": age, "group": group, "ill": random.choice(["flu", "cold"], rows)})


SPEC = sf.Spec.from_dict(
    {
        "data": {"path": "people.csv"},
        "attributes": {
            "age": {"role": "quasi-identifier", "levels": [0, 0]},
            "group": {"role": "quasi-identifier", "levels": [0, 0]},
            "ill": {"role": "sensitive"},
        },
        "require": {"k": 5},
        "suppression": {"limit": 0.1},
        "objectives": {"minimize": ["loss"]},
    }
)


def test_rows_of_each_group_are_counted_and_the_one_that_is_hit_more_is_told(tmp_path: Path) -> None:
    frame = people()
    sizes = Counter(zip(frame["age"], frame["group"], strict=True))
    alone = np.array([sizes[pair] < 5 for pair in zip(frame["age"], frame["group"], strict=True)])
    frame.to_csv(tmp_path / "people.csv", index=False)
    SPEC.save(tmp_path / "people.toml")
    assert run("anonymize", tmp_path / "people.toml", "--out", tmp_path / "out.csv").status == 0
    made = run("report", tmp_path, "--internal", "--json")
    found = {item["attribute"]: item["groups"] for item in json.loads(made.out)["suppressed_by_group"]}
    for name in ("group", "ill"):
        for item in found[name]:
            of_group = (frame[name] == item["name"]).to_numpy()
            assert (item["rows"], item["left_out"]) == (of_group.sum(), (of_group & alone).sum())
    assert [item["name"] for item in found["group"] if item["is_hit_more"]] == ["few"]
    assert not any(item["is_hit_more"] for item in found["ill"])
    assert sum(item["left_out"] for item in found["age"]) == alone.sum()
    page = (tmp_path / "report-internal.html").read_text()
    assert "Who was left out" in page
    assert run("report", tmp_path, "--json", "--force").status == 0
    assert "Who was left out" not in (tmp_path / "report.html").read_text()
    hidden = run("report", tmp_path, "--internal", "--json", "--no-values", "--force")
    names = {
        item["name"] for part in json.loads(hidden.out)["suppressed_by_group"] for item in part["groups"]
    }
    assert names <= {f"group {place}" for place in range(1, MOST_GROUPS + 2)}


def test_many_values_become_bands_or_the_commonest_ones() -> None:
    random = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "age": [None if n % 50 == 0 else int(random.integers(0, 90)) for n in range(500)],
            "town": [f"town {int(random.geometric(0.05))}" for _ in range(500)],
        }
    )
    table = read_cells(open_source(frame), ("age", "town"))
    released = np.arange(len(table.cells.rows)) % 7 != 0
    ages, towns = find_left_out(table, released, ["age", "town"])
    assert len(ages.groups) == BANDS + 1
    assert ages.groups[-1].name == "(missing)"
    assert ages.groups[-1].rows == 10
    inner = [item.rows for item in ages.groups[:-1]]
    assert max(inner) < 1.3 * min(inner)
    assert len(towns.groups) == MOST_GROUPS
    common = [name for name, _ in Counter(frame["town"]).most_common(3)]
    assert {item.name for item in towns.groups[:3]} == set(common)
    for found in (ages, towns):
        assert sum(item.rows for item in found.groups) == 500
        assert sum(item.left_out for item in found.groups) == int(table.cells.rows[~released].sum())


def test_chance_alone_hits_no_group_more() -> None:
    random = np.random.default_rng(6)
    told = 0
    for _ in range(50):
        frame = pd.DataFrame({"group": random.choice(list("abcdefgh"), 800), "row": np.arange(800)})
        table = read_cells(open_source(frame), ("group", "row"))
        (found,) = find_left_out(table, random.random(800) < 0.9, ["group"])
        told += sum(item.is_hit_more for item in found.groups)
    assert told <= 2  # of 400
