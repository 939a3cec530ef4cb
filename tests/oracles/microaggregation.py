"""Microaggregation by its definitions: loops over records, exact sums, every partition tried."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Record = Sequence[float]


def squared_distance(first: Record, second: Record) -> float:
    """Add squared differences in the order of the columns."""
    total = 0.0
    for one, other in zip(first, second, strict=True):
        total += (one - other) * (one - other)
    return total


def centroid(records: Sequence[Record]) -> list[float]:
    """Return the mean of each column, from its exact sum."""
    return [math.fsum(column) / len(records) for column in zip(*records, strict=True)]


def farthest(records: Sequence[Record], rows: Iterable[int], point: Record) -> int:
    """Return the row farthest from a point, the lowest of equal ones."""
    return min(rows, key=lambda row: (-squared_distance(records[row], point), row))


def nearest(records: Sequence[Record], rows: Iterable[int], seed: int, k: int) -> list[int]:
    """Return a row and the k - 1 others nearest to it, lower rows first among equal ones."""
    others = [row for row in rows if row != seed]
    others.sort(key=lambda row: (squared_distance(records[row], records[seed]), row))
    return [seed, *others[: k - 1]]


def mdav(records: Sequence[Record], k: int) -> list[int]:
    """Return the cluster of each record by MDAV."""
    remaining, clusters = set(range(len(records))), []
    while len(remaining) >= 2 * k:
        pair = len(remaining) >= 3 * k
        seed = farthest(records, remaining, centroid([records[row] for row in remaining]))
        clusters.append(nearest(records, remaining, seed, k))
        remaining -= set(clusters[-1])
        if pair:
            opposite = farthest(records, remaining, records[seed])
            clusters.append(nearest(records, remaining, opposite, k))
            remaining -= set(clusters[-1])
    return numbers([*clusters, sorted(remaining)], len(records))


def v_mdav(records: Sequence[Record], k: int, gain: float) -> list[int]:
    """Return the cluster of each record by V-MDAV."""
    remaining, clusters = set(range(len(records))), []
    centre = centroid(records)
    while len(remaining) >= k:
        cluster = nearest(records, remaining, farthest(records, remaining, centre), k)
        remaining -= set(cluster)
        while len(cluster) < 2 * k - 1 and remaining:
            inside = {
                row: min(squared_distance(records[row], records[member]) for member in cluster)
                for row in remaining
            }
            row = min(remaining, key=lambda row: (inside[row], row))
            others = [squared_distance(records[row], records[other]) for other in remaining - {row}]
            if not inside[row] < gain * gain * min(others, default=math.inf):
                break
            cluster.append(row)
            remaining.remove(row)
        clusters.append(cluster)
    centroids = [centroid([records[row] for row in cluster]) for cluster in clusters]
    for row in sorted(remaining):
        distances = [squared_distance(records[row], centre) for centre in centroids]
        clusters[distances.index(min(distances))].append(row)
    return numbers(clusters, len(records))


def numbers(clusters: Iterable[Sequence[int]], total: int) -> list[int]:
    """Return the number of each row's cluster."""
    found = [-1] * total
    for number, rows in enumerate(clusters):
        for row in rows:
            found[row] = number
    return found


def squared_error(records: Sequence[Record], clusters: Sequence[int]) -> float:
    """Return SSE: squared distances of all records from the centroids of their clusters."""
    total = 0.0
    for number in set(clusters):
        members = [record for record, cluster in zip(records, clusters, strict=True) if cluster == number]
        centre = centroid(members)
        total += math.fsum(squared_distance(record, centre) for record in members)
    return total


def loss(records: Sequence[Record], clusters: Sequence[int]) -> float:
    """Return 100 · SSE / SST."""
    return 100 * squared_error(records, clusters) / squared_error(records, [0] * len(records))


def cuts(total: int, k: int) -> Iterator[list[int]]:
    """Yield every way to cut a line of values into runs of at least k, as the ends of the runs."""
    if total >= k:
        yield [total]
    for last in range(k, total - k + 1):
        for before in cuts(total - last, k):
            yield [*before, total]


def best_univariate(values: Sequence[float], k: int) -> float:
    """Return the smallest squared error over all partitions of sorted values into runs of at least k."""
    ordered = sorted(values)
    best = math.inf
    for ends in cuts(len(ordered), k):
        runs = [ordered[begin:end] for begin, end in pairwise([0, *ends])]
        best = min(
            best,
            sum(squared_error([(value,) for value in run], [0] * len(run)) for run in runs),
        )
    return best
