"""The encoding of recodings: what is drawn, crossed and mutated is always valid."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sfumato.domains import Ladder, Partition
from sfumato.schemes import Cuts, GuidedOrdered, Ordered, make_scheme
from sfumato.search.pymoo_adapter import EvolutionParameters
from sfumato.search.pymoo_adapter.genome import BitPart, BlockPart, Genome, LevelPart, Rates, make_part
from tests.examples import examples
from tests.schemes.trees import nested_trees, tree_of
from tests.search.nsga2_cases import small_problem

EVERYTHING = Rates(0.5, 1.0)
SEEDS = st.integers(0, 2**32 - 1)
TREES = nested_trees(max_leaves=9).map(tree_of)


def part_of(name: str, tree):
    """Return a scheme over a tree, and its genes."""
    ladder = Ladder.whole(tree.levels())
    admissible = [Partition.of(level) for level in tree.levels()]
    distinct = list(dict.fromkeys([*admissible, Partition.of(np.arange(tree.size))]))
    scheme = make_scheme(name, tree=tree, ladder=ladder, size=tree.size, partitions=distinct)
    return scheme, make_part(scheme, ladder)


@given(
    TREES,
    st.sampled_from(("levels", "cuts", "ordered", "guided-ordered", "sets", "guided-sets", "admissible")),
    SEEDS,
)
@examples(150)
def test_whatever_happens_to_genes_they_stay_valid(tree, name, seed):
    """Any tree, any scheme: random ones, offspring of both crossovers, and mutants are members."""
    scheme, part = part_of(name, tree)
    rng = np.random.default_rng(seed)
    drawn = part.draw(rng.random((8, 1)), rng)
    first, second = part.cross(drawn[:4], drawn[4:], rng)
    mutated = part.mutate(drawn, EVERYTHING, rng)
    for genes in (drawn, first, second, mutated):
        assert genes.dtype == np.int32
        assert genes.shape[1] == part.width
        for block in part.blocks(genes):
            assert scheme.is_valid(Partition.of(block))


@given(TREES, st.sampled_from(("cuts", "ordered", "guided-ordered", "sets", "guided-sets")), SEEDS)
def test_genes_and_partitions_are_two_writings_of_one_thing(tree, name, seed):
    """encode(blocks(x)) = x, and the blocks are those of the scheme's member."""
    scheme, part = part_of(name, tree)
    partition = scheme.random(np.random.default_rng(seed))
    genes = part.encode(partition.block)
    assert part.blocks(genes[None])[0].tolist() == partition.block.tolist()


def test_a_bit_is_zero_where_neighbours_are_joined():
    """Figure 1.2 of the chapter: 1 0 1 keeps the first and the last value apart from the middle two."""
    part = BitPart(Ordered(4))
    assert part.blocks(np.array([[1, 0, 1]], dtype=np.int32)).tolist() == [[0, 1, 1, 2]]
    assert part.encode(np.array([0, 1, 1, 2], dtype=np.int32)).tolist() == [1, 0, 1]


@given(TREES, st.sampled_from((Cuts, GuidedOrdered)), SEEDS)
@examples(100)
def test_constrained_parents_cross_only_where_both_are_separated(tree, make, seed):
    """Each child has one parent's bits up to a common 1 and the other's behind it; else they are copies."""
    part = BitPart(make(tree))
    rng = np.random.default_rng(seed)
    first, second = part.draw(rng.random((16, 1)), rng), part.draw(rng.random((16, 1)), rng)
    assume(part.constrained)
    for parents in zip(first, second, *part.cross(first, second, rng), strict=True):
        one, other, child, twin = (row.tolist() for row in parents)
        common = [place for place in range(len(one)) if one[place] == other[place] == 1]
        crossed = [(one[:p] + other[p:], other[:p] + one[p:]) for p in common]
        assert (child, twin) in crossed if common else (child, twin) == (one, other)


