"""A recipe as SQL, run by real engines: the released rows, in their order."""

from __future__ import annotations

import datetime as dt
import random
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pyarrow.parquet
import pytest
import sqlglot

import sfumato as sf
from sfumato.errors import ParameterError
from sfumato.release.recipe_sql import recipe_sql
from tests.databases import cases, server
from tests.table import backends

if TYPE_CHECKING:
    from pathlib import Path

DIALECTS = ("duckdb", "postgres", "spark", "bigquery", "snowflake")
REFUSED = {
    "admissible": "by a measure",
    "confidential": "by a measure",
    "cuts": "statistics",
    "guided-ordered": "by a measure",
    "guided-sets": "by a measure",
    "ordered": "statistics",
    "sets": "the mean",
}
HARD = [
    "a'b",
    'c"d',
    "e;f",
    "g\\h",
    "i\nj",
    "Ünï ☃ 𝄞",
    "--k",
    "/* l */",
    "$1",
    "{m}",
    "%s",
    "O''N",
    "\\'",
    "tab\tx",
    " n ",
]


def sayable(scheme: str, folder: Path) -> sf.Spec:
    """The specification of a scheme without what SQL cannot say."""
    tables = cases.spec(scheme, folder).to_dict()
    for item in tables["attributes"].values():
        item.pop("output", None)
    said = {name: limit for name, limit in tables["require"].items() if name[0] == "k" or "distinct" in name}
    objectives = {
        key: [n for n in names if "(" not in n and n != "sf"] for key, names in tables["objectives"].items()
    }
    if tables["suppression"].get("rule") == "below-mean":
        tables["suppression"] = {"rule": "smallest", "limit": 0.2}
    changed = {"require": said or {"loss": 1.0}, "objectives": objectives, "confidential": []}
    return sf.Spec.from_dict({**tables, **changed}, folder)


def released_rows(release: sf.Release, path: Path) -> list[tuple[str | None, ...]]:
    """The rows of the written file."""
    release.write(path, force=True)
    return backends.rows_of(pyarrow.parquet.read_table(path))


def run(dialect: str, statement: str, table: pa.Table, name: str, request) -> list[tuple[str | None, ...]]:
    """The rows that an engine makes."""
    if dialect == "duckdb":
        connection = duckdb.connect()
        connection.register("given", table)
        connection.execute(f"""CREATE TABLE "{name.replace('"', '""')}" AS FROM given""")
        return backends.rows_of(connection.sql(statement).to_arrow_table())
    address = request.getfixturevalue("postgres").address
    server.put(address, name, table)
    return backends.rows_of(server.ask(address, statement.rstrip(";\n")))


def check(data: pa.Table, spec: sf.Spec, dialect: str, name: str, folder: Path, request) -> sf.Release:
    """Compare what an engine makes with what is released."""
    release = sf.anonymize(data, spec)
    assignment = folder / "assignment.json" if spec.is_local else None
    if assignment is not None:
        release.write_assignment(assignment, force=True)
    table = '"' + name.replace('"', '""') + '"'
    made = run(
        dialect, recipe_sql(release.recipe, table, dialect, assignment=assignment), data, name, request
    )
    expected = released_rows(release, folder / "released.parquet")
    assert made == expected
    return release


@pytest.mark.some(6)
@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
@pytest.mark.parametrize("scheme", cases.SCHEMES)
def test_an_engine_makes_the_released_rows(dialect, scheme, tmp_path, name, request):
    check(cases.arrow(scheme), sayable(scheme, tmp_path), dialect, name, tmp_path, request)


@pytest.mark.parametrize("scheme", REFUSED)
def test_what_cannot_be_said_is_refused(scheme, tmp_path):
    release = sf.anonymize(cases.arrow(scheme), cases.spec(scheme, tmp_path))
    with pytest.raises(ParameterError, match=REFUSED[scheme]):
        recipe_sql(release.recipe, "t", "duckdb")


def hard_table(seed: int) -> pa.Table:
    chance = random.Random(seed)
    days = [dt.date(1898, 2, 27), dt.date(1999, 12, 31), dt.date(2000, 1, 1), dt.date(2024, 2, 29)]
    drawn = {
        'we"ird; --': [chance.choice(HARD) for _ in range(200)],
        "fr'ac": [
            chance.choice([-0.3, -0.25, 0.1, 0.2, 0.3, 0.7, 1.0, 2.95, 17.05, None]) for _ in range(200)
        ],
        "whole": [chance.choice([-9, *range(-25, 140, 3)]) for _ in range(200)],
        "day": [chance.choice([*days, None]) for _ in range(200)],
        "code": [chance.choice(["12345", "1234567", "12399", "NA", "90001", "É2345"]) for _ in range(200)],
        "sensitive\ncolumn": [chance.choice([*HARD[:5], None, "NA", "unknown"]) for _ in range(200)],
        "flag": [chance.choice([True, False, None]) for _ in range(200)],
    }
    return pa.table(drawn)


