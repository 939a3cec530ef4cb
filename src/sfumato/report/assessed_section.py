"""What attackers achieve and what analyses still give, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.assess.gather import Evidence
from sfumato.report.charts import NAMES, Bar, Pair, bar_chart, pair_chart, seen_words
from sfumato.report.phrases import SAID, SCORES, model_sentence, score_words
from sfumato.report.pieces import Chapter, Chart, Paragraph, Piece, not_shown, told_chart
from sfumato.words import number_words, percent_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sfumato.assess.published import Published
    from sfumato.assess.risk_results import AttributeDisclosure, Linkage, SubsetScan, TableRisk
    from sfumato.assess.utility import AttributeUtility, ModelUtility, QueryUtility, Utility

SUBSETS = 9


def risk_section(found: Published) -> Chapter:
    """Return what attackers achieve against the release, and against the original where that is known."""
    before, after = found.risk_before, found.risk_after
    inside = found if isinstance(found, Evidence) else None
    pieces: list[Piece | None] = [
        Paragraph(SAID["knows"]),
        Paragraph(SAID["examples"] if inside else SAID["alone"]),
        not_shown(found.lack("risk")),
    ]
    if after is not None:
        if inside is None and found.subject.has_persons:
            pieces.append(Paragraph(_person_words(found), "note"))
        else:
            pieces.append(person_chart(before, after))
        if inside is not None and inside.linkage[1]:
            pieces.append(_linkage_chart(*inside.linkage))
        pieces += [disclosure_chart(before, after)] if after.attributes else []
    if inside is not None and inside.risk is not None:
        subsets = inside.risk.subsets
        pieces += [subsets_chart(subsets)] if subsets is not None and subsets.best else []
        pieces += [Paragraph(f"Note: {note}", "quiet") for note in inside.risk.notes]
    return Chapter("risk", "Risk", "Risk" if inside is None else "Risk before and after", pieces)


def _person_words(found: Published) -> str:
    """Say what k promises if the file does not show which rows are one person's."""
    k = found.measures.get("k")
    chance = f" The highest chance of finding a person is {percent_words(1 / k, 'risk')}." if k else ""
    recipe = found.subject.recipe
    if recipe is not None and recipe.household is not None:
        lead = "Classes count households, and the file does not show who lives together."
        return f"{lead}{chance.replace('a person', 'a household')}"
    return f"A person may have several rows, and the file does not show which belong together.{chance}"


def person_chart(before: TableRisk | None, after: TableRisk) -> Chart:
    """Return the chances of finding one person's row."""
    threshold = percent_words(after.prosecutor.threshold)
    questions: dict[str, Callable[[TableRisk], float]] = {
        "highest chance of being found": lambda risk: risk.prosecutor.highest,
        "average chance of being found": lambda risk: risk.prosecutor.average,
        f"people with a chance above {threshold}": lambda risk: risk.prosecutor.share_at_risk,
        "unique people": lambda risk: risk.uniques.share,
    }
    if after.journalist is not None:
        questions["highest chance, presence unknown"] = lambda risk: (
            0.0 if risk.journalist is None else risk.journalist.highest
        )
    if after.households is not None:
        questions["highest chance that a member of a household is found"] = lambda risk: (
            0.0 if risk.households is None else risk.households.highest
        )
    pairs = [
        Pair.of_shares(name, None if before is None else take(before), take(after))
        for name, take in questions.items()
    ]
    return _pairs_chart("finding", pairs)


def _linkage_chart(before: Sequence[Linkage], after: Sequence[Linkage]) -> Chart:
    was = {item.known: item.rate for item in before}
    pairs, rows = [], []
    for item in sorted(after, key=lambda item: item.known):
        pair = Pair.of_shares(f"knows {item.known} of {item.of} attributes", was.get(item.known), item.rate)
        pairs.append(pair)
        both = [pair.name, pair.before_text or "not known", pair.after_text]
        ends = f"{percent_words(item.low)} to {percent_words(item.high, 'risk')}"
        counts = f"{item.successes:,}", f"{item.attempts:,}"
        rows.append([*both, *counts, ends, percent_words(item.expected, "risk")])
    return told_chart("linkage", pair_chart(pairs), seen_words(pair.seen for pair in pairs), rows)


DISCLOSED: dict[str, Callable[[AttributeDisclosure], float]] = {
    "known for certain": lambda item: item.homogeneous_rows / item.rows if item.rows else 0.0,
    "largest skew": lambda item: item.largest_distance,
    "mean gain": lambda item: item.mean_gain,
}


def disclosure_chart(before: TableRisk | None, after: TableRisk) -> Chart:
    """Return what classes give away about sensitive values."""
    was = {} if before is None else {item.attribute: item for item in before.attributes}
    pairs = []
    for item in after.attributes:
        for words, take in DISCLOSED.items():
            earlier = take(was[item.attribute]) if item.attribute in was else None
            pairs.append(Pair.of_shares(f"{item.attribute}: {words}", earlier, take(item)))
    return _pairs_chart("disclosure", pairs)


