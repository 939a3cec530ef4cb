"""What objects show of themselves in a notebook: small tables and figures, and nothing that is fetched."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sfumato.report.assessed_section import disclosure_chart, person_chart
from sfumato.report.making_section import front_chart_piece
from sfumato.report.phrases import front_sentence, measure_words, recoding_rows
from sfumato.report.pieces import (
    Bullets,
    Chart,
    Facts,
    Heading,
    Numbers,
    Paragraph,
    Piece,
    piece_html,
    read_resource,
)
from sfumato.report.style import palette_css
from sfumato.spec.choices import database_address
from sfumato.words import number_words, percent_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato.assess.risk_results import Risk
    from sfumato.front import PlainFront
    from sfumato.spec import Spec

_numbers = itertools.count(1)
_BASE = (
    "color: var(--ink); background: var(--ground); padding: .5rem 1rem; "
    "font: 14px/1.5 Helvetica, Arial, sans-serif;"
)


def front_cell(front: PlainFront) -> str:
    """Return a front: how it was found, its picture, and the numbers behind it."""
    if not len(front):
        return _cell([Heading("A front without solutions")])
    return _cell([Paragraph(front_sentence(front)), front_chart_piece(front, None)])


def release_cell(release: Any) -> str:
    """Return a release that is not written yet."""
    return _cell([Heading("A release that is not written yet: call write()"), *release_pieces(release)])


def release_pieces(release: Any) -> list[Piece]:
    """Return what a release is: rows, measures, and what became of each quasi-identifier."""
    rows = release.rows
    share = f" ({percent_words(rows['suppressed'] / rows['in'])})" if rows["in"] else ""
    facts = [
        ("rows", f"{rows['in']:,} in, {rows['out']:,} out, {rows['suppressed']:,} suppressed{share}"),
        ("classes", f"{release.classes:,}"),
        ("published unchanged", ", ".join(release.unchanged) or "nothing"),
        ("left out", ", ".join(release.left_out) or "nothing"),
    ]
    return [
        Facts(facts),
        Numbers("", ["attribute", "level or blocks", "looks like"], recoding_rows(release)),
        measure_table(release.measures),
    ]


def measures_cell(measures: Mapping[str, float]) -> str:
    """Return measures by name, with what they mean."""
    return _cell([measure_table(measures)])


def risk_cell(risk: Risk) -> str:
    """Return what attackers achieve, before and after."""
    return _cell(risk_pieces(risk))


def risk_pieces(risk: Risk) -> list[Piece]:
    """Return the charts of what attackers achieve, and what to know about them."""
    after = risk.after or risk.before
    before = risk.before if risk.after is not None else None
    pieces: list[Piece] = [person_chart(before, after)]
    pieces += [disclosure_chart(before, after)] if after.attributes else []
    return [*pieces, Bullets(list(risk.notes))]


def spec_cell(spec: Spec) -> str:
    """Return the roles, and what is required and wanted."""
    rows = []
    for name, item in spec.attributes.items():
        rule = item.hierarchy.model_dump(exclude_none=True, exclude_defaults=True) if item.hierarchy else {}
        scheme = item.scheme if item.role == "quasi-identifier" else ""
        rows.append([name, item.role, item.kind or "", next(iter(rule), ""), scheme])
    asked = ", ".join(f"{name}: {number_words(limit)}" for name, limit in spec.require.items())
    facts = [
        ("data", "a database" if database_address(spec.data.path) else spec.data.path or "not named"),
        ("required", asked or "nothing"),
        ("suppression", f"at most {percent_words(spec.suppression.limit)} of the rows"),
        ("objectives", ", ".join([*spec.objectives.maximize, *spec.objectives.minimize]) or "none"),
    ]
    return _cell([Facts(facts), Numbers("", ["attribute", "role", "kind", "hierarchy", "scheme"], rows)])


def measure_table(measures: Mapping[str, float]) -> Numbers:
    """Return measures with their values and meanings."""
    told = {name: measure_words(name, short=False) for name in measures}
    rows = [
        [name, number_words(value), "" if told[name] == name else told[name]]
        for name, value in measures.items()
    ]
    return Numbers("", ["measure", "value", "meaning"], rows)


def _cell(pieces: Sequence[Piece]) -> str:
    """Return pieces with a style that reaches nothing outside of them."""
    number = next(_numbers)
    own = [
        replace(piece, identity=f"{piece.identity}-{number}") if isinstance(piece, Chart) else piece
        for piece in pieces
    ]
    colours = palette_css().replace(":root", ".sfumato")
    style = f"{colours}.sfumato {{ {_BASE} {read_resource('report.css')} }}"
    return f'<div class="sfumato"><style>{style}</style>\n{chr(10).join(map(piece_html, own))}\n</div>'
