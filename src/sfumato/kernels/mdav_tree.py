"""A tree of bounding boxes over the records that remain, for the nearest to a record.

Leaves hold up to 64 records that are close to each other; 16 neighbouring nodes have one parent. The
distance of a box is computed with the same operations in the same order as that of a record, and rounding
keeps their order: it is never above the distance of a record inside. So pruning changes no result, not even
a tie.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sfumato.kernels._options import inner, kernel
from sfumato.kernels.mdav import NONE, insert_nearest, measure_lanes

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, LongArray

LEAF = 64
FAN = 16
SAMPLE = 256
"""Records that tell along which column a node is widest."""


class PointTree(NamedTuple):
    """Leaves are filled from their first lane on. Level 0 are the leaves, the last level is one block.

    A block are the 16 children of one node; ``starts[level]`` is the first block of the nodes of a level.
    """

    cells: FloatArray  # (leaves · d · LEAF,)
    rows: LongArray  # (leaves · LEAF,): row in each lane, NONE in empty ones
    counts: LongArray  # (leaves,): records that remain
    places: LongArray  # (n,): leaf · LEAF + lane of each row, -1 of those that left
    low: FloatArray  # (blocks · d · FAN,): the boxes of nodes
    high: FloatArray
    first: LongArray  # (blocks · FAN,): the lowest row below a node, NONE below an empty one
    starts: LongArray  # (levels + 1,)
    nodes: LongArray  # (FAN · (levels + 1), 3): stack of level, node and its lowest row
    bounds: FloatArray  # (FAN · (levels + 1),): stack of the distances
    distances: FloatArray  # (LEAF,): scratch
    fans: FloatArray  # (FAN,): scratch
    changed: LongArray  # (k,): scratch


@kernel
def _split(values: FloatArray, column: int, order: LongArray, begin: int, end: int, middle: int) -> None:
    """Order rows so that those before ``middle`` are not above those from there on, by value, then row."""
    while end - begin > 1:
        a, b, c = order[begin], order[(begin + end) // 2], order[end - 1]
        if values[b, column] < values[a, column]:
            a, b = b, a
        if values[c, column] < values[b, column]:
            b = c if values[c, column] > values[a, column] else a
        pivot, pivot_row = values[b, column], b
        i, j = begin, end - 1
        while i <= j:
            while values[order[i], column] < pivot or (
                values[order[i], column] == pivot and order[i] < pivot_row
            ):
                i += 1
            while values[order[j], column] > pivot or (
                values[order[j], column] == pivot and order[j] > pivot_row
            ):
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            end = j + 1
        elif middle >= i:
            begin = i
        else:
            return


@kernel
def _widest(values: FloatArray, order: LongArray, begin: int, end: int) -> int:
    """Return the column along which a sample of the rows spreads most."""
    step = max(1, (end - begin) // SAMPLE)
    widest, width = 0, -1.0
    for column in range(values.shape[1]):
        low, high = np.inf, -np.inf
        for i in range(begin, end, step):
            low = min(low, values[order[i], column])
            high = max(high, values[order[i], column])
        if high - low > width:
            widest, width = column, high - low
    return widest


@kernel
def _arrange(values: FloatArray, order: LongArray) -> None:
    """Order rows so that every leaf, and every 16 leaves, are close to each other; O(n log n)."""
    total = len(order)
    stack = np.empty((128, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1] = 0, (total + LEAF - 1) // LEAF
    top = 1
    while top > 0:
        top -= 1
        begin, leaves = stack[top, 0], stack[top, 1]
        if leaves <= 1:
            continue
        end = min(begin + leaves * LEAF, total)
        # A power of two on the left, so that 16 leaves of one parent come from one branch.
        half = 1
        while 2 * half < leaves:
            half *= 2
        middle = begin + half * LEAF
        _split(values, _widest(values, order, begin, end), order, begin, end, middle)
        stack[top, 0], stack[top, 1] = begin, half
        stack[top + 1, 0], stack[top + 1, 1] = middle, leaves - half
        top += 2


@kernel
def _level_starts(leaves: int) -> LongArray:
    """Return the first block of each level, and the number of blocks."""
    starts = np.zeros(24, dtype=np.int64)
    levels, nodes = 0, leaves
    while levels == 0 or nodes > 1:
        nodes = (nodes + FAN - 1) // FAN
        starts[levels + 1] = starts[levels] + nodes
        levels += 1
    return starts[: levels + 1].copy()


@kernel
def _allocate(total: int, count: int, width: int, k: int) -> PointTree:
    """Make an empty tree for ``count`` of ``total`` rows."""
    leaves = (count + LEAF - 1) // LEAF
    starts = _level_starts(leaves)
    blocks, depth = starts[-1], FAN * len(starts)
    return PointTree(
        np.zeros(leaves * width * LEAF, dtype=np.float64),
        np.full(leaves * LEAF, NONE, dtype=np.int64),
        np.zeros(leaves, dtype=np.int64),
        np.full(total, -1, dtype=np.int64),
        np.full(blocks * width * FAN, np.inf, dtype=np.float64),
        np.full(blocks * width * FAN, -np.inf, dtype=np.float64),
        np.full(blocks * FAN, NONE, dtype=np.int64),
        starts,
        np.empty((depth, 3), dtype=np.int64),
        np.empty(depth, dtype=np.float64),
        np.empty(LEAF, dtype=np.float64),
        np.empty(FAN, dtype=np.float64),
        np.empty(k, dtype=np.int64),
    )


@inner
def build_tree(values: FloatArray, order: LongArray, k: int) -> PointTree:
    """Make the tree of the rows in ``order``, which is changed. O(m (d + log m)), memory O(n + m·d)."""
    _arrange(values, order)
    width = values.shape[1]
    tree = _allocate(len(values), len(order), width, k)
    for place in range(len(order)):
        leaf, lane, row = place // LEAF, place % LEAF, order[place]
        for column in range(width):
            tree.cells[(leaf * width + column) * LEAF + lane] = values[row, column]
        tree.rows[place] = row
        tree.places[row] = place
        tree.counts[leaf] += 1
    for leaf in range(len(tree.counts)):
        _shrink_leaf(tree, leaf, width)
    for level in range(1, len(tree.starts) - 1):
        for node in range(tree.starts[level] - tree.starts[level - 1]):
            _shrink_node(tree, level, node, width)
    return tree


@kernel
def _shrink_leaf(tree: PointTree, leaf: int, width: int) -> None:
    """Fit the box of a leaf to the records that remain in it."""
    block, lane, count = leaf // FAN, leaf % FAN, tree.counts[leaf]
    for column in range(width):
        low, high = np.inf, -np.inf
        begin = (leaf * width + column) * LEAF
        for i in range(begin, begin + count):
            value = tree.cells[i]
            low = value if value < low else low
            high = value if value > high else high
        at = (block * width + column) * FAN + lane
        tree.low[at] = low
        tree.high[at] = high
    first = NONE
    for i in range(leaf * LEAF, leaf * LEAF + count):
        first = min(first, tree.rows[i])
    tree.first[block * FAN + lane] = first


@kernel
def _shrink_node(tree: PointTree, level: int, node: int, width: int) -> None:
    """Fit the box of a node above the leaves to those of its children."""
    below = tree.starts[level - 1] + node
    block, lane = tree.starts[level] + node // FAN, node % FAN
    for column in range(width):
        low, high = np.inf, -np.inf
        begin = (below * width + column) * FAN
        for i in range(begin, begin + FAN):
            low = tree.low[i] if tree.low[i] < low else low
            high = tree.high[i] if tree.high[i] > high else high
        at = (block * width + column) * FAN + lane
        tree.low[at] = low
        tree.high[at] = high
    first = NONE
    for i in range(below * FAN, (below + 1) * FAN):
        first = min(first, tree.first[i])
    tree.first[block * FAN + lane] = first


@kernel
def _note(nodes: LongArray, count: int, node: int) -> int:
    """Add a node to a list unless it is there; return how many there are."""
    for i in range(count - 1, -1, -1):
        if nodes[i] == node:
            return count
    nodes[count] = node
    return count + 1


@inner
def remove_from_tree(tree: PointTree, rows: LongArray, width: int) -> None:
    """Take rows out, and fit the boxes above them. O(k·d·log n)."""
    changed, count = tree.changed, 0
    for row in rows:
        place = tree.places[row]
        leaf = place // LEAF
        tree.counts[leaf] -= 1
        last = leaf * LEAF + tree.counts[leaf]
        other = tree.rows[last]
        tree.rows[place] = other
        tree.rows[last] = NONE
        tree.places[other] = place
        tree.places[row] = -1
        for column in range(width):
            lanes = (leaf * width + column - leaf) * LEAF
            tree.cells[lanes + place] = tree.cells[lanes + last]
        count = _note(changed, count, leaf)
    for i in range(count):
        _shrink_leaf(tree, changed[i], width)
    for level in range(1, len(tree.starts) - 1):
        known, count = count, 0
        for i in range(known):
            count = _note(changed, count, changed[i] // FAN)
        for i in range(count):
            _shrink_node(tree, level, changed[i], width)


@kernel
def _bound_below(
    low: FloatArray, high: FloatArray, begin: int, lanes: int, point: FloatArray, bounds: FloatArray
) -> None:
    """Write the squared distances of boxes that stand side by side from a point; 0 inside."""
    for i in range(lanes):
        bounds[i] = 0.0
    at = np.uintp(begin)
    for column in range(len(point)):
        centre = point[column]
        for i in range(lanes):
            under = low[at + np.uintp(i)] - centre
            over = centre - high[at + np.uintp(i)]
            gap = under if under > over else over
            gap = gap if gap > 0.0 else 0.0
            bounds[i] += gap * gap
        at += np.uintp(lanes)


@inner
def find_nearest_in_tree(
    tree: PointTree,
    seed: int,
    point: FloatArray,
    near: FloatArray,
    near_rows: LongArray,
    sizes: tuple[int, int],
) -> int:
    """Fill the lists with the row ``seed`` and the rows nearest to it, as `find_nearest` does.

    Returns how many records and boxes were looked at, a box as two.
    ``sizes`` is (LEAF, FAN): known to the compiler, they would keep it from using vectors.
    """
    lanes, fan = sizes
    width, last = len(point), len(near) - 1
    near[:] = np.inf
    near_rows[:] = NONE
    near[0], near_rows[0] = -1.0, seed
    nodes, bounds, distances = tree.nodes, tree.bounds, tree.distances
    nodes[0, 0], nodes[0, 1], nodes[0, 2] = len(tree.starts) - 1, 0, -1
    bounds[0] = 0.0
    top, looked = 1, 0
    while top > 0:
        top -= 1
        level, node = nodes[top, 0], nodes[top, 1]
        if bounds[top] > near[last] or (bounds[top] == near[last] and nodes[top, 2] > near_rows[last]):
            continue
        if level > 0:
            looked += 2 * FAN
            block = tree.starts[level - 1] + node
            _bound_below(tree.low, tree.high, block * width * FAN, fan, point, tree.fans)
            top = _push(tree, top, block, node, level - 1, near[last], near_rows[last])
            continue
        looked += LEAF
        measure_lanes(tree.cells, node * width * LEAF, LEAF, lanes, point, distances)
        for i in range(tree.counts[node]):
            if distances[i] <= near[last] and tree.rows[node * LEAF + i] != seed:
                insert_nearest(near, near_rows, distances[i], tree.rows[node * LEAF + i])
    return looked


@kernel
def _push(tree: PointTree, top: int, block: int, node: int, level: int, limit: float, limit_row: int) -> int:
    """Put the children that may hold a nearer record on the stack, the nearest on top; return its height."""
    nodes, bounds, base = tree.nodes, tree.bounds, top
    for i in range(FAN):
        bound, first = tree.fans[i], tree.first[block * FAN + i]
        if first == NONE or bound > limit or (bound == limit and first > limit_row):
            continue
        at = top
        while at > base and (
            bounds[at - 1] < bound or (bounds[at - 1] == bound and nodes[at - 1, 2] < first)
        ):
            bounds[at] = bounds[at - 1]
            nodes[at, 1] = nodes[at - 1, 1]
            nodes[at, 2] = nodes[at - 1, 2]
            at -= 1
        bounds[at] = bound
        nodes[at, 1] = node * FAN + i
        nodes[at, 2] = first
        nodes[top, 0] = level
        top += 1
    return top
