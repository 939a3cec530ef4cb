"""The tables of the README, from the results alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.common.markdown import count, mean_variance, ratio, seconds, small, table
from studies.pbg_ea import paper, runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from studies.common.results import Results

NOT_PRINTED = "–"


def table_1a(results: Results) -> str:
    """Attributes with the lengths of their hierarchies."""
    header = ["attribute", "values, paper", "values, here", "length, paper", "length, here"]
    lines = []
    for name, (words, values, length) in paper.TABLE_1A.items():
        ours = results["attributes"][name]
        lengths = ["sensitive" if item is None else str(item) for item in (length, ours["length"])]
        lines.append([f"{words} (`{name}`)", str(values), str(ours["values"]), *lengths])
    return table(header, lines)


def indicators(results: Results, rows: Sequence[paper.Row], *, boxes: bool) -> str:
    """RR and CE of rows, paper beside ours; mean, and variance in brackets."""
    header = ["objectives", *(["box widths"] if boxes else []), "exact front"]
    header += ["RR paper", "RR as printed", "RR ours", "CE paper", "CE as printed", "CE ours"]
    lines = []
    for row in _present(results, rows):
        found = results["rows"][row.name]
        front = count(found["exact_front"]) + (f" in {count(found['exact_boxes'])} boxes" if boxes else "")
        widths = [", ".join(f"{width:g}" for width in row.widths)] if boxes else []
        lines.append([row.title, *widths, front, *_beside(row, found["variants"])])
    return table(header, lines, left=1 + boxes)


def _beside(row: paper.Row, variants: Results) -> Iterator[str]:
    for indicator, printed, number in (("rr", row.rr, ratio), ("ce", row.ce, small)):
        if printed is None:
            yield NOT_PRINTED
        else:
            yield mean_variance({"mean": printed[0], "variance": printed[1]}, number)
        for variant in ("printed", "ours"):
            yield mean_variance(variants[variant][indicator], number)


def errors_per_solution(results: Results) -> str:
    """CE divided by the size of the archive: the other way to read the paper's figures."""
    header = ["objectives", "CE paper", "as printed, sum", "as printed, per solution", "ours, per solution"]
    lines = []
    for row in _present(results, (*paper.TABLE_1B, *paper.TABLE_2A)):
        variants = results["rows"][row.name]["variants"]
        assert row.ce is not None
        numbers = [
            row.ce[0],
            variants["printed"]["ce"]["mean"],
            variants["printed"]["ce_per_solution"]["mean"],
            variants["ours"]["ce_per_solution"]["mean"],
        ]
        lines.append([row.label, *(small(number) for number in numbers)])
    return table(header, lines)


def table_2b(results: Results) -> str:
    """Distinct nodes evaluated, with their share of the lattice."""
    header = ["objectives", "nodes", "exact front", "paper", "as printed", "ours", "RR as printed", "RR ours"]
    lines = []
    for row in _present(results, paper.TABLE_2B):
        found = results["rows"][row.name]
        variants = [found["variants"][name] for name in ("printed", "ours")]
        means = [row.evaluations or 0, *(variant["evaluated"]["mean"] for variant in variants)]
        shares = [f"{count(mean)} ({mean / found['nodes']:.1%})" for mean in means]
        reached = [ratio(variant["rr"]["mean"]) for variant in variants]
        lines.append([row.title, count(found["nodes"]), count(found["exact_front"]), *shares, *reached])
    return table(header, lines)


def between(results: Results) -> str:
    """What walk and screening bring, one by one."""
    variants = (runs.PRINTED, *runs.BETWEEN, runs.OURS)
    header = ["objectives", "variant", "RR", "CE", "distinct evaluations"]
    lines = []
    for row in _present(results, paper.TABLE_2B):
        found = results["rows"][row.name]["variants"] | results["between"][row.name]
        for variant in variants:
            if variant.name in found:
                numbers = found[variant.name]
                cells = [ratio(numbers["rr"]["mean"]), small(numbers["ce"]["mean"])]
                lines.append([row.title, variant.words, *cells, count(numbers["evaluated"]["mean"])])
    return table(header, lines, left=2)


def times(results: Results) -> str:
    """Exact fronts with the time they took, and the plain way beside them."""
    timings, plain = results["timings"], results["timings"]["plain"]
    header = ["what", "nodes", "front", "time", "one thread"]
    lines = []
    for row in paper.TABLE_2B:
        if row.name in timings:
            found, front = timings[row.name], results["fronts"][row.name]
            sizes = [count(front["nodes"]), count(len(front["exact"]))]
            taken = [seconds(found["seconds"]), seconds(found["seconds_one_thread"])]
            lines.append([f"exact front of {row.title}", *sizes, *taken])
    evaluations = count(plain["evaluations"])
    lines.append(
        [f"{evaluations} plain evaluations of k, ℓ, GLM", evaluations, "", "", seconds(plain["seconds"])]
    )
    return table(header, lines)


BILLION = {
    "pbg_ea": "PBG-EA, default parameters",
    "nsga2_helped": "NSGA-II, helped",
    "nsga2": "NSGA-II",
    "random": "random sample",
}


def billion(results: Results) -> str:
    """Contenders on the lattice that cannot be enumerated."""
    header = [
        "search",
        "evaluations",
        "distinct",
        "solutions",
        "hypervolume, median",
        "smallest",
        "largest",
        "time",
    ]
    lines = []
    for name, words in BILLION.items():
        found = results["billion"]["contenders"][name]
        volume = found["hypervolume"]
        distinct = count(found["distinct"]["median"]) if "distinct" in found else NOT_PRINTED
        numbers = [volume["median"], min(volume["values"]), max(volume["values"])]
        lines.append(
            [
                words,
                count(found["evaluations"]["median"]),
                distinct,
                count(found["found"]["median"]),
                *(f"{number:.5f}" for number in numbers),
                seconds(found["seconds"]["median"]),
            ]
        )
    return table(header, lines)


def _present(results: Results, rows: Sequence[paper.Row]) -> list[paper.Row]:
    """Leave out rows that a quick run did not make."""
    return [row for row in rows if row.name in results["rows"]]


__all__ = [
    "between",
    "billion",
    "errors_per_solution",
    "indicators",
    "table_1a",
    "table_2b",
    "times",
]
