"""Prices on boxes that are too small: a bound that is never above what brute force finds, and says much."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from sfumato.classes import Rule, Suppression
from sfumato.domains import Cube, Ladder, Lattice
from sfumato.kernels.expanding import price_first
from sfumato.measures import Setting, make_measure
from sfumato.schemes import Ordered
from sfumato.search import Problem, Requirement, Run
from sfumato.search.branch_and_bound import search_branch_and_bound
from sfumato.search.branch_and_bound.bounded_search import _BoundedSearch

TABLES = 300
OPEN, JOINED, APART = 0, 1, 2


def _table(seed: int) -> tuple[np.ndarray, tuple[int, ...], int, str]:
    """Return codes, sizes of three domains, k, and what is minimized."""
    rng = np.random.default_rng(seed)
    sizes = tuple(rng.integers(2, 5, size=3).tolist())
    rows = int(rng.integers(8, 40))
    codes = np.stack([rng.binomial(size - 1, rng.uniform(0.2, 0.8), rows) for size in sizes], axis=1)
    return codes, sizes, int(rng.integers(2, 6)), str(rng.choice(["loss", "hdm", "glm"]))


def _problem(codes: np.ndarray, sizes: tuple[int, ...], k: int, cost: str) -> Problem:
    names = tuple(f"q{a}" for a in range(len(sizes)))
    cube = Cube.sorted(names, sizes, codes.astype(np.int32), rows=np.ones(len(codes), dtype=np.int64))
    ladders = tuple(
        Ladder.whole(np.stack([np.arange(size), np.zeros(size)]).astype(np.int32)) for size in sizes
    )
    setting = Setting(names, (), np.ones(len(sizes)))
    required = (Requirement(make_measure("k", setting), k),)
    return Problem(
        cube,
        Lattice(ladders),
        (make_measure(cost, setting),),
        required,
        Suppression(Rule.FAILING, len(codes)),
        schemes=tuple(map(Ordered, sizes)),
    )


def _brute_force(
    codes: np.ndarray, sizes: tuple[int, ...], k: int, cost: str
) -> dict[tuple[int, ...], float]:
    """Return what every recoding costs, by its joins of neighbours (1) and cuts (2) in all attributes."""
    n, q = codes.shape
    partial = []
    for a, size in enumerate(sizes):
        found = {}
        for cuts in product((JOINED, APART), repeat=size - 1):
            block = np.concatenate([[0], np.cumsum(np.array(cuts, dtype=int) == APART)])
            mass = np.ones(size) if cost != "hdm" else np.bincount(codes[:, a], minlength=size)
            joined = np.bincount(block, weights=mass)[block]
            span = mass.sum() - (mass if cost == "hdm" else 1)
            cells = np.divide(joined - mass, span, out=np.zeros(size), where=span > 0)
            found[cuts] = block[codes[:, a]], cells[codes[:, a]]
        partial.append(found)
    costs = {}
    for choice in product(*partial):
        parts = [partial[a][cuts] for a, cuts in enumerate(choice)]
        keys = np.ravel_multi_index([part[0] for part in parts], sizes)
        lost = np.bincount(keys, minlength=int(np.prod(sizes)))[keys] < k
        cells = np.where(lost, 1.0, sum(part[1] for part in parts) / q)
        costs[sum(choice, ())] = float(cells.sum() * {"loss": 1 / n, "hdm": 1.0, "glm": q}[cost])
    return costs


def _bound(problem: Problem, best: float, states: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the bound of a node, and of both ways to decide each element."""
    search = _BoundedSearch(problem, Run(threads=1))
    memory = search._allocate()
    work = memory.works[0]
    work.joined_bound[:] = work.apart_bound[:] = -np.inf
    arrays = (search.tuples, search.space.decisions, memory.ends, search.model, search.use, best, 2)
    bound = price_first(*arrays, states.astype(np.int32), memory.works)
    return bound, work.joined_bound.copy(), work.apart_bound.copy()


def test_no_bound_is_above_brute_force() -> None:
    """Of nodes with some decisions, and of both ways to decide each element that is open."""
    reached = []
    for seed in range(TABLES):
        codes, sizes, k, cost = _table(seed)
        costs = _brute_force(codes, sizes, k, cost)
        rng = np.random.default_rng(seed)
        elements = sum(sizes) - 3
        states = np.where(rng.random(elements) < 0.3 * (seed % 2), rng.integers(1, 3, elements), OPEN)
        agreeing = {
            item: value
            for item, value in costs.items()
            if all(state in (OPEN, way) for state, way in zip(states, item, strict=True))
        }
        least = min(agreeing.values())
        bound, joined, apart = _bound(_problem(codes, sizes, k, cost), least * 1.05 + 1e-6, states)
        assert bound <= least * (1 + 1e-9), (seed, bound, least)
        for e in np.flatnonzero(states == OPEN):
            for way, found in ((JOINED, joined[e]), (APART, apart[e])):
                allowed = min((value for item, value in agreeing.items() if item[e] == way), default=np.inf)
                assert found <= allowed * (1 + 1e-9), (seed, e, way, found, allowed)
        reached.append(bound / least if least else 1.0)
    # Where nothing is decided a bound without prices says nothing at all.
    assert np.mean(reached[::2]) > 0.5


@pytest.mark.some(10)
@pytest.mark.parametrize("seed", range(1000, 1040))
def test_searches_with_prices_find_what_brute_force_finds(seed: int) -> None:
    """Prices go down from node to node, also where the cost to beat comes late."""
    codes, sizes, k, cost = _table(seed)
    result = search_branch_and_bound(_problem(codes, sizes, k, cost), Run(threads=1))
    assert result.complete
    assert result.certificate is not None
    least = min(_brute_force(codes, sizes, k, cost).values())
    assert float(str(result.certificate["cost"])) == pytest.approx(least, rel=1e-9, abs=1e-12)
