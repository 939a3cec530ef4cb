"""Penalties by how frequent values and blocks are, each row by its own original value.

A row with value v in block e loses (N_e − N_v) / (N − N_v) in this attribute, N being all rows,
N_e and N_v those of the block and of the value; a suppressed row loses 1. So an attribute loses

    Σ_v N_v (N_e − N_v) / (N − N_v)  +  Σ_v S_v (N − N_e) / (N − N_v)

with S_v suppressed rows of v: the first sum belongs to the partition alone, the second needs the
suppressed rows by their original values. S_v are integers and the sums run in the order of the
codes, so the result depends neither on the order of classes nor on the number of threads. Where one
value has all rows, nothing is lost but by suppression.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.kernels._options import inner, kernel

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray, LongArray
    from sfumato.kernels.layout import Ladders, Scratch, Tables


@inner
def total_penalty(block: IntArray, counts: LongArray, block_rows: LongArray, row_count: int) -> float:
    """Return what all rows lose in one attribute; ``block_rows`` receives the rows of each block. O(m)."""
    for v in range(len(block)):
        block_rows[block[v]] = 0
    for v in range(len(block)):
        block_rows[block[v]] += counts[v]
    total = 0.0
    for v in range(len(block)):
        if counts[v] < row_count:
            total += counts[v] * (block_rows[block[v]] - counts[v]) / (row_count - counts[v])
    return total


@kernel
def _count_lost(tables: Tables, depth: int, ladders: Ladders, scratch: Scratch) -> None:
    """Count the suppressed rows of each original value.

    The verdict on the classes goes down the chain of tables to the base. A class's number is never
    larger than that of any class it was made of, so this is done in place, from the last class on.
    """
    gone = scratch.gone
    groups = tables.counts[depth, 0]
    for g in range(groups):
        gone[g] = scratch.out[g]
    while depth > 0:
        chain = scratch.chain[depth]
        depth = scratch.parent[depth]
        for g in range(tables.counts[depth, 0] - 1, -1, -1):
            gone[g] = gone[chain[g]]
    origin = ladders.origin
    scratch.lost[:] = 0
    for i in range(len(origin.rows)):
        if gone[origin.group[i]]:
            for a in range(origin.codes.shape[1]):
                scratch.lost[origin.codes[i, a]] += origin.rows[i]


@inner
def frequency_penalties(
    tables: Tables,
    depth: int,
    ladders: Ladders,
    levels: LongArray,
    suppressed: int,
    row_count: int,
    scratch: Scratch,
    penalties: FloatArray,
) -> None:
    """Write what each attribute loses at a node whose classes stand at ``depth``. O(tuples + values)."""
    for a in range(len(levels)):
        penalties[a] = ladders.penalties[a, levels[a]]
    if suppressed == 0:
        return
    _count_lost(tables, depth, ladders, scratch)
    origin = ladders.origin
    for a in range(len(levels)):
        map_start = ladders.map_start[a, 0, levels[a]]
        cost_start = ladders.cost_start[a, levels[a]]
        for v in range(origin.start[a], origin.start[a + 1]):
            if scratch.lost[v] == 0:
                continue
            if origin.counts[v] == row_count:
                penalties[a] += scratch.lost[v]
                continue
            block = origin.base[v]
            if levels[a] > 0:
                block = ladders.maps[map_start + block]
            others = row_count - ladders.block_rows[cost_start + block]
            penalties[a] += scratch.lost[v] * others / (row_count - origin.counts[v])
