"""The census with occupation and salary class confidential."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import sfumato as sf
from sfumato.preparing import load, make_problem
from studies.granulation.searches import Whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.search import GranulationParameters
    from studies.common.results import Results

SALARY = "'salary-class' == '>50K'"
OCCUPATIONS = (
    "Adm-clerical",
    "Armed-Forces",
    "Craft-repair",
    "Exec-managerial",
    "Farming-fishing",
    "Handlers-cleaners",
    "Machine-op-inspct",
    "Other-service",
    "Priv-house-serv",
    "Prof-specialty",
    "Protective-serv",
    "Sales",
    "Tech-support",
    "Transport-moving",
)


@dataclass(frozen=True)
class Secret:
    """What is confidential, and how many rows may be suppressed.

    Parameters
    ----------
    name, title
        Its key in the results, and what the README calls it.
    sentences
        As a specification lists them.
    limit
        Share of rows.
    """

    name: str
    title: str
    sentences: tuple[dict[str, object], ...]
    limit: float = 0.0


_HIGH: dict[str, object] = {"sentence": SALARY}
_EVERY: tuple[dict[str, object], ...] = tuple({"sentence": f"occupation == '{name}'"} for name in OCCUPATIONS)
_YOUNG: dict[str, object] = {
    "sentence": "occupation in {'Priv-house-serv', 'Armed-Forces', 'Handlers-cleaners'}",
    "for": "age < 30",
}
SECRETS = (
    Secret("salary", "a high salary", (_HIGH,)),
    Secret("both", "a high salary, every occupation", (_HIGH, *_EVERY)),
    Secret("young", "a high salary; three occupations of the young", (_HIGH, _YOUNG)),
    Secret("salary_1", "a high salary; 1 % suppressed", (_HIGH,), 0.01),
    Secret("both_1", "a high salary, every occupation; 1 % suppressed", (_HIGH, *_EVERY), 0.01),
    Secret("young_1", "a high salary; three occupations of the young; 1 % suppressed", (_HIGH, _YOUNG), 0.01),
)
DRAWN = "both"
"""The case whose recodings are drawn; nothing may be suppressed in it."""


def in_order(results: Results) -> list[Results]:
    """Return the results of all cases, in the order in which they are told."""
    return [results["census"][secret.name] for secret in SECRETS if secret.name in results["census"]]


def whole_of(secret: Secret) -> Whole:
    """Return the embedded census with seven quasi-identifiers, every class to be secure."""
    spec = sf.Spec.load(sf.datasets.adult_spec_path())
    tables = spec.to_dict()
    attributes = tables["attributes"]
    assert isinstance(attributes, dict)
    attributes["salary-class"] = {"role": "sensitive"}
    given = {
        "confidential": list(secret.sentences),
        "require": {"secure": 1},
        "suppression": {"limit": secret.limit},
        "objectives": {"maximize": ["sf", "ql"]},
    }
    prepared = load(None, sf.Spec.from_dict({**tables, **given}, folder=spec.folder))
    return Whole(make_problem(prepared, ("sf", "ql"), ()))


def measure(secret: Secret, seeds: Sequence[int], parameters: GranulationParameters) -> Results:
    """Run the three searches on one case."""
    whole = whole_of(secret)
    found = {
        "title": secret.title,
        "sentences": len(secret.sentences),
        "limit": secret.limit,
        "rows": whole.problem.cube.row_count,
        **whole.describe(),
        **whole.compare(seeds, parameters),
    }
    return found | ({"points": _points(whole, found)} if secret.name == DRAWN else {})


def _points(whole: Whole, found: Results) -> Results:
    """Return sf and ql for the figure, thinned where many recodings lie together."""
    specific = {tuple(node) for node in found["plain"]["specific"]}
    is_specific = np.array([tuple(node) in specific for node in whole.nodes.tolist()])
    values = whole.unsuppressed
    others = values[~whole.secure]
    return {
        "insecure": np.unique(
            np.column_stack([np.round(others[:, 0], 3), np.round(others[:, 1], 2)]), axis=0
        ),
        "secure": np.unique(np.round(values[whole.secure & ~is_specific], 3), axis=0),
        "specific": np.round(values[is_specific], 4),
        "untouched": np.round(values[0], 4),
        "optimum": np.round(values[whole.optimum], 4),
    }


__all__ = ["DRAWN", "OCCUPATIONS", "SECRETS", "Secret", "in_order", "measure", "whole_of"]
