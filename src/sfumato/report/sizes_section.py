"""How rows are spread over classes of different sizes, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.report.charts import Curve, step_chart
from sfumato.report.pieces import Figure, Numbers, missing, paragraph, section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.evidence.published import Published
    from sfumato.front import ClassSizes

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
