"""What attackers achieve, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.assess.gather import Evidence
from sfumato.report.axes import percent_ticks
from sfumato.report.charts import NAMES, Bar, Pair, bar_chart, pair_chart
from sfumato.report.pieces import Figure, Numbers, missing, paragraph, section
from sfumato.words import percent_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.assess import AttributeDisclosure, Linkage, SubsetScan, TableRisk
    from sfumato.assess.published import Published


SUBSETS = 9
SAFER = "further left is safer."
EXAMPLES = (
    "Numbers about the original are counts alone. These attackers are examples: another one may fare "
    "differently."
)
ALONE = "These numbers follow from the released rows alone, and anyone who holds the file can compute them."


def risk_section(found: Published) -> str:
    """Return what attackers achieve against the release, and against the original where that is known."""
    lack, before, after = found.lack("risk"), found.risk_before, found.risk_after
    inside = found if isinstance(found, Evidence) else None
    parts = [
        paragraph(
            "An attacker knows some of the attributes of a person and looks for the person's row, or wants "
            "to learn what is sensitive."
        ),
        paragraph(EXAMPLES if inside else ALONE),
        missing(lack.why, lack.remedy) if lack else "",
    ]
    if after is not None:
        if inside is None and found.subject.has_persons:
            parts.append(paragraph(_person_words(found), "note"))
        else:
            parts.append(_person_figure(before, after).html())
        if inside is not None and inside.linkage[1]:
            parts.append(_linkage_figure(*inside.linkage).html())
        parts += [_disclosure_figure(before, after).html()] if after.attributes else []
    if inside is not None and inside.risk is not None:
        subsets = inside.risk.subsets
        parts += [_subsets_figure(subsets).html()] if subsets is not None and subsets.best else []
        parts += [paragraph(f"Note: {note}", "quiet") for note in inside.risk.notes]
    return section("risk", "Risk" if inside is None else "Risk before and after", parts)


def _person_words(found: Published) -> str:
    """Say what k promises where the file does not tell which rows are one person's."""
    smallest = found.measures.get("k")
    chance = (
        "" if not smallest else f" The highest chance of finding a person is {percent_words(1 / smallest)}."
    )
    return f"A person may have several rows, and the file does not tell which belong together.{chance}"


def _person_figure(before: TableRisk | None, after: TableRisk) -> Figure:
    def pair(name: str, take: str) -> Pair:
        return _percent(name, None if before is None else _person(before, take), _person(after, take))

    threshold = percent_words(after.prosecutor.threshold)
    pairs = [
        pair("highest chance of being found", "highest"),
        pair("average chance of being found", "average"),
        pair(f"people with a chance above {threshold}", "at risk"),
        pair("unique people", "unique"),
    ]
    if after.journalist is not None:
        pairs.append(pair("highest chance, presence unknown", "journalist"))
    return _pairs_figure(
        "finding",
        "Finding one person's row",
        "each line is one question about an attacker who knows all quasi-identifiers of a person",
        pairs,
    )


def _person(risk: TableRisk, take: str) -> float:
    if take == "journalist":
        return 0.0 if risk.journalist is None else risk.journalist.highest
    return {
        "highest": risk.prosecutor.highest,
        "average": risk.prosecutor.average,
        "at risk": risk.prosecutor.share_at_risk,
        "unique": risk.uniques.share,
    }[take]


def _linkage_figure(before: Sequence[Linkage], after: Sequence[Linkage]) -> Figure:
    was = {item.known: item for item in before}
    pairs, rows = [], []
    for item in sorted(after, key=lambda item: item.known):
        earlier = was.get(item.known)
        name = f"knows {item.known} of {item.of} attributes"
        pairs.append(_percent(name, None if earlier is None else earlier.rate, item.rate))
        rows.append(
            [
                name,
                *("not known" if earlier is None else percent_words(earlier.rate), percent_words(item.rate)),
                *(f"{item.successes:,}", f"{item.attempts:,}"),
                f"{percent_words(item.low)} to {percent_words(item.high)}",
                percent_words(item.expected),
            ]
        )
    headings = ["attacker", "before", "after", "found", "looked for", "95 % interval", "to be expected"]
    return Figure(
        "linkage",
        "Simulated linkage attack",
        "people were drawn and looked for in both tables by some of their attributes; the marks show "
        f"how many were found, and {SAFER}",
        pair_chart(pairs, percent_ticks()),
        _seen(pairs),
        Numbers("Linkage attacks: share of people found", headings, rows),
    )


