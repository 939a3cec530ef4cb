"""The two data sets as z-scores. The files are not part of the project; a quick run makes its tables up."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from studies.gomm.paper import Data

VARIABLE = "SFUMATO_TEST_DATA"
MISSING = ("", "?")


def data_folder() -> Path:
    """Return the folder that the environment names, else the one beside the checkout."""
    beside = Path(__file__).resolve().parents[2].parent / "shared" / "data"
    return Path(os.environ.get(VARIABLE) or beside)


def z_scores(values: FloatArray) -> FloatArray:
    """Return values less their column's mean, over its deviation.

    The study has its own, so that its numbers stay: another way to round would break other ties in MDAV,
    and change scores in the second digit.
    """
    return np.asarray((values - values.mean(axis=0)) / values.std(axis=0))


def load(data: Data) -> FloatArray:
    """Return the complete rows, each column as z-scores.

    Raises
    ------
    FileNotFoundError
        If the data are not there.
    """
    path = data_folder() / data.file
    if not path.is_file():
        raise FileNotFoundError(f"{data.file} is needed: set {VARIABLE} to the folder that holds it.")
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    kept = [place for place, name in enumerate(header) if name != data.left_out]
    complete = [row for row in rows if not any(row[place] in MISSING for place in kept)]
    values = z_scores(np.array([[row[place] for place in kept] for row in complete], dtype=np.float64))
    assert values.shape == (data.rows, data.attributes)
    return values


def make_up(data: Data, rows: int, attributes: int) -> FloatArray:
    """Return a seeded table of correlated columns in place of the data."""
    random = np.random.default_rng(data.rows)
    hidden = random.normal(size=(rows, 3))
    mixed = hidden @ random.normal(size=(3, min(attributes, data.attributes)))
    return z_scores(mixed + random.normal(size=mixed.shape))


__all__ = ["data_folder", "load", "make_up", "z_scores"]
