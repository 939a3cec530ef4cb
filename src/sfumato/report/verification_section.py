"""What the recount found, measure by measure and check by check."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from sfumato.evidence.gather import Evidence
from sfumato.front.words import number_words
from sfumato.release.verify.names import larger_is_better
from sfumato.report.evidence_words import mapping, texts, told_words
from sfumato.report.pieces import Numbers, bullets, capital, paragraph, scrolling, section, text

if TYPE_CHECKING:
    from sfumato.evidence.published import Published


def verification_section(found: Published) -> str:
    """Return promise, statement and recount side by side, and all that was checked."""
    verdict = found.subject.verdict
    measured, checked, broken = _measures(found), _checks(found), texts(verdict.get("violations"))
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
            _withheld(found),
            f"<h3>All that was checked</h3>\n{scrolling(checked.html(), checked.caption)}"
            if checked.rows
            else "",
            bullets(texts(verdict.get("notes"))),
            _how_to(found),
        ],
    )


def _withheld(found: Published) -> str:
    """Say why some measures are not stated."""
    reasons = [f"{capital(told_words(name))}: {why.rstrip('.')}." for name, why in found.withheld.items()]
    return f'<div class="quiet"><h3>Not stated</h3>\n{bullets(reasons)}</div>' if reasons else ""


def _how_to(found: Published) -> str:
    """Say how anyone can verify the file."""
    if found.subject.file is None:
        return ""
    name = text(shlex.quote(found.subject.file))
    return (
        "<h3>Verify it yourself</h3>\n"
        + paragraph(
            "Put the file and its FILE.json in one folder and run the first command, which recounts it; the "
            "second prints the digest, which must be the one below."
        )
        + f"<pre><code>sfumato verify {name}\nsha256sum {name}</code></pre>\n"
        + f'<p>sha256: <code class="digest">{text(str(found.subject.verdict.get("sha256") or ""))}</code></p>'
    )


def _measures(found: Published) -> Numbers:
    verdict = found.subject.verdict
    require, stated, counted, lacking = (
        mapping(verdict.get(key)) for key in ("require", "stated", "measures", "not_recounted")
    )
    exact = found.exact if isinstance(found, Evidence) else {}
    rows = [
        [
            told_words(name),
            _limit(name, require.get(name)),
            _number(stated.get(name)),
            _number(counted.get(name)) or f"not recounted: {lacking.get(name, 'not asked for')}",
            *([_number(exact.get(name))] if exact else []),
        ]
        for name in dict.fromkeys([*require, *stated, *exact])
    ]
    headings = ["measure", "required", "stated", "recounted", *(["exact, over all rows"] if exact else [])]
    return Numbers("Measures of the release", headings, rows)


def _checks(found: Published) -> Numbers:
    checks = found.subject.verdict.get("checks")
    told = {
        *mapping(found.subject.verdict.get("stated")),
        *mapping(found.subject.verdict.get("measures")),
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
