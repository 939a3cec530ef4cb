"""A task that fails twice, or always: the release is whole, or there is none and the next run makes it."""

from __future__ import annotations

import pytest

import sfumato as sf
from sfumato.errors import SfumatoError
from tests.databases import cases
from tests.spark.test_releases import expected, read_parts, spec_of

SECRET = "a cell of the data"
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")


@pytest.fixture
def failing(spark, tmp_path):
    """A frame of which one task fails at its first attempts: as many as a file says."""
    said = tmp_path / "attempts"
    said.write_text("0")
    place, words = str(said), SECRET

    def fail(batches):
        from pathlib import Path

        from pyspark import TaskContext

        task = TaskContext.get()
        if task.partitionId() == 0 and task.attemptNumber() < int(Path(place).read_text()):
            raise ValueError(words)
        yield from batches

    frame = spark.createDataFrame(cases.arrow("levels")).repartition(2)
    return frame.mapInArrow(fail, frame.schema), said


def test_a_task_that_fails_twice_is_tried_again(failing, tmp_path):
    frame, said = failing
    release = sf.anonymize(frame, spec_of("levels", tmp_path))
    said.write_text("2")
    release.write(tmp_path / "released.csv")
    assert read_parts(tmp_path / "released.csv") == expected("levels")[0]
    assert sf.verify(tmp_path / "released.csv")["holds"]


def test_a_task_that_always_fails_leaves_nothing_and_the_next_run_succeeds(failing, tmp_path):
    frame, said = failing
    said.write_text("9")
    with pytest.raises(SfumatoError, match="Spark failed") as told:
        sf.anonymize(frame, spec_of("levels", tmp_path))
    assert SECRET not in str(told.value)
    said.write_text("0")
    release = sf.anonymize(frame, spec_of("levels", tmp_path))
    before = {file.name for file in tmp_path.iterdir()}
    said.write_text("9")
    for act in (release.verify, lambda: release.write(tmp_path / "released.csv")):
        with pytest.raises(SfumatoError, match="Spark failed") as told:
            act()
        assert SECRET not in str(told.value)
        assert {file.name for file in tmp_path.iterdir()} == before
    said.write_text("0")
    release.write(tmp_path / "released.csv")
    assert read_parts(tmp_path / "released.csv") == expected("levels")[0]
