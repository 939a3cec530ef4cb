"""The first screen of a report: what was promised, what was verified, what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.release.verify.names import larger_is_better, split_name
from sfumato.report.evidence_words import mapping, model_sentence, texts, told_words
from sfumato.report.pieces import bullets, share_words, text
from sfumato.report.words import count_words, number_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato.evidence.gather import Evidence

FIRST = 5
"""Violations in the box on top; all are listed further below."""

TELLING = ("k", "distinct_l", "t", "secure")
"""Measures that the summary names where nothing was required."""


def summary_html(evidence: Evidence) -> str:
    """Return the verdict, the most telling numbers and three short lists."""
    cards = [
        _card("What was promised", promised(evidence)),
        _card("What was verified", verified(evidence)),
        _card("What it cost", cost(evidence)),
    ]
    return "\n".join(
        [
            '<section aria-labelledby="summary">',
            '<h2 id="summary">Summary</h2>',
            verdict_html(evidence),
            _headlines(headlines(evidence)),
            f'<div class="cards">\n{chr(10).join(cards)}\n</div>',
            "</section>",
        ]
    )


def verdict_html(evidence: Evidence) -> str:
    """Return whether the release holds, in a box that cannot be overlooked."""
    violations = texts(evidence.subject.verdict.get("violations"))
    if evidence.holds:
        words = "The release keeps its promise: its rows were read back and recounted by independent code."
        return f'<p class="verdict good"><strong>It holds.</strong> {text(words)}</p>'
    more = len(violations) - FIRST
    listed = bullets(
        [*violations[:FIRST], *([f"{more} more, listed under Verification."] if more > 0 else [])]
    )
    words = f"{count_words(len(violations), 'violation')} found by the recount. Do not hand this file out."
    first = f"<p><strong>It does not hold.</strong> {text(words)}</p>"
    return f'<div class="verdict bad" role="alert">{first}{listed}</div>'


def headlines(evidence: Evidence) -> list[tuple[str, str, str]]:
    """Return the most telling numbers: what, before (may be blank), after."""
    found: list[tuple[str, str, str]] = []
    before, after = evidence.sizes_before, evidence.sizes_after
    smallest = "" if before is None or not before.sizes else number_words(before.sizes[0])
    found.append(
        ("smallest class, in rows", smallest, number_words(after.sizes[0]) if after.sizes else "none")
    )
    risk_before, risk_after = evidence.risk_before, evidence.risk_after
    if risk_after is not None:
        was = "" if risk_before is None else share_words(risk_before.prosecutor.highest)
        found.append(("highest chance to find a person", was, share_words(risk_after.prosecutor.highest)))
    rows = mapping(evidence.subject.verdict.get("rows"))
    if rows.get("in"):
        share = float(str(rows.get("suppressed", 0))) / float(str(rows["in"]))
        found.append(("rows left out", "", share_words(share)))
    loss = _measure(evidence, "loss")
    if loss is not None:
        found.append(("detail lost", "", share_words(loss)))
    return found


def _measure(evidence: Evidence, name: str) -> float | None:
    for key in ("measures", "stated"):
        value = mapping(evidence.subject.verdict.get(key)).get(name)
        if isinstance(value, int | float):
            return float(value)
    return None


def _headlines(items: Sequence[tuple[str, str, str]]) -> str:
    groups = []
    for words, before, after in items:
        was = (
            f'<span class="was"><span class="hidden">before </span>{text(before)} →</span> ' if before else ""
        )
        now = f'<span class="hidden">after </span>{text(after)}' if before else text(after)
        groups.append(f'<div><dt>{text(words)}</dt><dd>{was}<span class="now">{now}</span></dd></div>')
    return f'<dl class="headlines">\n{chr(10).join(groups)}\n</dl>'


def _card(title: str, parts: Sequence[str]) -> str:
    return f'<div class="card">\n<h3>{text(title)}</h3>\n{bullets(parts)}\n</div>'


def promised(evidence: Evidence) -> list[str]:
    """Return the requirements in words; what is stated where nothing was required."""
    require = _numbers(evidence.subject.verdict.get("require"))
    found = [requirement_words(name, limit) for name, limit in require.items()]
    if not found:
        stated = _numbers(evidence.subject.verdict.get("stated"))
        found = ["Nothing was required beforehand; what the release states was recounted."]
        found += [
            f"{_capital(told_words(name))}: {number_words(stated[name])}." for name in _told(stated)[:3]
        ]
    recipe = evidence.subject.recipe
    if recipe is not None:
        found.append(f"At most {share_words(recipe.limit)} of the rows may be left out.")
        secrets = len(recipe.confidential)
        found += [f"Confidential: {count_words(secrets, 'sentence')}."] if secrets else []
    return found


def requirement_words(name: str, limit: float) -> str:
    """Return a requirement as a sentence.

    Examples
    --------
    >>> requirement_words("k", 5.0), requirement_words("loss", 0.4)
    ('Smallest class (k): at least 5.', 'Share of detail lost (loss): at most 0.4.')
    """
    side = "at least" if larger_is_better(name) else "at most"
    return f"{_capital(told_words(name))}: {side} {number_words(limit)}."


def verified(evidence: Evidence) -> list[str]:
    """Return what the recount found."""
    verdict = evidence.subject.verdict
    rows, counted = mapping(verdict.get("rows")), _numbers(verdict.get("measures"))
    require = _numbers(verdict.get("require"))
    told = [name for name in require if name in counted] or _told(counted)[:3]
    found = [f"{_capital(told_words(name))}: {number_words(counted[name])}, recounted." for name in told]
    if isinstance(verdict.get("classes"), int):
        many = count_words(int(str(rows.get("out", 0))), "row")
        found.append(f"{many} in {_classes(int(str(verdict['classes'])))}.")
    lacking = mapping(verdict.get("not_recounted"))
    unproven = [name for name in require if name in lacking]
    found += [f"Not recounted: {told_words(name)}; {lacking[name]}." for name in unproven]
    if evidence.subject.file is not None:
        found.append(f"Digest of the file (sha256) begins with {str(verdict.get('sha256', ''))[:12]}.")
    return found + [f"{_capital(note)}." for note in texts(verdict.get("notes"))[:2]]


def cost(evidence: Evidence) -> list[str]:
    """Return what the release lost."""
    rows = mapping(evidence.subject.verdict.get("rows"))
    found = []
    if rows.get("in"):
        many, all_rows = int(str(rows.get("suppressed", 0))), int(str(rows["in"]))
        found.append(f"{many:,} of {all_rows:,} rows were left out ({share_words(many / all_rows)}).")
    loss = _measure(evidence, "loss")
    if loss is not None:
        found.append(f"{share_words(loss)} of the detail of the values is lost.")
    gone = [item.name for item in evidence.attributes if item.is_gone]
    if gone:
        found.append(f"Nothing remains of: {', '.join(gone)}.")
    if evidence.utility is not None:
        found += [model_sentence(evidence.utility.model)] if evidence.utility.model is not None else []
        queries = evidence.utility.queries
        if queries is not None:
            found.append(
                f"Half of the counting queries are off by {share_words(queries.error.median)} or less."
            )
    elif lack := evidence.lack("utility"):
        found.append(f"What analyses lose is not known: {lack.why}")
    return found


def _told(numbers: Mapping[str, float]) -> list[str]:
    """Return the measures that tell most, the smallest class first."""
    return sorted((name for name in numbers if split_name(name)[0] in TELLING), key=lambda name: name != "k")


def _numbers(value: object) -> dict[str, float]:
    return {name: float(x) for name, x in mapping(value).items() if isinstance(x, int | float)}


def _classes(many: int) -> str:
    return f"{many:,} {'class' if many == 1 else 'classes'}"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


__all__ = ["cost", "headlines", "promised", "requirement_words", "summary_html", "verdict_html", "verified"]
