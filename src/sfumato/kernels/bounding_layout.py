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
    probe_useful: int  # whether it is decided because keeping it apart allows nothing
    prune: int  # whether a node is left because it costs too much
    plunge: int  # how many nodes to expand one below the other before going back to the queue
    strongest: int  # whether to branch on the element that raises the bounds most, else on the first


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
    counters: LongArray  # see COUNTERS
    control: LongArray  # the first number becomes 1 to stop
