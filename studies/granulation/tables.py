"""The tables of the README, from the results alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.common.markdown import count, seconds, table
from studies.granulation import paper
from studies.granulation.census import in_order

if TYPE_CHECKING:
    from studies.common.results import Results


def released(results: Results) -> str:
    """Figures 2 and 4 side by side."""
    found = results["example"]
    header = [
        "person",
        "born",
        "ZIP",
        "height",
        "born, median",
        "ZIP, median",
        "height, mean",
        "income",
        "health",
    ]
    rows = []
    for number, (labels, statistics) in enumerate(zip(found["figure_2"], found["figure_4"], strict=True)):
        income, health = paper.TABLE[number][3:]
        cells = [f"`{text}`" if "*" in str(text) else str(text) for text in (*labels, *statistics)]
        rows.append([f"u{number + 1}", *cells, f"{income}K", str(health)])
    return table(header, rows, left=1)


def tests(results: Results) -> str:
    """Recodings tested by the plain search and by Incognito, and what Incognito decides without."""
    header = ["confidential", "recodings", "secure", "most specific", "plain", "Incognito"]
    header += ["by subset", "by generalization", "time, plain", "time, Incognito"]
    rows = []
    for title, found in _cases(results):
        plain, incognito = found["plain"], found["incognito"]
        decided = [
            count(incognito[key]) if key in incognito else "–" for key in ("by_subset", "by_generalization")
        ]
        rows.append(
            [
                title,
                count(found["recodings"]),
                count(found["secure"]),
                count(len(plain["specific"])),
                count(plain["tests"]),
                count(incognito["tests"]),
                *decided,
                seconds(plain["seconds"]),
                seconds(incognito["seconds"]),
            ]
        )
    return table(header, rows)


def genetic(results: Results) -> str:
    """How often the genetic algorithm finds the optimum, and with how many evaluations."""
    header = ["confidential", "largest sf·ql, secure", "found in", "expected of a random sample"]
    header += ["mean sf·ql found", "lowest", "evaluated, mean", "share of all", "exact front of sf and ql"]
    rows = []
    for title, found in _cases(results):
        ga = found["ga"]
        rows.append(
            [
                title,
                f"{found['optimum']['product']:.4f}",
                f"{ga['hits']} of {ga['runs']}",
                f"{ga['by_chance']:.1f} of {ga['runs']}",
                f"{ga['product']['mean']:.4f}",
                f"{min(ga['product']['values']):.4f}",
                count(ga["evaluated"]["mean"]),
                f"{100 * ga['evaluated']['mean'] / found['recodings']:.0f} %",
                count(found["front"]),
            ]
        )
    return table(header, rows)


def _cases(results: Results) -> list[tuple[str, Results]]:
    return [
        ("running example: Health = 2", results["example"]),
        *((found["title"], found) for found in in_order(results)),
    ]


__all__ = ["genetic", "released", "tests"]
