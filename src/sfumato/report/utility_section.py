"""What analyses still give, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.report.charts import Bar, Pair, bar_chart, pair_chart, seen_words
from sfumato.report.phrases import SAID, SCORES, model_sentence, score_words
from sfumato.report.pieces import Chapter, Chart, Numbers, Paragraph, Piece, not_shown
from sfumato.words import number_words, percent_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.assess.gather import Evidence
    from sfumato.assess.utility import AttributeUtility, ModelUtility, QueryUtility, Utility

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
    headings = ["score", "from the original", "from the release", "guessing"]
    return Chart(
        "model",
        f"Predicting {model.target}",
        f"{model.model} was trained to predict {model.target} once on the original (circle) and once on "
        "the release (diamond), and both were tested on the same original rows; further right is better.",
        pair_chart(pairs, reference="guessing" if model.baseline else ""),
        model_sentence(model),
        Numbers(f"Scores of {model.model}", headings, rows),
    )


def _queries_chart(queries: QueryUtility) -> Chart:
    lines = {"half of the queries": "median", "on average": "mean", "nine of ten queries": "p90"}
    bars = [Bar.of_share(words, getattr(queries.error, key)) for words, key in lines.items()]
    spread = [percent_words(getattr(queries.error_spread, key)) for key in lines.values()]
    return Chart(
        "queries",
        "Counting people",
        f"{queries.count:,} random questions of the kind 'how many rows have these values?' were put to both "
        "tables; each bar is how far the release's answers are off, and shorter is better.",
        bar_chart(bars),
        seen_words(f"{bar.name}: off by {bar.text}" for bar in bars),
        Numbers(
            f"Relative error of {queries.count:,} counts",
            ["queries", "rows left out are ignored", "rows left out are spread evenly"],
            [[bar.name, bar.text, text] for bar, text in zip(bars, spread, strict=True)],
        ),
    )


def _distances_chart(attributes: Sequence[AttributeUtility]) -> Chart:
    bars = [Bar.of_share(item.name, item.distance) for item in attributes]
    rows = []
    for bar, item in zip(bars, attributes, strict=True):
        moments = (item.mean, item.mean_after, item.deviation, item.deviation_after)
        cells = [number_words(value, none="–") for value in moments]
        rows.append([bar.name, bar.text, f"{item.blocks:,} of {item.size:,}", *cells])
    moved = ["mean before", "mean after", "deviation before", "deviation after"]
    return Chart(
        "distances",
        "How far the distribution of each attribute has moved",
        "each bar is the share of rows that would have to change their value to turn the released "
        "distribution into the original one, if every value of a block is taken as equally "
        "likely; shorter is better.",
        bar_chart(bars),
        seen_words(bar.seen for bar in bars),
        Numbers("Distance of the distributions", ["attribute", "distance", "blocks of values", *moved], rows),
    )


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
    return Chart(
        "associations",
        "How attributes go together",
        "each line is a pair of attributes, those that changed most first, with how strongly one predicts "
        f"the other ({measure}); the nearer circle and diamond, the better the release keeps it.",
        pair_chart(pairs, {place: f"{place:g}" for place in places}),
        f"Mean change over {len(found.associations):,} pairs: {number_words(found.association_change)}.",
        Numbers(f"Associations that changed most ({measure})", ["pair", "before", "after", "change"], rows),
    )
