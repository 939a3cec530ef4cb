"""``FILE.json``: what stands beside a release so that anyone can recount it."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.errors import DataError, VerificationError
from sfumato.release.fields import Fields
from sfumato.release.recipe import Recipe
from sfumato.release.stable_json import load_json_object, stable_json
from sfumato.release.verify import Promise

if TYPE_CHECKING:
    from collections.abc import Mapping

_PACKAGES = ("sfumato", "numpy", "numba", "duckdb", "narwhals")
_ROWS = ("in", "out", "suppressed")


@dataclass(frozen=True)
class Manifest:
    """What a release promises. It holds domain labels and totals, never records.

    Parameters
    ----------
    recipe
        What was done, in the JSON form of `Recipe`: roles, suppression and its output included.
    measures
        Measure → number, as the independent recount found it.
    require
        Measure → number that must hold.
    rows
        ``in``, ``out`` (rows of the file, masked ones included) and ``suppressed``.
    sha256
        Digest of the file, lower-case hexadecimal.
    reference
        What a recount needs beside the file (see `sfumato.release.reference`).
    versions
        Name → version of what made it.
    """

    recipe: Mapping[str, object]
    measures: Mapping[str, float]
    require: Mapping[str, float]
    rows: Mapping[str, int]
    sha256: str
    reference: Mapping[str, object]
    versions: Mapping[str, str]

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        return {
            "recipe": dict(self.recipe),
            "measures": dict(self.measures),
            "require": dict(self.require),
            "rows": dict(self.rows),
            "sha256": self.sha256,
            "reference": dict(self.reference),
            "versions": dict(self.versions),
        }

    def to_json(self) -> str:
        """Return the text of ``FILE.json``: sorted keys, indented, a newline at the end."""
        return stable_json(self.to_dict())

    @classmethod
    def load(cls, path: str | Path) -> Manifest:
        """Read ``FILE.json``. Keys that this version does not know are passed over.

        Raises
        ------
        DataError
            If the file is absent or not JSON, or a key is missing or of the wrong kind.
        """
        fields = Fields(load_json_object(path), str(path))
        rows, versions = fields.fields("rows"), fields.mapping("versions")
        sha256 = fields.text("sha256").lower()
        if len(sha256) != 64 or not set(sha256) <= set("0123456789abcdef"):
            raise DataError("'sha256' is not a digest of 64 hexadecimal digits.", where=str(path))
        return cls(
            fields.mapping("recipe"),
            fields.numbers("measures"),
            fields.numbers("require"),
            {key: rows.whole(key) for key in _ROWS},
            sha256,
            fields.mapping("reference"),
            {name: str(version) for name, version in versions.items()},
        )

    def promise(self) -> Promise:
        """Return what the manifest promises, for a recount of its file.

        Raises
        ------
        DataError
            If the recipe cannot be read.
        VerificationError
            If requirements of manifest and recipe differ.
        """
        recipe = Recipe.from_dict(self.recipe)
        if dict(recipe.require) != dict(self.require):
            raise VerificationError(
                "the manifest contradicts itself: its requirements are not those of its recipe."
            )
        return Promise(
            recipe.quasi_identifiers,
            recipe.sensitive,
            self.require,
            dict(self.measures),
            self.rows,
            self.reference,
            recipe.suppressed_output,
            recipe.rule,
            recipe.limit,
            recipe.released,
            recipe.person,
            sha256=self.sha256,
        )


def manifest_path(path: str | Path) -> Path:
    """Return where the manifest of a release stands.

    Examples
    --------
    >>> manifest_path("open/adult.csv.gz").name
    'adult.csv.gz.json'
    """
    path = Path(path)
    return path.with_name(path.name + ".json")


def current_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that shape a release; absent ones are left out."""
    versions = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


__all__ = ["Manifest", "current_versions", "manifest_path"]
