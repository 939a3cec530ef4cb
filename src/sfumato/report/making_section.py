"""How a release was found: the front, the search, the specification, versions and the digest."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from sfumato.assess.gather import Evidence
from sfumato.report.axes import plane_axes
from sfumato.report.charts import front_chart
from sfumato.report.pieces import (
    Figure,
    Numbers,
    bullets,
    facts,
    mapping,
    missing,
    paragraph,
    scrolling,
    section,
    text,
    texts,
    told_words,
)
from sfumato.report.words import front_sentence, front_title, measure_words, suppressed_words
from sfumato.verifier.checks import larger_is_better
from sfumato.words import capital, count_words, number_words, percent_words, printable

if TYPE_CHECKING:
    from sfumato.assess.published import Published
    from sfumato.front import Front, Solution
    from sfumato.report.axes import Axis


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


LISTED = 25
"""Solutions in the table behind the front; ``front.csv`` holds all."""

RULES = {
    "auto": "classes that miss a requirement, and the smallest ones",
    "none": "none",
    "failing": "classes that miss a requirement",
    "smallest": "the smallest classes",
    "below-mean": "classes smaller than the mean",
}
ORDERS = {"sorted": "sorted by their values", "input": "that of the original"}


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
        "each point is a release that cannot be improved in one respect without getting worse in another; "
        "the diamond is the one that was released, the others are the alternatives.",
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


def making_section(found: Published, *, show_values: bool = True) -> str:
    """Return what was done and with which versions; internally the search and the specification too."""
    parts = [facts(recipe_facts(found, show_values=show_values))]
    if isinstance(found, Evidence):
        parts += _inside(found, show_values=show_values)
    versions = Numbers(
        "Versions of what made the release",
        ["name", "version"],
        [[name, version] for name, version in found.subject.versions.items()],
    )
    parts += ["<h3>Versions</h3>", scrolling(versions.html(), versions.caption)]
    return section("making", "How it was made", parts)


def _inside(found: Evidence, *, show_values: bool) -> list[str]:
    """Return the search and the specification."""
    lack, written = found.lack("specification"), found.specification(show_values=show_values)
    searched = facts(_search_facts(found))
    parts = [f"<h3>The search</h3>\n{searched}" if searched else "", "<h3>The specification</h3>"]
    if written is not None:
        parts.append(paragraph("Comments, folders and lists of values are left out.", "quiet"))
        parts.append(scrolling(f"<pre><code>{text_lines(written)}</code></pre>", "The specification"))
    else:
        parts.append(missing(lack.why, lack.remedy) if lack else paragraph("There was none."))
    return parts


def recipe_facts(found: Published, *, show_values: bool) -> list[tuple[str, str]]:
    """Return the recipe in words; what is done to each column stands in its own section."""
    subject, told = found.subject, []
    if subject.recipe is not None:
        recipe, rule = subject.recipe, subject.recipe.rule
        told += [
            ("rows left out", f"{RULES.get(rule, rule)}, at most {percent_words(recipe.limit)} of all rows"),
            ("they are", "removed" if recipe.suppressed_output == "drop" else "shown as * throughout"),
            ("people are", "persons, who may have several rows" if subject.has_persons else "rows"),
        ]
        if show_values and recipe.confidential:
            told.append(("confidential", "; ".join(sentence for sentence, _ in recipe.confidential)))
    if subject.micro is not None:
        micro = subject.micro
        scaled = "standardized values" if micro.standardize else "the values themselves"
        told += [("method", f"{micro.method}, by distances between {scaled}"), ("k", f"{micro.k}")]
    order = subject.release.get("order")
    told.append(("order of the rows", ORDERS.get(str(order), "not stated")))
    rows = mapping(subject.verdict.get("rows"))
    told.append(("rows", f"{int(str(rows.get('out', 0))):,}"))
    return told if subject.file is None else [("file", subject.file), *told]


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
