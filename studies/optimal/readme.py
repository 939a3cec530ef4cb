"""The README of the study, from the results alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.common.markdown import count, seconds, wrap
from studies.optimal import paper, tables
from studies.optimal.check import KNOWN_MISSES, check, seconds_of
from studies.optimal.records import distinct, one, pick

if TYPE_CHECKING:
    from pathlib import Path

    from studies.common.results import Results


def write_readme(results: Results, folder: Path) -> None:
    """Write ``README.md`` into a folder."""
    sections = [
        _head(results),
        _data(results),
        _optima(results),
        _schemes(results),
        _directions(results),
        _techniques(results),
        _recounts(results),
        _differences(),
        _limits(results),
    ]
    text = "\n\n".join(wrap(section) for section in sections) + "\n"
    (folder / "README.md").write_text(text, encoding="utf-8", newline="\n")


def _head(results: Results) -> str:
    if results["quick"]:
        short = "**This was a quick run. Its numbers mean nothing; they only show that everything runs.**"
    else:
        short = _short(results)
    return f"""
# Towards optimal k-anonymization, run again

**Question.** What does each of the six generalization schemes cost at best on the census table, proven and
not guessed? Which search direction proves it sooner, and which techniques save time?

**Paper.** T. Li, N. Li: Towards optimal k-anonymization, Data & Knowledge Engineering 2007,
doi:10.1016/j.datak.2007.06.015; section 5, Figures 9 to 13. The figures of the paper are curves
without numbers,
so that shapes are compared, not digits.

**Run it.** `python -m studies optimal` writes `results.json`, this file and `figures/`; with
`--redraw` it writes
the latter two from `results.json` alone. With the same versions the optima are the same everywhere;
seconds,
and what was found where a search did not finish, are not.

## In short

{short}
"""


def _short(results: Results) -> str:
    runs = results["schemes_by_k"]
    six = [run for run in runs if run["scheme"] != paper.SPS_AGE.name]
    proven = [run for run in six if run["proven"]]
    verdicts = check(results)
    missed = sum(not verdict.holds for verdict in verdicts)
    held = "All hold." if not missed else f"{missed} of {len(verdicts)} do not hold; the reasons are below."
    return f"""
With four quasi-identifiers, {len(proven)} of {len(six)} optima are proven, the slowest in
{seconds(max(run["seconds"] for run in proven))}; every one was released, verified and counted again.
{_gain(results)}
What was to be confirmed: a scheme that contains another never costs more; bottom-up is at its best
where k and the
number of attributes are small, top-down where they are large; the pruning techniques save time. {held}

{tables.verdicts(results)}

{_missed()}
"""


def _gain(results: Results) -> str:
    """Say what freedom brings at one k."""
    found = {
        (cost, scheme.name): one(results["schemes_by_k"], cost_name=cost, scheme=scheme.name, k=paper.FIXED_K)
        for cost in paper.COSTS
        for scheme in (paper.BHS, paper.SPS)
    }
    shares = [1 - found[cost, "SPS"]["cost"] / found[cost, "BHS"]["cost"] for cost in paper.COSTS]
    return (
        f"For k = {paper.FIXED_K} the most flexible scheme costs {100 * shares[0]:.0f} % less than "
        f"full-domain levels by DM, and {100 * shares[1]:.0f} % less by HDM."
    )


def _missed() -> str:
    return "\n".join(f"- **{name}.** {why}" for name, why in KNOWN_MISSES.items())


def _data(results: Results) -> str:
    settings = results["settings"]
    versions = ", ".join(f"{name} {number}" for name, number in sorted(results["versions"].items()))
    return f"""
## Data and settings

The embedded census table (UCI Adult, {count(settings["rows"])} complete rows) with the hierarchies that
`sfumato.datasets.adult_spec_path("schemes")` names. The paper does not print its own; these were
written for this
project with the heights of Figure 9, which count levels. Ages are in fifteen intervals of five years,
17–21 to 87–91,
before anything else is done.

{tables.figure_9(results)}

The columns on the right count what each scheme allows, beginning with the fifteen intervals.

- The order of `ordered` (OPS) and of the guided schemes is the tree's, from left to right, so that
  every level is
  contiguous and the schemes contain each other as the paper says.
- Under SPS and GSPS the age, a number, keeps its order (OPS and GOPS): the paper proposes that mix in
  section 2.4.
  *SPS, age too* takes SPS by the letter, with sets of ages in any order.
- Rows in classes below k are suppressed, as many as there are: |D| each for DM, 1 each for HDM.
- Quasi-identifiers: age, marital status, race and gender for Figures 10a, 11b, 12 and 13; the first q
  of Figure 9 and
  k = {paper.FIXED_K} for Figures 10b and 11a.
- Seconds are those of the processor, one thread; a search ends after {settings["limit_s"]:g} of them,
  and what remains
  open is told as a gap: how far the cost may be above the optimum, as a share of the cost.
- Unless a direction is named, a search decides joins and splits in whichever way raises its bounds most.
- Versions: {versions}.
"""


def _optima(results: Results) -> str:
    return f"""
## Figure 12: what the schemes cost

![DM of the best recoding of each scheme](figures/figure-12a.png)

![HDM of the best recoding of each scheme](figures/figure-12b.png)

{tables.optima(results)}

Costs without a sign are proven optima. Along each inclusion, BHS ⊆ GHS ⊆ GOPS ⊆ OPS ⊆ SPS and
GOPS ⊆ GSPS ⊆ SPS, they do not rise; OPS and GSPS cannot be compared as spaces, and neither is always
the better.
Where *SPS, age too* is not proven, SPS is a part of it, so that SPS's optimum bounds its own from above.
"""


def _schemes(results: Results) -> str:
    return f"""
