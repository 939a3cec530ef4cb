"""How rows are spread over classes of different sizes, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.report.charts import Curve, step_chart
from sfumato.report.pieces import Figure, Numbers, missing, paragraph, section

if TYPE_CHECKING:
    from sfumato.evidence.gather import Evidence
    from sfumato.front import ClassSizes

EDGES = (1, 2, 4, 9, 19, 49, 99, 499, 999)
"""Largest sizes of the rows of the table; the last row has no largest one."""

PERSONS = "Rows are counted here. A person may have several, and what is required counts persons."


def sizes_section(evidence: Evidence) -> str:
    """Return how rows are spread over classes of different sizes."""
    lack, recipe = evidence.lack("sizes"), evidence.subject.recipe
    return section(
        "sizes",
        "Sizes of the classes",
        [
            paragraph(
                "Rows that are alike in everything that an outsider may know form a class: nobody can be "
                "told apart within it. The larger the classes, the better people are hidden."
            ),
            paragraph(PERSONS if recipe is not None and recipe.person is not None else "", "note"),
            missing(lack.why, lack.remedy) if lack else "",
            _sizes_figure(evidence).html() if evidence.sizes_after.sizes else "",
        ],
    )


def _sizes_figure(evidence: Evidence) -> Figure:
    both = [("before", evidence.sizes_before), ("after", evidence.sizes_after)]
    curves = [Curve(name, name, _shares(sizes)) for name, sizes in both if sizes is not None and sizes.sizes]
    limit = evidence.required_k
    drawing = step_chart(
        curves,
        "size of the class, in rows",
        "share of rows in classes of at most this size",
        None if limit is None else (limit, f"required: {limit:g}"),
    )
    seen = " ".join(_sizes_words(name, sizes) for name, sizes in both if sizes is not None and sizes.sizes)
    return Figure(
        "class-sizes",
        "Rows by the size of their class",
        "at each size, the height of the line is the share of rows whose class is not larger; a line that "
        "rises later, further to the right, hides people better.",
        drawing,
        seen,
        _sizes_numbers(evidence),
    )


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


def _sizes_numbers(evidence: Evidence) -> Numbers:
    rows, low = [], 1
    for high in (*EDGES, None):
        name = f"{low:,}" if low == high else f"{low:,} or more" if high is None else f"{low:,} to {high:,}"
        rows.append(
            [name, *(_between(sizes, low, high) for sizes in (evidence.sizes_before, evidence.sizes_after))]
        )
        low = (high or 0) + 1
    return Numbers("Rows in classes of each size", ["size of the class", "rows before", "rows after"], rows)


def _between(sizes: ClassSizes | None, low: int, high: int | None) -> str:
    if sizes is None:
        return "not known"
    last = max(sizes.sizes, default=0) if high is None else high
    return f"{sizes.rows_between(low, last):,}"


__all__ = ["sizes_section"]