@given(st.integers(2, 12), SEEDS)
def test_unconstrained_parents_cross_at_one_point(size, seed):
    """The head of one and the tail of the other."""
    part = BitPart(Ordered(size))
    assert not part.constrained
    rng = np.random.default_rng(seed)
    first, second = part.draw(rng.random((8, 1)), rng), part.draw(rng.random((8, 1)), rng)
    for one, other, child, twin in zip(first, second, *part.cross(first, second, rng), strict=True):
        points = range(1, max(2, size - 1))
        crossed = [([*one[:p], *other[p:]], [*other[:p], *one[p:]]) for p in points]
        assert (child.tolist(), twin.tolist()) in [([*map(int, a)], [*map(int, b)]) for a, b in crossed]


def test_missing_makes_an_ordered_attribute_constrained():
    """The bit before missing joins everything or nothing, so that free bits would be invalid."""
    assert BitPart(Ordered(5, missing=True)).constrained


def test_bits_flip_as_often_as_they_should():
    """A tenth of the free bits; constrained ones stay, as in the chapter."""
    rng = np.random.default_rng(1)
    free = BitPart(Ordered(51))
    genes = free.draw(rng.random((400, 1)), rng)
    changed = (free.mutate(genes, Rates(0.1, 0.0), rng) != genes).mean()
    assert changed == pytest.approx(0.1, abs=0.01)
    problem = small_problem(("ordered", "cuts", "levels"))
    genome = Genome(problem)
    rows = genome.draw(50, rng)
    mutated = genome.mutate(rows, genome.rates(EvolutionParameters(mutation=1.0)), rng)
    assert (genome.part(mutated, 0) != genome.part(rows, 0)).all()
    assert (genome.part(mutated, 1) == genome.part(rows, 1)).all()


def test_where_every_attribute_is_constrained_they_mutate_after_all():
    """Crossover alone would make nothing new; what was said is done in any case."""
    constrained = Genome(small_problem(("cuts", "guided-ordered", "cuts")))
    assert constrained.rates(EvolutionParameters()) == Rates(0.1, 0.1)
    assert constrained.rates(EvolutionParameters(constrained_mutation=0.0)) == Rates(0.1, 0.0)
    mixed = Genome(small_problem(("cuts", "ordered", "cuts")))
    assert mixed.rates(EvolutionParameters()) == Rates(0.1, 0.0)
    assert mixed.rates(EvolutionParameters(constrained_mutation=0.3)) == Rates(0.1, 0.3)


@given(TREES, SEEDS)
@examples(60)
def test_drawing_reaches_both_ends(tree, seed):
    """However large the tree: the inclination to join decides."""
    part = BitPart(Cuts(tree))
    drawn = part.draw(np.array([[0.0], [1.0]]), np.random.default_rng(seed))
    assert (drawn[0] == 1).all()
    assert (drawn[1] == 0).all()


def test_a_genome_has_the_genes_of_all_attributes():
    """Bits, a level, blocks; the ends of the space; and every recoding has its own key."""
    problem = small_problem(("cuts", "levels", "sets"))
    genome = Genome(problem)
    assert [type(part) for part in genome.parts] == [BitPart, LevelPart, BlockPart]
    assert genome.width == 5 + 1 + 6
    finest, coarsest = genome.ends
    assert finest.tolist() == [1, 1, 1, 1, 1, 0, 0, 1, 2, 3, 4, 5]
    assert coarsest.tolist() == [0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0]
    rows = genome.draw(200, np.random.default_rng(0))
    assert len(set(genome.keys(rows))) == len(np.unique(rows, axis=0))
    assert genome.levels(rows)[:, 1].tolist() == genome.part(rows, 1)[:, 0].tolist()
    assert (genome.levels(rows)[:, [0, 2]] == -1).all()


def test_listed_recodings_have_the_same_blocks():
    """The lattice of a result says what the genes said."""
    genome = Genome(small_problem(("cuts", "levels", "sets")))
    rows = genome.draw(40, np.random.default_rng(3))
    lattice, nodes = genome.listed(rows)
    for a, block in enumerate(genome.blocks(rows)):
        assert (lattice.ladders[a].levels[nodes[:, a]] == block).all()
    lattice, nodes = genome.listed(rows[:0])
    assert nodes.shape == (0, 3)
    assert lattice.size > 0
