"""The whole study: measure everything, then write about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.search.branch_and_bound import Techniques, compile_branch_and_bound
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

DIRECTIONS = ("bottom-up", "top-down")


@dataclass(frozen=True)
class Effort:
    """How much is run.

    Parameters
    ----------
    limit_s
        Processor seconds of one search.
    direction_ks, ks
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
    """

    limit_s: float = 10.0
    direction_ks: Sequence[int] = paper.DIRECTION_KS
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


FULL = Effort()
QUICK = Effort(
    limit_s=0.5,
    direction_ks=(2, 50),
    ks=(2, 50),
    sizes=(1, 2),
    set_sizes=(1, 2),
    schemes=(paper.BHS, paper.OPS, paper.SPS),
    without_order=(),
    ablated=((paper.OPS, "hdm", 1.0),),
)
ABLATED_K = 10


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
        "directions_by_k": list(_directions_by_k(effort)),
        "directions_by_size": list(_directions_by_size(effort)),
        "schemes_by_size": list(_schemes_by_size(effort)),
        "schemes_by_k": list(_schemes_by_k(effort)),
        "techniques": list(_techniques(effort)),
    }


def _settings(effort: Effort) -> Results:
    case = make_case(paper.FOUR, paper.OPS, paper.FIXED_K, "dm")
    return {
        "limit_s": effort.limit_s,
        "rows": case.problem.cube.row_count,
        "distinct": case.problem.cube.distinct,
        "fingerprint": case.problem.cube.fingerprint,
        "ablated_k": ABLATED_K,
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


def _directions_by_k(effort: Effort) -> Iterator[Results]:
    """Figure 10a."""
    for scheme in (paper.OPS, paper.SPS):
        for cost in paper.COSTS:
            for k in effort.direction_ks:
                say(f"  directions: {scheme.name}, {cost}, k = {k}")
                about = {"scheme": scheme.name, "cost_name": cost, "k": k}
                yield from _directions(effort, paper.FOUR, scheme, about)


def _directions_by_size(effort: Effort) -> Iterator[Results]:
    """Figure 10b."""
    for scheme, sizes in ((paper.OPS, effort.sizes), (paper.SPS, effort.set_sizes)):
        for cost in paper.COSTS:
            for size in sizes:
                say(f"  directions: {scheme.name}, {cost}, {size} attributes")
                about = {"scheme": scheme.name, "cost_name": cost, "k": paper.FIXED_K, "size": size}
                yield from _directions(effort, paper.ATTRIBUTES[:size], scheme, about)


def _directions(
    effort: Effort, attributes: tuple[str, ...], scheme: paper.Scheme, about: Results
) -> Iterator[Results]:
    """Search in both directions with all techniques; under OPS also with few of them."""
    case = make_case(attributes, scheme, about["k"], about["cost_name"])
    for direction in DIRECTIONS:
        yield about | {
            "direction": direction,
            "techniques": "all",
            **runs.run(case, Techniques(direction), effort.limit_s),
        }
        if scheme is paper.OPS and about.get("size", 0) <= max(effort.set_sizes):
            few = Techniques(direction, **runs.PLAIN)
            yield about | {
                "direction": direction,
                "techniques": "few",
                **runs.run(case, few, effort.limit_s),
            }


def _schemes_by_size(effort: Effort) -> Iterator[Results]:
    """Figure 11a."""
    for cost in paper.COSTS:
        for scheme in effort.schemes:
            for size in effort.sizes:
                say(f"  schemes: {scheme.name}, {cost}, {size} attributes")
                case = make_case(paper.ATTRIBUTES[:size], scheme, paper.FIXED_K, cost)
                about = {"scheme": scheme.name, "cost_name": cost, "k": paper.FIXED_K, "size": size}
                yield about | runs.run(case, Techniques(), effort.limit_s)


def _schemes_by_k(effort: Effort) -> Iterator[Results]:
    """Figures 11b and 12, each solution released and counted again."""
    for cost in paper.COSTS:
        for scheme in (*effort.schemes, *effort.without_order):
            for k in effort.ks:
                say(f"  schemes: {scheme.name}, {cost}, k = {k}")
                case = make_case(paper.FOUR, scheme, k, cost)
                result, seconds = runs.search(case, Techniques(), effort.limit_s)
                about = {"scheme": scheme.name, "cost_name": cost, "k": k}
                yield about | runs.describe(result, seconds) | {"recount": recount(case, result, k)}


def _techniques(effort: Effort) -> Iterator[Results]:
    """Figure 13."""
    for scheme, cost, limit in effort.ablated:
        case = make_case(paper.FOUR, scheme, ABLATED_K, cost, limit=limit)
        about = {"scheme": scheme.name, "cost_name": cost, "limit": limit}
        for name, switched in runs.VARIANTS.items():
            say(f"  techniques: {scheme.name}, {cost}, limit {limit:g}, {name}")
            found = runs.run(case, Techniques(**switched), effort.limit_s)
            yield about | {"variant": name} | found


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
