"""Annealing under flexible schemes: valid recodings, right costs, and nothing lost in a larger space."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.classes import Rule, Suppression
from sfumato.domains import Cube, Ladder, Lattice, Partition
from sfumato.kernels.annealing import anneal
from sfumato.measures import Setting, make_measure
from sfumato.schemes import Ordered, Sets
from sfumato.search import Monitor, Problem, Requirement, Run
from sfumato.search.branch_and_bound import bounded_search, search_branch_and_bound
from sfumato.search.branch_and_bound.incumbents import make_moves
from tests.examples import examples
from tests.package import problem_of
from tests.search.test_branch_and_bound import tasks


@given(tasks(), st.integers(0, 1000))
@examples(200)
def test_every_step_is_a_recoding_of_its_schemes_at_the_cost_it_says(task, seed):
    """Steps of any kind, from the coarsest recoding on."""
    case, asked, schemes = task
    search = bounded_search._BoundedSearch(replace(problem_of(case, asked), schemes=schemes), Run(threads=1))
    block = search._block_of(tuple(scheme.coarsest for scheme in schemes))
    moves = make_moves(search.space, schemes, block, seed)
    memory, draws = search._allocate(), np.random.default_rng(seed).random((200, 4))
    arrays = (search.tuples, search.space.decisions, memory.ends, search.model)
    trail = np.zeros((5, len(block)), dtype=np.int32), np.full(5, np.inf)
    anneal(*arrays, moves, 10.0, draws, memory.works, block, trail)
    used = np.isfinite(trail[1])
    for found, cost in zip((block, *trail[0][used]), (np.inf, *trail[1][used]), strict=True):
        parts = [Partition.of(item) for item in search.space.blocks(found)]
        assert all(scheme.is_valid(item) for scheme, item in zip(schemes, parts, strict=True))
        if search.model.exact and np.isfinite(cost):
            statistics = search.recodings.evaluate([item.block[None] for item in parts])
            assert search.problem.feasible(statistics)[0]
            assert search.objective.cost(statistics)[0] == pytest.approx(cost, rel=1e-9, abs=1e-9)


def _random(seed: int, scheme: type[Sets | Ordered], rows: int = 150, values: int = 9) -> Problem:
    """Return a problem of three attributes of which the first two go together."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(values, size=(rows, 3)).astype(np.int32)
    codes[:, 1] = (codes[:, 0] * 4 + rng.integers(3, size=rows)) % values
    names, sizes = ("a", "b", "c"), (values,) * 3
    cube = Cube.sorted(names, sizes, codes, rows=np.ones(rows, dtype=np.int64))
    levels = np.stack([np.arange(values), np.arange(values) // 3, np.zeros(values)]).astype(np.int32)
    lattice, setting = Lattice((Ladder.whole(levels),) * 3), Setting(names, (), np.ones(3))
    required = (Requirement(make_measure("k", setting), 4),)
    suppression = Suppression(Rule.FAILING, rows // 5)
    return Problem(
        cube, lattice, (make_measure("loss", setting),), required, suppression, schemes=(scheme(values),) * 3
    )


def _seeded(problem: Problem, threads: int) -> bounded_search._BoundedSearch:
    search = bounded_search._BoundedSearch(problem, Run(threads=threads))
    search._seed()
    return search


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let chains be doubled twice."""
    monkeypatch.setattr(bounded_search, "EPOCHS", 3)


@pytest.mark.usefixtures("short")
def test_sets_are_never_worse_than_ordered():
    """Contiguous blocks are searched first, by the same steps; and elsewhere there is more to find."""
    gained = 0
    for seed in range(20):
        free, ordered = (_seeded(_random(seed, scheme), 2).best.cost for scheme in (Sets, Ordered))
        assert free <= ordered
        gained += free < ordered - 1e-9
    assert gained >= 15


@pytest.mark.usefixtures("short")
def test_threads_do_not_change_what_is_found():
    """Chains are as many whatever the threads, and taken in in their order."""
    one, three = (_seeded(_random(1, Sets), threads).best for threads in (1, 3))
    assert one.cost == three.cost
    assert one.block.tolist() == three.block.tolist()


def test_a_time_limit_is_kept_where_one_node_takes_long():
    """With 3 × 1,770 pairs of values, bounding the first node alone takes many times the limit."""
    problem = _random(1, Sets, rows=20_000, values=60)
    search_branch_and_bound(_random(1, Sets, rows=20, values=3), Run(threads=1))  # compile
    result = search_branch_and_bound(problem, Run(Monitor(0.5), threads=2))
    assert result.stopped == "time limit"
    assert result.seconds < 2.0
    assert len(result.nodes)
