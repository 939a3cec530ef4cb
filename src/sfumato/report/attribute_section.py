"""What became of each attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.report.charts import Bar, bar_chart
from sfumato.report.pieces import Figure, Numbers, missing, paragraph, scrolling, section, share_words
from sfumato.report.words import count_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.evidence.gather import Evidence
    from sfumato.evidence.released import Block, ReleasedAttribute

BARS = 12
"""Bars of one attribute; smaller blocks are put together below them."""

LISTED = 60
MISSING = "(missing)"
BLURRED = (
    "Values of one block cannot be told apart in the release: they leave under one label. The fewer blocks "
    "an attribute has, the less of it is left."
)
AVERAGED = "Similar rows were put together, and their numbers were replaced by what they have in the middle."
ROLES = {
    "quasi-identifier": ("may be known to an outsider", "made coarser"),
    "sensitive": ("must not be learnt about anybody", "unchanged"),
    "other": ("neither of these", "unchanged"),
    "identifier": ("names a person", "never leaves"),
}


def attribute_section(evidence: Evidence, *, show_values: bool = True) -> str:
    """Return the blocks of each attribute, and the roles of all columns.

    Parameters
    ----------
    evidence
        What is known.
    show_values
        Whether labels are shown; they may be values of the data.
    """
    lack = evidence.lack("attributes")
    parts = [
        paragraph(AVERAGED if evidence.subject.recipe is None else BLURRED),
        missing(lack.why, lack.remedy) if lack else "",
    ]
    if any(item.loss is not None for item in evidence.attributes):
        parts.append(_loss_figure(evidence.attributes).html())
    figures = [
        _blocks_figure(item, place, show_values=show_values).html()
        for place, item in enumerate(evidence.attributes, start=1)
        if not item.is_gone
    ]
    if figures:
        parts.append(f'<div class="pairs">\n{chr(10).join(figures)}\n</div>')
    gone = [item.name for item in evidence.attributes if item.is_gone]
    if gone:
        parts.append(paragraph(f"Nothing can be told apart any more in: {', '.join(gone)} (one block, *)."))
    parts.append(_roles(evidence))
    return section("attributes", "The blocks of each attribute", parts)


def _loss_figure(attributes: Sequence[ReleasedAttribute]) -> Figure:
    known = [item for item in attributes if item.loss is not None]
    bars = [Bar(item.name, 100 * (item.loss or 0.0), share_words(item.loss)) for item in known]
    rows = [
        [item.name, done_words(item), f"{len(item.blocks):,}", share_words(item.loss)] for item in attributes
    ]
    return Figure(
        "detail",
        "Detail lost, attribute by attribute",
        "a bar of 0 % is an attribute that leaves unchanged, 100 % one of which nothing is left; rows that "
        "were left out count as lost.",
        bar_chart(bars, most=100.0),
        "; ".join(f"{bar.name}: {bar.text}" for bar in bars) + ".",
        Numbers("What was done to each attribute", ["attribute", "done", "blocks", "detail lost"], rows),
    )


def done_words(item: ReleasedAttribute) -> str:
    """Return in short what was done to an attribute.

    Examples
    --------
    >>> from sfumato.evidence.released import ReleasedAttribute
    >>> done_words(ReleasedAttribute("age", "levels", 2, 6, "label", (), None))
    'level 2 of 6'
    """
    if item.is_kept:
        return "unchanged"
    if item.level is None:
        return f"{count_words(len(item.blocks), 'block')}, scheme {item.scheme}"
    return f"level {item.level}" + (f" of {item.height}" if item.height is not None else "")


def _blocks_figure(item: ReleasedAttribute, number: int, *, show_values: bool) -> Figure:
    named = _named(item.blocks, show_values=show_values)
    shown = _largest(named)
    bars = [Bar(name, float(rows), f"{rows:,}") for name, rows in shown]
    table = [[name, f"{rows:,}"] for name, rows in named[:LISTED]]
    more = f"; the first {LISTED} of {len(named):,}" if len(named) > LISTED else ""
    return Figure(
        f"blocks-{number}",
        f"{item.name}: {done_words(item)}",
        f"each bar is one of {count_words(len(named), 'label')} of the release; its length is the number of "
        "rows that have it.",
        bar_chart(bars, width=500, names=190),
        "; ".join(f"{bar.name}: {bar.text} rows" for bar in bars) + ".",
        Numbers(f"Released rows by label of {item.name}{more}", ["label", "rows"], table),
    )


def _named(blocks: Sequence[Block], *, show_values: bool) -> list[tuple[str, int]]:
    if not show_values:
        return [(f"block {place}", block.rows) for place, block in enumerate(blocks, start=1)]
    return [(MISSING if block.label is None else block.label, block.rows) for block in blocks]


def _largest(named: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return the largest blocks in their own order, and the others put together."""
    if len(named) <= BARS:
        return list(named)
    ranked = sorted(range(len(named)), key=lambda place: (-named[place][1], place))
    kept, rest = sorted(ranked[: BARS - 1]), ranked[BARS - 1 :]
    others = (f"{len(rest):,} others together", sum(named[place][1] for place in rest))
    return [*(named[place] for place in kept), others]


def _roles(evidence: Evidence) -> str:
    recipe = evidence.subject.recipe
    if recipe is None:
        groups = [[", ".join(group), "averaged together"] for group in evidence.subject.groups]
        table = Numbers("Columns that were averaged over groups of similar rows", ["columns", "done"], groups)
        return scrolling(table.html(), table.caption)
    done = {item.name: "one block, *" if item.is_gone else done_words(item) for item in evidence.attributes}
    rows = [
        [name, item.role, ROLES[item.role][0], done.get(name, ROLES[item.role][1])]
        for name, item in recipe.attributes.items()
    ]
    rows += [[name, "", "not named in the specification", "never leaves"] for name in evidence.left_out]
    table = Numbers(
        "All columns and what they were taken for", ["column", "role", "why", "what is done"], rows
    )
    return f"<h3>Columns and their roles</h3>\n{scrolling(table.html(), table.caption)}"


__all__ = ["attribute_section", "done_words"]