def hard_spec(chance: random.Random) -> sf.Spec:
    """Everything that a rule, a suppression and a release can say, drawn at random."""
    units = chance.choice([["day", "month", "year"], ["quarter", "decade"], ["year", "century"]])
    cut = chance.choice([{}, {"bottom": 0, "top": 90}, {"bottom": -10}, {"top": 61}])
    rules = {
        'we"ird; --': chance.choice([None, {"tree": {"x'": HARD[:6], "y;": HARD[6:11], 'z"': HARD[11:]}}]),
        "fr'ac": chance.choice(
            [None, {"intervals": [0.1, 0.5, 5]}, {"intervals": [0.25, 1], "origin": 0.05}]
        ),
        "whole": {"intervals": [5, 20, 60], "origin": chance.choice([0, 3]), **cut},
        "day": {"dates": units},
        "code": chance.choice([{"mask": 5}, {"prefix": [3, 1]}]),
    }
    attributes = {}
    for name in chance.sample(sorted(rules), chance.choice([2, 3])):
        attributes[name] = {"role": "quasi-identifier"} | ({"hierarchy": rules[name]} if rules[name] else {})
    if "fr'ac" in attributes and chance.random() < 0.5:
        attributes["fr'ac"] = {"role": "quasi-identifier", "kind": "number", "scheme": "ordered"}
    if "whole" in attributes and chance.random() < 0.3:
        attributes["whole"] = {"role": "quasi-identifier", "granularity": 4}
    attributes["sensitive\ncolumn"] = {"role": "sensitive", "unknown": ["unknown"]}
    attributes["flag"] = {"role": "other"}
    rule = chance.choice(["auto", "failing", "smallest", "none"])
    require = {"k": chance.choice([2, 3])} | (
        {'distinct_l("sensitive\ncolumn")': 2} if chance.random() < 0.5 else {}
    )
    return sf.Spec.from_dict(
        {
            "data": {"missing": ["NA", "-9"]},
            "attributes": attributes,
            "require": {"loss": 0.99} if rule == "smallest" else require,
            "suppression": {
                "limit": chance.choice([0.07, 0.3]),
                "rule": rule,
                "output": chance.choice(["drop", "mask"]),
            },
            "objectives": {"minimize": ["loss"], "maximize": chance.choice([[], ["k"]])},
            "search": {"time_limit": 5},
        }
    )


@pytest.mark.some(2)
@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
@pytest.mark.parametrize("seed", range(8))
def test_names_and_values_may_be_anything(dialect, seed, tmp_path, name, request):
    chance = random.Random(seed)
    check(hard_table(seed), hard_spec(chance), dialect, f"{name} '\";é\n--", tmp_path, request)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("seed", range(2))
def test_every_dialect_reads_back_what_was_meant(dialect, seed):
    release = sf.anonymize(hard_table(seed), hard_spec(random.Random(seed)))
    meant, made = (
        sqlglot.parse(recipe_sql(release.recipe, "a.b", known, made=("view", "x.y")), read=known)
        for known in ("duckdb", dialect)
    )
    assert len(made) == 1
    for kind in (sqlglot.exp.Identifier, sqlglot.exp.Literal):
        texts = [
            {node.this for node in found[0].find_all(kind) if node.args.get("is_string", True)}
            for found in (meant, made)
        ]
        assert {text for text in texts[0] if text in HARD or "'" in text} <= texts[1]
    assert {"a", "b", "x", "y"} <= {node.this for node in made[0].find_all(sqlglot.exp.Identifier)}


def test_the_assignment_belongs_to_local_recodings_alone(tmp_path):
    release = sf.anonymize(cases.arrow("local"), cases.spec("local", tmp_path))
    with pytest.raises(ParameterError, match="assignment"):
        recipe_sql(release.recipe, "t", "duckdb")
    release.write_assignment(tmp_path / "a.json")
    assert recipe_sql(release.recipe, "t", "duckdb", assignment=tmp_path / "a.json").startswith("-- Private")
