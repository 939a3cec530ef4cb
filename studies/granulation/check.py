"""What must hold of the results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.common.markdown import count
from studies.common.verdicts import Verdict
from studies.granulation import paper
from studies.granulation.census import in_order

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studies.common.results import Results


def check(results: Results) -> list[Verdict]:
    """Hold the results of a full run against the paper and against each other."""
    cases = [verdict for found in in_order(results) for verdict in _searches(found["title"], found)]
    return [*_example(results["example"]), *cases]


def _example(found: Results) -> Iterator[Verdict]:
    for name, wanted in (("figure_2", paper.FIGURE_2), ("figure_4", paper.FIGURE_4)):
        rows = [tuple(row) for row in found[name]]
        same = sum(mine == theirs for mine, theirs in zip(rows, wanted, strict=True))
        words = f"rows of Figure {name[-1]}"
        place = f"Figure {name[-1]}"
        yield Verdict(words, f"{same} of {len(wanted)}", f"{len(wanted)}", same == len(wanted), place=place)
    classes = tuple(map(tuple, found["classes"]))
    chosen = paper.words(paper.CHOSEN)
    name = f"classes of {chosen}"
    yield Verdict(name, str(len(classes)), "as printed", classes == paper.CLASSES, place="Section 3.2")
    for key, words, wanted in (("everyone", "Health = 2", True), ("first", "Health = 1 of u1", False)):
        holds = found["chosen"][key]
        name = f"{chosen} for {words}"
        yield Verdict(name, _secure(holds), _secure(wanted), holds is wanted, place="Section 3.2")
    secure = found["secure"]
    name = "secure recodings of 120, against a count by hand"
    yield Verdict(name, str(secure), str(paper.SECURE), secure == paper.SECURE, "check")
    wanted_nodes = [list(node) for node in paper.MOST_SPECIFIC]
    for key, words in (("plain", "the plain search"), ("incognito", "Incognito")):
        nodes = found[key]["specific"]
        name = f"most specific ones by {words}, against those found by hand"
        wanted_words = " and ".join(map(paper.words, paper.MOST_SPECIFIC))
        found_words = " and ".join(map(paper.words, nodes))
        yield Verdict(name, found_words, wanted_words, nodes == wanted_nodes, "check")
    codes = found["codes"]
    same = codes["chosen"] == paper.CODE
    yield Verdict(f"code of {chosen}", codes["chosen"], paper.CODE, same, place="Section 4.3")
    for key, words, texts in (
        ("children", "crossover", paper.CHILDREN),
        ("repaired", "repair", paper.REPAIRED),
    ):
        same = tuple(codes[key]) == texts
        yield Verdict(words, " and ".join(codes[key]), " and ".join(texts), same, place="Section 4.3")
    yield from _searches("the running example", found)


def _searches(title: str, found: Results) -> Iterator[Verdict]:
    plain, incognito, genetic = found["plain"], found["incognito"], found["ga"]
    same = plain["specific"] == incognito["specific"] and plain["complete"] and incognito["complete"]
    words = f"{count(len(incognito['specific']))} most specific"
    yield Verdict(f"{title}: Incognito's set", words, "that of the plain search", same, "check")
    if plain["variant"] != "all":
        fewer = incognito["tests"] < plain["tests"]
        name = f"{title}: tests of Incognito"
        yield Verdict(name, count(incognito["tests"]), f"< {count(plain['tests'])}", fewer, "ours")
    secure = genetic["secure"]
    yield Verdict(f"{title}: all GA solutions", _secure(secure), "secure", secure, "check")
    best = found["optimum"]["product"]
    largest = max(genetic["product"]["values"])
    name = f"{title}: largest product of the GA"
    yield Verdict(name, f"{largest:.6f}", f"≤ {best:.6f}", genetic["never_above"], "check")
    untouched = found["untouched"]
    name = f"{title}: sf·ql of the untouched table"
    wanted = f"≥ {untouched['largest']:.4f}, the largest of all"
    yield Verdict(name, f"{untouched['product']:.4f}", wanted, untouched["is_largest"], "ours")


def _secure(holds: bool) -> str:
    return "secure" if holds else "not secure"


__all__ = ["check"]