## Figure 11: what proofs take

![Seconds of the six schemes with more and more attributes](figures/figure-11a.png)

**Figure 11a**, k = {paper.FIXED_K}: seconds to the proof, or the gap where it did not finish.

{tables.efforts(results["schemes_by_size"], "size")}

![Seconds of the six schemes for several k](figures/figure-11b.png)

**Figure 11b**, four attributes.

{tables.efforts(results["schemes_by_k"], "k")}

As in the paper the time grows with the space of the scheme and with the number of attributes.
{_seven(results)}
"""


def _seven(results: Results) -> str:
    largest = max(distinct(results["schemes_by_size"], "size"))  # type: ignore[type-var]
    texts = []
    for cost in paper.COSTS:
        found = one(results["schemes_by_size"], scheme="OPS", cost_name=cost, size=largest)
        texts.append(
            f"{tables.cost_text(cost, found['cost'])} by {cost.upper()}"
            + ("" if found["proven"] else f" (gap {100 * found['gap']:.0f} %)")
        )
    return (
        f"With {largest} attributes under OPS the best found within the limit is {' and '.join(texts)}: "
        "the country alone has 41 values, and far more time is needed for such a proof."
    )


def _directions(results: Results) -> str:
    return f"""
## Figure 10: bottom-up and top-down

![Seconds of both directions for several k](figures/figure-10a.png)

**Figure 10a**, four attributes: seconds to the proof or the gap, with the nodes in brackets.

{tables.directions(results["directions_by_k"], "k")}

![Seconds of both directions with more and more attributes](figures/figure-10b.png)

**Figure 10b**, k = {paper.FIXED_K}.

{tables.directions(results["directions_by_size"], "size")}

*All* techniques are the default. *Few* leaves only what the two directions themselves are: bounds that
prune
nodes, the least bound first; no seeding, no applicator pruning, no rearrangement of applicators.

What the paper reports is a crossing: bottom-up sooner at small k and with few attributes, top-down
otherwise. The part
of it that has to do with the problem shows in every row: bottom-up takes more and more as k grows,
top-down does not.
Where the curves cross depends on what else a search does. A bottom-up bound costs each kept row what
it costs already,
and rows that are still in too small a class next to nothing; as k grows there are more of these. A
top-down bound
adds what can no longer reach k at all. It looks at both ends of what is still open, so it is never
weaker, and
a node of it costs somewhat more. With few techniques that price shows at small k; with a first
solution that is near
the optimum, and with decisions that follow from bounds, the stronger bound wins nearly everywhere.
"""


def _techniques(results: Results) -> str:
    runs = results["techniques"]
    every, none = seconds_of(runs, "all"), seconds_of(runs, "no seeding, neither rearrangement")
    return f"""
## Figure 13: what the techniques save

![Seconds with every technique switched in turn](figures/figure-13.png)

Four attributes, k = {results["settings"]["ablated_k"]}; seconds or gap, nodes in brackets. *None
suppressed* asks for
recodings in which every row stays.

{tables.techniques(results)}

What was counted in the first and in the last case:

{tables.counters(results)}

The paper tests two families: seeding with modified breadth-first search (at most 40 % of the time
saved), and
rearrangement of nodes and applicators; together at most 60 %. Here, over all cases, the default takes
{seconds(every)} of processor time, and {seconds(none)} without seeding and rearrangement, unfinished
searches counted
as their limit: {_saved(every, none)}.

- **Seeding** here anneals from the best levels, and mostly begins at the optimum. In small searches it
  is a good part of
  the time.
- **Re-queueing** (the modified search) is off by default: nodes are bounded before they are put into
  the queue.
- **Useful applicators** need rows that must not be lost: they decide where nothing may be suppressed. The
  default direction sees the same by its other bound, so that switching them off changes nothing; bottom-up
  has nothing else.
- No switch changes an optimum.
"""


def _saved(every: float, none: float) -> str:
    return f"{100 * (1 - every / none):.0f} % saved" if every < none else "nothing saved"


def _recounts(results: Results) -> str:
    return f"""
## Every optimum counted again

Each solution of Figure 12 was released, its release verified by SQL that shares nothing with the
search, and its
costs counted row by row from the table and the groups of values alone (`recount.py`). For one k:

{tables.recounts(results)}
"""


def _differences() -> str:
    return """
## What differs from the paper, and why

- **Hierarchies** are other ones of the same heights, so costs cannot agree digit by digit.
- **The enumeration tree.** The paper's search visits partitions one by one; here a node is a set of
  decisions (joined,
  apart, open), which bounds all partitions that agree with them. The tree of section 3 is built too,
  and tested on
  the paper's examples (`sfumato.schemes.walk`).
- **Figure 6 as printed repeats partitions**, and Figure 7 repeats anonymizations; the tests hold both,
  and the rules
  that do not.
- **Time.** Minutes and hours of the paper's machine are seconds here, so no times are compared.
"""


def _limits(results: Results) -> str:
    unproven = len([run for run in pick(results["schemes_by_size"]) if not run["proven"]])
    return f"""
## Limits

One table with one set of hierarchies, two costs, one seed: the seed shapes first solutions, not optima. Of
{len(results["schemes_by_size"])} searches of Figure 11a, {unproven} did not finish within
{results["settings"]["limit_s"]:g} seconds of processor time; with more time their gaps shrink. Times
were taken on a
machine that had other work, which processor seconds hide only in part.
"""


__all__ = ["write_readme"]
