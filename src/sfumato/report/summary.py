"""The first screen of a report: what was promised, what was verified, what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.assess.gather import Evidence
from sfumato.report.phrases import SAID, limit_words, model_sentence, told_words
from sfumato.report.pieces import Box, Bullets, Chapter, Heading, Headlines, Paragraph
from sfumato.verifier.checks import split_name
from sfumato.words import capital, count_words, number_words, percent_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sfumato.assess.published import Published

DIVERSE = ("distinct_l", "entropy_l", "recursive_l", "share_l", "t", "secure", "exposed")
"""Measures that, if required, limit what a class gives away about a sensitive attribute."""


def not_protected(found: Published) -> list[str]:
    """Return in plain sentences what the release does not protect against."""
    subject = found.subject
    hidden = {*subject.quasi_identifiers}
    unchanged = [name for name in subject.columns if name not in hidden]
    told = [
        "Attackers who know more about a person than these columns: "
        f"{', '.join(subject.quasi_identifiers)}. Nothing else was taken into account."
    ]
    if unchanged:
        told.append(
            f"Attackers who know values that are published unchanged: {', '.join(unchanged)}. Anyone who "
            "knows these values of a person may recognize the row."
        )
    told += [f"{item.column}: {'; '.join(item.findings)}." for item in found.exposures]
    told += _small_classes(found)
    k = found.measures.get("k")
    if len(subject.groups) > 1 and k is not None:
        told.append(
            "Attackers who know columns of several groups: each group of columns was protected by itself, "
            f"and anyone who knows all columns faces classes as small as {number_words(k)}."
        )
    if not subject.has_persons:
        told.append("People with several rows: each row counts as a separate person.")
    if subject.release.get("order") == "input":
        told.append(SAID["same_order"])
    if subject.release.get("choice") != "near-optimal" and subject.micro is None:
        told.append(SAID["reasoned"])
    return [*told, *SAID["always"]]


def _small_classes(found: Published) -> list[str]:
    """Say which sensitive attributes may be the same throughout a class."""
    require = [split_name(name) for name in found.subject.verdict.require]
    attributes = () if found.risk_after is None else found.risk_after.attributes
    shared = {item.attribute: item for item in attributes}
    told = []
    for name in found.subject.sensitive:
        if any(bare in DIVERSE and (not columns or name in columns) for bare, columns in require):
            continue
        count, item = "", shared.get(name)
        if item is not None and item.homogeneous_rows:
            count = f" This is so for {percent_words(item.homogeneous_rows / item.rows, 'risk')} of the rows."
        elif item is not None:
            count = " No class is like that here."
        told.append(f"{SAID['shared_values'].format(name)}{count}")
    return told if found.subject.sensitive else [*told, SAID["no_secrets"]]


FIRST = 5  # violations in the box on top; all are listed further below
TELLING = ("k", "distinct_l", "t", "secure")  # measures that the summary names where nothing was required


def summary_section(found: Published) -> Chapter:
    """Return the verdict, the most telling numbers and short lists."""
    cards = {
        "What was promised": promised(found),
        "What was verified": verified(found),
        "What it cost": cost(found),
        "What this release does not protect against": not_protected(found),
    }
    *narrow, last = [(Heading(title), Bullets(items)) for title, items in cards.items()]
    boxes = [*(Box("card", pieces) for pieces in narrow), Box("card whole", last)]
    # Whether the release holds is in a box that cannot be overlooked.
    verdict: Paragraph | Box = Paragraph(SAID["holds"], "verdict good", "Verified:")
    if not found.holds:
        violations = found.subject.verdict.violations
        many, more = count_words(len(violations), "violation"), len(violations) - FIRST
        words = f"{many} found by the recount. Do not hand this file out."
        rest = [f"{more} more, listed under Verification."] if more > 0 else []
        told = (Paragraph(words, lead="Not verified."), Bullets([*violations[:FIRST], *rest]))
        verdict = Box("verdict bad", told, role="alert")
    pieces = [verdict, Headlines(headlines(found)), Box("cards", boxes)]
    return Chapter("summary", "Summary", "Summary", pieces)


def headlines(found: Published) -> list[tuple[str, str, str]]:
    """Return the most telling numbers: what, before (may be blank), after."""
    before, after = found.sizes_before, found.sizes_after
    smallest = "" if before is None or not before.sizes else number_words(before.sizes[0])
    told = [("smallest class, in rows", smallest, number_words(after.sizes[0]) if after.sizes else "none")]
    was, now, k = found.risk_before, found.risk_after, found.measures.get("k")
    chance = None if now is None else now.prosecutor.highest
    if now is not None and now.unit == "row" and found.subject.has_persons:
        chance = 1.0 / k if k else None  # where persons have several rows, k alone tells
    if chance is not None:
        earlier = "" if was is None else percent_words(was.prosecutor.highest, "risk")
        told.append(("highest chance of finding a person", earlier, percent_words(chance, "risk")))
    # The sensitive attribute that most people give away by belonging to their class.
    certain_before, certain = (
        {item.attribute: item.homogeneous_rows / item.rows for item in risk.attributes if item.rows}
        if risk is not None
        else {}
        for risk in (was, now)
    )
    if certain:
        name = max(certain, key=lambda name: certain[name])
        earlier = percent_words(certain_before[name], "risk") if name in certain_before else ""
        told.append((f"rows whose {name} is certain", earlier, percent_words(certain[name], "risk")))
    rows = found.subject.verdict.rows
    if rows.get("in"):
        told.append(("rows left out", "", percent_words(rows["suppressed"] / rows["in"])))
    loss = found.measures.get("loss")
    if loss is not None:
        told.append(("detail lost", "", percent_words(loss)))
    return told


def promised(found: Published) -> list[str]:
    """Return the requirements in words; what is stated where nothing was required."""
    require = found.subject.verdict.require
    told = [f"{capital(told_words(name))}: {limit_words(name, limit)}." for name, limit in require.items()]
    if not told:
        stated = found.measures
        told = ["Nothing was required; what the release states was recounted."]
        told += [f"{capital(told_words(name))}: {number_words(stated[name])}." for name in _told(stated)[:3]]
    recipe = found.subject.recipe
    if recipe is not None:
        told.append(f"At most {percent_words(recipe.limit)} of the rows may be left out.")
        told += [str(found.subject.release["linking"])] if "linking" in found.subject.release else []
        secrets = len(recipe.confidential)
        told += [f"Confidential: {count_words(secrets, 'sentence')}."] if secrets else []
    return told


def verified(found: Published) -> list[str]:
    """Return what the recount found."""
    verdict = found.subject.verdict
    require, counted, lacking = verdict.require, verdict.measures, verdict.not_recounted
    names = [name for name in require if name in counted]
    names = names or [name for name in _told(counted) if name in found.measures][:3]
    told = [f"{capital(told_words(name))}: {number_words(counted[name])}, recounted." for name in names]
    if verdict.classes is not None:
        many = count_words(verdict.rows.get("out", 0), "row")
        told.append(f"{many} in {count_words(verdict.classes, 'class')}.")
    told += [f"Not recounted: {told_words(name)}; {lacking[name]}." for name in require if name in lacking]
    if verdict.sha256 is not None:
        told.append(f"Digest of the file (sha256) begins with {verdict.sha256[:12]}.")
    return told + [f"{capital(note)}." for note in verdict.notes[:2]]


def cost(found: Published) -> list[str]:
    """Return what the release lost."""
    rows = found.subject.verdict.rows
    told = []
    if rows.get("in"):
        many, all_rows = rows["suppressed"], rows["in"]
        told.append(f"{many:,} of {all_rows:,} rows were left out ({percent_words(many / all_rows)}).")
    loss = found.measures.get("loss")
    if loss is not None:
        told.append(f"{percent_words(loss)} of the detail of the values is lost.")
    gone = [item.name for item in found.attributes if item.is_gone]
    if gone:
        told.append(f"Nothing remains of: {', '.join(gone)}.")
    return [*told, *_analyses(found)] if isinstance(found, Evidence) else told


def _analyses(found: Evidence) -> list[str]:
    if found.utility is None:
        lack = found.lack("utility")
        return [f"What analyses lose is not known: {lack.why}"] if lack else []
    model, queries = found.utility.model, found.utility.queries
    told = [] if model is None else [model_sentence(model)]
    if queries is not None:
        told.append(f"Half of the counting queries are off by {percent_words(queries.error.median)} or less.")
    return told


def _told(numbers: Mapping[str, float]) -> list[str]:
    """Return the measures that tell most, the smallest class first."""
    return sorted((name for name in numbers if split_name(name)[0] in TELLING), key=lambda name: name != "k")
