"""The tables of the README, from the results alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.common.markdown import count, table
from studies.optimal import paper
from studies.optimal.check import seconds_of
from studies.optimal.records import distinct, one, pick

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studies.common.results import Results


def cost_text(cost_name: str, cost: float) -> str:
    """Write a cost: DM is a whole number, HDM is not."""
    return count(cost) if cost_name == "dm" else f"{cost:,.3f}"


def ended(run: Results) -> str:
    """Write how a run ended: its seconds, or the gap that it left."""
    return f"{run['seconds']:.2f}" if run["proven"] else f"gap {100 * run['gap']:.1f} %"


def figure_9(results: Results) -> str:
    """Return the attributes with the paper's numbers and ours, and what every scheme counts."""
    names = [scheme.name for scheme in (*paper.SCHEMES, paper.SPS_AGE)]
    rows = []
    for name, (word, values, height) in paper.FIGURE_9.items():
        found = results["attributes"][name]
        numbers = [f"{values} / {found['values']}", f"{height} / {found['levels']}"]
        rows.append([f"{word} (`{name}`)", *numbers, *(_large(found["counts"][scheme]) for scheme in names)])
    return table(["attribute", "values, paper / here", "levels, paper / here", *names], rows)


def proofs(runs: Sequence[Results]) -> str:
    """Return for each cost and k the best cost, the seconds to its proof or the gap, and the nodes."""
    ks = sorted(distinct(runs, "k"))
    rows = []
    for cost in distinct(runs, "cost_name"):
        found = {run["k"]: run for run in runs if run["cost_name"] == cost}
        best = {k: count(run["cost"]) if cost == "dm" else f"{run['cost']:.6g}" for k, run in found.items()}
        marks = {k: "*" if run.get("without_prices") else "" for k, run in found.items()}
        took = {k: f"{ended(run)} ({count(run['nodes'])}){marks[k]}" for k, run in found.items()}
        rows.append([f"{cost}, best found", *(best.get(k, "") for k in ks)])
        rows.append([f"{cost}, seconds or gap", *(took.get(k, "") for k in ks)])
    return table(["nodes in brackets", *(f"k = {k}" for k in ks)], rows)


def _large(text: str) -> str:
    """Write a whole number given as text; a very large one by its power of ten."""
    number = int(text)
    if number < 10**7:
        return count(number)
    digits, power = f"{number:.2e}".split("e+")
    return f"{digits}e{int(power)}"


def optima(results: Results) -> str:
    """Return the optimum of every scheme and k, and the gap where it is not proven."""
    runs = results["schemes_by_k"]
    ks = distinct(runs, "k")
    rows = []
    for cost in paper.COSTS:
        for scheme in distinct(runs, "scheme"):
            found = [one(runs, scheme=scheme, cost_name=cost, k=k) for k in ks]
            rows.append([cost.upper(), str(scheme), *(_optimum(run) for run in found)])
    return table(["cost", "scheme", *(f"k = {k}" for k in ks)], rows, left=2)


def _optimum(run: Results) -> str:
    text = cost_text(run["cost_name"], run["cost"])
    return text if run["proven"] else f"≤ {text} (gap {100 * run['gap']:.1f} %)"


def step_title(along: str, step: object) -> str:
    """Name a column: a value of k, or a number of attributes."""
    return f"k = {step}" if along == "k" else f"{step} attribute{'' if step == 1 else 's'}"


def efforts(runs: Sequence[Results], along: str) -> str:
    """Return seconds to proof, or the gap left, of every scheme along k or the number of attributes."""
    steps = distinct(runs, along)
    rows = []
    for cost in paper.COSTS:
        for scheme in distinct(runs, "scheme"):
            found = {run[along]: run for run in pick(runs, scheme=scheme, cost_name=cost)}
            rows.append([cost.upper(), str(scheme), *(ended(found[s]) if s in found else "" for s in steps)])
    head = [step_title(along, step) for step in steps]
    return table(["cost", "scheme", *head], rows, left=2)


