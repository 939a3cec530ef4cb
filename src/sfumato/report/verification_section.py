"""What the recount found, measure by measure and check by check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.release.verify.names import larger_is_better
from sfumato.report.evidence_words import mapping, texts, told_words
from sfumato.report.pieces import Numbers, bullets, paragraph, scrolling, section
from sfumato.report.words import number_words

if TYPE_CHECKING:
    from sfumato.evidence.gather import Evidence


def verification_section(evidence: Evidence) -> str:
    """Return promise, statement and recount side by side, and all that was checked."""
    verdict = evidence.subject.verdict
    measured, checked, broken = _measures(evidence), _checks(evidence), texts(verdict.get("violations"))
    return section(
        "verification",
        "What was verified",
        [
            paragraph(
                "Code that shares nothing with the search read the released rows and counted everything "
                "again; what is required, stated and recounted stands side by side."
            ),
            f"<h3>Violations</h3>\n{bullets(broken)}" if broken else "",
            scrolling(measured.html(), measured.caption),
            f"<h3>All that was checked</h3>\n{scrolling(checked.html(), checked.caption)}"
            if checked.rows
            else "",
            bullets(texts(verdict.get("notes"))),
        ],
    )


def _measures(evidence: Evidence) -> Numbers:
    verdict = evidence.subject.verdict
    require, stated, counted, lacking = (
        mapping(verdict.get(key)) for key in ("require", "stated", "measures", "not_recounted")
    )
    rows = [
        [
            told_words(name),
            _limit(name, require.get(name)),
            _number(stated.get(name)),
            _number(counted.get(name)) or f"not recounted: {lacking.get(name, 'not asked for')}",
        ]
        for name in dict.fromkeys([*require, *stated, *counted])
    ]
    return Numbers("Measures of the release", ["measure", "required", "stated", "recounted"], rows)


def _checks(evidence: Evidence) -> Numbers:
    checks = evidence.subject.verdict.get("checks")
    told = {
        *mapping(evidence.subject.verdict.get("stated")),
        *mapping(evidence.subject.verdict.get("measures")),
    }
    listed = [mapping(item) for item in checks] if isinstance(checks, list) else []
    rows = [
        [str(item.get(key, "")) for key in ("name", "verdict", "detail")]
        for item in listed
        if str(item.get("name", "")).removeprefix("require ") not in told
    ]
    return Numbers("Checks beside the measures", ["checked", "verdict", "found"], rows)


def _limit(name: str, limit: object) -> str:
    if not isinstance(limit, int | float):
        return ""
    return f"{'at least' if larger_is_better(name) else 'at most'} {number_words(float(limit))}"


def _number(value: object) -> str:
    return number_words(float(value)) if isinstance(value, int | float) else ""


__all__ = ["verification_section"]
