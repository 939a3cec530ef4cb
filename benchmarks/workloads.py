"""The tables that the benchmarks work on."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import sfumato
from sfumato.preparing import Prepared, load, make_problem
from sfumato.spec import Spec

if TYPE_CHECKING:
    from sfumato.search import Problem

ARX_ATTRIBUTES = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)


def data_folder() -> Path:
    """Return the folder of the shared data; where it is absent, asv skips what needs it."""
    beside = Path(__file__).resolve().parents[1].parent / "shared" / "data"
    folder = Path(os.environ.get("SFUMATO_TEST_DATA", beside))
    if not (folder / "adult_train.csv").is_file():
        raise NotImplementedError("the shared data are absent: set SFUMATO_TEST_DATA")
    return folder


@cache
def complete_adult() -> Path:
    """Write the complete rows of Adult as CSV once, and return the file."""
    import duckdb

    path = scratch() / "adult.csv"
    source = str(data_folder() / "adult_train.csv").replace("'", "''")
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        columns = [row[0] for row in connection.execute(f"DESCRIBE FROM read_csv('{source}')").fetchall()]
        complete = " AND ".join(f"\"{name}\"::VARCHAR <> '?'" for name in columns)
        connection.execute(f"COPY (FROM read_csv('{source}') WHERE {complete}) TO '{path}' (HEADER)")
    return path


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a process that sees the same package as this one."""
    package = Path(sfumato.__file__).resolve().parents[1]
    # With byte code, as an installed package has it.
    kept = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(scratch() / "byte-code")}
    return {**os.environ, "PYTHONPATH": str(package), **kept, **more}


@cache
def scratch() -> Path:
    """Return a temporary folder that lives as long as the process."""
    return Path(_FOLDER.name)


_FOLDER = tempfile.TemporaryDirectory(prefix="sfumato-benchmarks-")


def adult_spec(limit: float, *, require: dict[str, float] | None = None, minimize: str = "loss") -> Spec:
    """Return the specification of the 12,960-node lattice: nine quasi-identifiers, ladders from files."""
    hierarchies = data_folder() / "hierarchies_adult"
    attributes: dict[str, dict[str, object]] = {
        name: {
            "role": "quasi-identifier",
            "hierarchy": {"file": str(hierarchies / f"adult_hierarchy_{name}.csv")},
        }
        for name in ARX_ATTRIBUTES
    }
    attributes["relationship"] = {"role": "sensitive"}
    objectives: dict[str, list[str]] = {"minimize": [minimize]}
    if require is None:
        objectives["maximize"] = ["k", "distinct_l(relationship)"]
    return Spec.from_dict(
        {
            "data": {"path": str(complete_adult())},
            "attributes": attributes,
            "suppression": {"limit": limit},
            "require": require or {},
            "objectives": objectives,
        }
    )


@cache
def adult(limit: float) -> Prepared:
    """Return Adult coded for the 12,960-node lattice."""
    return load(None, adult_spec(limit))


def front_problem(limit: float = 0.01) -> Problem:
    """Every node with k under suppression, distinct ℓ and loss."""
    return make_problem(adult(limit), ("k", "distinct_l(relationship)"), ("loss",))


def optimum_problem(limit: float, minimize: str = "loss") -> Problem:
    """The best node for k = 5."""
    prepared = load(None, adult_spec(limit, require={"k": 5}, minimize=minimize))
    return make_problem(prepared, (), (minimize,))


def occupation_problem(limit: float, measure: str = "t(occupation)", bound: float = 0.2) -> Problem:
    """The best node where a measure of the occupation is required, t = 0.2 if not named."""
    spec = adult_spec(limit, require={measure: bound}).to_dict()
    attributes = spec["attributes"]
    assert isinstance(attributes, dict)
    attributes["occupation"] = {"role": "sensitive"}
    return make_problem(load(None, Spec.from_dict(spec)), (), ("loss",))


@cache
def synthetic(rows: int) -> Path:
    """Write five quasi-identifiers and a sensitive attribute, the same every time, as parquet."""
    import duckdb

    path = scratch() / f"synthetic-{rows}.parquet"
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(
            f"""COPY (
                SELECT (18 + hash(i, 1) % 72)::INTEGER AS age,
                       'zip' || lpad((hash(i, 2) % 100)::VARCHAR, 3, '0') AS zip,
                       CASE WHEN hash(i, 3) % 2 = 0 THEN 'female' ELSE 'male' END AS sex,
                       'country' || (hash(i, 4) % 20)::VARCHAR AS country,
                       'job' || (hash(i, 5) % 30)::VARCHAR AS job,
                       'diagnosis' || (hash(i, 6) % 50)::VARCHAR AS diagnosis
                FROM range({rows}) AS t(i)
            ) TO '{path}' (FORMAT parquet)"""
        )
    return path


SYNTHETIC_QUASI_IDENTIFIERS = ("age", "zip", "sex", "country", "job")


def synthetic_spec(path: Path) -> Spec:
    """Return a specification for a synthetic table."""
    return Spec.from_dict(
        {
            "data": {"path": str(path)},
            "attributes": {
                "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5, 10, 20, 40]}},
                "zip": {"role": "quasi-identifier", "hierarchy": {"mask": 6}, "levels": [0, 6]},
                "sex": {"role": "quasi-identifier"},
                "country": {"role": "quasi-identifier"},
                "job": {"role": "quasi-identifier"},
                "diagnosis": {"role": "sensitive"},
            },
            "suppression": {"limit": 0.01},
            "require": {"k": 5},
            "objectives": {"minimize": ["loss"]},
        }
    )


__all__ = [
    "SYNTHETIC_QUASI_IDENTIFIERS",
    "adult",
    "adult_spec",
    "complete_adult",
    "data_folder",
    "environment",
    "front_problem",
    "occupation_problem",
    "optimum_problem",
    "scratch",
    "synthetic",
    "synthetic_spec",
]
