"""A release after others: what earlier ones showed of whom, and the private ledger that keeps it.

A ledger says of every person, by a keyed digest, in which cell of the earlier releases they are (see
`sfumato.verifier.intersections`), and of every cell which values its people may have. Whoever has ledger and
key learns who was in which classes, and no more: that is what the guarantee assumes everyone to know.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import DataError, OutputError, VerificationError
from sfumato.release.json_files import load_json_object
from sfumato.release.manifest import Manifest, manifest_path
from sfumato.table.pseudonyms import specified_key
from sfumato.verifier import Promise, SparkRows, hash_file
from sfumato.verifier.intersections import SeriesCount, recount_series
from sfumato.words import count_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sfumato.preparing import Prepared
    from sfumato.release.recipe import Generalization
    from sfumato.table.databases import DatabaseTable

VERSION = 1
NOBODY: dict[str, Any] = {"releases": [], "cells": [], "persons": {}}
_DAMAGED = "the ledger is damaged or was changed. Restore a copy of it."


@dataclass(frozen=True, eq=False)
class Series:
    """What a release is checked against, and where the next one finds it."""

    key: bytes = field(repr=False)
    earlier: Mapping[str, Any] = field(default_factory=lambda: NOBODY, repr=False)
    ledger: Path | None = None
    was: str | None = None  # digest of the ledger as it was read; None if there was none
    known: int | None = None  # people whom this release and an earlier one show, as they were counted first
    found: list[SeriesCount] = field(default_factory=list, repr=False)  # what the last check found

    @property
    def count(self) -> int:
        """How many earlier releases there are."""
        return len(self.earlier["releases"])

    def check(self, checked: Path | SparkRows, promise: Promise) -> list[str]:
        """Recount a file that still says whose rows they are; return what does not hold."""
        found = recount_series(checked, promise, self.earlier, self.key, promise.units)
        self.found[:] = [found]
        if self.known is not None and found.known != self.known:
            raise VerificationError(
                f"who was in earlier releases was counted in two ways, with {self.known} and {found.known} "
                f"{promise.units}. Spell the column of {promise.units} as text, the same in every release."
            )
        if found.violations and self.known is None:
            return [*found.violations, "Call in_series() first, which withholds these people."]
        return list(found.violations)

    def content(self, manifest: Manifest) -> dict[Path, bytes]:
        """Return the ledger as it is after a release that was checked last; nothing if none is kept."""
        if self.ledger is None:
            return {}
        if digest_of(self.ledger) != self.was:
            raise OutputError("the ledger was changed by another run. Start again.", where=str(self.ledger))
        found = self.found[0]
        new = {"sha256": manifest.sha256, "date": manifest.about.get("date"), "persons": found.persons}
        content = {
            "sfumato ledger": VERSION,
            "note": "private: never publish this file, nor the key that it was made with",
            "key": _seal(self.key, b"sfumato key"),
            "releases": [*self.earlier["releases"], new],
            "cells": found.cells,
            "persons": found.tokens,
        }
        content["seal"] = _seal(self.key, _canonical(content))
        return {self.ledger: _canonical(content) + b"\n"}

    def refuse_target(self, path: Path | DatabaseTable) -> None:
        """Raise OutputError if release and ledger cannot get their names in one step."""
        if self.ledger is None:
            return
        if not isinstance(path, Path):
            raise OutputError(
                "a ledger is kept in one step with a file, not with a table. Write the release to a file.",
                where=str(path),
            )
        if self.ledger.absolute() in (path.absolute(), manifest_path(path).absolute()):
            raise OutputError("release and ledger need names of their own.", where=str(self.ledger))
        if not self.ledger.parent.is_dir():
            raise OutputError("its folder does not exist. Make the folder first.", where=str(self.ledger))
        if os.stat(self.ledger.parent).st_dev != os.stat(path.parent).st_dev:
            raise OutputError("keep the ledger on the same disk as the release.", where=str(self.ledger))


def alone(prepared: Prepared) -> Series | None:
    """Return the series of one release that links the rows of a person; None if nothing is linked."""
    data, named = prepared.spec.data, prepared.table.roles.pseudonyms
    is_linked = any(name in (data.person, data.household) for name in named)
    return Series(specified_key(prepared.spec)) if is_linked else None


def linking_of(recipe: Generalization, series: Series | None) -> dict[str, object]:
    """State what links a release with others; of earlier ones nothing but how many there were."""
    told, words = dict[str, object](), []
    if series is not None and series.count:
        told["earlier_releases"] = series.count
        words.append(
            f"The guarantee was checked over this release and {count_words(series.count, 'earlier release')} "
            "together, also for people who left or arrived."
        )
    if recipe.pseudonyms:
        told["pseudonyms"] = list(recipe.pseudonyms)
        words.append(
            "Pseudonyms link all rows of a person, here and in every other release made with the same key."
        )
    return {**told, "text": " ".join(words)} if told else {}


def digest_of(path: Path) -> str | None:
    """Return the digest of a file; None if there is none."""
    return hash_file(path) if path.exists() else None


def read_ledger(path: Path, key: bytes) -> dict[str, Any]:
    """Read a ledger that was written with this key and not changed since."""
    try:
        content: dict[str, Any] = load_json_object(path)
    except DataError:
        raise DataError(_DAMAGED, where=str(path)) from None
    if content.get("sfumato ledger") != VERSION:
        raise DataError("this is not a ledger, or one of another version of Sfumato.", where=str(path))
    if not hmac.compare_digest(str(content.get("key")), _seal(key, b"sfumato key")):
        raise DataError(
            "the ledger was written with another key. Pass the key file that it was made with.",
            where=str(path),
        )
    seal = str(content.pop("seal", ""))
    if not hmac.compare_digest(seal, _seal(key, _canonical(content))):
        raise DataError(_DAMAGED, where=str(path))
    return content


def _canonical(content: Mapping[str, object]) -> bytes:
    return json.dumps(content, sort_keys=True).encode()


def _seal(key: bytes, content: bytes) -> str:
    return hmac.new(key, b"sfumato seal\0" + content, hashlib.sha256).hexdigest()