def searches(runs: Sequence[Results], along: str) -> str:
    """Return seconds to proof with their range, or the gap left, of every search, with the nodes."""
    steps = distinct(runs, along)
    rows = []
    for cost in paper.COSTS:
        for scheme in distinct(runs, "scheme"):
            for kind in distinct(runs, "techniques"):
                for search in distinct(runs, "search"):
                    wanted = {"scheme": scheme, "cost_name": cost, "techniques": kind, "search": search}
                    found = {run[along]: run for run in pick(runs, **wanted)}
                    if found:
                        cells = [_with_nodes(found[s]) if s in found else "" for s in steps]
                        rows.append([cost.upper(), str(scheme), str(kind), str(search), *cells])
    head = [step_title(along, step) for step in steps]
    return table(["cost", "scheme", "techniques", "search", *head], rows, left=4)


def _with_nodes(run: Results) -> str:
    least, most = run["range"]
    span = f" [{least:.2f}–{most:.2f}]" if run["proven"] else ""
    return f"{ended(run)}{span} ({count(run['nodes'])})"


def techniques(runs: Sequence[Results]) -> str:
    """Return seconds and nodes of every case with every technique switched in turn."""
    cases = list(dict.fromkeys((run["scheme"], run["cost_name"], run["limit"]) for run in runs))
    rows = []
    for variant in distinct(runs, "variant"):
        found = [
            one(runs, variant=variant, scheme=scheme, cost_name=cost, limit=limit)
            for scheme, cost, limit in cases
        ]
        rows.append(
            [str(variant), *(_with_nodes(run) for run in found), f"{seconds_of(runs, str(variant)):.1f}"]
        )
    head = [case_title(*case) for case in cases]
    return table(["techniques", *head, "seconds in all"], rows)


def case_title(scheme: str, cost: str, limit: float) -> str:
    """Name a case of Figure 13."""
    return f"{scheme}, {cost.upper()}" + ("" if limit else ", none suppressed")


COUNTERS = (
    "nodes",
    "pruned by bound",
    "contradictions",
    "dropped",
    "probes",
    "useless to join",
    "useless to split",
    "needed",
)


def counters(results: Results) -> str:
    """Return what was counted in the first case of Figure 13 with every technique switched in turn."""
    runs = results["techniques"]
    first = {name: runs[0][name] for name in ("scheme", "cost_name", "limit")}
    last = {name: runs[-1][name] for name in ("scheme", "cost_name", "limit")}
    rows = []
    for case in (first, last):
        for run in pick(runs, **case):
            counted = {"nodes": run["nodes"], **run["counts"]}
            title = case_title(run["scheme"], run["cost_name"], run["limit"])
            rows.append([title, run["variant"], *(count(counted[name]) for name in COUNTERS)])
    return table(["case", "techniques", *COUNTERS], rows, left=2)


def recounts(results: Results) -> str:
    """Return for one k what the recount of every optimum found."""
    runs = results["schemes_by_k"]
    middle = distinct(runs, "k")[len(distinct(runs, "k")) // 2]
    rows = []
    for run in pick(runs, k=middle):
        found, blocks = run["recount"]["found"], run["recount"]["recoding"]
        rows.append(
            [
                run["cost_name"].upper(),
                run["scheme"],
                " × ".join(str(number) for number in blocks.values()),
                str(found["k"]),
                count(found["suppressed"]),
                count(found["dm"]),
                f"{found['hdm']:,.3f}",
            ]
        )
    return table(["minimized", "scheme", "blocks", "k", "suppressed", "DM", "HDM"], rows, left=3)


__all__ = [
    "case_title",
    "cost_text",
    "counters",
    "efforts",
    "ended",
    "figure_9",
    "optima",
    "recounts",
    "searches",
    "techniques",
]
