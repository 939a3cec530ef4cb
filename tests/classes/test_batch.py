"""The compiled batch against plain loops, for every node, key width and number of threads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.classes import Batch, CellCost, Property, PropertyKind, Request, Rule, Suppression, Threshold
from sfumato.domains import Cube, Ladder, Lattice
from tests.examples import examples
from tests.oracles import lattice as oracle
from tests.package import cube_of, lattice_of, problem_of
from tests.strategies import cases, closeness, limits, tables


@given(cases(tables(min_sensitive=1)), limits(), st.sampled_from(list(Rule)), st.integers(1, 5))
@examples(150)
def test_every_node_equals_the_oracle(case, limit, rule, k):
    """All statistics of all nodes, under every rule, with persons and missing values."""
    named = {
        Rule.NONE: "none",
        Rule.FAILING: "failing",
        Rule.SMALLEST: "smallest",
        Rule.FAILING_THEN_SMALLEST: "auto",
        Rule.BELOW_MEAN: "below-mean",
    }
    asked = oracle.Problem(
        case.table,
        maximize=(
            *("k", "mean_k", "spread_k", "distinct_l(s1)", "spread_l(s1)", "precision"),
            *("entropy_l(s1)", "recursive_l(s1, 3)", "recursive_l(s1, 0.5)", "share_l(s1)"),
            *("usefulness", "protection"),
        ),
        minimize=(
            "t(s1)",
            "t(s1, ordered)",
            "t(s1, hierarchical)",
            "loss",
            "glm",
            "gl",
            "sl",
            "dm",
            "hdm",
            "average_class",
            "suppressed",
            "cm(s1)",
        ),
        require={"k": k},
        limit=limit,
        rule=named[rule],
    )
    problem = problem_of(case, asked)
    nodes = problem.lattice.nodes(0, problem.lattice.size)
    statistics = problem.batch(threads=2).evaluate(nodes)
    feasible = problem.feasible(statistics)
    for place, node in enumerate(nodes):
        expected = oracle.evaluate(asked, tuple(int(level) for level in node))
        assert feasible[place] == (expected is not None)
        if expected is None:
            continue
        assert statistics.classes[place] == expected.classes
        for measure in problem.measures:
            value = float(measure.value(statistics)[place])
            close = pytest.approx(float(expected.measures[measure.name]), rel=closeness(case.table))
            assert value == close, measure.name


def _everything(cube: Cube) -> Request:
    kinds = [
        *(PropertyKind.DISTINCT, PropertyKind.SQUARES, PropertyKind.MAJORITY, PropertyKind.SHARE),
        *(PropertyKind.ENTROPY, PropertyKind.T_EQUAL, PropertyKind.T_ORDERED),
    ]
    size = Property(PropertyKind.SIZE)
    diversity = Property(PropertyKind.DIVERSITY, weights=(1.0,) * len(cube.sizes))
    properties = (size, diversity, *(Property(kind, a) for a in range(len(cube.sensitive)) for kind in kinds))
    return Request(properties, tuple(CellCost), (Threshold(size, 2.0),))


@given(cases(tables(min_sensitive=1)), st.integers(3, 12))
def test_wide_keys_give_the_same_numbers(case, word_bits):
    """Keys of several words, forced by narrow words, change nothing."""
    cube, lattice = cube_of(case), lattice_of(case)
    nodes = lattice.nodes(0, lattice.size)
    suppression = Suppression(Rule.FAILING_THEN_SMALLEST, cube.row_count // 3)
    narrow = Batch(cube, lattice, _everything(cube), suppression, threads=1).evaluate(nodes)
    wide = Batch(cube, lattice, _everything(cube), suppression, threads=1, word_bits=word_bits).evaluate(
        nodes
    )
    assert np.array_equal(narrow.sums, wide.sums)
    assert np.array_equal(narrow.worst, wide.worst)
    assert np.array_equal(narrow.penalties, wide.penalties)


@given(cases(tables(min_sensitive=1)), st.randoms(use_true_random=False))
def test_order_of_nodes_and_threads_do_not_matter(case, random):
    """Any order, any number of threads, any piece: the same rows."""
    cube, lattice = cube_of(case), lattice_of(case)
    nodes = lattice.nodes(0, lattice.size)
    suppression = Suppression(Rule.SMALLEST, cube.row_count // 4)
    plain = Batch(cube, lattice, _everything(cube), suppression, threads=1).evaluate(nodes)
    shuffle = np.array(random.sample(range(len(nodes)), len(nodes)))
    batch = Batch(cube, lattice, _everything(cube), suppression, threads=3)
    mixed = batch.evaluate(nodes[shuffle])
    assert np.array_equal(plain.sums[shuffle], mixed.sums)
    assert np.array_equal(plain.worst[shuffle], mixed.worst)
    assert np.array_equal(plain.penalties[shuffle], mixed.penalties)


@given(cases(tables(min_sensitive=1)), st.randoms(use_true_random=False), st.integers(3, 64))
@examples(150)
def test_nodes_made_from_one_below_them_equal_the_walk(case, random, word_bits):
    """Pieces of any nodes, alone or several, before and after walks of the same batch."""
    cube, lattice = cube_of(case), lattice_of(case)
    nodes = lattice.nodes(0, lattice.size)
    suppression = Suppression(Rule.FAILING_THEN_SMALLEST, cube.row_count // 3)
    plain = Batch(cube, lattice, _everything(cube), suppression, threads=1).evaluate(nodes)
    batch = Batch(cube, lattice, _everything(cube), suppression, threads=1, word_bits=word_bits)
    shuffle = np.array(random.sample(range(len(nodes)), len(nodes)))
    cuts = sorted(random.sample(range(1, len(nodes)), min(len(nodes) - 1, random.randint(0, 4))))
    pieces = [piece for piece in np.split(shuffle, cuts) if len(piece)]
    near = [(batch.evaluate(nodes[piece], near=True), piece) for piece in pieces]
    for found, by in (*near, (batch.evaluate(nodes), slice(None))):
        assert np.array_equal(found.nodes, nodes[by])
        assert np.array_equal(found.sums, plain.sums[by])
        assert np.array_equal(found.worst, plain.worst[by])
        assert np.array_equal(found.penalties, plain.penalties[by])


def _shuffled_ladder(random: np.random.Generator, size: int, share: float) -> Ladder:
    """Draw nested levels whose blocks are intervals of the codes or, by chance, scattered over them."""
    block = random.permutation(size) if random.random() < share else np.arange(size)
    levels = [np.arange(size)]
    while block.max() > 0:
        block = block // int(random.integers(2, 6))
        levels.append(np.unique(block, return_inverse=True)[1])
    lowest = int(random.integers(0, 2)) if len(levels) > 1 else 0
    return Ladder(np.array(levels, dtype=np.int32), lowest, len(levels) - 1)


# In the last two, a map of the walk's last attribute leads larger codes to smaller ones.
@pytest.mark.parametrize("seed", [*range(12), 102, 105])
def test_classes_in_order_are_those_that_are_looked_up(seed):
    """Keys of one word are kept in order, those of several words are hashed: few bits, many, all rules."""
    random = np.random.default_rng(seed)
    sizes = tuple(int(size) for size in random.choice([2, 3, 7, 40] if seed % 2 else [7, 9], 4))
    n = int(random.integers(40, 400))
    codes = np.stack([(random.random(n) ** 2 * size).astype(np.int32) for size in sizes], axis=1)
    secrets = random.integers(0, 4, (n, 2)).astype(np.int32)
    persons = random.integers(0, n, n).astype(np.int32) if seed % 4 == 3 else None
    rows = random.integers(1, 4, n)
    cube = Cube.sorted(
        tuple("abcd"),
        sizes,
        codes,
        rows=rows,
        sensitive=("s", "u"),
        sensitive_sizes=(4, 4),
        sensitive_codes=secrets,
        persons=persons,
    )
    lattice = Lattice(tuple(_shuffled_ladder(random, size, (0.5, 1.0)[seed % 2]) for size in sizes))
    kinds = (PropertyKind.DISTINCT, PropertyKind.T_EQUAL) if seed % 2 else (PropertyKind.DISTINCT,)
    asked = [Property(kind, a) for kind in kinds for a in range(1 + seed % 3 // 2)]
    wanted = (Property(PropertyKind.SIZE), *asked)
    request = Request(wanted, (CellCost.SIZE, CellCost.HEIGHT), (Threshold(wanted[1], 2.0),))
    nodes = lattice.nodes(0, lattice.size)
    rule = list(Rule)[seed % len(Rule)]
    limit = Suppression(rule, n // 9)
    ordered, hashed = (Batch(cube, lattice, request, limit, threads=1, word_bits=bits) for bits in (64, 6))
    for batch_nodes in (nodes, nodes[random.permutation(len(nodes))[:20]]):
        found, expected = ordered.evaluate(batch_nodes), hashed.evaluate(batch_nodes)
        assert (found.sums == expected.sums).all()
        assert np.array_equal(found.worst, expected.worst, equal_nan=True)
    found_classes, expected_classes = (batch.classes(nodes[len(nodes) // 3]) for batch in (ordered, hashed))
    assert (found_classes.blocks == expected_classes.blocks).all()
    assert (found_classes.suppressed == expected_classes.suppressed).all()


def test_the_classes_of_a_node_made_in_one_pass():
    """They are read from where the pass put them."""
    random = np.random.default_rng(3)
    q, n = 9, 500
    codes = random.integers(0, 4, (n, q)).astype(np.int32)
    levels = np.stack([np.arange(4) // width for width in (1, 2, 4)]).astype(np.int32)
    cube = Cube.sorted(tuple(f"q{i}" for i in range(q)), (4,) * q, codes, rows=np.ones(n, dtype=np.int64))
    batch = Batch(cube, Lattice((Ladder.whole(levels),) * q), Request(), Suppression(Rule.NONE, 0), threads=1)
    for node in random.integers(0, 3, (30, q)).astype(np.int64):
        recoded = np.column_stack([levels[level][codes[:, a]] for a, level in enumerate(node)])
        blocks, sizes = np.unique(recoded, axis=0, return_counts=True)
        found = batch.classes(node)
        assert found.blocks.tolist() == blocks.tolist()
        assert found.rows.tolist() == sizes.tolist()


def test_twenty_large_attributes_need_wide_keys():
    """Twenty quasi-identifiers of 1,000 values do not fit 64 bits; classes equal a plain grouping."""
    random = np.random.default_rng(5)
    q, m, n = 20, 1000, 3000
    # Few distinct prototypes, each cell sometimes replaced, so that classes of several rows arise.
    codes = random.integers(0, m, (40, q))[random.integers(0, 40, n)]
    noise = random.random((n, q)) < 0.01
    codes = np.where(noise, random.integers(0, m, (n, q)), codes).astype(np.int32)
    levels = np.stack([np.arange(m) // width for width in (1, 10, 100, 1000)]).astype(np.int32)
    cube = Cube.sorted(tuple(f"q{i}" for i in range(q)), (m,) * q, codes, rows=np.ones(n, dtype=np.int64))
    lattice = Lattice((Ladder.whole(levels),) * q)
    batch = Batch(
        cube, lattice, Request((Property(PropertyKind.SIZE),)), Suppression(Rule.NONE, 0), threads=2
    )
    assert batch._base.keys.shape[1] > 1
    nodes = random.integers(0, 4, (60, q)).astype(np.int64)
    found = batch.evaluate(nodes)
    for node, count, smallest in zip(nodes, found.classes, found.worst[:, 0], strict=True):
        recoded = np.column_stack([levels[level][codes[:, a]] for a, level in enumerate(node)])
        _, sizes = np.unique(recoded, axis=0, return_counts=True)
        assert (count, smallest) == (len(sizes), sizes.min())


@given(cases(tables(min_sensitive=1)))
def test_many_sensitive_values_use_pairs(case):
    """More than 64 sensitive values count the same as few."""
    cube, lattice = cube_of(case), lattice_of(case)
    spread = replace(cube, sensitive_sizes=tuple(200 for _ in cube.sensitive))
    nodes = lattice.nodes(0, lattice.size)
    request = Request((Property(PropertyKind.DISTINCT, 0),))
    bits = Batch(cube, lattice, request, Suppression(Rule.NONE, 0), threads=1).evaluate(nodes)
    pairs = Batch(spread, lattice, request, Suppression(Rule.NONE, 0), threads=1).evaluate(nodes)
    assert np.array_equal(bits.worst, pairs.worst)


def test_stop_ends_a_batch_early():
    """A stopped batch returns fewer rows and says so by their number."""
    levels = np.array([[0, 1], [0, 0]], dtype=np.int32)
    cube = Cube.sorted(("a",), (2,), np.array([[0], [1]], dtype=np.int32), rows=np.ones(2, dtype=np.int64))
    lattice = Lattice((Ladder.whole(levels),))
    batch = Batch(cube, lattice, Request(), Suppression(Rule.NONE, 0), threads=1)
    batch.stop()
    assert len(batch.evaluate(lattice.nodes(0, 2))) == 0
