"""How a release was found: the front, the search, the specification, versions and the digest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.report.axes import plane_axes
from sfumato.report.evidence_words import mapping
from sfumato.report.front_chart import front_chart
from sfumato.report.pieces import Figure, Numbers, facts, missing, paragraph, scrolling, section, text
from sfumato.report.words import (
    count_words,
    front_sentence,
    front_title,
    measure_words,
    number_words,
    printable,
    suppressed_words,
)

if TYPE_CHECKING:
    from sfumato.evidence.gather import Evidence
    from sfumato.front import Front, Solution
    from sfumato.report.axes import Axis

LISTED = 25
"""Solutions in the table behind the front; ``front.csv`` holds all."""


def front_section(evidence: Evidence) -> str:
    """Return the front with the released point."""
    lack, front = evidence.lack("front"), evidence.front
    parts = [missing(lack.why, lack.remedy) if lack else ""]
    if front is None and lack is None:
        parts.append(paragraph("This release was not picked from a front of several solutions."))
    if front is not None:
        parts.append(paragraph(front_sentence(front)))
        if evidence.solution is None:
            parts.append(paragraph("The released recoding is not one of these solutions.", "note"))
        parts.append(_front_figure(front, evidence.solution).html())
    return section("front", "The front and the chosen point", parts)


def _front_figure(front: Front, picked: int | None) -> Figure:
    x, y = plane_axes(front)
    names = [name for name in front.measure_names if name != "suppressed"]
    chosen = (
        ""
        if picked is None
        else f" Solution {picked}, the released one, has "
        + " and ".join(
            f"{measure_words(axis.name, short=False)} {number_words(front[picked - 1].value(axis.name))}"
            for axis in (x, y)
        )
        + "."
    )
    rows = [
        [
            f"{item.number}{' (released)' if item.number == picked else ''}",
            *(number_words(item.value(name)) for name in names),
            suppressed_words(front, item.suppressed),
        ]
        for item in _spread(front, picked)
    ]
    shown = f"{len(rows):,} of {len(front):,} solutions" if len(rows) < len(front) else "All solutions"
    return Figure(
        "front-picture",
        front_title(front),
        "each point is one way to release the table that no other beats in everything; the diamond is the "
        "one that was released, and what lies beside it are the alternatives.",
        front_chart(front, picked),
        f"{count_words(len(front), 'solution')}, {_span(x)} and {_span(y)}.{chosen}",
        Numbers(
            f"{shown} of the front",
            ["solution", *(measure_words(name) for name in names), "suppressed rows"],
            rows,
        ),
    )


def _span(axis: Axis) -> str:
    return f"{axis.words} from {number_words(axis.low)} to {number_words(axis.high)}"


def _spread(front: Front, picked: int | None) -> list[Solution]:
    """Return solutions spread evenly over the front, with its ends and the picked one."""
    size = len(front)
    places = (
        set(range(size))
        if size <= LISTED
        else {round(i * (size - 1) / (LISTED - 2)) for i in range(LISTED - 1)}
    )
    if picked is not None:
        places.add(picked - 1)
    return [front[place] for place in sorted(places)]


def making_section(evidence: Evidence, *, show_values: bool = True) -> str:
    """Return the search, the specification, the versions and the digest.

    Parameters
    ----------
    evidence
        What is known.
    show_values
        Whether confidential sentences are written out.
    """
    lack, written = evidence.lack("specification"), evidence.specification(show_values=show_values)
    parts = [facts(_search_facts(evidence))]
    parts.append("<h3>The specification</h3>")
    if written is not None:
        parts.append(paragraph("Comments, folders and lists of values are left out.", "quiet"))
        parts.append(scrolling(f"<pre><code>{text_lines(written)}</code></pre>", "The specification"))
    else:
        parts.append(missing(lack.why, lack.remedy) if lack else paragraph("There was none."))
    versions = Numbers(
        "Versions of what made the release",
        ["name", "version"],
        [[name, version] for name, version in evidence.subject.versions.items()],
    )
    parts += ["<h3>Versions</h3>", scrolling(versions.html(), versions.caption)]
    parts += ["<h3>The file</h3>", _digest(evidence)]
    return section("making", "How it was made", parts)


def text_lines(words: str) -> str:
    """Return lines of text for a page: each printable and escaped."""
    return "\n".join(text(line) for line in words.splitlines())


def _search_facts(evidence: Evidence) -> list[tuple[str, str]]:
    run = evidence.run
    named = {
        "method": "method",
        "why": "why this one",
        "status": "how it ended",
        "stopped": "stopped by",
        "space": "possible recodings",
        "evaluated": "recodings evaluated",
        "bound": "proven bound",
        "gap": "gap to the bound",
        "seed": "seed",
        "seconds": "seconds of search",
    }
    found = []
    for key, words in named.items():
        value = run.get(key)
        if value is None or isinstance(value, dict | list):
            continue
        shown = number_words(float(value)) if isinstance(value, int | float) else printable(str(value))
        found.append((words, f"{int(shown):,}" if shown.isdecimal() and len(shown) < 16 else shown))
    return found


def _digest(evidence: Evidence) -> str:
    verdict = evidence.subject.verdict
    if evidence.subject.file is None:
        return paragraph(
            "It was not written when this report was made; FILE.json holds its digest once it is."
        )
    rows = mapping(verdict.get("rows"))
    return (
        facts([("name", evidence.subject.file), ("rows", f"{int(str(rows.get('out', 0))):,}")])
        + f'<p>sha256: <code class="digest">{text(str(verdict.get("sha256") or ""))}</code></p>'
        + paragraph(
            "Whoever receives the file and its FILE.json can recount it with 'sfumato verify'; the digest "
            "tells whether it is this very file.",
            "quiet",
        )
    )


__all__ = ["front_section", "making_section", "text_lines"]
