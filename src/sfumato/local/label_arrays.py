"""From label spaces to the arrays that kernels price labels with, and from classes back to labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels.label_costs import CLIMB, ENDS, TABLE, LabelCosts, LabelRows
from sfumato.local.label_spaces import LabelKind, LabelSpace
from sfumato.local.local_problem import LocalProblem, LocalSolution

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray, IntArray, LongArray

WIDEST_TABLE = 128
"""Occurring codes up to which all pairs are priced beforehand."""


def tree_order(space: LabelSpace, codes: IntArray) -> IntArray:
    """Return codes with those of every block side by side; of a range missing comes last."""
    if space.kind is LabelKind.TREE:
        return codes[np.lexsort(space.levels[:, codes])]
    return codes[np.lexsort((codes, codes == space.missing))] if space.kind is LabelKind.RANGE else codes


def make_label_costs(problem: LocalProblem) -> LabelCosts:
    """Price all labels over the codes that occur, attributes of few codes first.

    Where these differ it costs most, so most comparisons end with them.
    """
    n = len(problem.codes)
    numbers = [np.zeros((n, 0), np.int32)], [np.zeros((n, 0), np.int32)]
    lines: list[tuple[int, ...]] = []  # kind, size, steps, start, start of blocks, missing
    sets: list[tuple[int, int, int]] = []  # words, start, missing
    stars: tuple[list[float], list[float]] = ([], [])
    prices, blocks, counts = [np.zeros(0)], [np.zeros(0, np.int32)], [np.zeros(0)]
    columns = zip(problem.spaces, problem.codes.T, problem.attribute_weights, strict=True)
    for space, column, weight in sorted(columns, key=lambda item: len(np.unique(item[1]))):
        order = tree_order(space, np.unique(column))
        place = np.zeros(space.size, np.int32)
        place[order] = np.arange(len(order))
        is_set = space.kind is LabelKind.SET
        numbers[is_set].append(place[column][:, None])
        stars[is_set].append(weight)
        missing = int(place[space.missing]) if space.missing in order else -1
        if is_set:
            sets.append(((len(order) + 63) // 64, sum(map(len, counts)), missing))
            counts.append(space.costs[0, : len(order) + 1] * weight)
            continue
        kind, made = _priced(space, order)
        starts = sum(map(len, prices)), sum(map(len, blocks))
        lines.append((kind, len(order), len(space.levels), *starts, missing))
        prices.append(np.where(np.isinf(made), np.inf, made * weight).reshape(-1))
        if kind == CLIMB:
            blocks.append(space.levels[:, order].reshape(-1))
    line = np.array(lines, np.int64).reshape(-1, 6).T.copy()
    of_sets = np.array(sets, np.int64).reshape(-1, 3).T.copy()
    return LabelCosts(
        np.concatenate(numbers[0], axis=1),
        line[0],
        line[1],
        line[2],
        line[3],
        np.concatenate(prices),
        line[4],
        np.concatenate(blocks),
        line[5],
        np.array(stars[0], np.float64),
        np.concatenate(numbers[1], axis=1),
        np.cumsum([0, *of_sets[0]]).astype(np.int64),
        of_sets[1],
        np.concatenate(counts),
        of_sets[2],
        np.array(stars[1], np.float64),
    )


def _priced(space: LabelSpace, order: IntArray) -> tuple[int, FloatArray]:
    """Return how the labels over occurring codes are priced, and the prices."""
    if space.kind is LabelKind.RANGE:
        low, high = space.costs[:, order]
        if len(order) > WIDEST_TABLE:
            return ENDS, np.stack([low, high])
        made = np.minimum(high[None] - low[:, None], 1.0)
        if space.missing in order:
            made[:-1, -1] = 1.0
        return TABLE, np.triu(made) + np.triu(made, 1).T
    block = space.levels[:, order]
    by_code = np.take_along_axis(space.costs, block, axis=1)
    if len(order) > WIDEST_TABLE:
        return CLIMB, by_code
    made = np.full((len(order), len(order)), np.inf)
    for level, cost in zip(block[::-1], by_code[::-1], strict=True):
        np.copyto(made, cost[:, None], where=level[:, None] == level[None])
    return TABLE, made


def solve_labels(
    space: LabelSpace, codes: IntArray, classes: IntArray, count: int
) -> tuple[LongArray, BoolArray, FloatArray]:
    """Return what classes show of one attribute, where that is ``*``, and what it costs."""
    held, owners = codes[classes >= 0], classes[classes >= 0]
    if space.kind is LabelKind.SET:
        found = np.zeros((count, space.size), bool)
        found[owners, held] = True
        size = found.sum(axis=1)
        star = (size == space.size) & (size > 1)
        if space.missing >= 0:
            star |= found[:, space.missing] & (size > 1)
        bits = np.zeros((count, (space.size + 63) // 64 * 64), bool)
        bits[:, : space.size] = found | star[:, None]
        words = np.packbits(bits, axis=1, bitorder="little").view("<u8").astype(np.uint64)
        return words.view(np.int64), star, np.where(star, 1.0, space.costs[0, size])
    order = tree_order(space, np.arange(space.size, dtype=np.int32))
    place = np.argsort(order)
    low, high = np.full(count, space.size), np.full(count, -1)
    np.minimum.at(low, owners, place[held])
    np.maximum.at(high, owners, place[held])
    low, high = order[low].astype(np.int64), order[high].astype(np.int64)
    if space.kind is LabelKind.RANGE:
        star = (high == space.missing) & (low != high)
        cost = np.where(star, 1.0, np.minimum(space.costs[1, high] - space.costs[0, low], 1.0))
        return np.where(star[:, None], -1, np.stack([low, high], axis=1)), star, cost
    step = np.argmax(space.levels[:, low] == space.levels[:, high], axis=0)
    block = space.levels[step, low].astype(np.int64)
    whole = np.array([len(np.unique(level)) == 1 for level in space.levels])
    return (
        np.stack([step + space.lowest, block], axis=1),
        whole[step] & (space.size > 1),
        space.costs[step, block],
    )


def make_solution(problem: LocalProblem, owner: IntArray) -> LocalSolution:
    """Label classes of tuples; owners from n on are suppressed. Classes with equal labels become one."""
    kept = owner < len(owner)
    classes = np.full(len(owner), -1, np.int32)
    classes[kept] = np.unique(owner[kept], return_inverse=True)[1]
    count = int(classes.max(initial=-1)) + 1
    made = [solve_labels(*item, classes, count) for item in zip(problem.spaces, problem.codes.T, strict=True)]
    shown = np.concatenate([np.zeros((count, 0), np.int64), *(label for label, _, _ in made)], axis=1)
    _, first, number = np.unique(shown, axis=0, return_index=True, return_inverse=True)
    classes[kept] = number.reshape(-1)[classes[kept]]
    weight = np.bincount(classes[kept], problem.weights[kept], len(first))
    rows = np.bincount(classes[kept], problem.rows[kept], len(first))
    cells = sum(
        share * cost[first] for share, (_, _, cost) in zip(problem.attribute_weights, made, strict=True)
    )
    cost = float((weight * cells * problem.cell + problem.square * rows**2).sum())
    cost += float(problem.weights[~kept].sum()) * problem.suppressed_cost
    # Many classes are good for as many rows as are left.
    share = problem.rows.sum() / max(rows.sum(), 1) if problem.each < 0 else 1.0
    cost += problem.each * len(first) * float(share)
    return LocalSolution(
        classes,
        tuple(label[first] for label, _, _ in made),
        np.stack([star[first] for _, star, _ in made], axis=1),
        cost / problem.total,
    )


def gray_order(columns: list[IntArray]) -> LongArray:
    """Return the order of tuples in a reflected mixed-radix code, the first column slowest."""
    n = len(columns[0])
    key, odd, bits = np.zeros(n, np.uint64), np.zeros(n, bool), 0
    keys = []
    for column in columns:
        m = int(column.max(initial=0)) + 1
        digit = np.where(odd, m - 1 - column, column)
        odd = (odd & (m % 2 == 1)) ^ (digit % 2 == 1)
        width = max(1, (m - 1).bit_length())
        if bits + width > 64:
            keys.append(key)
            key, bits = np.zeros(n, np.uint64), 0
        key, bits = (key << np.uint64(width)) | digit.astype(np.uint64), bits + width
    keys.append(key)
    return np.argsort(key, kind="stable") if len(keys) == 1 else np.lexsort(keys[::-1])


def no_labels(costs: LabelCosts, rows: int) -> LabelRows:
    """Return room for so many labels."""
    p, words = costs.places.shape[1], int(costs.word[-1])
    return LabelRows(
        np.zeros((rows, p), np.int32), np.zeros((rows, p), np.int32), np.zeros((rows, words), np.uint64)
    )
