"""Local recodings by loops and dicts: what classes show, what that costs, and the best of all partitions.

A table is a list of tuples of codes. What labels an attribute may show is a dict:
``{"kind": "tree", "levels": [[block of code 0, ...], ...]}`` from the lowest allowed level to the highest,
``{"kind": "range", "size": m, "missing": code or None}``, ``{"kind": "set", "size": m, "missing": ...}``.
A range whose codes have ``"places"`` on a line costs by its width there.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Space = dict[str, Any]
    Codes = tuple[int, ...]
    Meets = Callable[[list[int]], bool]


def label_cost(space: Space, codes: Sequence[int]) -> Fraction | None:
    """What the least label over some codes costs; None where there is none."""
    held = set(codes)
    if space["kind"] == "tree":
        size = len(space["levels"][0])
        for level in space["levels"]:
            blocks = {level[code] for code in held}
            if len(blocks) == 1:
                return Fraction(sum(block in blocks for block in level) - 1, max(size - 1, 1))
        return None
    size = space["size"]
    if space["missing"] in held and len(held) > 1:
        return Fraction(1)
    if "places" in space:
        places = space["places"]
        return Fraction(places[max(held)] - places[min(held)], max(places[-1], 1))
    covered = len(held) if space["kind"] == "set" else max(held) - min(held) + 1
    return Fraction(covered - 1, max(size - 1, 1))


def class_cost(spaces: Sequence[Space], weights: Sequence[int], members: Sequence[Codes]) -> Fraction | None:
    """What a cell row of a class costs: the weighted mean over attributes."""
    total = Fraction(0)
    for space, weight, codes in zip(spaces, weights, zip(*members, strict=True), strict=True):
        cost = label_cost(space, codes)
        if cost is None:
            return None
        total += weight * cost
    return total / sum(weights)


def least_cost(
    spaces: Sequence[Space],
    weights: Sequence[int],
    tuples: Sequence[Codes],
    rows: Sequence[int],
    meets: Meets,
    budget: int = 0,
    row_weights: Sequence[int] | None = None,
) -> Fraction | None:
    """The least mean cost over all partitions into classes that meet the requirements; None where none do.

    ``row_weights`` are the summed weights of the rows of each tuple; 1 for each row where there are none.

    Some tuples may be suppressed, where their rows stay within the budget; something must remain. By dynamic
    programming over sets of tuples: the class of the first tuple of a set, and the best of the rest.
    """
    everything = (1 << len(tuples)) - 1
    parts = [[i for i in range(len(tuples)) if chosen >> i & 1] for chosen in range(everything + 1)]
    counts = [sum(rows[i] for i in part) for part in parts]
    heavy = rows if row_weights is None else row_weights
    weighed = [sum(heavy[i] for i in part) for part in parts]
    costs: list[Fraction | None] = [None]
    for part, count in zip(parts[1:], weighed[1:], strict=True):
        cell = class_cost(spaces, weights, [tuples[i] for i in part]) if meets(part) else None
        costs.append(None if cell is None else cell * count)
    whole = math.lcm(*(cost.denominator for cost in costs if cost is not None))
    prices = [math.inf if cost is None else int(cost * whole) for cost in costs]
    least: list[float] = [0]
    for chosen in range(1, everything + 1):
        first, best, part = chosen & -chosen, math.inf, chosen
        while part:
            if part & first and prices[part] + least[chosen ^ part] < best:
                best = prices[part] + least[chosen ^ part]
            part = (part - 1) & chosen
        least.append(best)
    shown = [
        least[everything ^ hidden] + weighed[hidden] * whole
        for hidden in range(everything)
        if counts[hidden] <= budget
    ]
    return None if min(shown) == math.inf else Fraction(int(min(shown)), whole * sum(heavy))


def label_shown(space: Space, codes: Sequence[int]) -> object:
    """What the least label over some codes covers: two that cover the same are one."""
    held = set(codes)
    if space["kind"] == "tree":
        for level in space["levels"]:
            blocks = {level[code] for code in held}
            if len(blocks) == 1:
                return tuple(code for code, block in enumerate(level) if block in blocks)
    if space["missing"] in held and len(held) > 1:
        return "*"
    return tuple(sorted(held)) if space["kind"] == "set" else (min(held), max(held))


def measure_classes(
    name: str,
    spaces: Sequence[Space],
    weights: Sequence[int],
    tuples: Sequence[Codes],
    rows: Sequence[int],
    parts: Sequence[Sequence[int]],
) -> Fraction:
    """What ``gl``, ``glm``, ``dm`` or ``average_class`` say of some classes, all else suppressed."""
    total, kept = sum(rows), sum(rows[i] for part in parts for i in part)
    if name in ("gl", "glm"):
        cells = Fraction(total - kept if name == "glm" else 0)
        for part in parts:
            cost = class_cost(spaces, weights, [tuples[i] for i in part])
            assert cost is not None
            cells += cost * sum(rows[i] for i in part)
        return cells
    sizes: Counter[object] = Counter()
    for part in parts:
        columns = zip(*(tuples[i] for i in part), strict=True)
        shown = tuple(label_shown(space, codes) for space, codes in zip(spaces, columns, strict=True))
        sizes[shown] += sum(rows[i] for i in part)
    if name == "average_class":
        return Fraction(kept, len(sizes))
    return Fraction(sum(size**2 for size in sizes.values()) + (total - kept) * total)


def least_measure(
    name: str,
    spaces: Sequence[Space],
    weights: Sequence[int],
    tuples: Sequence[Codes],
    rows: Sequence[int],
    meets: Meets,
    budget: int = 0,
) -> Fraction | None:
    """The least of a measure over all classes and all that may be suppressed; None where there are none."""
    everything = (1 << len(tuples)) - 1
    allowed = {}
    for chosen in range(1, everything + 1):
        part = [i for i in range(len(tuples)) if chosen >> i & 1]
        if class_cost(spaces, weights, [tuples[i] for i in part]) is not None and meets(part):
            allowed[chosen] = part
    found: list[Fraction] = []

    def go_on(left: int, parts: list[list[int]], hidden: int) -> None:
        if not left:
            if parts:
                found.append(measure_classes(name, spaces, weights, tuples, rows, parts))
            return
        first = (left & -left).bit_length() - 1
        if hidden + rows[first] <= budget:
            go_on(left ^ 1 << first, parts, hidden + rows[first])
        chosen = left
        while chosen:
            if chosen >> first & 1 and chosen in allowed:
                go_on(left ^ chosen, [*parts, allowed[chosen]], hidden)
            chosen = (chosen - 1) & left

    go_on(everything, [], 0)
    return min(found, default=None)


def diversity(values: Sequence[int]) -> dict[str, float]:
    """The four numbers of ℓ of a class with these sensitive values."""
    counts = sorted(Counter(values).values(), reverse=True)
    n = len(values)
    entropy = -sum(c / n * math.log(c / n) for c in counts)
    recursive = 0
    for ell in range(1, len(counts) + 1):
        if counts[0] < 3 * sum(counts[ell - 1 :]):
            recursive = ell
    return {
        "distinct": len(counts),
        "entropy": math.exp(entropy),
        "share": n / counts[0],
        "recursive": recursive,
    }


def closeness(values: Sequence[int], overall: Sequence[int], size: int) -> dict[str, float]:
    """The equal and the ordered distance between a class and the table."""
    ours, all_of = Counter(values), Counter(overall)
    gaps = [ours[v] / len(values) - all_of[v] / len(overall) for v in range(size)]
    carried, moved = 0.0, 0.0
    for gap in gaps:
        carried += gap
        moved += abs(carried)
    return {"equal": sum(map(abs, gaps)) / 2, "ordered": moved / max(size - 1, 1)}
