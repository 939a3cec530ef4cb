"""The whole study: measure everything, then write about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.search.branch_and_bound import Techniques, compile_branch_and_bound
from sfumato.search.techniques import PrintedParameters
from studies.common.progress import say
from studies.common.results import cores, versions
from studies.common.study import Study
from studies.optimal import paper, runs
from studies.optimal.census import hierarchy, make_case
from studies.optimal.figures import draw_all
from studies.optimal.readme import write_readme
from studies.optimal.recount import recount

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from studies.common.results import Results


@dataclass(frozen=True)
class Effort:
    """How much is run.

    Parameters
    ----------
    limit_s
        Processor seconds of one search.
    printed_limit_s
        The same for the printed searches under OPS, the only scheme for which both are printed.
    repeats
        How often a search that ends is run; its seconds are the median.
    search_ks, ks
        Values of k in Figure 10a, and in Figures 11b and 12.
    sizes
        How many of the attributes Figures 10b and 11a take.
    set_sizes
        The same for sets, whose proofs do not finish with more.
    schemes
        The schemes of Figures 11 and 12.
    without_order
        Schemes of Figure 12 in which ages are sets, too.
    ablated
        Scheme, cost and limit of the searches of Figure 13.
    proof_s, proof_size
        Processor seconds and attributes of each proof whose gap is followed over time.
    """

    limit_s: float = 10.0
    printed_limit_s: float = 60.0
    repeats: int = 3
    search_ks: Sequence[int] = paper.DIRECTION_KS
    ks: Sequence[int] = paper.KS
    sizes: Sequence[int] = range(1, 1 + len(paper.ATTRIBUTES))
    set_sizes: Sequence[int] = range(1, 5)
    schemes: Sequence[paper.Scheme] = paper.SCHEMES
    without_order: Sequence[paper.Scheme] = (paper.SPS_AGE,)
    ablated: Sequence[tuple[paper.Scheme, str, float]] = (
        (paper.OPS, "dm", 1.0),
        (paper.OPS, "hdm", 1.0),
        (paper.SPS, "dm", 1.0),
        (paper.SPS, "hdm", 1.0),
        (paper.OPS, "dm", 0.0),
        (paper.OPS, "hdm", 0.0),
    )
    ablated_printed: Sequence[str] = paper.COSTS
    proof_s: float = 1200.0
    proof_size: int = len(paper.ATTRIBUTES)


FULL = Effort()
QUICK = Effort(
    limit_s=0.5,
    printed_limit_s=0.5,
    repeats=1,
    search_ks=(2, 50),
    ks=(2, 50),
    sizes=(1, 2),
    set_sizes=(1, 2),
    schemes=(paper.BHS, paper.OPS, paper.SPS),
    without_order=(),
    ablated=((paper.OPS, "hdm", 1.0),),
    ablated_printed=("hdm",),
    proof_s=0.5,
    proof_size=2,
)
ABLATED_K = 10
PROOF_COSTS, PROOF_KS = (*paper.COSTS, "loss"), (2, 10, 25, 50)


def measure(quick: bool) -> Results:
    """Run everything, or a small part of everything."""
    effort = QUICK if quick else FULL
    compile_branch_and_bound()
    return {
        "quick": quick,
        "settings": _settings(effort),
        "versions": versions(),
        "cores": cores(),
        "attributes": _attributes(),
        "searches_by_k": list(_searches_by_k(effort)),
        "searches_by_size": list(_searches_by_size(effort)),
        "schemes_by_size": list(_schemes_by_size(effort)),
        "schemes_by_k": list(_schemes_by_k(effort)),
        "techniques": list(_techniques(effort)),
        "printed_techniques": list(_printed_techniques(effort)),
        "proofs": list(_proofs(effort)),
    }


def _settings(effort: Effort) -> Results:
    case = make_case(paper.FOUR, paper.OPS, paper.FIXED_K, "dm")
    return {
        "limit_s": effort.limit_s,
        "printed_limit_s": effort.printed_limit_s,
        "repeats": effort.repeats,
        "rows": case.problem.cube.row_count,
        "distinct": case.problem.cube.distinct,
        "fingerprint": case.problem.cube.fingerprint,
        "ablated_k": ABLATED_K,
        "proof_s": effort.proof_s,
    }


def _attributes() -> Results:
    """Count what each scheme allows for every attribute."""
    schemes = (*paper.SCHEMES, paper.SPS_AGE)
    found: Results = {name: {"levels": len(hierarchy(name)[0]), "counts": {}} for name in paper.ATTRIBUTES}
    for scheme in schemes:
        case = make_case(paper.ATTRIBUTES, scheme, paper.FIXED_K, "dm")
        for name, count in zip(paper.ATTRIBUTES, case.prepared.counts, strict=True):
            found[name]["values"] = len(hierarchy(name))
            found[name]["counts"][scheme.name] = str(count)
    return found


def _searches_by_k(effort: Effort) -> Iterator[Results]:
    """Figure 10a."""
    for scheme in (paper.OPS, paper.SPS):
        for cost in paper.COSTS:
            for k in effort.search_ks:
                about = {"scheme": scheme.name, "cost_name": cost, "k": k}
                yield from _searches(effort, paper.FOUR, scheme, about)


def _searches_by_size(effort: Effort) -> Iterator[Results]:
    """Figure 10b."""
    for scheme, sizes in ((paper.OPS, effort.sizes), (paper.SPS, effort.set_sizes)):
        for cost in paper.COSTS:
            for size in sizes:
                about = {"scheme": scheme.name, "cost_name": cost, "k": paper.FIXED_K, "size": size}
                yield from _searches(effort, paper.ATTRIBUTES[:size], scheme, about)


def _searches(
    effort: Effort, attributes: tuple[str, ...], scheme: paper.Scheme, about: Results
) -> Iterator[Results]:
    """Search as both papers print it, with all techniques and with few, and in our own way.

    Cuts are printed for ordered domains alone. Few techniques finish with few attributes alone.
    """
    case = make_case(attributes, scheme, about["k"], about["cost_name"])
    say(f"  searches: {', '.join(f'{name} {value}' for name, value in about.items())}")
    is_small = about.get("size", 0) <= max(effort.set_sizes)
    limit = effort.printed_limit_s if scheme is paper.OPS and is_small else effort.limit_s
    for name in runs.PRINTED if scheme is paper.OPS else runs.PRINTED[:1]:
        for kind, switched in (("all", {}), ("few", runs.FEW)):
            if kind == "all" or (scheme is paper.OPS and is_small):
                use = PrintedParameters(**switched)
                found = runs.run(case, use, limit, effort.repeats, method=name)
                yield about | {"search": name, "techniques": kind, **found}
    found = runs.run(case, Techniques(), effort.limit_s, effort.repeats)
    yield about | {"search": "own", "techniques": "all", **found}


def _schemes_by_size(effort: Effort) -> Iterator[Results]:
    """Figure 11a."""
    for cost in paper.COSTS:
        for scheme in effort.schemes:
            for size in effort.sizes:
                say(f"  schemes: {scheme.name}, {cost}, {size} attributes")
                case = make_case(paper.ATTRIBUTES[:size], scheme, paper.FIXED_K, cost)
                about = {"scheme": scheme.name, "cost_name": cost, "k": paper.FIXED_K, "size": size}
                yield about | runs.run(case, Techniques(), effort.limit_s, effort.repeats)


def _schemes_by_k(effort: Effort) -> Iterator[Results]:
    """Figures 11b and 12, each solution released and counted again."""
    for cost in paper.COSTS:
        for scheme in (*effort.schemes, *effort.without_order):
            for k in effort.ks:
                say(f"  schemes: {scheme.name}, {cost}, k = {k}")
                case = make_case(paper.FOUR, scheme, k, cost)
                result, found = runs.repeat(case, Techniques(), effort.limit_s, effort.repeats)
                about = {"scheme": scheme.name, "cost_name": cost, "k": k}
                yield about | found | {"recount": recount(case, result, k)}


def _techniques(effort: Effort) -> Iterator[Results]:
    """Figure 13."""
    for scheme, cost, limit in effort.ablated:
        case = make_case(paper.FOUR, scheme, ABLATED_K, cost, limit=limit)
        about = {"scheme": scheme.name, "cost_name": cost, "limit": limit}
        for name, switched in runs.VARIANTS.items():
            say(f"  techniques: {scheme.name}, {cost}, limit {limit:g}, {name}")
            found = runs.run(case, Techniques(**switched), effort.limit_s, effort.repeats)
            yield about | {"variant": name} | found


def _printed_techniques(effort: Effort) -> Iterator[Results]:
    """Figure 13 with the search that the paper prints."""
    for cost in effort.ablated_printed:
        case = make_case(paper.FOUR, paper.OPS, ABLATED_K, cost)
        for name, switched in runs.FAMILIES.items():
            say(f"  printed techniques: {cost}, {name}")
            use = PrintedParameters(**switched)
            found = runs.run(case, use, effort.printed_limit_s, effort.repeats, method="bottom-up")
            yield {"scheme": paper.OPS.name, "cost_name": cost, "limit": 1.0, "variant": name} | found


def _proofs(effort: Effort) -> Iterator[Results]:
    """How the gap of the largest ordered space closes."""
    for cost in PROOF_COSTS:
        for k in PROOF_KS:
            say(f"  proofs: {cost}, k = {k}")
            case = make_case(paper.ATTRIBUTES[: effort.proof_size], paper.OPS, k, cost)
            about = {"cost_name": cost, "k": k, "size": effort.proof_size}
            rows = case.problem.cube.rows
            yield (
                about
                | {"distinct": len(rows), "failing": int((rows < k).sum())}
                | runs.follow(case, effort.proof_s)
            )


def write(results: Results, folder: Path) -> None:
    """Write README and figures."""
    draw_all(results, folder / "figures")
    write_readme(results, folder)


STUDY = Study(
    "optimal",
    "Towards optimal k-anonymization: Figures 10 to 13, six schemes and proven optima",
    Path(__file__).parent,
    measure,
    write,
)

__all__ = ["STUDY", "measure", "write"]
