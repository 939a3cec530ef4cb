"""The whole study: measure everything, then write about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.search import GranulationParameters
from studies.common.progress import say
from studies.common.results import cores, versions
from studies.common.study import Study
from studies.granulation import census, example, paper
from studies.granulation.figures import draw_all
from studies.granulation.readme import write_readme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studies.common.results import Results


@dataclass(frozen=True)
class Effort:
    """How much is run."""

    secrets: Sequence[census.Secret] = census.SECRETS
    seeds: Sequence[int] = range(paper.SEEDS)
    iterations: int = 100


FULL = Effort()
QUICK = Effort(secrets=census.SECRETS[1:2], seeds=range(2), iterations=5)


def measure(quick: bool) -> Results:
    """Run everything, or a small part of everything."""
    effort = QUICK if quick else FULL
    parameters = GranulationParameters(
        paper.POPULATION, effort.iterations, crossover=paper.CROSSOVER, elite=paper.ELITE
    )
    say("  the running example")
    results: Results = {
        "quick": quick,
        "settings": {
            "population": parameters.population,
            "iterations": parameters.iterations,
            "crossover": parameters.crossover,
            "elite": parameters.elite,
            "seeds": list(effort.seeds),
        },
        "versions": versions(),
        "cores": cores(),
        "example": example.measure(effort.seeds, parameters),
        "census": {},
    }
    for secret in effort.secrets:
        say(f"  the census: {secret.title}")
        results["census"][secret.name] = census.measure(secret, effort.seeds, parameters)
    return results


def write(results: Results, folder: Path) -> None:
    """Write README and figures."""
    draw_all(results, folder / "figures")
    write_readme(results, folder)


STUDY = Study(
    "granulation",
    "Attribute-oriented granulation: the running example in full, and security tests on the census",
    Path(__file__).parent,
    measure,
    write,
)

__all__ = ["STUDY", "measure", "write"]
