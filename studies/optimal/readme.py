"""The README of the study, from the results alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.common import verdicts
from studies.common.markdown import count, seconds, wrap
from studies.optimal import paper, tables
from studies.optimal.check import check, has_crossed, leaders, seconds_of
from studies.optimal.glance import looks
from studies.optimal.records import distinct, one, pick
from studies.optimal.runs import PRINTED

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
        _proofs(results),
        _searches(results),
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
not guessed? Which search proves it sooner, and which techniques save time?

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
    held = verdicts.summary(check(results))
    return f"""
With four quasi-identifiers, {len(proven)} of {len(six)} optima are proven, the slowest in
{seconds(max(run["seconds"] for run in proven))}; every one was released, verified and counted again.
{_gain(results)}
The paper's main finding is that bottom-up search is sooner where k and the number of attributes are small,
top-down search
where they are large, and that its techniques save time. {_main_finding(results)} {held}

### Every figure in one look

{verdicts.glance(looks(results), check(results))}

{verdicts.tables(check(results))}
"""


def _main_finding(results: Results) -> str:
    """Say where the paper's crossing shows."""
    texts = []
    for techniques in ("all", "few"):
        series = [
            led for (_, kind), led in leaders(results["searches_by_k"], "k").items() if kind == techniques
        ]
        crossed, led = sum(map(has_crossed, series)), [who for found in series for who in found]
        texts.append(
            f"with {techniques} techniques the crossing in k shows in {crossed} of {len(series)} series "
            f"(bottom-up is ahead in {led.count('bottom-up')} of {len(led)} pairs, top-down in "
            f"{led.count('top-down')}, {led.count('even')} are even, {led.count('neither')} without a proof)"
        )
    return f"With both algorithms as they are printed, {'; '.join(texts)}."


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
- A search that ends within its limit is run {settings["repeats"]} times: its seconds are the median, and
  the range is in square brackets. The two printed searches have {settings["printed_limit_s"]:g} seconds under
  OPS with up to four attributes.
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


def _proofs(results: Results) -> str:
    """Say how far proofs get in the largest ordered space."""
    runs = results["proofs"]
    proven = [run for run in runs if run["proven"]]
    rest = [run for run in runs if not run["proven"]]
    left = "none is left"
    if rest:
        seconds = " to ".join(
            dict.fromkeys(f"{end([run['seconds'] for run in rest]):.0f}" for end in (min, max))
        )
        gaps = [100 * run["gap"] for run in rest]
        left = (
            f"the others were ended after {seconds} seconds of processor time with gaps of {min(gaps):.0f} to "
            f"{max(gaps):.0f} %"
        )
    return f"""
## Beyond the paper: all attributes under OPS, and how the gap closes

![The gap over time for three costs](figures/proofs.png)

All {runs[0]["size"]} attributes under OPS with our own search on one thread: {len(proven)} of {len(runs)} are
proven; {left}.

{tables.proofs(runs)}

{_late(runs)} Where a cost adds up over cells (HDM and loss), the bound of a node puts prices on boxes of values
that hold too few rows: every class that fails is suppressed or has to leave its boxes, and the cost of a join is
shared by all that it lets out. For DM it adds up, class by class, the cheapest way out of failing, so that two
classes may both count on their own cheapest join, though one recoding cannot have all of them.
{_failing(runs)} {_marked(runs)}
"""


def _marked(runs: list[Results]) -> str:
    """Say what the star means, where there is one."""
    if not any(run.get("without_prices") for run in runs):
        return ""
    return "\\* Run with the bound of DM, before there were prices; not run again yet."


def _failing(runs: list[Results]) -> str:
    """Say how many classes fail where nothing is joined yet."""
    told = {run["k"]: f"{count(run['failing'])} at k = {run['k']}" for run in runs}
    return f"Of the {count(runs[0]['distinct'])} classes at the fine end fail {', '.join(told.values())}."


def _late(runs: list[Results]) -> str:
    """Say what the second half of the time brought where it was used up."""
    open_ = [run for run in runs if not run["proven"]]
    if not open_:
        return ""
    taken = []
    for run in open_:
        half = [1.0, *(gap for seconds_, gap in run["course"] if seconds_ <= run["seconds"] / 2)][-1]
        taken.append(100 * (half - run["gap"]))
    return f"The second half of the time took {min(taken):.1f} to {max(taken):.1f} points off the gaps that are left."


