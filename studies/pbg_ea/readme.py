"""The README of the study, from the results alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.common import verdicts
from studies.common.markdown import count, ratio, seconds, small, wrap
from studies.pbg_ea import nsga2, paper, tables
from studies.pbg_ea.check import check
from studies.pbg_ea.glance import looks

if TYPE_CHECKING:
    from pathlib import Path

    from studies.common.results import Results


def write_readme(results: Results, folder: Path) -> None:
    """Write ``README.md`` into a folder."""
    sections = [
        _head(results),
        _data(results),
        _variants(results),
        _tables(results),
        _figures(),
        _differences(results),
        _exhaustive(results),
        _billion(results),
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
# Property based generalizations, run again

**Question.** Does PBG-EA, as its authors describe it and as it is built here, find the trade-offs of
the census table that its paper reports, judged by the exact front? And what does it find where no exact
front can be had?

**Paper.** R. Dewri, I. Ray, I. Ray, D. Whitley (2010): On the identification of property based
generalizations in microdata anonymization; section 7, Tables 1 and 2, Figures 1 to 3.

**Run it.** `python -m studies pbg-ea` writes `results.json`, this file and `figures/`; with `--redraw`
it writes the latter two from `results.json` alone. With the same versions the numbers are the same, but
for the times.

## In short

{short}
"""


def _short(results: Results) -> str:
    """Say what came out, and hold it against what was required."""
    rows = [results["rows"][row.name]["variants"]["ours"] for row in (*paper.TABLE_1B, *paper.TABLE_2A)]
    lowest, worst = min(row["rr"]["mean"] for row in rows), max(row["ce"]["mean"] for row in rows)
    slowest = max(results["timings"][row.name]["seconds"] for row in paper.TABLE_2B)
    held = verdicts.summary(check(results))
    return f"""
In every row of Tables 1(b) and 2(a) our variant finds at least {ratio(lowest)} of the exact front on
average, with a mean convergence error of at most {small(worst)}. The exact fronts themselves take at
most {seconds(slowest)} each, so on such lattices `sfumato explore` gives the exact one. PBG-EA is for
lattices that cannot be enumerated; on one of {count(results["billion"]["nodes"])} nodes it is held against
NSGA-II and a random sample {results["billion"]["sample_factor"]} times as large below.

Against the paper, for the algorithm as printed and for our variant: RR at least the paper's less two standard
errors, CE at most the paper's plus two. Of our own making: at most 10 % more evaluations than the paper's;
on the large lattice, half a minute at most, and no smaller median hypervolume than the others. {held}

### Every table and figure in one look

{verdicts.glance(looks(results), check(results))}

{verdicts.tables(check(results))}
"""


def _data(results: Results) -> str:
    settings = results["settings"]
    seeds = settings["seeds"]
    versions = ", ".join(f"{name} {number}" for name, number in sorted(results["versions"].items()))
    return f"""
## Data and settings

The embedded census table (UCI Adult, {count(settings["rows"])} complete rows) with the specification
that `sfumato.datasets.adult_spec_path()` names: {count(results["rows"]["k_glm"]["nodes"])} nodes. With CM the
salary class is the label, not a quasi-identifier, and {_nodes_with_cm(results)} nodes remain. The paper does not print its hierarchies; those used
here were written for this project with the lengths of Table 1(a):

{tables.table_1a(results)}

The eighth work class is a leaf of the hierarchy that does not occur among the complete rows.

- Suppression: whole class sizes, smallest first, up to 1 % of the rows
  ({settings["suppression_budget"]}).
- Population {settings["population"]}, {settings["iterations"]} iterations, crossover with probability
  {settings["crossover"]:g}, mutation 1 / attributes, boxes of width 1 unless a table says otherwise,
  seeds {seeds[0]} to {seeds[-1]}.
- Objectives by our names: `k`, `distinct_l(occupation)` (ℓ), `spread_k` (S_k), `spread_l(occupation)`
  (S_ℓ), `glm` (GLM), `cm(salary-class)` (CM). All are indices to maximize: a loss enters as its upper
  bound less its value, GLM's bound being rows × attributes.
- RR: the share of the non-dominated boxes of the exact front that hold a solution. CE: the distance to
  the nearest exact solution, each index divided by its maximum over the exact front, *summed* over the
  solutions.
- Numbers are means over the seeds, with the variance in brackets.
- Versions: {versions}.
"""


