"""The report: one HTML file that opens without a network, without a script, and prints."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
from importlib.resources import files
from typing import TYPE_CHECKING

from sfumato.report.attribute_section import attribute_section
from sfumato.report.making_section import front_section, making_section
from sfumato.report.palette import palette_css
from sfumato.report.pieces import bullets, section, text
from sfumato.report.risk_section import risk_section
from sfumato.report.sizes_section import sizes_section
from sfumato.report.summary import summary_html
from sfumato.report.utility_section import utility_section
from sfumato.report.verification_section import verification_section

if TYPE_CHECKING:
    from sfumato.evidence.gather import Evidence

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Sfumato">
<meta name="robots" content="noindex">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#summary">To the summary</a>
<header>
<h1>{title}</h1>
<p class="quiet">{subtitle}</p>
</header>
<nav aria-label="Contents"><ul>
{contents}
</ul></nav>
<main>
{content}
</main>
</body>
</html>
"""

CONTENTS = (
    ("summary", "Summary"),
    ("front", "Front"),
    ("sizes", "Class sizes"),
    ("risk", "Risk"),
    ("utility", "Utility"),
    ("attributes", "Attributes"),
    ("verification", "Verification"),
    ("making", "How it was made"),
    ("limits", "Limits"),
)
LIMITS = (
    "A release protects against those who know quasi-identifiers; which these are, the publisher said.",
    "Columns that leave unchanged may help an attacker who knows them too.",
    "Attackers and analyses here are examples: another attacker, or another analysis, may fare differently.",
    "Two releases of the same people can be held side by side; neither tells what both give away.",
)


def report_html(evidence: Evidence, *, show_values: bool = True, day: dt.date | None = None) -> str:
    """Return the report about a release.

    Parameters
    ----------
    evidence
        What is known; what is missing is said in its place.
    show_values
        Whether labels of blocks and confidential sentences are shown.
    day
        The day that stands in the report; today where None.

    Returns
    -------
    str
        HTML5, to be written as UTF-8. It carries all that it needs and forbids the browser to load
        anything or to run any script. Names and labels may hold anything.
    """
    style = f"{palette_css()}{files('sfumato.report').joinpath('report.css').read_text(encoding='utf-8')}"
    name = evidence.subject.file
    title = "Report about a release" if name is None else f"Report about the release {name}"
    content = [
        summary_html(evidence),
        front_section(evidence),
        sizes_section(evidence),
        risk_section(evidence),
        utility_section(evidence),
        attribute_section(evidence, show_values=show_values),
        verification_section(evidence),
        making_section(evidence, show_values=show_values),
        section("limits", "What this report does not say", [bullets(LIMITS)]),
    ]
    return _PAGE.format(
        policy=_policy(style),
        title=text(title),
        style=style,
        subtitle=text(_subtitle(evidence, day or dt.datetime.now(dt.UTC).date())),
        contents="\n".join(f'<li><a href="#{identity}">{words}</a></li>' for identity, words in CONTENTS),
        content="\n".join(content),
    )


def _subtitle(evidence: Evidence, day: dt.date) -> str:
    version = evidence.subject.versions.get("sfumato")
    by = f"Sfumato {version}" if version else "Sfumato"
    what = "It holds counts, and labels that the release shows; no person's row."
    return f"Made by {by} on {day.isoformat()}. {what}"


def _policy(style: str) -> str:
    """Return the rule that nothing is fetched, no script runs, and this style alone applies."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


__all__ = ["CONTENTS", "report_html"]
