"""How the arrays of the bounding kernels belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sfumato.kernels._groups import by_address

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray, KeyArray, LongArray

# What a kept row costs: the rows of its class, or something for each of its cells.
SQUARES, CELLS = range(2)
# What is counted.
PROBES, TOO_DEAR_JOINED, TOO_DEAR_APART, NEEDED, ROUNDS = range(5)
COUNTERS = ("probes", "useless to join", "useless to split", "needed", "rounds")


@by_address
class Tuples(NamedTuple):
    """Distinct tuples of codes with what has to be added up for them."""

    amount: LongArray  # (1,): how many there are
    codes: IntArray  # (q, tuples): numbered within each attribute
    rows: LongArray  # (tuples,)
    bits: KeyArray  # (bit words, tuples): sensitive values that occur
    weights: FloatArray  # (q, tuples), or (0, tuples) where a cell's weight is its row


@by_address
class BoundModel(NamedTuple):
    """What recodings cost and what is required of them.

    A kept row costs, for CELLS, ``offset`` plus for each attribute
    (slope · mass of its block + start) · its weight; for SQUARES, the rows of its class.
    """

    kind: int
    mass: FloatArray  # (codes,)
    slope: FloatArray  # (q,)
    start: FloatArray  # (q,)
    offset: float
    out_cost: float  # of a suppressed row
    least_rows: int  # rows that a class needs
    least_values: LongArray  # (bit words,): distinct values that a class needs
    budget: int  # rows that may be suppressed
    inherits: int  # 1 if what fails at the coarse end fails everywhere between
    exact: int  # 1 if the cost of a fine end is that of a solution; else it may be less, or there is none


@by_address
class BoundTechniques(NamedTuple):
    """What an expansion may use."""

    coarse_bound: int  # whether rows that fail at the coarse end count
    probe_joined: int  # whether an element is decided because joining it costs too much
    probe_apart: int  # whether an element is decided because keeping it apart costs too much
    price: int  # whether rows that fail are bounded by prices on boxes around them
    probe_useful: int  # whether it is decided because keeping it apart allows nothing
    prune: int  # whether a node is left because it costs too much
    plunge: int  # how many nodes to expand one below the other before going back to the queue
    strongest: int  # whether to branch on the element that raises the bounds most, else on the first


@by_address
class Prices(NamedTuple):
    """Boxes of runs that are too small, their prices, and the best runs at these, see `pricing`."""

    amount: LongArray  # (1,): how many boxes there are
    owner: IntArray  # (boxes,): class that each box is around
    low: IntArray  # (q, boxes): first fine block of each box; its first code when all is done
    high: IntArray  # (q, boxes): last one
    price: FloatArray  # (boxes,)
    best: FloatArray  # (boxes,): prices of the best bound
    step: FloatArray  # (boxes,): how prices change
    kin: IntArray  # (tuples,): class here of each class of the node above
    total: FloatArray  # (tuples,): the prices of a class's boxes
    share: FloatArray  # (tuples,): part of the rise of its cells that a class pays
    limit: FloatArray  # (tuples,): what a class costs more if it is suppressed; 0 if prices do not concern it
    most: FloatArray  # (tuples,): what its cells may rise by
    rise: FloatArray  # (tuples,): what they rise by in the best runs, as a share of it
    block: IntArray  # (q, tuples): fine block of each class
    order: IntArray  # (q, tuples): classes by fine block
    order_start: LongArray  # (q, most codes + 1)
    first: LongArray  # (codes,): the coarse run of each fine block
    last: LongArray  # (codes,)
    running: FloatArray  # (codes + q,): mass of all fine blocks before
    solid: FloatArray  # (codes,): weight in each fine block of classes that do not fail
    run: LongArray  # (2, codes): the best run of each fine block
    habit: FloatArray  # (q, most codes + 1, most codes + 1): how often a run was among the best
    table: FloatArray  # (most codes + 1, most codes + 1): what a run costs, by its first and last block
    weight: FloatArray  # (most codes + 1,)
    ahead: FloatArray  # (most codes + 1,): cost of the best runs before a block
    after: FloatArray  # (most codes + 1,): of those from it on
    start: LongArray  # (most codes + 1,)
    is_shut: LongArray  # (2 q,): whether a box cannot grow to a side


@by_address
class Work(NamedTuple):
    """Working memory of one thread."""

    fine: Tuples  # classes of the fine end
    shift: LongArray
    keys: KeyArray
    slots: IntArray
    first: IntArray
    group: IntArray
    coarse: IntArray  # class of the coarse end for each class of the fine end
    coarse_rows: LongArray
    coarse_bits: KeyArray
    is_lost: IntArray  # 1 for a class of the fine end that fails at the coarse end
    cost: FloatArray  # what a class of the fine end costs if kept
    least: FloatArray  # what it costs at least
    block_mass: FloatArray  # (codes,): mass of the fine blocks, those of attribute a from code_start[a] on
    extra: FloatArray  # (codes,): what merging a fine block adds at least, for each unit of weight
    extra_of: FloatArray  # what a class pays at least to be united with another one
    rest: IntArray  # class of the other attributes
    place: LongArray  # (tuples,): class at which a rest is gathered
    order: IntArray  # classes by block of one attribute
    order_start: LongArray  # (codes + 1,)
    lead_code: LongArray  # (codes,): smallest code of each fine block
    parts: LongArray  # (codes,)
    part_mass: FloatArray  # (codes,)
    is_split: LongArray  # (codes,)
    sums: FloatArray  # (tuples,)
    extra_sums: FloatArray  # (tuples,)
    left_rows: LongArray  # (tuples,): rows of a coarse class before a split
    left_least: FloatArray  # (tuples,): what they cost at least
    coarse_least: FloatArray  # (tuples,): what a coarse class costs at least
    part_rows: LongArray  # (tuples,)
    part_bits: KeyArray  # (bit words, tuples)
    part_number: LongArray  # (tuples,)
    next_part: LongArray  # (tuples,)
    trial: IntArray  # (elements,): states that are tried
    block: IntArray  # (codes,)
    joined_bound: FloatArray  # (elements,)
    apart_bound: FloatArray  # (elements,)
    merged: LongArray  # (elements,): classes that joining unites
    prices: Prices
    counters: LongArray  # see COUNTERS
    control: LongArray  # the first number becomes 1 to stop
