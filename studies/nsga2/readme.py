"""The README of the study, from the results alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.common import verdicts
from studies.common.markdown import count, seconds, wrap
from studies.nsga2 import paper, tables
from studies.nsga2.check import check
from studies.nsga2.glance import looks

if TYPE_CHECKING:
    from pathlib import Path

    from studies.common.results import Results


def write_readme(results: Results, folder: Path) -> None:
    """Write ``README.md`` into a folder."""
    sections = [
        _head(results),
        _data(results),
        _search(results),
        _compared(results),
        _weighted(results),
        _tolerant(results),
        _overview(results),
        _readings(results),
        _limits(),
    ]
    text = "\n\n".join(wrap(section) for section in sections) + "\n"
    (folder / "README.md").write_text(text, encoding="utf-8", newline="\n")


def _head(results: Results) -> str:
    if results["quick"]:
        short = "**This was a quick run. Its numbers mean nothing; they only show that everything runs.**"
    else:
        short = _short(results)
    return f"""
# Multi-objective evolutionary optimization in disclosure control, run again

**Question.** How much better are the trade-offs between privacy and detail that NSGA-II finds among free
groupings of values than the best that levels of hierarchies can give, which are known exactly? And does
the front look as the chapter shows it?

**Paper.** R. Dewri, I. Ray, I. Ray, D. Whitley: multi-objective evolutionary optimization in statistical
disclosure control; sections 1.4 and 1.5, Figures 1.5 and 1.6.

**Run it.** `python -m studies nsga2` writes `results.json`, this file and `figures/`; with `--redraw` it
writes the latter two from `results.json` alone. With the same versions the numbers are the same, but
for the times.

## In short

{short}
"""


def _short(results: Results) -> str:
    """Say what came out, and hold it against what was required."""
    gains = []
    for task in paper.TASKS:
        found = results["tasks"][task.name]
        values = found["unseeded"]["hypervolume"]["linear"]
        gains.append(100 * (values["median"] / found["exact"]["hypervolume"]["linear"] - 1))
    slowest = max(results["tasks"][task.name]["unseeded"]["seconds"]["median"] for task in paper.TASKS)
    held = verdicts.summary(check(results))
    return f"""
Set out from nothing, NSGA-II finds fronts whose hypervolume is, in the median, {gains[0]:.1f} % (weighted-k),
{gains[1]:.1f} % (k with suppression) and {gains[2]:.1f} % (weighted-k with both losses) above that of the exact front of all
{count(results["full_domain"])} full-domain recodings of the same domains. A run of
{results["settings"]["population"]} × {results["settings"]["iterations"]} takes {seconds(slowest)} in the
median on {results["cores"]} cores that others used too. Seeded with the full-domain optima it can only gain:
they are part of the result.

What was required: with seeds, a strictly larger hypervolume than the exact full-domain front, and no
point that a full-domain solution dominates. What was aimed at: without seeds, for every one of
{len(results["settings"]["seeds"])} seeds, no smaller hypervolume, and within 2 % of the best seed. {held}

### Every figure in one look

{verdicts.glance(looks(results), check(results))}

{verdicts.tables(check(results))}
"""


def _data(results: Results) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in sorted(results["versions"].items()))
    return f"""
## Data

The embedded census table (UCI Adult, {count(results["rows"])} complete rows,
{count(results["distinct"])} distinct tuples after ages were granulated to steps of five) with nine
quasi-identifiers. As in the chapter, five attributes are unconstrained, so that any neighbours in
their order may be grouped, and four are constrained by a tree.

{tables.attributes(results)}

That makes {float(results["space"]):.1e} recodings. The chapter shows one of its trees and prints no
others; those used here were written for this project (`census.toml`). Every level of every hierarchy is
contiguous in the order of the leaves, so that all {count(results["full_domain"])} full-domain
recodings are among those searched.

- *Weighted-k* is `mean_k`, the size of one's class as a mean over rows. *GL* is `gl`, the general loss
  metric summed over cells, at most rows × attributes. Nothing is suppressed.
- *k* with a tolerance of η = 10 %: whole class sizes go, smallest first, up to
  {results["settings"]["suppression_limit"]:.0%} of the rows. *Loss* is GL + SL (`glm`): a suppressed row
  costs 1 in each cell.
- Versions: {versions}.
"""


def _search(results: Results) -> str:
    settings = results["settings"]
    return f"""
## Search

