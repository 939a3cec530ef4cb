"""The tables of the README, from the results alone."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from studies.common.markdown import count, ratio, seconds, table
from studies.gomm import paper
from studies.gomm.runs import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studies.common.results import Results

OPERATOR_NAMES = {
    "create": "group create",
    "eliminate": "group eliminate",
    "split": "group split",
    "swap": "element swap",
    "move": "element move",
    "crossover": "crossover",
}
PHASES = ((1, 10), (11, 25), (26, 50), (51, 100))
"""Generations that the table of operators puts together."""


def solutions(results: Results, data: paper.Data) -> str:
    """Table 1 or 2: GOMM's solutions, means over the seeds."""
    header = ["k", "whose", "IL", "ID", "DLD", "score", "groups"]
    lines = []
    for k, found in _by_k(results, data):
        if k in data.solutions:
            lines.append([str(k), "paper", *(f"{number:.2f}" for number in data.solutions[k][:4])])
            lines[-1].append(str(data.solutions[k][4]))
        for name in ("printed", "polished"):
            numbers = [found[name][key]["mean"] for key in ("il", "id", "dld", "score")]
            cells = [*(f"{number:.2f}" for number in numbers), f"{found[name]['groups']['mean']:g}"]
            lines.append(["", VARIANTS[name], *cells])
    return table(header, lines, left=2)


def groupings(data: paper.Data) -> str:
    """Table 3 or 4: the ad-hoc groupings."""
    lines = []
    for name, text in data.groupings.items():
        groups = ["{" + ", ".join(group.split()) + "}" for group in text.split("/")]
        lines.append([name, " ".join(groups)])
    return table(["grouping", "groups of attribute numbers"], lines, left=2)


def scores(results: Results, data: paper.Data) -> str:
    """Table 5 or 6: scores of all groupings, the paper's beside ours."""
    ks = results["settings"]["ks"]
    header = ["grouping", "groups"]
    for k in ks:
        header += [f"k = {k}, paper", "here"]
    lines = []
    runs = results["runs"][data.name]
    for name in data.names:
        cells = [name, str(runs[str(ks[0])]["ad_hoc"][name]["groups"])]
        for k in ks:
            cells += [_printed(data, name, k), f"{runs[str(k)]['ad_hoc'][name]['score']:.1f}"]
        lines.append(cells)
    for variant, words in VARIANTS.items():
        cells = [f"**{words}**, median", _span(runs, ks, variant)]
        for k in ks:
            paper_cell = _printed(data, "GOMM", k) if variant == "printed" else ""
            cells += [paper_cell, f"**{runs[str(k)][variant]['score']['median']:.1f}**"]
        lines.append(cells)
    return table(header, lines)


def _printed(data: paper.Data, name: str, k: int) -> str:
    return f"{data.scores[name][paper.KS.index(k)]:.1f}"


def _span(runs: Results, ks: list[int], variant: str) -> str:
    numbers = [runs[str(k)][variant]["groups"]["median"] for k in ks]
    low, high = min(numbers), max(numbers)
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def distances(results: Results) -> str:
    """How far our scores of the ad-hoc groupings are from the paper's; how many pairs are ordered alike."""
    lines = []
    for data in paper.DATA:
        for k, found in _by_k(results, data):
            ours = [found["ad_hoc"][name]["score"] for name in data.names]
            theirs = [data.scores[name][paper.KS.index(k)] for name in data.names]
            gaps = [abs(a - b) for a, b in zip(ours, theirs, strict=True)]
            alike, pairs = _alike(ours, theirs)
            lines.append(
                [
                    data.title,
                    str(k),
                    f"{statistics.fmean(gaps):.2f}",
                    f"{max(gaps):.2f}",
                    f"{alike} of {pairs}",
                ]
            )
    return table(["data", "k", "mean difference", "largest", "pairs in the same order"], lines, left=1)


def _alike(ours: list[float], theirs: list[float]) -> tuple[int, int]:
    """Count the pairs that the paper tells apart by more than rounding, and those ordered alike here."""
    alike = pairs = 0
    for one in range(len(ours)):
        for other in range(one):
            gap = theirs[one] - theirs[other]
            if abs(gap) > 0.1:
                pairs += 1
                alike += (ours[one] - ours[other]) * gap > 0
    return alike, pairs


