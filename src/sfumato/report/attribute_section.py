"""What became of each attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.assess.gather import Evidence
from sfumato.report.charts import Bar, Curve, bar_chart, step_chart
from sfumato.report.pieces import Figure, Numbers, missing, paragraph, scrolling, section
from sfumato.words import count_words, percent_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.assess.published import Block, Published, ReleasedAttribute
    from sfumato.front import ClassSizes
    from sfumato.release.microaggregated import MicroRecipe

EDGES = (1, 2, 4, 9, 19, 49, 99, 499, 999)
"""Largest sizes of the rows of the table; the last row has no largest one."""

PERSONS = "Rows are counted here. A person may have several, and what is required counts persons."


def sizes_section(found: Published) -> str:
    """Return how rows are spread over classes of different sizes."""
    lack = found.lack("sizes")
    return section(
        "sizes",
        "Sizes of the classes",
        [
            paragraph(
                "Rows that are alike in everything that an outsider may know form a class: nobody can be "
                "told apart within it. The larger the classes, the better people are hidden."
            ),
            paragraph(PERSONS if found.subject.has_persons else "", "note"),
            missing(lack.why, lack.remedy) if lack else "",
            _sizes_figure(found).html() if found.sizes_after.sizes else "",
        ],
    )


def _sizes_figure(found: Published) -> Figure:
    both = _known(found)
    limit = found.required_k
    drawing = step_chart(
        [Curve(name, look, _shares(sizes)) for name, look, sizes in both],
        "size of the class, in rows",
        "share of rows in classes of at most this size",
        None if limit is None else (limit, f"required: {limit:g}"),
    )
    return Figure(
        "class-sizes",
        "Rows by the size of their class",
        "at each size, the height of the line is the share of rows whose class is not larger; a line that "
        "rises later, further to the right, hides people better.",
        drawing,
        " ".join(_sizes_words(name, sizes) for name, _, sizes in both),
        _sizes_numbers(both),
    )


def _known(found: Published) -> list[tuple[str, str, ClassSizes]]:
    """Return sizes with their names and looks: of the release alone, or before and after."""
    before, after = found.sizes_before, found.sizes_after
    if before is None or not before.sizes:
        return [("release", "after", after)]
    return [("before", "before", before), ("after", "after", after)]


def _shares(sizes: ClassSizes) -> list[tuple[float, float]]:
    thin = sizes.thinned(120)
    return [
        (float(size), 100.0 * rows / (sizes.total or 1))
        for size, rows in zip(thin.sizes, thin.cumulative, strict=True)
    ]


def _sizes_words(name: str, sizes: ClassSizes) -> str:
    return (
        f"{name.capitalize()}: {sum(sizes.classes):,} classes, the smallest of {sizes.sizes[0]:,} "
        f"and the largest of {sizes.sizes[-1]:,} rows."
    )


def _sizes_numbers(both: Sequence[tuple[str, str, ClassSizes]]) -> Numbers:
    rows, low = [], 1
    for high in (*EDGES, None):
        name = f"{low:,}" if low == high else f"{low:,} or more" if high is None else f"{low:,} to {high:,}"
        rows.append([name, *(_between(sizes, low, high) for _, _, sizes in both)])
        low = (high or 0) + 1
    headings = ["size of the class", *("rows" if name == "release" else f"rows {name}" for name, *_ in both)]
    return Numbers("Rows in classes of each size", headings, rows)


def _between(sizes: ClassSizes, low: int, high: int | None) -> str:
    last = max(sizes.sizes, default=0) if high is None else high
    return f"{sizes.rows_between(low, last):,}"


BARS = 12
"""Bars of one attribute; smaller blocks are put together below them."""

LISTED = 60
MISSING = "(missing)"
BLURRED = (
    "Values in a block share one label in the release. The fewer blocks an attribute has, the less of it "
    "is left."
)
AVERAGED = "Similar rows were grouped, and their values were replaced by the middle of the group."
ROLES = {
    "quasi-identifier": ("may be known to an outsider", "made coarser"),
    "sensitive": ("must not be learnt about anybody", "unchanged"),
    "other": ("neither of these", "unchanged"),
    "identifier": ("names a person", "is removed"),
}


def attribute_section(found: Published, *, show_values: bool = True) -> str:
    """Return the blocks of each attribute, and the roles of all columns."""
    lack = found.lack("attributes")
    parts = [
        paragraph(AVERAGED if found.subject.recipe is None else BLURRED),
        missing(lack.why, lack.remedy) if lack else "",
    ]
    if any(item.loss is not None for item in found.attributes):
        parts.append(_loss_figure(found.attributes).html())
    figures = [
        _blocks_figure(item, place, show_values=show_values).html()
        for place, item in enumerate(found.attributes, start=1)
        if not item.is_gone
    ]
    if figures:
        parts.append(f'<div class="pairs">\n{chr(10).join(figures)}\n</div>')
    gone = [item.name for item in found.attributes if item.is_gone]
    if gone:
        parts.append(paragraph(f"Nothing can be told apart any more in: {', '.join(gone)} (one block, *)."))
    parts.append(_roles(found))
    return section("attributes", "The blocks of each attribute", parts)


def _loss_figure(attributes: Sequence[ReleasedAttribute]) -> Figure:
    known = [item for item in attributes if item.loss is not None]
    bars = [Bar(item.name, 100 * (item.loss or 0.0), percent_words(item.loss)) for item in known]
    rows = [
        [item.name, done_words(item), f"{len(item.blocks):,}", percent_words(item.loss)]
        for item in attributes
    ]
    return Figure(
        "detail",
        "Detail lost, attribute by attribute",
        "a bar of 0 % is an attribute that is published unchanged, 100 % one of which nothing is left; rows "
        "that were left out count as lost.",
        bar_chart(bars, most=100.0, width=560),
        "; ".join(f"{bar.name}: {bar.text}" for bar in bars) + ".",
        Numbers("What was done to each attribute", ["attribute", "done", "blocks", "detail lost"], rows),
    )


def done_words(item: ReleasedAttribute) -> str:
    """Return in short what was done to an attribute.

    Examples
    --------
    >>> from sfumato.assess.published import ReleasedAttribute
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


def _roles(found: Published) -> str:
    recipe, micro = found.subject.recipe, found.subject.micro
    if recipe is None or micro is not None:
        return "" if micro is None else _micro_roles(micro)
    done = {item.name: "one block, *" if item.is_gone else done_words(item) for item in found.attributes}
    rows = [
        [name, item.role, ROLES[item.role][0], done.get(name, ROLES[item.role][1])]
        for name, item in recipe.attributes.items()
    ]
    if isinstance(found, Evidence):
        rows += [[name, "", "not named in the specification", "is removed"] for name in found.left_out]
    table = Numbers("All columns and their roles", ["column", "role", "why", "what is done"], rows)
    return f"<h3>Columns and their roles</h3>\n{scrolling(table.html(), table.caption)}"


def _micro_roles(micro: MicroRecipe) -> str:
    rows = [
        [name, f"{micro.centres[name]} of at least {micro.k} similar rows", ", ".join(group)]
        for group in micro.groups
        for name in group
    ]
    kept = [name for name in micro.columns if name not in micro.names]
    rows += [
        [name, "unchanged; groups of rows do not cross it" if name == micro.within else "unchanged", ""]
        for name in kept
    ]
    headings = ["column", "what is published", "grouped by"]
    return scrolling(Numbers("All published columns", headings, rows).html(), "All published columns")
