"""Recount everything that a released file and its manifest determine, and list the rest."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from sfumato.errors import SfumatoError, VerificationError
from sfumato.private import scratch_folder
from sfumato.release.agreement import judge_manifest, judge_seal
from sfumato.release.manifest import Manifest, manifest_path, open_original
from sfumato.release.microaggregated import Microaggregation, is_microaggregated, verify_microaggregated
from sfumato.release.original import Beside, hold_generalized, hold_microaggregated
from sfumato.release.recipe import Generalization, comparable
from sfumato.release.reference import specified_sentences
from sfumato.release.write import write_draft
from sfumato.spec import DataSpec
from sfumato.table import Leaving, write_table
from sfumato.table.databases import DatabaseTable, open_table
from sfumato.verifier import Check, Promise, Recount, cautious, hash_file, judge, recount
from sfumato.verifier.checks import Verdict, broken
from sfumato.verifier.counting import larger_is_better

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sfumato.spec import Spec
    from sfumato.verifier.promise import Count

BY_SPECIFICATION = "specification: "  # prefix of the checks that compare a file with a specification
_UNSEALED = "the manifest has no seal, so a changed claim is noticed only if it can be recounted"


def audit_place(place: Path | DatabaseTable, original: object = None, spec: Spec | None = None) -> Verdict:
    """Check a file or a table of a database against all that there is to check it against."""
    if (spec is None or original is not None) and not manifest_path(place).exists():
        Manifest.load(manifest_path(place))  # whose message names the file that the user knows
    with _as_file(place) as path:
        if spec is None or manifest_path(path).exists():
            return audit_release(path, original, spec)
        if place != path:  # what is recounted of a table is a plain CSV file
            plain = DataSpec().model_dump(include={"separator", "encoding", "decimal"})
            spec = spec.model_copy(update={"data": spec.data.model_copy(update=plain)})
        return audit_against(path, spec)


@contextmanager
def _as_file(place: Path | DatabaseTable) -> Iterator[Path]:
    """Give the file to recount: of a table, its rows as the CSV file whose digest its manifest states."""
    if isinstance(place, Path):
        yield place
        return
    with scratch_folder() as folder:
        file = Path(folder) / "release.csv"
        leaving = Leaving({})
        if place.manifest.exists():
            recipe = Generalization.from_dict(Manifest.load(place.manifest).recipe)
            leaving = Leaving({}, recipe.order, recipe.formulas)
            shutil.copyfile(place.manifest, manifest_path(file))
        try:
            held = open_table(place.address, place.table, None)
            held.load()
            write_draft(lambda path: write_table(held.relation, path, leaving=leaving), file)
            yield file
        except SfumatoError as error:
            if Path(folder).name in str(error.where):
                error.where = str(place)
            raise


def audit_release(path: str | Path, original: object = None, spec: Spec | None = None) -> Verdict:
    """Check a file against its ``FILE.json``, the data that it was made from, and a specification."""
    path = Path(path)
    manifest = Manifest.load(manifest_path(path))
    audit = _audit_clusters if is_microaggregated(manifest) else _audit_classes
    verdict, found, beside = audit(path, manifest, original, spec)
    if beside is not None:
        rows = dict(verdict.rows) if beside.rows is None else {**verdict.rows, "in": beside.rows}
        verdict = replace(verdict, checks=_merge(verdict.checks, beside.checks), rows=rows)
    if manifest.seal == "absent":
        verdict = replace(verdict, notes=[*verdict.notes, _UNSEALED])
    if spec is not None:
        checks = [*verdict.checks, *_judge_specification(path, manifest, spec, found)]
        verdict = replace(verdict, checks=checks)
    return verdict


_Audit: TypeAlias = "tuple[Verdict, Recount | None, Beside | None]"


def _audit_clusters(path: Path, manifest: Manifest, original: object, spec: Spec | None) -> _Audit:
    beside = None
    try:
        if original is not None:
            recipe = Microaggregation.from_dict(manifest.recipe, where=f"{manifest_path(path)}: recipe")
            how = manifest.reading() if spec is None else spec.data
            source = open_original(original, how, recipe.missing, in_order=True)
            beside = hold_microaggregated(path, manifest, source)
        verdict = verify_microaggregated(path, manifest, {} if beside is None else beside.measures)
    except VerificationError as error:
        verdict = _uncounted(path, manifest, error)
    return replace(verdict, checks=[*verdict.checks, judge_seal(manifest)]), None, beside


def _audit_classes(path: Path, manifest: Manifest, original: object, spec: Spec | None) -> _Audit:
    promise = manifest.promise()
    source = None
    if original is not None:
        how = manifest.reading() if spec is None else spec.data
        source = open_original(original, how, promise.missing, in_order=True)
    manner = [*reversed(judge_manifest(manifest))]
    try:
        found, beside = recount(path, promise), None
    except VerificationError as error:
        verdict = _uncounted(path, manifest, error)
        return replace(verdict, checks=[*verdict.checks, *manner]), None, None
    checks = judge(found, promise, on_seal=True)
    if source is not None:
        # What the file itself refutes stays refuted: the manifest's costs and distributions count there.
        refuted = {item.name: item for item in checks if item.name.removeprefix("require ") in found.counted}
        beside = hold_generalized(path, manifest, source, found, spec)
        found = _complete(found, beside)
        after = judge(found, promise, on_seal=True)
        checks = [
            refuted[item.name] if item.name in refuted and refuted[item.name].verdict == "broken" else item
            for item in after
        ]
    return _verdict(found, promise, [*checks, *manner]), found, beside


def _uncounted(path: Path, manifest: Manifest, error: VerificationError) -> Verdict:
    """Return what can be said about a file without what a recount needs: a column, or every row."""
    if "contradicts itself" in error.message:
        raise error
    names = dict.fromkeys((*manifest.require, *manifest.measures))
    return Verdict(
        require=manifest.require,
        stated=manifest.measures,
        not_recounted=dict.fromkeys(names, error.message.rstrip(".")),
        classes=0,
        sha256=hash_file(path),
        checks=[broken("file", error.message)],
    )


def _judge_specification(path: Path, manifest: Manifest, spec: Spec, found: Recount | None) -> list[Check]:
    """Check a file against a specification, with the numbers that manifest and original add to it."""
    asked = specified_promise(spec)
    stated = {name: manifest.measures.get(name) for name in asked.require}
    promise = replace(
        asked,
        measures=stated,
        rows=manifest.rows,
        sha256=manifest.sha256,
        # What is not published was judged when the release was made, as far as it was required then.
        withheld={
            name: why
            for name, why in manifest.withheld.items()
            if _is_as_strict(name, manifest.require.get(name), asked.require.get(name))
        },
        tolerance=manifest.tolerance,
        dialect=manifest.dialect,
    )
    try:
        counted = recount(path, promise)
    except VerificationError as error:
        return [broken(f"{BY_SPECIFICATION}file", f"by the specification, {error.message}")]
    if found is not None and set(promise.quasi_identifiers) == set(manifest.promise().quasi_identifiers):
        # What the file alone does not tell, or tells of itself only (t), is known by the manifest's recount.
        gained = {
            name: number
            for name, number in found.counted.items()
            if name in counted.not_recounted or name.startswith("t(")
        }
        counted = _gain(counted, gained)
        counted = replace(counted, beforehand=counted.beforehand | found.beforehand)
    listed = judge(counted, promise, on_seal=True)
    return [
        Check(
            f"{BY_SPECIFICATION}{item.name}",
            item.verdict,
            f"by the specification, {item.detail}" if item.verdict == "broken" else item.detail,
        )
        for item in listed
        if item.name == "columns" or item.name == "suppression limit" or item.name.startswith("require ")
    ]


def _is_as_strict(name: str, required: float | None, asked: float | None) -> bool:
    """Tell whether a requirement that held is one that is asked for, or a stricter one."""
    if required is None or asked is None:
        return False
    return required >= asked if larger_is_better(name) else required <= asked


def specified_promise(spec: Spec) -> Promise:
    """Return what a specification alone promises of a file: roles and requirements."""
    names = ("k", "mean_k", "spread_k", "average_class", *spec.objectives.names)
    return Promise(
        spec.quasi_identifiers,
        spec.sensitive,
        dict(spec.require),
        dict.fromkeys(names),
        output=spec.suppression.output,
        rule=spec.suppression.rule,
        limit=spec.suppression.limit,
        columns=(*spec.quasi_identifiers, *spec.sensitive, *spec.others, *spec.pseudonyms),
        person=spec.data.unit,
        has_households=spec.data.household is not None,
        sentences=specified_sentences(spec),
        missing=tuple(spec.data.missing),
        unknown={name: comparable(asked.unknown, asked.kind) for name, asked in spec.attributes.items()},
        formats={name: item.format for name, item in spec.attributes.items() if item.format},
        # Without a manifest, a release is taken to be spelt as its input was declared to be.
        dialect=spec.data.model_dump(include={"separator", "encoding", "decimal"}, exclude_defaults=True),
    )


def _complete(found: Recount, beside: Beside) -> Recount:
    """Add the measures that the original determines to what the file says."""
    found = _gain(found, beside.measures)
    reasons = {name: beside.reasons.get(name, why) for name, why in found.not_recounted.items()}
    return replace(found, not_recounted=reasons)


def _gain(found: Recount, gained: Mapping[str, Count]) -> Recount:
    return replace(
        found,
        slack={name: slack for name, slack in found.slack.items() if name not in gained},
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


def audit_against(path: str | Path, spec: Spec) -> Verdict:
    """Check a file against roles and requirements of a specification, without a manifest."""
    promise = specified_promise(spec)
    found = recount(Path(path), promise)
    return _verdict(found, promise, judge(found, promise, on_seal=False))


def _verdict(found: Recount, promise: Promise, checks: Sequence[Check]) -> Verdict:
    return Verdict(
        require=promise.require,
        stated={name: number for name, number in promise.measures.items() if number is not None},
        # Where suppressed rows leave room, the most cautious number is the one to show.
        measures={
            **found.measures,
            **{name: cautious(name, found.counted[name], slack)[0] for name, slack in found.slack.items()},
        },
        not_recounted=found.not_recounted,
        rows=found.rows,
        classes=found.classes,
        notes=found.notes,
        sha256=found.sha256,
        checks=checks,
    )