pymoo's NSGA-II with the chapter's parameters: population {settings["population"]},
{settings["iterations"]} iterations, binary tournaments, crossover with probability
{settings["crossover"]:g}, mutation with {settings["mutation"]:g} for each bit of an unconstrained attribute.
An attribute is a string of bits, 0 where neighbours are joined. Unconstrained attributes are crossed at
one random point, constrained ones (Lunacek's crossover) at a point where both parents have a 1, and
copied where they have none in common; constrained ones do not mutate.

Where the chapter is silent:

- Every attribute has its own crossover point, and chance decides which child gets which half.
- A random recoding first draws how inclined it is to join values, then lets every bit, or every node of
  a tree from the root down, decide by that. With fair coins alone, first populations hold neither very
  fine nor very coarse recodings, and the ends of the front are left to luck.
- Offspring that were evaluated before are made anew, so that all {count(settings["population"])} ×
  {count(settings["iterations"] + 1)} evaluations are of different recodings.
- The result is the non-dominated set of everything evaluated, not the last population.

*Seeded* runs first evaluate all full-domain recodings; half of the first population is taken from all
along their front, and the whole front is part of the result.
"""


def _compared(results: Results) -> str:
    return f"""
## Against the exact full-domain front

Hypervolumes: costs scaled to [0, 1] over the union of all fronts of a problem, reference point 1.1. The
privacy objective enters as it is, as the chapter draws it, and by its logarithm, where every tenfold of
a class size counts the same. Numbers are shares of the exact full-domain front's.

{tables.hypervolumes(results)}

{tables.fronts(results)}

![Hypervolumes of all seeds](figures/hypervolumes.png)

**Hypervolumes.** Every seed, from the first (below) to the last (above), beyond the exact full-domain
front, which is the line at 0.
"""


def _weighted(results: Results) -> str:
    first, second = results["tasks"][paper.WEIGHTED.name]["distributions"]
    shares = [_share_below(item, results["rows"]) for item in (first, second)]
    return f"""
## Figure 1.5: weighted-k without suppression

![Figure 1.5: weighted-k against GL, with class sizes of two solutions](figures/figure-1-5.png)

**Figure 1.5.** Solutions of the first unseeded run, and around them the exact full-domain front. A
(weighted-k {count(first["mean_k"])}) has {count(first["classes"])} classes, B
(weighted-k {count(second["mean_k"])}) has {count(second["classes"])}. A high weighted-k does not protect
everybody: in A {shares[0]:.1%} and in B {shares[1]:.1%} of the rows are in classes of fewer than five,
which no mean shows. Such distributions are why the chapter draws them.
"""


def _share_below(item: Results, rows: int, size: int = 5) -> float:
    """Return the share of rows in classes smaller than a size."""
    below = [total for upper, total in zip(item["sizes"], item["rows"], strict=True) if upper < size]
    return (below[-1] if below else 0) / rows


def _tolerant(results: Results) -> str:
    return f"""
## Figure 1.6: k with a suppression tolerance of 10 %

![Figure 1.6: k against GL + SL, with magnifications](figures/figure-1-6.png)

**Figure 1.6.** All solutions of the first unseeded run and of the exact full-domain front; the
rectangle is what the next panel magnifies. The chapter sees steps of the same kind at every magnification:
k grows over flat stretches for hardly any loss, then a small step of k costs much.

The longest flat stretches, as `front.flat_regions()` finds them:

{tables.flat_regions(results)}
"""


def _overview(results: Results) -> str:
    found = results["tasks"][paper.OVERVIEW.name]
    points = found["unseeded"]["points"]
    most = results["rows"] * len(results["attributes"])
    kept = sum(point[2] == 0 for point in points)
    return f"""
## The third problem: no limit on suppression

![Both losses of the third problem, with weighted-k by colour](figures/overview.png)

Every row in a class smaller than weighted-k is suppressed, and weighted-k, GL and SL are three objectives. The
chapter formulates this problem and shows no results. The first unseeded run has {count(len(points))} solutions,
{count(kept)} without any suppression; the most that one of them suppresses is
{100 * max(point[2] for point in points) / most:.0f} % of the cells.
"""


def _readings(results: Results) -> str:
    free = sum(item["values"] - 1 for item in results["attributes"].values() if item["scheme"] == "ordered")
    changed = results["settings"]["mutation"] * free
    flat = len(results["tasks"][paper.TOLERANT.name]["flat_regions"])
    return f"""
## What differs from the chapter, and why

- **Its figures cannot be compared number by number.** Neither its hierarchies nor its granularity are
  printed, and the points of its figures are not listed. What can be checked is the shape: loss rises with
  weighted-k, two solutions may have quite different class sizes, and fronts with suppression have flat
  regions at every magnification: the first unseeded run here has {flat} that are worth naming.
- **One run is not enough.** The chapter shows one and reports no significant difference between
  several; how far the seeds differ here is in the table of hypervolumes. The linear scale is decided
  by the few solutions with the largest classes, of which a run has more or fewer.
- **Mutation of {results["settings"]["mutation"]:g} for each bit** changes {changed:.1f} of the {free} free
  bits of a child in the mean. That explores, but leaves solutions near the ends of the front, where nearly all bits are alike, to luck.
"""


def _limits() -> str:
    return """
## Limits

Times were taken on a machine that others used as well; `benchmarks/nsga2.py` measures them alone, and
against the same search with a plain group-by. The full-domain front is exact; how far the fronts of
NSGA-II are from the best that the schemes allow is not known.
"""


__all__ = ["write_readme"]