def _disclosure_figure(before: TableRisk | None, after: TableRisk) -> Figure:
    was = {} if before is None else {item.attribute: item for item in before.attributes}
    pairs = []
    for item in after.attributes:
        earlier = was.get(item.attribute)
        for words, take in (
            ("known for certain", "certain"),
            ("largest skew", "skew"),
            ("mean gain", "gain"),
        ):
            pairs.append(
                _percent(
                    f"{item.attribute}: {words}",
                    None if earlier is None else _disclosed(earlier, take),
                    _disclosed(item, take),
                )
            )
    return _pairs_figure(
        "disclosure",
        "Learning what is sensitive without finding anybody",
        "known for certain are rows of classes in which all have the same value; skew is how far a class is "
        "from the whole table, gain how much knowing the class improves a guess",
        pairs,
    )


def _disclosed(item: AttributeDisclosure, take: str) -> float:
    if take == "certain":
        return item.homogeneous_rows / item.rows if item.rows else 0.0
    return item.largest_distance if take == "skew" else item.mean_gain


def _subsets_figure(scan: SubsetScan) -> Figure:
    ranked = sorted(scan.best, key=lambda item: -item.share)
    shown = ranked[:SUBSETS]
    people = "rows" if scan.unit == "row" else "persons"
    bars = [Bar(" + ".join(item.attributes), 100 * item.share, percent_words(item.share)) for item in shown]
    rows = [
        [" + ".join(item.attributes), f"{item.singled_out:,}", percent_words(item.share)] for item in ranked
    ]
    counted = "All" if scan.complete else f"{scan.scanned:,} of {scan.possible:,}"
    return Figure(
        "subsets",
        "Which attributes single people out in the original",
        f"each bar is the share of {people} of the original that are unique in these few attributes: "
        "the longer, the more these attributes need protection.",
        bar_chart(bars, names=330),
        "; ".join(f"{bar.name}: {bar.text}" for bar in bars) + ".",
        Numbers(
            f"{counted} combinations of up to three attributes were counted; those that single out most",
            ["attributes", f"{people} singled out", "share"],
            rows,
        ),
    )


def _percent(name: str, before: float | None, after: float) -> Pair:
    was = None if before is None else 100 * before
    return Pair(name, was, 100 * after, "" if before is None else percent_words(before), percent_words(after))


def _pairs_figure(identity: str, title: str, reading: str, pairs: Sequence[Pair]) -> Figure:
    """Draw dots before and after; bars where nothing is known of the original."""
    if all(pair.before is None for pair in pairs):
        bars = [Bar(pair.name, pair.after or 0.0, pair.after_text) for pair in pairs]
        drawing, headings = bar_chart(bars, most=100.0, width=560, names=NAMES), ["question", "release"]
        rows = [[pair.name, pair.after_text] for pair in pairs]
        reading = f"{reading}; shorter bars are safer."
    else:
        drawing, headings = pair_chart(pairs, percent_ticks()), ["question", "before", "after"]
        rows = [[pair.name, pair.before_text or "not known", pair.after_text] for pair in pairs]
        reading = f"{reading}; the circle is the original, the diamond the release, and {SAFER}"
    return Figure(identity, title, reading, drawing, _seen(pairs), Numbers(title, headings, rows))


def _seen(pairs: Sequence[Pair]) -> str:
    """Return what a chart of dots shows, for those who cannot see it."""
    return "; ".join(f"{pair.name}: {_both(pair)}" for pair in pairs) + "."


def _both(pair: Pair) -> str:
    return f"{pair.before_text} before, {pair.after_text} after" if pair.before_text else pair.after_text
