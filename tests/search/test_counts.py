"""Whatever the number of threads, every search finds the same in the same order, and counts the same.

``python -m tests.search.test_counts 200`` tries so many tables.
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import InfeasibleError

ALONE = {
    "optimal": "levels",
    "optimal of sets": "sets",
    "optimal of ranges": "ordered",
    "descent": "levels",
    "bottom-up": "ordered",
    "top-down": "ordered",
}
SEVERAL = {
    "exhaustive": "sets",
    "lattice": "levels",
    "pbg-ea": "levels",
    "nsga2": "ordered",
    "nsga3": "levels",
    "spea2": "levels",
    "granulation-ga": "levels",
}
SHORT = {
    "descent": {"iterations": 3},
    **{
        name: {"population": 8, "iterations": 3}
        for name in (*SEVERAL,)
        if name not in ("exhaustive", "lattice")
    },
}


def draw(number: int) -> pd.DataFrame:
    """Return a random table of two attributes with hierarchies."""
    random = np.random.default_rng(number)
    rows = int(random.integers(12, 60))
    return pd.DataFrame({name: random.choice(list("abcdef"), rows) for name in ("home", "work")})


def specify(method: str, scheme: str, seed: int) -> sf.Spec:
    ladder = {"tree": {"left": {"ab": ["a", "b"], "c": ["c"]}, "right": {"de": ["d", "e"], "f": ["f"]}}}
    name = method.partition(" ")[0]
    objectives = {"minimize": ["loss"]} if method in ALONE else {"minimize": ["loss", "dm"]}
    attribute = {"role": "quasi-identifier", "kind": "category", "hierarchy": ladder, "scheme": scheme}
    return sf.Spec.from_dict(
        {
            "attributes": {"home": attribute, "work": attribute},
            "require": {"k": 3},
            "suppression": {"limit": 0.2, "rule": "failing"},
            "objectives": objectives,
            "search": {"method": name, "seed": seed, **SHORT.get(name, {})},
        }
    )


def run(frame: pd.DataFrame, spec: sf.Spec, threads: int) -> object:
    """Return what a search finds, in its order, and all that it counts."""
    try:
        front = sf.explore(frame, spec, threads=threads)
    except InfeasibleError as error:
        return str(error)
    told = {name: value for name, value in front.run.items() if not name.startswith(("seconds", "threads"))}
    return told, [(dict(item.measures), item.recoding) for item in front.solutions]


@pytest.mark.parametrize("tables", [1, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("method", [*ALONE, *SEVERAL])
def test_threads_change_no_count(method: str, tables: int) -> None:
    compare(method, tables)


def compare(method: str, tables: int) -> None:
    scheme = {**ALONE, **SEVERAL}[method]
    for number in range(tables):
        frame, spec = draw(number), specify(method, scheme, 1 + number)
        one, two, four = (run(frame, spec, threads) for threads in (1, 2, 4))
        assert one == two == four, number


if __name__ == "__main__":
    for name in (*ALONE, *SEVERAL):
        compare(name, int(sys.argv[1]))
        print(f"{name}: the same on 1, 2 and 4 threads for {sys.argv[1]} tables", flush=True)