def subsets_chart(scan: SubsetScan) -> Chart:
    """Return the combinations of attributes that single out most people."""
    ranked = sorted(scan.best, key=lambda item: -item.share)
    people = f"{scan.unit}s"
    bars = [Bar.of_share(" + ".join(item.attributes), item.share) for item in ranked]
    rows = [[bar.name, f"{item.singled_out:,}", bar.text] for bar, item in zip(bars, ranked, strict=True)]
    counted = "All" if scan.complete else f"{scan.scanned:,} of {scan.possible:,}"
    drawing, seen = bar_chart(bars[:SUBSETS], names=330), seen_words(bar.seen for bar in bars[:SUBSETS])
    headings = ["attributes", f"{people} singled out", "share"]
    return told_chart("subsets", drawing, seen, rows, headings=headings, people=people, counted=counted)


def _pairs_chart(name: str, pairs: Sequence[Pair]) -> Chart:
    """Draw dots before and after; bars where nothing is known of the original."""
    seen = seen_words(pair.seen for pair in pairs)
    if all(pair.before is None for pair in pairs):
        bars = [Bar(pair.name, pair.after or 0.0, pair.after_text) for pair in pairs]
        drawing, headings = bar_chart(bars, most=100.0, width=560, names=NAMES), ["question", "release"]
        rows, safer = [[pair.name, pair.after_text] for pair in pairs], "shorter bars are safer."
        return told_chart(name, drawing, seen, rows, headings=headings, safer=safer)
    rows = [[pair.name, pair.before_text or "not known", pair.after_text] for pair in pairs]
    safer = "the circle is the original, the diamond the release, and further left is safer."
    return told_chart(name, pair_chart(pairs), seen, rows, safer=safer)


PAIRS = 10  # associations in the chart; the table holds some more
LISTED = 45


def utility_section(evidence: Evidence) -> Chapter:
    """Return what analyses give on the original and on the release."""
    found = evidence.utility
    pieces: list[Piece | None] = [Paragraph(SAID["same"]), not_shown(evidence.lack("utility"))]
    if found is not None:
        sample = f"Based on a random sample of {found.used:,} of {found.rows:,} rows."
        pieces += [
            _model_chart(found.model) if found.model is not None else None,
            _queries_chart(found.queries) if found.queries is not None else None,
            _distances_chart(found.attributes) if found.attributes else None,
            _associations_chart(found) if found.associations else None,
            Paragraph(sample, "quiet") if found.used < found.rows else None,
        ]
    return Chapter("utility", "Utility", "Utility before and after", pieces)


def _model_chart(model: ModelUtility) -> Chart:
    names = [name for name in SCORES if name in model.original and name in model.release]
    pairs, rows = [], []
    for name in names:
        scores, guess = (model.original[name], model.release[name]), model.baseline.get(name)
        if name != "mae":
            pairs.append(Pair.of_shares(SCORES[name], *scores, guess, "exact"))
        told = [score_words(name, score) for score in scores]
        rows.append([SCORES[name], *told, "not known" if guess is None else score_words(name, guess)])
    drawing = pair_chart(pairs, reference="guessing" if model.baseline else "")
    seen = model_sentence(model)
    return told_chart("model", drawing, seen, rows, target=model.target, model=model.model)


def _queries_chart(queries: QueryUtility) -> Chart:
    lines = {"half of the queries": "median", "on average": "mean", "nine of ten queries": "p90"}
    bars = [Bar.of_share(words, getattr(queries.error, key)) for words, key in lines.items()]
    spread = [percent_words(getattr(queries.error_spread, key)) for key in lines.values()]
    rows = [[bar.name, bar.text, text] for bar, text in zip(bars, spread, strict=True)]
    seen = seen_words(f"{bar.name}: off by {bar.text}" for bar in bars)
    return told_chart("queries", bar_chart(bars), seen, rows, count=f"{queries.count:,}")


def _distances_chart(attributes: Sequence[AttributeUtility]) -> Chart:
    bars = [Bar.of_share(item.name, item.distance) for item in attributes]
    rows = []
    for bar, item in zip(bars, attributes, strict=True):
        moments = (item.mean, item.mean_after, item.deviation, item.deviation_after)
        cells = [number_words(value, none="–") for value in moments]
        rows.append([bar.name, bar.text, f"{item.blocks:,} of {item.size:,}", *cells])
    return told_chart("distances", bar_chart(bars), seen_words(bar.seen for bar in bars), rows)


def _associations_chart(found: Utility) -> Chart:
    ranked = sorted(found.associations, key=lambda item: (-item.change, item.first, item.second))
    pairs = []
    for item in ranked[:PAIRS]:
        texts = f"{item.before:.2f}", f"{item.after:.2f}"
        pairs.append(Pair(f"{item.first}, {item.second}", item.before, item.after, *texts))
    rows = [
        [f"{item.first} and {item.second}", *map(number_words, (item.before, item.after, item.change))]
        for item in ranked[:LISTED]
    ]
    if found.association_measure == "correlation":
        measure, places = "Pearson's correlation, −1 to 1", [-1.0, -0.5, 0.0, 0.5, 1.0]
    else:
        measure, places = "Cramér's V, 0 to 1", [0.0, 0.25, 0.5, 0.75, 1.0]
    drawing = pair_chart(pairs, {place: f"{place:g}" for place in places})
    change = number_words(found.association_change)
    seen = f"Mean change over {len(found.associations):,} pairs: {change}."
    return told_chart("associations", drawing, seen, rows, measure=measure)
