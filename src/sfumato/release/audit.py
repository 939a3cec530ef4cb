"""Recount all that a released file and its manifest determine, and list what they do not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.release.agreement import judge_manifest, judge_seal
from sfumato.release.manifest import Manifest, manifest_path
from sfumato.release.microaggregated import is_microaggregated, verify_microaggregated
from sfumato.release.verify import judge, recount, violations_of

if TYPE_CHECKING:
    from sfumato.release.verify import Check, Promise

_UNSEALED = "the manifest has no seal, so that a changed claim shows only where it can be recounted"


def audit_release(path: str | Path) -> dict[str, object]:
    """Hold a file against its ``FILE.json``.

    Parameters
    ----------
    path
        The released file, generalized or microaggregated.

    Returns
    -------
    dict
        As `sfumato.verify` returns it.

    Raises
    ------
    DataError
        If file or manifest cannot be read.
    VerificationError
        If the manifest contradicts itself so that nothing is left to recount, or a promised column lacks.
    """
    path = Path(path)
    manifest = Manifest.load(manifest_path(path))
    if is_microaggregated(manifest):
        numbers, checks = verify_microaggregated(path, manifest)
        checks = [*checks, judge_seal(manifest)]
    else:
        numbers, checks = _recount(path, manifest.promise(), on_seal=True)
        checks = [*checks, *reversed(judge_manifest(manifest))]
    if manifest.seal == "absent":
        notes = numbers["notes"]
        assert isinstance(notes, list)
        numbers["notes"] = [*notes, _UNSEALED]
    return _result(numbers, checks)


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
    return _result(*_recount(Path(path), promise, on_seal=False))


def _recount(path: Path, promise: Promise, *, on_seal: bool) -> tuple[dict[str, object], list[Check]]:
    found = recount(path, promise)
    numbers: dict[str, object] = {
        "require": dict(promise.require),
        "stated": {name: number for name, number in promise.measures.items() if number is not None},
        "measures": dict(found.measures),
        "not_recounted": dict(found.not_recounted),
        "rows": dict(found.rows),
        "classes": found.classes,
        "notes": list(found.notes),
        "sha256": found.sha256,
    }
    return numbers, judge(found, promise, on_seal=on_seal)


def _result(numbers: dict[str, object], checks: list[Check]) -> dict[str, object]:
    violations = violations_of(checks)
    listed = [check.to_dict() for check in checks]
    return {"holds": not violations, "violations": violations, **numbers, "checks": listed}


__all__ = ["audit_against", "audit_release"]
