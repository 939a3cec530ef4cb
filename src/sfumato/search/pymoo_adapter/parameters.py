"""What a user may say about a search by one of pymoo's algorithms, and which of these there are."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.errors import ParameterError

ALGORITHMS: dict[str, str] = {
    "nsga2": "NSGA-II",
    "nsga3": "NSGA-III",
    "unsga3": "U-NSGA-III",
    "agemoea": "AGE-MOEA",
    "smsemoa": "SMS-EMOA",
    "spea2": "SPEA2",
    "moead": "MOEA/D",
}
"""The name of a search method → the name in the literature."""


@dataclass(frozen=True)
class EvolutionParameters:
    """Parameters of the algorithms of pymoo."""

    # recodings in a population. Algorithms that follow reference directions take the largest number of evenly
    # spread ones that is not above it.
    population: int = 200
    iterations: int = 250  # populations made after the first one
    crossover: float = 0.9  # probability that a pair of parents is crossed
    # probability that a bit of an unconstrained attribute flips, and that an attribute whose scheme has no
    # bits moves to a neighbour
    mutation: float = 0.1
    # probability that an attribute under `cuts` or `guided-ordered` moves to a neighbouring member. Where
    # None it is 0, as in the chapter, if another attribute mutates; if none does, it is `mutation`, since
    # crossover alone makes nothing new.
    constrained_mutation: float | None = None
    # whether the best full-domain recodings are found first, and half of the first population taken from
    # them. Otherwise it is random throughout.
    seeding: bool = True
    # after so many populations in a row without a gain in hypervolume the search ends; None for never
    patience: int | None = None

    def __post_init__(self) -> None:
        if self.population < 2:
            raise ParameterError(f"population must be at least 2; got {self.population}.")
        if self.iterations < 0:
            raise ParameterError(f"iterations must be at least 0; got {self.iterations}.")
        if self.patience is not None and self.patience < 1:
            raise ParameterError(f"patience must be at least 1; got {self.patience}.")
        for name in ("crossover", "mutation", "constrained_mutation"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise ParameterError(f"{name} must be a probability from 0 to 1; got {value}.")
