"""What attackers achieve, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.assess.gather import Evidence
from sfumato.report.charts import NAMES, Bar, Pair, bar_chart, pair_chart, seen_words
from sfumato.report.phrases import SAID
from sfumato.report.pieces import Chapter, Chart, Numbers, Paragraph, Piece, not_shown
from sfumato.words import percent_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sfumato.assess.published import Published
    from sfumato.assess.risk_results import AttributeDisclosure, Linkage, SubsetScan, TableRisk


SUBSETS = 9
SAFER = "further left is safer."


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
    reading = "each line is one question about an attacker who knows all quasi-identifiers of a person"
    return _pairs_chart("finding", "Finding one person's row", reading, pairs)


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
    headings = ["attacker", "before", "after", "found", "looked for", "95 % interval", "to be expected"]
    return Chart(
        "linkage",
        "Simulated linkage attack",
        "people were drawn and looked for in both tables by some of their attributes; the marks show "
        f"how many were found, and {SAFER}",
        pair_chart(pairs),
        seen_words(pair.seen for pair in pairs),
        Numbers("Linkage attacks: share of people found", headings, rows),
    )


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
    return _pairs_chart(
        "disclosure",
        "Learning sensitive values without finding anyone",
        "rows are known for certain if everyone in their class has the same value; skew is how far a class "
        "is from the whole table, gain how much knowing the class improves a guess",
        pairs,
    )


def subsets_chart(scan: SubsetScan) -> Chart:
    """Return the combinations of attributes that single out most people."""
    ranked = sorted(scan.best, key=lambda item: -item.share)
    people = f"{scan.unit}s"
    bars = [Bar.of_share(" + ".join(item.attributes), item.share) for item in ranked]
    rows = [[bar.name, f"{item.singled_out:,}", bar.text] for bar, item in zip(bars, ranked, strict=True)]
    counted = "All" if scan.complete else f"{scan.scanned:,} of {scan.possible:,}"
    return Chart(
        "subsets",
        "Which attributes single people out in the original",
        f"each bar is the share of {people} of the original that are unique in these few attributes: "
        "the longer, the more these attributes need protection.",
        bar_chart(bars[:SUBSETS], names=330),
        seen_words(bar.seen for bar in bars[:SUBSETS]),
        Numbers(
            f"{counted} combinations of up to three attributes were counted; those that single out most",
            ["attributes", f"{people} singled out", "share"],
            rows,
        ),
    )


def _pairs_chart(identity: str, title: str, reading: str, pairs: Sequence[Pair]) -> Chart:
    """Draw dots before and after; bars where nothing is known of the original."""
    if all(pair.before is None for pair in pairs):
        bars = [Bar(pair.name, pair.after or 0.0, pair.after_text) for pair in pairs]
        drawing, headings = bar_chart(bars, most=100.0, width=560, names=NAMES), ["question", "release"]
        rows = [[pair.name, pair.after_text] for pair in pairs]
        reading = f"{reading}; shorter bars are safer."
    else:
        drawing, headings = pair_chart(pairs), ["question", "before", "after"]
        rows = [[pair.name, pair.before_text or "not known", pair.after_text] for pair in pairs]
        reading = f"{reading}; the circle is the original, the diamond the release, and {SAFER}"
    seen = seen_words(pair.seen for pair in pairs)
    return Chart(identity, title, reading, drawing, seen, Numbers(title, headings, rows))