def ties(results: Results, data: paper.Data) -> str:
    """DLD with ties shared and with ties won by the lowest row number."""
    ks = results["settings"]["ks"]
    header = ["grouping"]
    for k in ks:
        header += [f"k = {k}, shared", "by number"]
    lines = []
    runs = results["runs"][data.name]
    for name in data.names:
        cells = [name]
        for k in ks:
            item = runs[str(k)]["ad_hoc"][name]
            cells += [f"{item['dld']:.2f}", f"{item['dld_by_number']:.2f}"]
        lines.append(cells)
    return table(header, lines)


def dynamic(results: Results) -> str:
    """D-GOMM beside GOMM: scores, evaluations, time, and when mutations were switched off."""
    header = ["data", "k", "score, GOMM", "D-GOMM", "evaluations, GOMM", "D-GOMM"]
    header += ["children, GOMM", "D-GOMM", "time, GOMM", "D-GOMM", "off: create", "eliminate", "split"]
    lines = []
    for data in paper.DATA:
        for k, found in _by_k(results, data):
            cells = [data.title, str(k)]
            for key, number in (("score", _two), ("evaluated", count), ("made", count), ("seconds", seconds)):
                cells += [number(found[name][key]["median"]) for name in ("printed", "dynamic")]
            cells += [_off(found["switched_off"], name) for name in ("create", "eliminate", "split")]
            lines.append(cells)
    return table(header, lines)


def _two(number: float) -> str:
    return f"{number:.2f}"


def _off(runs: list[dict[str, int]], name: str) -> str:
    """Return the median generation of those runs that switched a mutation off, and how many did."""
    generations = [run[name] for run in runs if name in run]
    if not generations:
        return "never"
    share = "" if len(generations) == len(runs) else f" ({len(generations)} of {len(runs)})"
    return f"{statistics.median(generations):g}{share}"


def operators(results: Results) -> str:
    """The four measures of each operator, by phases of the run."""
    header = ["operator", "generations", "discarded unused", "life time", "improved", "worsened"]
    header += ["mean improvement", "mean worsening"]
    lines = []
    last = results["settings"]["generations"]
    for name, words in OPERATOR_NAMES.items():
        found = results["analysis"]["operators"][name]
        for begin, end in _phases(last):
            part = slice(begin - 1, end)
            share = [
                100 * statistics.fmean(found[key][part]) / found["made"] for key in ("improved", "worsened")
            ]
            lines.append(
                [
                    words,
                    f"{begin}–{end}",
                    f"{statistics.fmean(found['discarded'][part]):.0f} %",
                    f"{statistics.fmean(found['life_time'][part]):.1f}",
                    *(f"{number:.0f} %" for number in share),
                    f"{_weighted(found, 'improvement_of_all', 'improved', part):.1f} %",
                    f"{_weighted(found, 'worsening_of_all', 'worsened', part):.1f} %".replace("-", "−"),
                ]
            )
    return table(header, lines, left=2)


def _phases(last: int) -> list[tuple[int, int]]:
    return [(begin, min(end, last)) for begin, end in PHASES if begin <= last]


def _weighted(found: Results, name: str, weight: str, part: slice) -> float:
    weights = found[weight][part]
    total = sum(weights)
    return sum(a * b for a, b in zip(found[name][part], weights, strict=True)) / total if total else 0.0


def fronts(results: Results) -> str:
    """Hypervolumes of the fronts of the two searches."""
    header = [
        "data",
        "searched for",
        "evaluations",
        "solutions",
        "hypervolume, median",
        "smallest",
        "largest",
    ]
    lines = []
    for data in paper.DATA:
        for name, words in (("score", "the score"), ("objectives", "IL, ID, DLD")):
            found = results["fronts"][data.name][name]
            values = found["hypervolume"]["values"]
            volumes = [found["hypervolume"]["median"], min(values), max(values)]
            cells = [count(found["evaluated"]["median"]), count(found["found"]["median"])]
            lines.append([data.title, words, *cells, *(ratio(volume) for volume in volumes)])
    return table(header, lines, left=2)


def _by_k(results: Results, data: paper.Data) -> Iterator[tuple[int, Results]]:
    for k in results["settings"]["ks"]:
        yield k, results["runs"][data.name][str(k)]


__all__ = [
    "OPERATOR_NAMES",
    "distances",
    "dynamic",
    "fronts",
    "groupings",
    "operators",
    "scores",
    "solutions",
    "ties",
]