def _nodes_with_cm(results: Results) -> str:
    found = results["rows"].get(paper.TWO_LOSSES.name)
    return "half as many" if found is None else count(found["nodes"])


def _variants(results: Results) -> str:
    return f"""
## Two variants

*As printed*: Algorithm 2 of the paper. A child that was evaluated before is just there again.

*Ours*, the default of `pbg-ea`: the same, with two additions. Neither variant evaluates a node twice.

- **Walk**: a child that was evaluated before, or is screened out, takes up to
  {results["settings"]["variants"]["ours"]["walk"]} random steps of one level to a node that is neither.
- **Screening**: a child is passed over if the archive dominates the best that it can be expected to
  reach, as seen from evaluated generalizations (privacy) and specializations (loss), and from what its
  cells cost at least.
"""


def _tables(results: Results) -> str:
    text = f"""
## Table 1(b): worst case and spread

{tables.indicators(results, paper.TABLE_1B, boxes=False)}

## Table 2(a): wider boxes

{tables.indicators(results, paper.TABLE_2A, boxes=True)}

## Table 2(b): distinct nodes evaluated

{tables.table_2b(results)}
"""
    if any(results["between"].values()):
        text += f"""
What the two additions bring, one by one:

{tables.between(results)}
"""
    return text


def _figures() -> str:
    return """
## Figures

Exact front and PBG-EA solutions of the first seed. A third objective is told by colour.

![Figure 1: k against GLM, and k, ℓ and GLM](figures/figure-1.png)

**Figure 1.** Worst-case privacy: k against GLM, and with ℓ by colour.

![Figure 2: S_k against GLM, and S_k, S_ℓ and GLM](figures/figure-2.png)

**Figure 2.** Spread. Sums over persons tell apart what has the same k. S_ℓ is drawn as its ratio to S_k.

![Figure 3: GLM, CM and k](figures/figure-3.png)

**Figure 3.** Two losses: whoever wants to train a classifier may pick another solution than whoever wants
detail.
"""


def _differences(results: Results) -> str:
    times, shares = (_times_the_paper(results, name) for name in ("ce", "ce_per_solution"))
    printed = {name: found["variants"]["printed"] for name, found in results["rows"].items()}
    higher = [
        printed[row.name]["rr"]["mean"] > row.rr[0]
        for row in paper.TABLE_1B
        if row.rr is not None and row.name in printed
    ]
    evaluated = [
        100 * printed[row.name]["evaluated"]["mean"] / row.evaluations
        for row in paper.TABLE_2B
        if row.evaluations is not None and row.name in printed
    ]
    return f"""
## What differs from the paper, and why

- **The lattice is another one.** It has the size of the paper's but other hierarchies, so that RR and
  numbers of evaluations cannot agree digit by digit. Each row therefore names the exact front that it
  was judged by.
- **CE.** By the paper's formula CE is a sum over the archive. So read, the algorithm as printed has
  {min(times):.0f} to {max(times):.0f} times the paper's CE on Table 1(b), though its RR is higher than
  the paper's in {sum(higher)} of its {len(higher)} rows. Divided by the number of solutions, its CE is {min(shares):.1f} to {max(shares):.1f} times
  the paper's: the paper may have printed means.

{tables.errors_per_solution(results)}

- **Evaluations.** As printed, the algorithm evaluates {min(evaluated):.0f} to {max(evaluated):.0f} % of the
  distinct nodes that the paper names in Table 2(b): its count is not reproduced, and the
  hierarchies, which the paper does not print, are the difference that is known.
- **Ours.** Most children of the algorithm as printed are known nodes. The walk turns them into new ones
  near the archive, where the solutions that are still missing lie; screening keeps it from spending
  evaluations on nodes that are likely to be dominated.
"""


