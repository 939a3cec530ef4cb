"""How the arrays of the lattice kernels belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sfumato.kernels._groups import by_address

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sfumato._typing import BoolArray, FloatArray, IntArray, KeyArray, LongArray


@by_address
class Tables(NamedTuple):
    """Classes of one node for each depth of the walk; depth first in every shape.

    A class has a key, its rows, bits of the sensitive values that occur in it,
    and, for every pair set, (class, value) pairs with their rows.
    """

    keys: KeyArray  # (depths, words, groups)
    rows: LongArray  # (depths, groups)
    bits: KeyArray  # (depths, bit words, groups)
    pair_class: IntArray  # (depths, sets, pairs)
    pair_value: IntArray
    pair_rows: LongArray
    counts: LongArray  # (depths, 1 + sets): groups, then pairs of each set


@by_address
class KeyFields(NamedTuple):
    """Where each quasi-identifier stands in a key."""

    word: LongArray
    shift: KeyArray
    mask: KeyArray


Field: TypeAlias = "tuple[int, np.uint64, np.uint64]"


@by_address
class KeyOrigin(NamedTuple):
    """The distinct tuples of original values, for a cost that looks at them; empty where none does."""

    codes: IntArray  # (tuples, q): each code plus where its attribute's values begin
    rows: LongArray  # (tuples,)
    group: IntArray  # (tuples,): class of the base table
    start: LongArray  # (q + 1,): where each attribute's values begin
    counts: LongArray  # (values of all attributes,): rows of each value
    base: IntArray  # (values of all attributes,): block of each value in the base


@by_address
class Ladders(NamedTuple):
    """Block maps between levels and the cell costs of blocks, flattened.

    Attributes stand in walking order, and levels are counted as the walk does: 0 is the base.
    """

    nested: (
        LongArray  # (q,): 1 where a level may be rolled up from any lower one, 0 where from the base alone
    )
    map_start: LongArray  # (q, levels to roll up from, levels): from level i to level j > i
    maps: IntArray
    cost_start: LongArray  # (q, levels): where the costs of a level's blocks begin
    costs: LongArray  # (costs, blocks of all levels)
    totals: LongArray  # (costs, q, levels): sums over all rows
    block_rows: LongArray  # (blocks of all levels,): rows of each block; empty where no cost asks for it
    penalties: FloatArray  # (q, levels): frequency penalties summed over all rows
    origin: KeyOrigin
    rises: LongArray  # (q,): 1 where no map leads a larger code to a smaller one


@by_address
class Details(NamedTuple):
    """What properties need beside the pairs."""

    factor: LongArray  # (properties, 2): numerator and denominator
    reach: FloatArray  # (sets, values): rows of the whole table up to and with each value
    area: FloatArray  # (sets, values + 1): sums of these before each value
    apart: BoolArray  # (sets, values): those that are 1 apart from every other in t
    tree: LongArray  # (properties, 2): where its blocks begin, and how many levels there are below the root
    tree_blocks: IntArray  # of each tree level by level: the block of each value
    tree_rows: LongArray  # of each tree level by level: rows of each block in the whole table
    farthest: FloatArray  # (properties,): the largest t of a single value
    extent: int  # which of the cell costs is the extent; −1 where none is
    scale: FloatArray  # (properties, q): what an extent of 1 adds to the diversity, in walking order


@by_address
class Sentences(NamedTuple):
    """What the properties about sentences read; all empty where there are none."""

    number: LongArray  # (properties,): the sentence that it is about, −1 for all
    first: int  # the first bit word of sentences
    words: int  # how many there are
    held: KeyArray  # (words, values): sentences that a combination, or a person, holds; in the low half
    truth: NDArray[np.uint8]  # (combinations, sentences)
    shares: FloatArray  # (combinations, sentences): damage over all damage of a holder
    log_prior: (
        FloatArray  # (sentences,): log of the share of rows for which it is true; 0 where that is 0 or 1
    )
    scale: float  # a risk of 1 as an integer


@by_address
class Plan(NamedTuple):
    """What to collect and which rows to suppress."""

    kind: LongArray  # (properties,): SIZE …
    source: LongArray  # (properties,): which bit word or pair set
    required: FloatArray  # (properties,): threshold; nan where none
    sign: FloatArray  # (properties,): 1 where larger is better, -1 where smaller
    overall: LongArray  # (sets, values): rows of each sensitive value in the whole table
    set_size: LongArray  # (sets,): domain size of each pair set
    rule: int
    budget: int
    row_count: int
    person_set: int  # pair set of persons, or -1
    store_all: int  # 1 to store every property of every class
    bounds: int  # 1 to write the sums a second time, with what every specialization suppresses alone
    details: Details
    sentences: Sentences


@by_address
class Ordering(NamedTuple):
    """What keeps classes in the order of their keys; empty where a key is several words, and they are not."""

    order: IntArray  # (2, groups): numbers of classes
    begins: LongArray  # where each digit of a key begins
    bits_used: int  # how many bits a key has
    rows: LongArray  # by the low bits of keys: rows, zeros between uses
    bits: KeyArray  # the same of the first bits
    taken: KeyArray  # which of these are in use, 64 in a word
    number: IntArray  # by the low bits of keys: the class at a place


@by_address
class Scratch(NamedTuple):
    """Working memory of one thread."""

    slots: IntArray  # open-addressing table, at least twice the groups
    united: IntArray  # class of a parent's class
    sizes: LongArray  # class sizes
    values: FloatArray  # (properties, groups)
    squares: LongArray  # (properties, groups)
    buckets: LongArray  # rows by class size
    out: IntArray  # 1 where a class is suppressed
    before: LongArray  # the node that the tables hold; −1 where there is none
    depth_of: LongArray  # by attribute: the depth that has its level and those of the attributes before it
    counts: LongArray  # levels of the leading attributes whose tables are kept
    kept: LongArray  # by their levels: the depth that holds the table; −1 where it is not made yet
    chain: IntArray  # (depths, groups): class of the parent's class; no depths where nobody asks for it
    parent: LongArray  # (depths,): the depth from which a table was rolled up
    gone: IntArray  # (groups,): 1 where a class of some depth is suppressed
    lost: LongArray  # (values of all attributes,): suppressed rows of each original value
    sorted: IntArray  # (2, pairs): numbers of the pairs of one set, by value, and by class and value
    ends: LongArray  # where the pairs of each class end among the sorted ones
    held: LongArray  # (values,): zeros between uses
    pass_keys: KeyArray  # (words, groups): keys of the base at the levels of the last pass over it
    pass_levels: LongArray  # (q,): these levels; −1 where nothing is held
    near_keys: KeyArray  # the same for passes over the table below some nodes
    near_levels: LongArray
    nothing: IntArray  # a block map for a field without bits
    most: FloatArray  # (4, groups or values): rows that may stay of a class when it is split; working memory
    doomed: LongArray  # (groups,): rows of a class that go at every specialization
    ordering: Ordering
