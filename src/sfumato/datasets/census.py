"""The UCI census table *Adult*: where it is in the package, and how to read it.

The table is the work of Becker and Kohavi (1996), UCI Machine Learning Repository,
https://doi.org/10.24432/C5XW20, licensed under CC BY 4.0; ``adult/ATTRIBUTION.md`` says what was
changed. The hierarchies next to it were written for Sfumato.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from sfumato.errors import ParameterError, nearest

if TYPE_CHECKING:
    import pyarrow as pa

Study: TypeAlias = Literal["pbg", "schemes"]

_FOLDER = Path(__file__).parent / "adult"
_SPECIFICATIONS: dict[str, str] = {"pbg": "adult.toml", "schemes": "adult_schemes.toml"}


def adult_path() -> Path:
    """Return the path of the census table, a Parquet file inside the package.

    Returns
    -------
    pathlib.Path
        The file with the 30,162 complete rows and 15 columns, in the order of the original.
    """
    return _FOLDER / "adult.parquet"


def adult() -> pa.Table:
    """Read the census table.

    Nothing is missing in it: rows with an unknown value were left out. Numbers are 64-bit
    integers, everything else is text.

    Returns
    -------
    pyarrow.Table
        30,162 rows and 15 columns.

    References
    ----------
    Becker, B. and Kohavi, R. (1996). Adult. UCI Machine Learning Repository, CC BY 4.0.
    https://doi.org/10.24432/C5XW20

    Examples
    --------
    >>> from sfumato import datasets
    >>> datasets.adult().shape
    (30162, 15)
    """
    import pyarrow.parquet as pq

    return pq.read_table(adult_path())


def adult_spec_path(study: Study = "pbg") -> Path:
    """Return the path of a ready specification of the census table.

    Parameters
    ----------
    study
        ``"pbg"``, the one of ``sfumato demo``: eight quasi-identifiers, occupation as sensitive
        attribute, 17,920 recodings; or ``"schemes"``: seven quasi-identifiers, 3,240 recodings by
        levels, ages in fifteen intervals of five years.

    Returns
    -------
    pathlib.Path
        A TOML file; the paths in it are relative to its folder.

    Raises
    ------
    ParameterError
        If there is no such study.
    """
    if study not in _SPECIFICATIONS:
        hint = nearest(str(study), get_args(Study))
        raise ParameterError(f"study must be one of {get_args(Study)}; got {study!r}. {hint}")
    return _FOLDER / _SPECIFICATIONS[study]


def hierarchies(study: Study = "pbg") -> dict[str, Path]:
    """List the hierarchy files that a specification of the census table uses.

    A file has one row per value, no header and the separator ``;``; column i is level i, from the
    value itself to ``*``. The age is not among them: its intervals are in the specification.

    Parameters
    ----------
    study
        ``"pbg"`` or ``"schemes"``, as in :func:`adult_spec_path`.

    Returns
    -------
    dict of str to pathlib.Path
        Attribute and file, in the order of the specification.

    Raises
    ------
    ParameterError
        If there is no such study.

    Examples
    --------
    >>> from sfumato import datasets
    >>> datasets.hierarchies("schemes")["race"].name
    'race-3.csv'
    """
    path = adult_spec_path(study)
    attributes = tomllib.loads(path.read_text(encoding="utf-8"))["attributes"]
    files = {name: entry.get("hierarchy", {}).get("file") for name, entry in attributes.items()}
    return {name: path.parent / file for name, file in files.items() if file is not None}
