"""Listed partitions, mixed lattices and arbitrary recodings against plain loops and each other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.classes import (
    Batch,
    CellCost,
    Property,
    PropertyKind,
    Recodings,
    Request,
    Rule,
    Statistics,
    Suppression,
    Threshold,
)
from sfumato.domains import Cube, Ladder, Lattice
from sfumato.errors import ParameterError
from tests.examples import examples
from tests.mixed_cases import MixedCase, mixed_cases
from tests.oracles import lattice as oracle
from tests.oracles import measures
from tests.oracles.classes import group, recoding_at
from tests.oracles.suppression import budget, suppress
from tests.package import cube_of, problem_of
from tests.strategies import cases, closeness, limits, tables

if TYPE_CHECKING:
    from sfumato.search import Problem

NAMED = {
    Rule.NONE: "none",
    Rule.FAILING: "failing",
    Rule.SMALLEST: "smallest",
    Rule.FAILING_THEN_SMALLEST: "auto",
    Rule.BELOW_MEAN: "below-mean",
}


def asked_of(mixed: MixedCase, limit: float, rule: Rule, k: int) -> tuple[oracle.Problem, Problem]:
    """Ask the oracle and the package for everything but precision."""
    asked = oracle.Problem(
        mixed.table,
        maximize=(
            *("k", "mean_k", "spread_k", "distinct_l(s1)", "spread_l(s1)", "usefulness", "protection"),
            *("entropy_l(s1)", "recursive_l(s1, 3)", "share_l(s1)"),
        ),
        minimize=(
            *("t(s1)", "t(s1, ordered)", "t(s1, hierarchical)", "loss", "gl", "sl", "dm", "hdm"),
            *("average_class", "suppressed", "cm(s1)"),
        ),
        require={"k": k},
        limit=limit,
        rule=NAMED[rule],
        weights=dict(zip(mixed.case.names, (0.5, 1.0, 2.0), strict=False)),
    )
    return asked, replace(problem_of(mixed.case, asked), lattice=mixed.lattice)


def assert_equal_to_oracle(
    asked: oracle.Problem, problem: Problem, nodes: np.ndarray, statistics: Statistics
) -> None:
    feasible = problem.feasible(statistics)
    values = {item.name: item.value(statistics) for item in problem.measures}
    for place, node in enumerate(nodes):
        expected = oracle.evaluate(asked, tuple(int(number) for number in node))
        assert feasible[place] == (expected is not None)
        if expected is not None:
            assert statistics.classes[place] == expected.classes
            for name, found in values.items():
                close = pytest.approx(float(expected.measures[name]), rel=closeness(asked.table))
                assert float(found[place]) == close, name


@given(mixed_cases(), limits(), st.sampled_from(list(Rule)), st.integers(1, 4))
@examples(120)
def test_every_node_of_a_mixed_lattice_equals_the_oracle(mixed, limit, rule, k):
    """Levels beside listed partitions that do not nest, under every rule."""
    asked, problem = asked_of(mixed, limit, rule, k)
    nodes = problem.lattice.nodes(0, problem.lattice.size)
    assert_equal_to_oracle(asked, problem, nodes, problem.batch(threads=2).evaluate(nodes))


@given(mixed_cases(), limits(), st.sampled_from(list(Rule)), st.integers(1, 4))
@examples(120)
def test_recodings_equal_the_oracle(mixed, limit, rule, k):
    """The same, each recoding by itself, given by its blocks."""
    asked, problem = asked_of(mixed, limit, rule, k)
    nodes = problem.lattice.nodes(0, problem.lattice.size)
    statistics = problem.recodings(threads=2).evaluate(mixed.blocks(nodes))
    assert_equal_to_oracle(asked, problem, nodes, statistics)


def everything(cube: Cube) -> Request:
    kinds = [PropertyKind.DISTINCT, PropertyKind.SQUARES, PropertyKind.T_EQUAL, PropertyKind.MAJORITY]
    size = Property(PropertyKind.SIZE)
    properties = (size, *(Property(kind, a) for a in range(len(cube.sensitive)) for kind in kinds))
    return Request(properties, tuple(CellCost), (Threshold(size, 2.0),))


def assert_same(first: Statistics, second: Statistics) -> None:
    assert np.array_equal(first.sums, second.sums)
    assert np.array_equal(first.worst, second.worst)
    assert np.array_equal(first.penalties, second.penalties)
    assert np.array_equal(first.limits, second.limits)


@given(mixed_cases(all_listed=True), st.sampled_from([64, 64, 3, 7]), st.sampled_from(list(Rule)))
@examples(120)
def test_recodings_equal_the_batch_of_listed_partitions(mixed, word_bits, rule):
    """To the last bit, in every column, with wide keys too, and class by class."""
    cube = cube_of(mixed.case)
    nodes = mixed.lattice.nodes(0, mixed.lattice.size)
    rest = (mixed.lattice, everything(cube), Suppression(rule, cube.row_count // 3))
    batch = Batch(cube, *rest, threads=2)
    recodings = Recodings(cube, *rest, threads=2, word_bits=word_bits)
    blocks = mixed.blocks(nodes)
    found = recodings.evaluate(blocks)
    assert_same(batch.evaluate(nodes), found)
    assert recodings.evaluated == len(nodes)
    last = len(nodes) - 1
    one, other = batch.classes(nodes[last]), found.classes_of(found.nodes[last])
    for name in ("blocks", "rows", "sizes", "suppressed", "values"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


@given(cases(tables(min_sensitive=1, max_attributes=3)))
def test_recodings_that_are_levels_equal_the_batch_of_levels(case):
    """With the levels named, heights too."""
    cube = cube_of(case)
    lattice = Lattice(tuple(Ladder.whole(matrix) for matrix in case.matrices))
    nodes = lattice.nodes(0, lattice.size)
    rest = (lattice, everything(cube), Suppression(Rule.FAILING, cube.row_count // 3))
    blocks = [matrix[nodes[:, a]] for a, matrix in enumerate(case.matrices)]
    found = Recodings(cube, *rest, threads=1).evaluate(blocks, levels=nodes)
    assert_same(Batch(cube, *rest, threads=1).evaluate(nodes), found)


@given(mixed_cases(all_listed=True), st.integers(1, 4), limits())
def test_heights_of_blocks_that_are_no_levels(mixed, k, limit):
    """Precision takes the lowest level of the hierarchy that covers a block."""
    asked = oracle.Problem(mixed.table, maximize=("precision",), require={"k": k}, limit=limit)
    problem = replace(problem_of(mixed.case, asked), lattice=mixed.lattice)
    nodes = mixed.lattice.nodes(0, mixed.lattice.size)
    statistics = problem.batch(threads=1).evaluate(nodes)
    found = problem.objectives[0].value(statistics)
    for place in np.flatnonzero(problem.feasible(statistics)):
        recoding = recoding_at(mixed.table.ladders, nodes[place].tolist())
        classes = list(group(mixed.table.rows, recoding).values())
        kept = suppress(
            oracle.rule_of(asked),
            classes,
            lambda members: oracle.class_meets(asked, members),
            budget(limit, len(mixed.table.rows)),
            mixed.table.persons,
        )
        assert kept is not None
        expected = measures.precision_of_blocks(mixed.table.rows, recoding, kept, mixed.hierarchies())
        assert found[place] == pytest.approx(float(expected), rel=1e-12)


@given(mixed_cases(), st.randoms(use_true_random=False))
def test_order_of_mixed_nodes_and_threads_do_not_matter(mixed, random):
    cube = cube_of(mixed.case)
    nodes = mixed.lattice.nodes(0, mixed.lattice.size)
    rest = (mixed.lattice, everything(cube), Suppression(Rule.SMALLEST, cube.row_count // 4))
    shuffle = np.array(random.sample(range(len(nodes)), len(nodes)))
    one = Batch(cube, *rest, threads=1).evaluate(nodes[shuffle])
    assert_same(one, Batch(cube, *rest, threads=3).evaluate(nodes[shuffle]))
    blocks = mixed.blocks(nodes[shuffle])
    many = Recodings(cube, *rest, threads=3).evaluate(blocks)
    assert_same(Recodings(cube, *rest, threads=1).evaluate(blocks), many)


def test_many_threads_in_many_pieces():
    """Two hundred recodings of a larger table: rows come in the order given."""
    random = np.random.default_rng(7)
    sizes = (30, 12, 5, 2)
    codes = np.column_stack([random.integers(0, m, 2000) for m in sizes]).astype(np.int32)
    cube = Cube.sorted(("a", "b", "c", "d"), sizes, codes, rows=np.ones(2000, dtype=np.int64))
    flat = Lattice(tuple(Ladder.whole(np.stack([np.arange(m), np.zeros(m)]).astype(np.int32)) for m in sizes))
    rest = (flat, everything(cube), Suppression(Rule.SMALLEST, 100))
    blocks = [random.integers(0, m, (200, m)).astype(np.int32) % random.integers(1, m + 1) for m in sizes]
    found = Recodings(cube, *rest, threads=4).evaluate(blocks)
    for number in (0, 57, 199):
        recoded = np.column_stack([block[number][codes[:, a]] for a, block in enumerate(blocks)])
        counts = np.unique(recoded, axis=0, return_counts=True)[1]
        assert found.all_rows_squared[number] == (counts**2).sum()
        assert found.nodes[number].tolist() == [number] * 4


def _small() -> Recodings:
    codes = np.array([[0, 0], [1, 2]], dtype=np.int32)
    cube = Cube.sorted(("a", "b"), (2, 3), codes, rows=np.ones(2, dtype=np.int64))
    ladders = (
        Ladder.whole(np.array([[0, 1], [0, 0]], dtype=np.int32)),
        Ladder.whole(np.zeros((1, 3), np.int32)),
    )
    return Recodings(cube, Lattice(ladders), Request(), Suppression(Rule.NONE, 0), threads=1)


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([np.zeros((1, 2), np.int32)], "for each of the 2 attributes"),
        ([np.zeros((1, 2), np.int32), np.zeros((2, 3), np.int32)], "shape"),
        ([np.zeros((1, 2), np.int32), np.zeros((1, 2), np.int32)], "shape"),
        ([np.full((1, 2), 2, np.int32), np.zeros((1, 3), np.int32)], "block numbers go from 0"),
        ([np.full((1, 2), -1, np.int32), np.zeros((1, 3), np.int32)], "block numbers go from 0"),
    ],
)
def test_blocks_that_do_not_fit_are_refused(blocks, message):
    """They would be read beyond their ends."""
    with pytest.raises(ParameterError, match=message):
        _small().evaluate(blocks)


def test_stop_ends_recodings_early():
    recodings = _small()
    recodings.compile()
    blocks = [np.zeros((9, 2), np.int32), np.zeros((9, 3), np.int32)]
    assert len(recodings.evaluate(blocks)) == 9
    recodings.stop()
    assert len(recodings.evaluate(blocks)) == 0