def _searches(results: Results) -> str:
    return f"""
## Figure 10: bottom-up and top-down

![Seconds of the searches for several k](figures/figure-10a.png)

**Figure 10a**, four attributes: seconds to the proof or the gap, with the nodes in brackets.

{tables.searches(results["searches_by_k"], "k")}

![Seconds of the searches with more and more attributes](figures/figure-10b.png)

**Figure 10b**, k = {paper.FIXED_K}.

{tables.searches(results["searches_by_size"], "size")}

*Bottom-up* is the paper's search: its enumeration tree from the finest recoding on, breadth first, with its
seeding, its order that puts nodes back, and its rearrangements. *Top-down* is the search of Bayardo and
Agrawal: depth first through sets of cuts, with their bound, their dropping of cuts that cannot be in a
better recoding, and their order. It is printed for ordered domains alone, so it is not run under SPS. *Own*
is our search (`method = "optimal"`). *Few* techniques leave the order and the bound of each, and
nothing else.

{_growth(results)} {_dropping(results)}
"""


def _growth(results: Results) -> str:
    """Say how the nodes of both printed searches change from the smallest k to the largest."""
    runs, texts = results["searches_by_k"], []
    ks = distinct(runs, "k")
    for search in PRINTED:
        rising, ratios = 0, []
        for run in pick(runs, search=search, k=ks[0]):
            names = ("scheme", "cost_name", "techniques", "search")
            last = one(runs, k=ks[-1], **{name: run[name] for name in names})
            if run["proven"] and last["proven"]:
                ratios.append(last["nodes"] / max(1, run["nodes"]))
                rising += last["nodes"] > run["nodes"]
        span = f" ({min(ratios):.1f} to {max(ratios):.1f} times as many)" if ratios else ""
        texts.append(f"{search} takes more nodes in {rising} of {len(ratios)} series{span}")
    return f"From k = {ks[0]} to k = {ks[-1]}, where both ends are proven, {' and '.join(texts)}."


def _dropping(results: Results) -> str:
    """Say what the techniques do to the two searches where both end: this decides who leads at small k."""
    runs, texts = results["searches_by_k"], []
    for search in PRINTED:
        ratios = []
        for run in pick(runs, search=search, scheme="OPS", techniques="few"):
            names = ("scheme", "cost_name", "k", "search")
            best = one(runs, techniques="all", **{name: run[name] for name in names})
            if run["proven"] and best["proven"]:
                ratios.append(run["seconds"] / best["seconds"])
        span = f"{min(ratios):.1f} to {max(ratios):.1f}" if ratios else "an unknown number of"
        texts.append(f"{search} takes {span} times the seconds")
    return f"With few techniques instead of all, where both end, {' and '.join(texts)}."


def _techniques(results: Results) -> str:
    runs = results["techniques"]
    variants = ("all", "no seeding", "no seeding, neither rearrangement")
    every, _, none = (seconds_of(runs, name) for name in variants)
    printed = [seconds_of(results["printed_techniques"], name) for name in variants]
    return f"""
## Figure 13: what the techniques save

![Seconds with every technique switched in turn](figures/figure-13.png)

Four attributes, k = {results["settings"]["ablated_k"]}; seconds or gap, nodes in brackets. *None
suppressed* asks for
recodings in which every row stays.

{tables.techniques(results["techniques"])}

![Seconds of the printed search without some of its techniques](figures/figure-13-printed.png)

The families of the paper in the search that it prints (OPS, what fails is suppressed):

{tables.techniques(results["printed_techniques"])}

What was counted in our own search, in the first and in the last case:

{tables.counters(results)}

The paper tests two families: seeding with modified breadth-first search (at most 40 % of the time
saved), and
rearrangement of nodes and applicators; together at most 60 %. With the printed search {_saved(*printed[:2])}
by the first family, and {_saved(printed[0], printed[2])} by both; with our own {_saved(every, none)} by both.
Unfinished searches count as their limit.

In our own search:

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
    return f"{100 * (1 - every / none):.0f} % are saved" if every < none else "nothing is saved"


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
- **The enumeration tree.** The paper's search visits partitions one by one, and so does *bottom-up* here; a
  node of our own search is a set of decisions (joined, apart, open), which bounds all partitions that agree
  with them.
- **Figure 6 as printed repeats partitions**, and Figure 7 repeats anonymizations; the tests hold both,
  and the rules
  that do not.
- **Top-down under SPS.** The paper shows a curve for it, but neither paper prints such a search: it is left out.
- **Programs.** Bottom-up evaluates all children of a node in one compiled call; top-down counts classes with
  NumPy. So compare nodes first, and seconds only along a curve.
- **Time.** The figures of the paper have no numbers for the machine used here, so no times are compared.
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
