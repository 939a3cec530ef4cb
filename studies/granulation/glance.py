"""What the paper prints of its running example, and its algorithms, in one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.common.markdown import count
from studies.common.verdicts import Look, span
from studies.granulation import census, paper

if TYPE_CHECKING:
    from studies.common.results import Results


def looks(results: Results) -> list[Look]:
    """Return what each figure shows, and what is found."""
    example, chosen = results["example"], paper.words(paper.CHOSEN)
    found = [example, *census.in_order(results)]
    tests = [item["plain"]["tests"] for item in found]
    hits = [item["ga"]["hits"] for item in found]
    classes = len(example["classes"])
    return [
        Look(
            "Figure 2", f"{len(paper.FIGURE_2)} rows by labels", f"{len(example['figure_2'])} rows, verified"
        ),
        Look(
            "Figure 4",
            f"{len(paper.FIGURE_4)} rows by statistics, with one slip",
            f"{len(example['figure_4'])} rows, verified; compared with the slip put right",
        ),
        Look("Section 3.2", f"{chosen}: {len(paper.CLASSES)} classes, secure or not", f"{classes} classes"),
        Look("Section 4.3", "codes, a crossover and its repair", f"the code {example['codes']['chosen']}"),
        Look(
            "Figure 5",
            "an algorithm, without numbers",
            f"{span(tests, count)} security tests; Incognito "
            f"{span([item['incognito']['tests'] for item in found], count)}",
        ),
        Look(
            "Section 4.3, search",
            "a genetic algorithm, without numbers",
            f"the best secure recoding in {span(hits, str)} of {example['ga']['runs']} runs",
        ),
    ]


__all__ = ["looks"]
