"""Recount all that a released file and its manifest determine, and list what they do not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.release.agreement import judge_manifest, judge_seal
from sfumato.release.manifest import Manifest, manifest_path
from sfumato.release.microaggregated import MicroRecipe, is_microaggregated, verify_microaggregated
from sfumato.release.original import hold_generalized, hold_microaggregated, open_original
from sfumato.release.verify import judge, recount, violations_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.release.original import Beside
    from sfumato.release.verify import Check, Promise, Recount
    from sfumato.spec import DataSpec

_UNSEALED = "the manifest has no seal, so that a changed claim shows only where it can be recounted"


def audit_release(
    path: str | Path, original: object = None, how: DataSpec | None = None
) -> dict[str, object]:
    """Hold a file against its ``FILE.json``, and against the data that it was made from.

    Parameters
    ----------
    path
        The released file, generalized or microaggregated.
    original
        The data that it was made from, a frame or a path; None where they are not at hand.
    how
        How the data are read, if it needs saying.

    Returns
    -------
    dict
        As `sfumato.verify` returns it.

    Raises
    ------
    DataError
        If file, manifest or original cannot be read.
    VerificationError
        If the manifest contradicts itself so that nothing is left to recount, or a promised column lacks.
    """
    path = Path(path)
    manifest = Manifest.load(manifest_path(path))
    if is_microaggregated(manifest):
        beside = None if original is None else _beside_clusters(path, manifest, original, how)
        numbers, checks = verify_microaggregated(path, manifest, {} if beside is None else beside.measures)
        checks = [*checks, judge_seal(manifest)]
    else:
        promise = manifest.promise()
        found, beside = recount(path, promise), None
        if original is not None:
            source = open_original(original, how, promise.missing)
            beside = hold_generalized(path, manifest, source, found.not_recounted)
            found = _complete(found, beside)
        numbers, checks = _numbers(found, promise), judge(found, promise, on_seal=True)
        checks = [*checks, *reversed(judge_manifest(manifest))]
    if beside is not None:
        checks = _merge(checks, beside.checks)
        if beside.rows is not None:
            numbers["rows"] = _rows(numbers["rows"], beside.rows)
    if manifest.seal == "absent":
        notes = numbers["notes"]
        assert isinstance(notes, list)
        numbers["notes"] = [*notes, _UNSEALED]
    return _result(numbers, checks)


def _beside_clusters(path: Path, manifest: Manifest, original: object, how: DataSpec | None) -> Beside:
    recipe = MicroRecipe.from_dict(manifest.recipe, where=f"{manifest_path(path)}: recipe")
    return hold_microaggregated(path, manifest, open_original(original, how, recipe.missing))


def _complete(found: Recount, beside: Beside) -> Recount:
    """Add the measures that the original determines to what the file says."""
    gained = beside.measures
    return replace(
        found,
        counted={**found.counted, **gained},
        not_recounted={name: why for name, why in found.not_recounted.items() if name not in gained},
        at_most={name: number for name, number in found.at_most.items() if name not in gained},
        beforehand=found.beforehand - set(gained),
    )


def _merge(checks: Sequence[Check], others: Sequence[Check]) -> list[Check]:
    """Put checks beside others; one that is broken stays so, otherwise the later of two takes the place."""
    later = {check.name: check for check in others}
    kept = [later.pop(check.name, check) if check.verdict != "broken" else check for check in checks]
    return [*kept, *later.values()]


def _rows(counted: object, rows: int) -> dict[str, int]:
    assert isinstance(counted, dict)
    return {"in": rows, **{key: number for key, number in counted.items() if key != "in"}}


def audit_against(path: str | Path, promise: Promise) -> dict[str, object]:
    """Hold a file against a promise that a specification makes, without a manifest.

    Parameters
    ----------
    path
        The file.
    promise
        Roles and requirements.

    Returns
    -------
    dict
        As `sfumato.verify` returns it.
    """
    found = recount(Path(path), promise)
    return _result(_numbers(found, promise), judge(found, promise, on_seal=False))


def _numbers(found: Recount, promise: Promise) -> dict[str, object]:
    """Return what was counted, by the keys of `sfumato.verify`."""
    return {
        "require": dict(promise.require),
        "stated": {name: number for name, number in promise.measures.items() if number is not None},
        "measures": dict(found.measures),
        "not_recounted": dict(found.not_recounted),
        "rows": dict(found.rows),
        "classes": found.classes,
        "notes": list(found.notes),
        "sha256": found.sha256,
    }


def _result(numbers: dict[str, object], checks: list[Check]) -> dict[str, object]:
    violations = violations_of(checks)
    listed = [check.to_dict() for check in checks]
    return {"holds": not violations, "violations": violations, **numbers, "checks": listed}


__all__ = ["audit_against", "audit_release"]
