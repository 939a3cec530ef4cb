"""How a release was found: the front, the search, the specification, versions and the digest."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from sfumato.assess.gather import Evidence
from sfumato.report.axes import plane_axes
from sfumato.report.charts import front_chart
from sfumato.report.phrases import (
    SAID,
    WORDS,
    front_sentence,
    front_title,
    limit_words,
    measure_words,
    suppressed_words,
    told_words,
)
from sfumato.report.pieces import (
    Box,
    Bullets,
    Chapter,
    Chart,
    Facts,
    Heading,
    Listing,
    Numbers,
    Paragraph,
    Piece,
    not_shown,
)
from sfumato.words import capital, count_words, number_words, percent_words, printable

if TYPE_CHECKING:
    from sfumato.assess.published import Published
    from sfumato.front import PlainFront


def verification_section(found: Published) -> Chapter:
    """Return promise, statement and recount side by side, and all that was checked."""
    verdict = found.subject.verdict
    told, broken = {*verdict.stated, *verdict.measures}, verdict.violations
    checks = [
        [item.name, item.verdict, item.detail]
        for item in verdict.checks
        if item.name.removeprefix("require ") not in told
    ]
    checked = Numbers("Checks besides the measures", ["checked", "verdict", "found"], checks)
    # Why some measures are not stated.
    require, stated, counted = verdict.require, verdict.stated, verdict.measures
    exact = found.exact if isinstance(found, Evidence) else {}
    rows = []
    for name in dict.fromkeys([*require, *stated, *exact]):
        asked = limit_words(name, require[name]) if name in require else ""
        again = number_words(counted.get(name))
        again = again or f"not recounted: {verdict.not_recounted.get(name, 'not requested')}"
        own = [number_words(exact.get(name))] if exact else []
        rows.append([told_words(name), asked, number_words(stated.get(name)), again, *own])
    headings = ["measure", "required", "stated", "recounted", *(["exact, over all rows"] if exact else [])]
    reasons = [f"{capital(told_words(name))}: {why.rstrip('.')}." for name, why in found.withheld.items()]
    pieces: list[Piece] = [
        Paragraph(SAID["recounted"]),
        *((Heading("Violations"), Bullets(broken)) if broken else ()),
        Numbers("Measures of the release", headings, rows),
        *([Box("quiet", (Heading("Not stated"), Bullets(reasons)))] if reasons else []),
        *((Heading("All that was checked"), checked) if checks else ()),
        Bullets(verdict.notes),
    ]
    if found.subject.file is not None:
        name, is_folder = shlex.quote(found.subject.file), found.subject.data.is_dir()
        pieces += [
            Heading("Verify it yourself"),
            Paragraph(SAID["how_to_folder" if is_folder else "how_to"]),
            Listing([f"sfumato verify {name}", *([] if is_folder else [f"sha256sum {name}"])]),
            Paragraph("sha256:", code=verdict.sha256 or ""),
        ]
    return Chapter("verification", "Verification", "What was verified", pieces)


LISTED = 25  # solutions in the table behind the front; ``front.csv`` holds all


def front_section(evidence: Evidence) -> Chapter:
    """Return the front with the released point."""
    lack, front = evidence.lack("front"), evidence.front
    pieces: list[Piece | None] = [not_shown(lack)]
    if front is None and lack is None:
        pieces.append(Paragraph("This release was not picked from a front of several solutions."))
    if front is not None:
        pieces.append(Paragraph(front_sentence(front)))
        if evidence.solution is None:
            pieces.append(Paragraph("The released recoding is not one of these solutions.", "note"))
        pieces.append(front_chart_piece(front, evidence.solution))
    return Chapter("front", "Front", "The front and the chosen point", pieces)


def front_chart_piece(front: PlainFront, picked: int | None) -> Chart:
    """Return the picture of a front with the numbers behind it."""
    x, y = plane_axes(front)
    names = [name for name in front.measure_names if name != "suppressed"]
    seen = f"{count_words(len(front), 'solution')}, {x.span} and {y.span}."
    if picked is not None:
        reached = [
            f"{measure_words(axis.name, short=False)} {number_words(front[picked - 1].value(axis.name))}"
            for axis in (x, y)
        ]
        seen += f" Solution {picked}, the released one, has {' and '.join(reached)}."
    # Spread evenly over the front, with its ends and the picked one.
    size, steps = len(front), LISTED - 2
    places = set(range(size)) if size <= LISTED else {round(i * (size - 1) / steps) for i in range(steps + 1)}
    rows = []
    for place in sorted(places if picked is None else {*places, picked - 1}):
        item = front[place]
        values = [number_words(item.value(name)) for name in names]
        lost, proven = suppressed_words(front, item.suppressed), [item.certainty] if front.is_local else []
        own = f"{item.number}{' (released)' if item.number == picked else ''}"
        rows.append([own, *values, lost, *proven])
    shown = f"{len(rows):,} of {len(front):,} solutions" if len(rows) < len(front) else "All solutions"
    marked = "." if picked is None else SAID["diamond"]
    reading = f"{SAID['beyond']}{marked}{' ' + SAID['curves'] if front.is_local else ''}"
    proof = ["proven"] if front.is_local else []
    heads = ["solution", *map(measure_words, names), "suppressed rows", *proof]
    numbers = Numbers(f"{shown} of the front", heads, rows)
    return Chart("front-picture", front_title(front), reading, front_chart(front, picked), seen, numbers)


def making_section(found: Published, *, show_values: bool = True) -> Chapter:
    """Return what was done and with which versions; internally the search and the specification too."""
    versions = [[name, version] for name, version in found.subject.versions.items()]
    inside: list[Piece | None] = []
    if isinstance(found, Evidence):
        searched = []
        for key, words in WORDS["searched"].items():
            value = found.run.get(key)
            if value is not None and not isinstance(value, dict | list):
                shown = printable(str(value))
                if isinstance(value, int | float):
                    shown = number_words(float(value))
                whole = shown.isdecimal() and len(shown) < 16
                searched.append((words, f"{int(shown):,}" if whole else shown))
        written = found.specification(show_values=show_values)
        inside += [Heading("The search"), Facts(searched)] if searched else []
        inside.append(Heading("The specification"))
        if written is None:
            lack = found.lack("specification")
            inside.append(not_shown(lack) or Paragraph("There was no specification."))
        else:
            inside.append(Paragraph("Comments, folders and lists of values are left out.", "quiet"))
            inside.append(Listing(written.splitlines(), "The specification"))
    pieces = [
        Facts(recipe_facts(found, show_values=show_values)),
        *inside,
        Heading("Versions"),
        Numbers("Versions of what made the release", ["name", "version"], versions),
    ]
    return Chapter("making", "How it was made", "How it was made", pieces)


def recipe_facts(found: Published, *, show_values: bool) -> list[tuple[str, str]]:
    """Return the recipe in words; what is done to each column has its own section."""
    subject, told = found.subject, []
    if subject.recipe is not None:
        recipe, rule = subject.recipe, subject.recipe.rule
        told += [
            (
                "rows left out",
                f"{WORDS['rules'].get(rule, rule)}, at most {percent_words(recipe.limit)} of all rows",
            ),
            ("they are", "removed" if recipe.suppressed_output == "drop" else "shown as * throughout"),
            ("people are", WORDS["units"][recipe.unit_word]),
        ]
        if show_values and recipe.confidential:
            told.append(("confidential", "; ".join(sentence for sentence, _ in recipe.confidential)))
    if subject.micro is not None:
        micro = subject.micro
        scaled = "standardized values" if micro.standardize else "the values themselves"
        told += [("method", f"{micro.method}, by distances between {scaled}"), ("k", f"{micro.k}")]
    order = subject.release.get("order")
    told.append(("order of the rows", WORDS["orders"].get(str(order), "not stated")))
    told.append(("rows", f"{subject.verdict.rows.get('out', 0):,}"))
    return told if subject.file is None else [("file", subject.file), *told]
