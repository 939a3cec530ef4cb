"""A recipe as SQL, run by Spark: the released rows, in their order."""

from __future__ import annotations

import random

import pytest

import sfumato as sf
from sfumato.release.recipe_sql import recipe_sql
from tests.databases import cases
from tests.databases.test_recipe_sql import hard_spec, hard_table, released_rows, sayable
from tests.spark.test_releases import SCHEMES
from tests.table import backends


def check(spark, table, spec, folder):
    release = sf.anonymize(table, spec)
    assignment = folder / "assignment.json" if spec.is_local else None
    if assignment is not None:
        release.write_assignment(assignment)
    spark.createDataFrame(table).createOrReplaceTempView("given_table")
    statement = recipe_sql(release.recipe, "given_table", "spark", assignment=assignment)
    made = backends.rows_of(spark.sql(statement.rstrip(";\n")))
    assert made == released_rows(release, folder / "released.parquet")


@pytest.mark.some(2)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_spark_makes_the_released_rows(spark, scheme, tmp_path):
    check(spark, cases.arrow(scheme), sayable(scheme, tmp_path), tmp_path)


@pytest.mark.parametrize("seed", [pytest.param(n, marks=pytest.mark.slow if n > 1 else ()) for n in range(8)])
def test_names_and_values_may_be_anything(spark, seed, tmp_path):
    check(spark, hard_table(seed), hard_spec(random.Random(seed)), tmp_path)
