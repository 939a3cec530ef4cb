"""One session of Spark for all tests of a process, on this machine and for nobody else."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import tempfile
import warnings
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    # Java's second compiler is for what runs for minutes; it took a third of the time that starting takes.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.adaptive.enabled": "false",
    "spark.log.level": "OFF",
    # Compiling each query takes longer than these small tables.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A session with two workers, whose tasks are tried up to three times."""
    if importlib.util.find_spec("pyspark") is None:
        pytest.skip('Spark is not installed: pip install "sfumato[spark]"')
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java (Debian: apt-get install openjdk-17-jre-headless)")
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        # Spark complains about versions of pandas, which it is never asked to use here.
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[2,3]")
        for name, value in SETTINGS.items():
            builder = builder.config(name, value)
        builder = builder.config("spark.local.dir", folder).config("spark.sql.warehouse.dir", f"{folder}/w")
        session = builder.getOrCreate()
        yield session
        session.stop()
