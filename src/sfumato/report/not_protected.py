"""What a release does not protect against, as its manifest and its rows tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.front.words import number_words
from sfumato.release.verify.names import split_name
from sfumato.report.evidence_words import mapping
from sfumato.report.pieces import share_words

if TYPE_CHECKING:
    from sfumato.evidence.published import Published, Subject

DIVERSE = ("distinct_l", "entropy_l", "recursive_l", "share_l", "t", "secure", "exposed")
"""Measures that, where required, limit what a class gives away about a sensitive attribute."""

ALWAYS = (
    "Combination with other releases or sources about the same people: each may be safe alone, but not both.",
    "What follows about everyone: this is not differential privacy, and a release may teach something about "
    "people whether or not they are in it.",
)
REASONED = (
    "Reasoning backwards from the method: someone who knows that no more was changed than the requirements "
    "need can rule out some originals."
)


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
            "knows them of a person may recognize the row."
        )
    told += [*_classes(found), *_groups(found), *_rows(subject)]
    if subject.release.get("choice") != "near-optimal" and subject.micro is None:
        told.append(REASONED)
    return [*told, *ALWAYS]


def _classes(found: Published) -> list[str]:
    """Say which sensitive attributes may be the same throughout a class."""
    require = [split_name(name) for name in mapping(found.subject.verdict.get("require"))]
    shared = (
        {} if found.risk_after is None else {item.attribute: item for item in found.risk_after.attributes}
    )
    told = []
    for name in found.subject.sensitive:
        if any(bare in DIVERSE and (not columns or name in columns) for bare, columns in require):
            continue
        item = shared.get(name)
        many = 0.0 if item is None or not item.rows else item.homogeneous_rows / item.rows
        count = (
            f" This is so for {share_words(many)} of the rows." if many else " No class is like that here."
        )
        count = "" if item is None else count
        told.append(
            f"Values shared by a whole class. No diversity of {name} within classes is required: where all "
            f"members have the same value, belonging to the class tells it.{count}"
        )
    if not found.subject.sensitive:
        told.append(
            "Learning from a class: no column was named as sensitive, and nothing was required of any."
        )
    return told


def _groups(found: Published) -> list[str]:
    """Say what joining groups of microaggregated columns gives."""
    k = found.measures.get("k")
    if len(found.subject.groups) < 2 or k is None:
        return []
    return [
        "Attackers who know columns of several groups: each group of columns was protected by itself, and "
        f"anyone who knows all columns faces classes as small as {number_words(k)}."
    ]


def _rows(subject: Subject) -> list[str]:
    """Say what the rows themselves may give away."""
    told = []
    if not subject.has_persons:
        told.append("People with several rows: each row counts as a person of its own.")
    if subject.release.get("order") == "input":
        told.append(
            "Attackers who know the order of the original rows: the released rows are in the same order."
        )
    return told
