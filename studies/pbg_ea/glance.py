"""Every table and figure of the paper in one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.common.markdown import count, ratio, small
from studies.common.verdicts import Look, span
from studies.pbg_ea import paper

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from studies.common.results import Results


def looks(results: Results) -> list[Look]:
    """Return what each table and figure shows, and what is found."""
    lengths = [item["length"] for item in results["attributes"].values() if item["length"] is not None]
    printed = [length for _, _, length in paper.TABLE_1A.values() if length is not None]
    return [
        Look("Table 1(a)", f"{len(printed)} lengths of hierarchies", f"{len(lengths)} lengths"),
        *_indicators(results, "Table 1(b)", paper.TABLE_1B),
        *_indicators(results, "Table 2(a)", paper.TABLE_2A),
        _evaluations(results),
        *_figures(results),
    ]


def _indicators(results: Results, place: str, rows: Sequence[paper.Row]) -> Iterator[Look]:
    for key, write in (("rr", ratio), ("ce", small)):
        theirs = [getattr(row, key) for row in rows]
        told = []
        for variant, words in (("printed", "as printed"), ("ours", "our variant")):
            found = [results["rows"][row.name]["variants"][variant][key] for row in rows]
            means, variances = ([item[name] for item in found] for name in ("mean", "variance"))
            told.append(f"{words} {span(means, write)} (variance up to {small(max(variances))})")
        yield Look(
            f"{place}, {key.upper()}",
            f"{span([mean for mean, _ in theirs], write)} (variance up to "
            f"{small(max(variance for _, variance in theirs))})",
            "; ".join(told),
        )


def _evaluations(results: Results) -> Look:
    rows = [results["rows"][row.name]["variants"] for row in paper.TABLE_2B]
    told = []
    for variant, words in (("printed", "as printed"), ("ours", "our variant")):
        means = [row[variant]["evaluated"]["mean"] for row in rows]
        spread = max(row[variant]["evaluated"]["variance"] ** 0.5 for row in rows)
        told.append(f"{words} {span(means, count)} (standard deviation up to {count(spread)})")
    theirs = [row.evaluations for row in paper.TABLE_2B if row.evaluations is not None]
    return Look("Table 2(b)", f"{span(theirs, count)} distinct evaluations", "; ".join(told))


def _figures(results: Results) -> Iterator[Look]:
    """The fronts are drawn without numbers; what the text says of them can be compared."""
    fronts = {
        name: results["rows"][name]["exact_front"] for name in ("k_glm", "k_l_glm", "sk_glm", "sk_sl_glm")
    }
    yield Look(
        "Figure 1",
        "fronts for k, and k with ℓ",
        f"exact fronts of {fronts['k_glm']} and {fronts['k_l_glm']} recodings, drawn with those found",
    )
    yield Look(
        "Figure 2",
        "spread: more recodings on the front, and a slightly lower RR",
        f"exact fronts of {fronts['sk_glm']} and {fronts['sk_sl_glm']} recodings",
    )
    yield Look(
        "Figure 3",
        "two losses: more GLM can buy less CM",
        f"an exact front of {results['rows']['k_glm_cm']['exact_front']} recodings",
    )


__all__ = ["looks"]
