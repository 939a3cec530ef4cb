"""``FILE.json``: what comes with a release so that anyone can recount it."""

from __future__ import annotations

import contextlib
import datetime as dt
import functools
import os
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from sfumato.errors import DataError, SpecError, VerificationError
from sfumato.hierarchies import ROOT, text_of
from sfumato.release.json_files import Fields, load_json_object, seal_of, stable_json
from sfumato.release.recipe import Generalization, RecipeAttribute
from sfumato.spec import DataSpec
from sfumato.table import Source, open_source
from sfumato.table.databases import DatabaseTable
from sfumato.table.formulas import without_escapes
from sfumato.table.sources import guess_source
from sfumato.verifier import Promise, stated_secrets

if TYPE_CHECKING:
    from sfumato.spec.sections import ReleaseSpec

_PACKAGES = ("sfumato", "numpy", "numba", "duckdb", "narwhals")
_ROWS = ("in", "out", "suppressed")
NOT_MADE = "the release was not made from these data"
ABOUT = ("organisation", "purpose", "recipient", "contact")
"""Keys of [release] that are published as they are."""

Seal: TypeAlias = Literal["fits", "broken", "absent"]


@dataclass(frozen=True)
class Manifest:
    """What a release promises. It holds domain labels and totals, never records."""

    # what was done, in the JSON form of `Recipe`: roles, suppression and its output included
    recipe: Mapping[str, object]
    measures: Mapping[str, float]  # measure → number, as the independent recount found it
    require: Mapping[str, float]  # measure → number that must hold
    rows: Mapping[str, int]  # `in`, `out` (rows of the file, masked ones included) and `suppressed`
    sha256: str  # digest of the file, lower-case hexadecimal
    reference: Mapping[str, object]  # what a recount needs besides the file (see `sfumato.release.reference`)
    versions: Mapping[str, str]  # name → version of what made it
    # measure → why its number is not published: it would tell about suppressed rows or about a domain that
    # the specification does not declare
    withheld: Mapping[str, str] = field(default_factory=dict)
    # measure → how much better than stated its true number may be, where suppressed rows decide that
    tolerance: Mapping[str, float] = field(default_factory=dict)
    # whether the seal that was read fits what was read with it: `fits`, `broken` or `absent`. The seal is a
    # digest of everything else in the manifest and is made again whenever that is written. It shows that a
    # claim was changed after writing; it is not a signature, for anyone who can rewrite the manifest can
    # rewrite its seal.
    seal: Seal = field(default="fits", compare=False)
    # of a release that was drawn at random among near-optimal ones (`choice` in the file) how much worse it
    # may be than the best; None of all others. How many there were, and what the best was, is no part of it.
    choice_tolerance: float | None = None
    # when it was released (`date`), and what the specification says about by whom, for whom and what for
    about: Mapping[str, str] = field(default_factory=dict)
    # how a CSV or TSV file is spelt, where that is not plain: `separator`, `encoding`, `decimal`, `line_end`,
    # `bom` and `sep_line`
    dialect: Mapping[str, object] = field(default_factory=dict)
    # how far a local recoding may be from the optimum: `text`, and the `gap` as a share where it is stated
    certificate: Mapping[str, object] = field(default_factory=dict)
    # what links this release with others: `pseudonyms`, the columns that hold them, and `earlier_releases`,
    # how many earlier releases the guarantee was checked against, with a `text` that says what that means
    linking: Mapping[str, object] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form, with the seal that belongs to it."""
        content = self._content()
        return {**content, "seal": seal_of(content)}

    def _content(self) -> dict[str, object]:
        """Return all that the seal is about."""
        drawn = self.choice_tolerance
        return {
            "recipe": dict(self.recipe),
            "measures": dict(self.measures),
            "require": dict(self.require),
            "rows": dict(self.rows),
            "sha256": self.sha256,
            "reference": dict(self.reference),
            "versions": dict(self.versions),
            **({"about": dict(self.about)} if self.about else {}),
            **({"withheld": dict(self.withheld)} if self.withheld else {}),
            **({"tolerance": dict(self.tolerance)} if self.tolerance else {}),
            **({} if drawn is None else {"choice": "near-optimal", "choice_tolerance": drawn}),
            **({"dialect": dict(self.dialect)} if self.dialect else {}),
            **({"certificate": dict(self.certificate)} if self.certificate else {}),
            **({"linking": dict(self.linking)} if self.linking else {}),
        }

    def to_json(self) -> str:
        """Return the text of ``FILE.json``: sorted keys, indented, a newline at the end."""
        return stable_json(self.to_dict())

    @classmethod
    def load(cls, path: str | Path) -> Manifest:
        """Read ``FILE.json``. Keys that this version does not know are passed over."""
        content = load_json_object(path)
        fields = Fields(content, str(path))
        rows, versions = fields.fields("rows"), fields.mapping("versions")
        sha256 = _digest(fields, "sha256")
        return cls(
            fields.mapping("recipe"),
            fields.numbers("measures"),
            fields.numbers("require"),
            {key: rows.whole(key) for key in _ROWS},
            sha256,
            fields.mapping("reference"),
            {name: str(version) for name, version in versions.items()},
            _texts(fields, "withheld"),
            fields.numbers("tolerance") if fields.has("tolerance") else {},
            _read_seal(fields, content),
            fields.number("choice_tolerance") if fields.has("choice_tolerance") else None,
            _texts(fields, "about"),
            _read_dialect(fields) if fields.has("dialect") else {},
            fields.mapping("certificate") if fields.has("certificate") else {},
            fields.mapping("linking") if fields.has("linking") else {},
        )

    def promise(self) -> Promise:
        """Return what the manifest promises, for a recount of its file."""
        recipe = Generalization.from_dict(self.recipe)
        if dict(recipe.require) != dict(self.require):
            raise VerificationError(
                "the manifest contradicts itself: its requirements are not those of its recipe."
            )
        self._check_levels(recipe)
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
            recipe.unit,
            sentences=stated_secrets(self.reference),
            sha256=self.sha256,
            formats=recipe.formats,
            recoded={name: recipe.attributes[name].to_dict() for name in recipe.quasi_identifiers},
            missing=recipe.missing,
            unknown=recipe.unknown,
            withheld=self.withheld,
            tolerance=self.tolerance,
            order=recipe.order,
            formulas=recipe.formulas,
            dialect=self.dialect,
            has_households=recipe.household is not None,
        )

    def reading(self) -> DataSpec:
        """Return how the file is read; its input was spelt alike."""
        return _reading(self.dialect)

    def _check_levels(self, recipe: Generalization) -> None:
        """Refuse a recipe whose levels or labels are not those that the reference states costs for."""
        stated = self.reference.get("attributes")
        for name in recipe.quasi_identifiers:
            entry = stated.get(name) if isinstance(stated, Mapping) else None
            done = recipe.attributes[name]
            if not isinstance(entry, Mapping):
                continue
            has_labels = (done.level is None and not recipe.is_local) or done.statistics is not None
            fits = done.level is None or _fits_level(done, entry)
            if not (fits and (not has_labels or _fits_labels(done, entry))):
                what = (
                    "labels of {!r} in its recipe are not those"
                    if has_labels
                    else ("level of {!r} in its recipe is not the one")
                )
                raise VerificationError(
                    f"the manifest contradicts itself: the {what.format(name)} that its costs are stated for."
                )


def _texts(fields: Fields, key: str) -> dict[str, str]:
    return {name: str(text) for name, text in fields.mapping(key).items()} if fields.has(key) else {}


def _digest(fields: Fields, key: str) -> str:
    digest = fields.text(key).lower()
    if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
        raise DataError(f"{key!r} is not a digest of 64 hexadecimal digits.", where=fields.where)
    return digest


def _reading(stated: Mapping[str, Any]) -> DataSpec:
    keys = {name: stated[name] for name in ("separator", "encoding", "decimal") if name in stated}
    # What a dialect does not state is as in plain CSV; without one nothing is known.
    return DataSpec(**({"decimal": "."} if stated else {}) | keys)


def _read_dialect(fields: Fields) -> Mapping[str, object]:
    stated = fields.mapping("dialect")
    try:
        _reading(stated)
    except SpecError:
        raise DataError("'dialect' is malformed.", where=fields.where) from None
    return stated


def open_original(
    data: object, how: DataSpec | None, missing: tuple[str, ...], *, in_order: bool = False
) -> Source:
    """Open the original as the release read it; ``in_order`` if rows are compared by their places."""
    found = DataSpec() if how is None else how
    source = open_source(data, found.model_copy(update={"missing": missing}), guess=True)
    if in_order and not source.has_order:
        raise DataError("a Spark frame has no order to compare rows by. Pass the path of the data instead.")
    return source


def open_next(
    data: object, how: DataSpec, recipe: str | Path, missing: tuple[str, ...]
) -> tuple[Source, tuple[str, ...]]:
    """Open data that a recipe is applied to, which may be spelt as its release; return also remarks."""
    stated = load_json_object(recipe).get("dialect")
    encoding = stated.get("encoding") if isinstance(stated, dict) else None
    source, _, notes = guess_source(
        data,
        how.model_copy(update={"missing": missing}),
        encoding=encoding if isinstance(encoding, str) else "utf-8",
    )
    return source, notes


def open_released(release: object, missing: Sequence[str] = ("",)) -> Source:
    """Open released rows; a file is read as its manifest says that it is spelt."""
    if not isinstance(release, str | os.PathLike) or not manifest_path(release).is_file():
        return open_source(release, DataSpec(missing=tuple(missing)))
    stated = Manifest.load(manifest_path(release))
    source = open_source(release, stated.reading().model_copy(update={"missing": tuple(missing)}))
    written = stated.recipe.get("release")
    is_escaped = isinstance(written, Mapping) and written.get("formulas") == "escape"
    return without_escapes(source) if is_escaped else source


def _read_seal(fields: Fields, content: Mapping[str, object]) -> Seal:
    """Tell whether a manifest is what was sealed; keys that this version does not know are sealed too."""
    if "seal" not in content:
        return "absent"
    try:
        return "fits" if _digest(fields, "seal") == seal_of(content) else "broken"
    except RecursionError:
        raise DataError("objects and lists are nested too deeply.", where=fields.where) from None


def _fits_level(done: RecipeAttribute, entry: Mapping[str, object]) -> bool:
    """Tell whether costs are stated for the level of a recipe; other schemes state heights, not levels."""
    height = entry.get("height")
    default = height.get("default") if isinstance(height, Mapping) else None
    if done.scheme not in (None, "levels") or not isinstance(default, list) or len(default) != 2:
        return True
    # In a domain of one value every level costs nothing, and [0, 1] is stated.
    return default in ([0, 1], [done.level, default[1]])


def _fits_labels(done: RecipeAttribute, entry: Mapping[str, object]) -> bool:
    """Tell whether costs are stated for labels of a recipe, and for no others."""
    loss = entry.get("loss")
    cells = loss.get("cells") if isinstance(loss, Mapping) else None
    if not isinstance(cells, list):
        return True
    labels = [cell[0] for cell in cells if isinstance(cell, list) and cell]
    stated = {text_of(label) for label in labels if isinstance(label, str | int | float)}
    written = done.labels if done.statistics is None else [text for _, text in done.statistics]
    # New data may lie in some of the blocks alone, and what a recipe does not know is written as the root.
    return written is None or stated - {ROOT} <= set(written)


def manifest_path(path: str | os.PathLike[str] | DatabaseTable) -> Path:
    """Return where the manifest of a release is."""
    if isinstance(path, DatabaseTable):
        return path.manifest
    path = Path(path)
    return path.parent / f"{path.name}.json"  # also of a folder without a name of its own


def about_release(asked: ReleaseSpec | None = None) -> dict[str, str]:
    """Return the day, and what a specification says about a release beyond what is done."""
    stated = {} if asked is None else {key: getattr(asked, key) for key in ABOUT}
    # A build that must be repeatable to the byte says which moment to take.
    moment = float(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    day = dt.datetime.fromtimestamp(moment, dt.UTC).date().isoformat()
    return {"date": day, **{key: text for key, text in stated.items() if text}}


def current_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that shape a release; absent ones are left out."""
    return {"python": platform.python_version(), **_installed()}


@functools.cache
def _installed() -> dict[str, str]:
    versions = {}
    for name in _PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions
