"""What analyses still give, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.report.axes import percent_ticks
from sfumato.report.charts import Bar, Pair, bar_chart, pair_chart
from sfumato.report.pieces import (
    SCORES,
    Figure,
    Numbers,
    missing,
    model_sentence,
    paragraph,
    score_words,
    section,
)
from sfumato.words import number_words, percent_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.assess.gather import Evidence
    from sfumato.assess.utility import Association, AttributeUtility, ModelUtility, QueryUtility, Utility

PAIRS = 10
"""Associations in the chart; the table holds some more."""

LISTED = 45


def utility_section(evidence: Evidence) -> str:
    """Return what analyses give on the original and on the release."""
    lack, found = evidence.lack("utility"), evidence.utility
    parts = [
        paragraph(
            "The same analyses were run on the original and on the release; the closer, the more useful."
        ),
        missing(lack.why, lack.remedy) if lack else "",
    ]
    if found is not None:
        parts += [_model_figure(found.model).html()] if found.model is not None else []
        parts += [_queries_figure(found.queries).html()] if found.queries is not None else []
        parts += [_distances_figure(found.attributes).html()] if found.attributes else []
        parts += [_associations_figure(found).html()] if found.associations else []
        if found.used < found.rows:
            parts.append(
                paragraph(f"Taken on a random sample of {found.used:,} of {found.rows:,} rows.", "quiet")
            )
    return section("utility", "Utility before and after", parts)


def _model_figure(model: ModelUtility) -> Figure:
    names = [name for name in SCORES if name in model.original and name in model.release]
    pairs = [_score(model, name) for name in names if name != "mae"]
    rows = [
        [
            SCORES[name],
            *(score_words(name, scores[name]) for scores in (model.original, model.release)),
            score_words(name, model.baseline[name]) if name in model.baseline else "not known",
        ]
        for name in names
    ]
    return Figure(
        "model",
        f"Predicting {model.target}",
        f"{model.model} learnt to predict {model.target} once from the original (circle) and once from the "
        "release (diamond), and both were tested on the same original rows; further right is better.",
        pair_chart(pairs, percent_ticks(), "guessing" if model.baseline else ""),
        model_sentence(model),
        Numbers(
            f"Scores of {model.model}", ["score", "from the original", "from the release", "guessing"], rows
        ),
    )


def _score(model: ModelUtility, name: str) -> Pair:
    guess = model.baseline.get(name)
    before, after = model.original[name], model.release[name]
    reference = None if guess is None else 100 * guess
    return Pair(
        SCORES[name], 100 * before, 100 * after, percent_words(before), percent_words(after), reference
    )


def _queries_figure(queries: QueryUtility) -> Figure:
    lines = (("half of the queries", "median"), ("on average", "mean"), ("nine of ten queries", "p90"))
    numbers = queries.error.to_dict()
    bars = [Bar(words, 100 * numbers[key], percent_words(numbers[key])) for words, key in lines]
    spread = queries.error_spread.to_dict()
    rows = [[words, percent_words(numbers[key]), percent_words(spread[key])] for words, key in lines]
    return Figure(
        "queries",
        "Counting people",
        f"{queries.count:,} random questions of the kind 'how many rows have these values?' were put to both "
        "tables; each bar is how far the release's answers are off, and shorter is better.",
        bar_chart(bars),
        "; ".join(f"{bar.name}: off by {bar.text}" for bar in bars) + ".",
        Numbers(
            f"Relative error of {queries.count:,} counts",
            ["queries", "rows left out are ignored", "rows left out are spread evenly"],
            rows,
        ),
    )


def _distances_figure(attributes: Sequence[AttributeUtility]) -> Figure:
    bars = [Bar(item.name, 100 * item.distance, percent_words(item.distance)) for item in attributes]
    rows = [
        [
            item.name,
            percent_words(item.distance),
            f"{item.blocks:,} of {item.size:,}",
            *(_number(value) for value in (item.mean, item.mean_after, item.deviation, item.deviation_after)),
        ]
        for item in attributes
    ]
    return Figure(
        "distances",
        "How far the distribution of each attribute has moved",
        "each bar is the share of rows that would have to change their value to turn the released "
        "distribution into the original one, if every value of a block is taken as equally "
        "likely; shorter is better.",
        bar_chart(bars),
        "; ".join(f"{bar.name}: {bar.text}" for bar in bars) + ".",
        Numbers(
            "Distance of the distributions",
            [
                "attribute",
                "distance",
                "blocks of values",
                "mean before",
                "mean after",
                "deviation before",
                "deviation after",
            ],
            rows,
        ),
    )


def _associations_figure(found: Utility) -> Figure:
    ranked = sorted(found.associations, key=lambda item: (-item.change, item.first, item.second))
    is_signed = found.association_measure == "correlation"
    pairs = [_association(item) for item in ranked[:PAIRS]]
    rows = [
        [
            f"{item.first} and {item.second}",
            number_words(item.before),
            number_words(item.after),
            number_words(item.change),
        ]
        for item in ranked[:LISTED]
    ]
    measure = "Pearson's correlation, −1 to 1" if is_signed else "Cramér's V, 0 to 1"
    ticks = {place / 2: f"{place / 2:g}" for place in range(-2, 3)} if is_signed else _SHARES
    return Figure(
        "associations",
        "How attributes go together",
        "each line is a pair of attributes, those first that changed most, with how strongly one tells the "
        f"other ({measure}); the nearer circle and diamond, the better the release keeps it.",
        pair_chart(pairs, ticks),
        f"Mean change over {len(found.associations):,} pairs: {number_words(found.association_change)}.",
        Numbers(
            f"Associations, those that changed most ({measure})", ["pair", "before", "after", "change"], rows
        ),
    )


_SHARES = {place / 4: f"{place / 4:g}" for place in range(5)}


def _association(item: Association) -> Pair:
    name = f"{item.first}, {item.second}"
    return Pair(name, item.before, item.after, f"{item.before:.2f}", f"{item.after:.2f}")


def _number(value: float | None) -> str:
    return "–" if value is None else number_words(value)