def _times_the_paper(results: Results, indicator: str) -> list[float]:
    """Divide the error of the algorithm as printed by the paper's, row by row of Table 1(b)."""
    return [
        results["rows"][row.name]["variants"]["printed"][indicator]["mean"] / row.ce[0]
        for row in paper.TABLE_1B
        if row.ce is not None and row.name in results["rows"]
    ]


def _exhaustive(results: Results) -> str:
    timings, plain = results["timings"], results["timings"]["plain"]
    exact, sample = timings["k_l_glm"], count(plain["evaluations"])
    nodes = results["fronts"]["k_l_glm"]["nodes"]
    ratios = [plain["seconds"] / exact[name] for name in ("seconds", "seconds_one_thread")]
    return f"""
## The whole lattice in less time than a sample of it

A run of the paper asks for {sample} evaluations, and saves as many as it can, because each groups the
whole table. Here nodes are rolled up from one another, on the distinct tuples alone.

{tables.times(results)}

The plain way: recode the columns of all rows, join them to one key, sort it once, count. It was timed
on {plain["sample"]} random nodes ({1000 * plain["seconds_each"]:.0f} ms each) and scaled; every one of
them gave the k, ℓ and GLM that the compiled search gives. So
{sample} plain evaluations take **{ratios[0]:.0f} times as long as the exact front** of k, ℓ and GLM
({ratios[1]:.0f} times as long as on one thread), which sees {nodes / plain["evaluations"]:.0f} times as
many nodes. All times are the best of several in one run on {results["cores"]} cores; they vary by
machine, and by what else it does.
"""


def _billion(results: Results) -> str:
    found = results["billion"]
    contenders, parameters, seeds = found["contenders"], found["parameters"], found["seeds"]
    ours, helped = (contenders[name]["hypervolume"] for name in ("pbg_ea", "nsga2_helped"))
    pairs = list(zip(ours["values"], helped["values"], strict=True))
    ahead, behind = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
    return f"""
## A lattice of more than a billion nodes

A seeded synthetic table (`billion.py`): {count(found["rows"])} persons of forty kinds of very different
frequency, twelve quasi-identifiers with 4 to 8 levels each, {count(found["nodes"])} nodes; k against
loss, 1 % suppression, seeds {seeds[0]} to {seeds[-1]}.

- **PBG-EA**: population {parameters["population"]}, {parameters["iterations"]} iterations, no boxes:
  the defaults.
- **Random sample**: {found["sample_factor"]} times as many evaluations, uniform over the nodes.
- **NSGA-II** of pymoo with as many evaluations as PBG-EA took, rounded up to whole populations:
  population {nsga2.POPULATION}, simulated binary crossover and polynomial mutation with rounding
  (probability {nsga2.PROBABILITY:g}, η {nsga2.ETA:g}: what pymoo's manual has for whole numbers),
  duplicates eliminated, first population random.
- **NSGA-II, helped**: the same with what PBG-EA has: the most general and the most special node in the
  first population, and repeated evaluations not counted.

All use the same evaluator, and the result of each is everything it evaluated that nothing it evaluated
dominates. The hypervolume is taken with k by its logarithm, both objectives scaled to [0, 1] over all
fronts of all seeds together, reference point 1.1; that of all fronts united is
{found["union_hypervolume"]:.5f}.

{tables.billion(results)}

![Fronts of the first seed, and how much hypervolume each run misses](figures/billion.png)

Against NSGA-II with help: of {len(seeds)} seeds, PBG-EA is ahead of it on {ahead}, behind on {behind}, and equal on the others.
"""


def _limits() -> str:
    return """
## Limits

One table of persons with one set of hierarchies, and one synthetic table. RR and CE are the paper's
indicators, not the only ones. NSGA-II is run in one common setting of a general tool; operators made
for lattices would serve it better.
"""


__all__ = ["write_readme"]
