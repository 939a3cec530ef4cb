"""What became of the classes and of each attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.assess.gather import Evidence
from sfumato.report.charts import Bar, Curve, bar_chart, seen_words, step_chart
from sfumato.report.phrases import SAID, WORDS
from sfumato.report.pieces import (
    Box,
    Bullets,
    Chapter,
    Chart,
    Heading,
    Numbers,
    Paragraph,
    Piece,
    not_shown,
    told_chart,
)
from sfumato.words import count_words, number_words, percent_words, range_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.assess.left_out import GroupLoss
    from sfumato.assess.published import Published, ReleasedAttribute

EDGES = (1, 2, 4, 9, 19, 49, 99, 499, 999)
"""Largest sizes of the rows of the table; the last row has no largest one."""


def sizes_section(found: Published) -> Chapter:
    """Return how rows are spread over classes of different sizes."""
    recipe = found.subject.recipe
    pieces = [
        Paragraph(SAID["alike"]),
        Paragraph(SAID["persons"].format(recipe.unit_word), "note") if recipe and recipe.unit else None,
        not_shown(found.lack("sizes")),
        _sizes_chart(found) if found.sizes_after.sizes else None,
    ]
    return Chapter("sizes", "Class sizes", "Sizes of the classes", pieces)


def _sizes_chart(found: Published) -> Chart:
    """Draw the sizes of the release alone, or before and after."""
    before, known = found.sizes_before, {"release": found.sizes_after}
    if before is not None and before.sizes:
        known = {"before": before, "after": found.sizes_after}
    curves, seen = [], []
    for name, sizes in known.items():
        thin, total = sizes.thinned(120), sizes.total or 1
        shares = [100.0 * rows / total for rows in thin.cumulative]
        points = list(zip(map(float, thin.sizes), shares, strict=True))
        curves.append(Curve(name, "before" if name == "before" else "after", points))
        seen.append(
            f"{name.capitalize()}: {sum(sizes.classes):,} classes, the smallest of {sizes.sizes[0]:,} "
            f"and the largest of {sizes.sizes[-1]:,} rows."
        )
    rows, low = [], 1
    for high in (*EDGES, None):
        counts = [sizes.rows_between(low, high or max(sizes.sizes, default=0)) for sizes in known.values()]
        rows.append([range_words(low, high), *(f"{count:,}" for count in counts)])
        low = (high or 0) + 1
    limit = found.subject.verdict.require.get("k")
    line = None if limit is None else (limit, f"required: {limit:g}")
    axes = "size of the class, in rows", "share of rows in classes of at most this size"
    headings = ["size of the class", *("rows" if name == "release" else f"rows {name}" for name in known)]
    return told_chart("class-sizes", step_chart(curves, *axes, line), " ".join(seen), rows, headings=headings)


BARS = 12  # bars of one attribute; smaller blocks are put together below them
LISTED = 60
MISSING = "(missing)"


def attribute_section(found: Published, *, show_values: bool = True) -> Chapter:
    """Return the blocks of each attribute, and the roles of all columns."""
    pieces: list[Piece | None] = [
        Paragraph(SAID["averaged"] if found.subject.recipe is None else SAID["blurred"]),
        not_shown(found.lack("attributes")),
    ]
    if any(item.loss is not None for item in found.attributes):
        pieces.append(_loss_chart(found.attributes))
    shown = [(place, item) for place, item in enumerate(found.attributes, start=1) if not item.is_gone]
    charts = [_blocks_chart(item, place, show_values=show_values) for place, item in shown]
    if charts:
        pieces.append(Box("pairs", charts))
    gone = [item.name for item in found.attributes if item.is_gone]
    if gone:
        pieces.append(Paragraph(f"Nothing is left of: {', '.join(gone)} (one block, *)."))
    return Chapter("attributes", "Attributes", "The blocks of each attribute", [*pieces, *_roles(found)])


def _loss_chart(attributes: Sequence[ReleasedAttribute]) -> Chart:
    bars = [Bar.of_share(item.name, item.loss) for item in attributes if item.loss is not None]
    rows = [
        [item.name, done_words(item), f"{len(item.blocks):,}", percent_words(item.loss)]
        for item in attributes
    ]
    drawing = bar_chart(bars, most=100.0, width=560)
    return told_chart("detail", drawing, seen_words(bar.seen for bar in bars), rows)


def done_words(item: ReleasedAttribute) -> str:
    """Return in short what was done to an attribute."""
    if item.is_kept:
        return "unchanged"
    if item.level is None:
        return f"{count_words(len(item.blocks), 'block')}, scheme {item.scheme}"
    return f"level {item.level}" + (f" of {item.height}" if item.height is not None else "")


def _blocks_chart(item: ReleasedAttribute, number: int, *, show_values: bool) -> Chart:
    named = [
        ((MISSING if block.label is None else block.label) if show_values else f"block {place}", block.rows)
        for place, block in enumerate(item.blocks, start=1)
    ]
    largest = named
    if len(named) > BARS:
        # In their own order, and the others put together.
        ranked = sorted(range(len(named)), key=lambda place: (-named[place][1], place))
        rest = [named[place][1] for place in ranked[BARS - 1 :]]
        largest = [named[place] for place in sorted(ranked[: BARS - 1])]
        largest.append((f"{len(rest):,} others together", sum(rest)))
    bars = [Bar(name, float(rows), f"{rows:,}") for name, rows in largest]
    table = [[name, f"{rows:,}"] for name, rows in named[:LISTED]]
    more = f"; the first {LISTED} of {len(named):,}" if len(named) > LISTED else ""
    words = {"attribute": item.name, "done": done_words(item), "more": more}
    labels, seen = count_words(len(named), "label"), seen_words(f"{bar.seen} rows" for bar in bars)
    return told_chart("blocks", bar_chart(bars, width=500), seen, table, place=number, labels=labels, **words)


def _roles(found: Published) -> list[Piece]:
    recipe, micro = found.subject.recipe, found.subject.micro
    if micro is not None:
        rows = [
            [name, f"{micro.centres[name]} of at least {micro.k} similar rows", ", ".join(group)]
            for group in micro.groups
            for name in group
        ]
        rows += [
            [name, "unchanged; groups of rows do not cross it" if name == micro.within else "unchanged", ""]
            for name in micro.columns
            if name not in micro.names
        ]
        return [Numbers("All published columns", ["column", "what is published", "grouped by"], rows)]
    if recipe is None:
        return []
    roles = WORDS["roles"]
    done = {item.name: "one block, *" if item.is_gone else done_words(item) for item in found.attributes}
    rows = [
        [name, item.role, roles[item.role][0], done.get(name, roles[item.role][1])]
        for name, item in recipe.attributes.items()
    ]
    if isinstance(found, Evidence):
        uses = {} if found.spec is None else found.spec.data.uses
        for name in found.left_out:
            why = f"{uses[name]} in [data]" if name in uses else "not named in the specification"
            rows.append([name, "", why, "is removed"])
    headings = ["column", "role", "why", "what is done"]
    return [Heading("Columns and their roles"), Numbers("All columns and their roles", headings, rows)]


MOST_HIT = 8


def left_out_section(found: Evidence, *, show_values: bool = True) -> Chapter:
    """Return which groups of people lost how many rows."""
    rows = found.subject.verdict.rows
    whole = percent_words(rows["suppressed"] / rows["in"]) if rows.get("in") else "not known"
    named = []
    for loss in found.losses:
        groups = enumerate(loss.groups, start=1)
        words = [(item.name if show_values else f"group {place}", item) for place, item in groups]
        named.append((loss.attribute, words))
    hit = sorted(
        ((attribute, name, item) for attribute, groups in named for name, item in groups if item.is_hit_more),
        key=lambda found: -found[2].share,
    )
    told = [
        f"{attribute}, {name}: {percent_words(item.share)} of {count_words(item.rows, 'row')}."
        for attribute, name, item in hit[:MOST_HIT]
    ]
    told += [f"{len(hit) - MOST_HIT} more, to be seen below."] if len(hit) > MOST_HIT else []
    lead = f"Of all rows {whole} were left out. " + (
        "Clearly more often than others:" if hit else "No group was left out clearly more often than others."
    )
    charts = [_left_out_chart(place, *item) for place, item in enumerate(named, start=1)]
    pieces: list[Piece] = [Paragraph(SAID["rare"]), Paragraph(lead), Bullets(told), Box("pairs", charts)]
    return Chapter("left-out", "Left out", "Who was left out", pieces)


def _left_out_chart(place: int, attribute: str, groups: Sequence[tuple[str, GroupLoss]]) -> Chart:
    bars, rows = [Bar.of_share(name, item.share) for name, item in groups], []
    headings = list(WORDS["charts"]["left-out"]["headings"])
    has_weights = bool(groups) and groups[0][1].weight is not None
    headings += ["weighted total before", "after", "weighted share left out"] if has_weights else []
    for bar, (_, item) in zip(bars, groups, strict=True):
        rows.append([bar.name, f"{item.rows:,}", f"{item.left_out:,}", bar.text])
        if item.weight is not None and item.weight_left_out is not None and item.weighted_share is not None:
            totals = (item.weight, item.weight - item.weight_left_out)
            rows[-1] += [number_words(total, tenths=True) for total in totals]
            rows[-1].append(percent_words(item.weighted_share))
    drawing, seen = bar_chart(bars, width=560), seen_words(bar.seen for bar in bars)
    return told_chart("left-out", drawing, seen, rows, headings=headings, place=place, attribute=attribute)
