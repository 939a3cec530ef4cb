"""Microaggregation: MDAV through its index beside plain passes; ``python -m benchmarks.microaggregation``.

With the word ``annealing``: what ten seconds of it leave of the squared error, beside what is asked.
"""

from __future__ import annotations

import csv
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import sfumato as sf
from sfumato.kernels.mdav import mdav_plain
from sfumato.microaggregation import information_loss, mdav, search_clusters, univariate, v_mdav

if TYPE_CHECKING:
    from collections.abc import Callable

AIMS = {(50_000, 10, 5): 1.1, (50_000, 5, 5): 0.5, (1_000_000, 3, 10): 60.0}
"""Rows, columns and k of standard normal tables → seconds that MDAV may take on two cores."""


WIDE = (100_000, 20, 5)
"""Too many columns for an index: all cores share the passes."""


def normal(rows: int, columns: int) -> np.ndarray:
    """Return a standard normal table, the same every time."""
    return np.random.default_rng([rows, columns]).standard_normal((rows, columns))


class Mdav:
    """Standard normal tables of some sizes and dimensions."""

    params = ((1_080, 3, 5), (1_080, 12, 5), (50_000, 5, 5), (50_000, 10, 5), (200_000, 5, 5))
    param_names = ("rows, columns, k",)

    def setup(self, size: tuple[int, int, int]) -> None:
        sf.warm_up()
        self.values, self.k = normal(*size[:2]), size[2]

    def time_mdav(self, size: tuple[int, int, int]) -> None:
        mdav(self.values, self.k)

    def peakmem_mdav(self, size: tuple[int, int, int]) -> None:
        mdav(self.values, self.k)

    def track_loss(self, size: tuple[int, int, int]) -> float:
        """Speed without quality is no result: 100 · SSE / SST."""
        return loss(self.values, mdav(self.values, self.k))


class Others:
    """V-MDAV, and the optimum of one column."""

    def setup(self) -> None:
        sf.warm_up()
        self.values = normal(5_000, 5)
        self.column = normal(1_000_000, 1)[:, 0]

    def time_v_mdav(self) -> None:
        v_mdav(self.values, 5)

    def time_univariate(self) -> None:
        univariate(self.column, 10)


def loss(values: np.ndarray, clusters: np.ndarray) -> float:
    """Return the information loss of clusters."""
    sizes = np.bincount(clusters)
    means = np.column_stack([np.bincount(clusters, weights=column) / sizes for column in values.T])
    return information_loss(values, means[clusters])


def both_times(function: Callable[[], object]) -> tuple[float, float]:
    """Return seconds on the clock and seconds of the processor; where they differ, the machine was busy."""
    clock, cpu = time.perf_counter(), time.thread_time()
    function()
    return time.perf_counter() - clock, time.thread_time() - cpu


ASKED = {
    "census": (4.75, 7.40, 11.5),
    "tarragona": (14.6, 20.3, 30.2),
    "eia": (0.36, 0.75, 1.98),
}
"""Table → 100 · SSE / SST that ten seconds of annealing may leave for k = 3, 5 and 10."""


def scores_of(name: str) -> np.ndarray:
    """Return the z-scores of a test table; of EIA the utility and its revenues and sales."""
    path = Path(os.environ.get("SFUMATO_TEST_DATA", "../shared/data")) / f"casc_{name}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        names, *rows = list(csv.reader(file))
    kept = [
        place
        for place, column in enumerate(names)
        if name != "eia" or column == "UTILITYID" or "REV" in column or "SAL" in column
    ]
    values = np.array([[float(row[place]) for place in kept] for row in rows])
    return np.asarray((values - values.mean(axis=0)) / values.std(axis=0))


def print_annealed(seconds: float = 10.0) -> None:
    """Print what annealing leaves beside what is asked, and beside MDAV."""
    tables = {name: (scores_of(name), asked) for name, asked in ASKED.items()}
    tables["normal"] = (normal(50_000, 10), (None, None, None))
    for name, (values, asked) in tables.items():
        for k, most in zip((3, 5, 10), asked, strict=True):
            before = loss(values, mdav(values, k))
            found = search_clusters(values, k, seconds=seconds)
            reached = loss(values, found.clusters)
            aim = f"{0.8 * before if most is None else most:.3f}"
            sys.stdout.write(
                f"{name:10} k = {k:<3} {seconds:g} s: asked {aim}, reached {reached:.3f}; MDAV {before:.3f}\n"
            )
            sys.stdout.flush()


def main() -> None:
    """Print one line for each aim, with plain passes beside it where they end in good time."""
    sf.warm_up()
    if "annealing" in sys.argv[1:]:
        print_annealed()
        return
    for size, aim in {**AIMS, (200_000, 5, 5): None}.items():
        values, k = normal(*size[:2]), size[2]
        clock, cpu = both_times(lambda values=values, k=k: mdav(values, k))  # type: ignore[misc]
        line = f"{size[0]:>9,} x {size[1]:<2} k = {k:<3} {clock:7.2f} s on the clock, {cpu:7.2f} s of cpu"
        line += f", aim {aim:g} s" if aim else ""
        if size[0] <= 50_000:
            plain = both_times(lambda values=values, k=k: mdav_plain(values, k))[1]  # type: ignore[misc]
            line += f"; plain {plain:.2f} s of cpu, {plain / cpu:.1f} times as long"
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    values = normal(*WIDE[:2])
    alone = both_times(lambda: mdav(values, WIDE[2], threads=1))[0]
    shared = both_times(lambda: mdav(values, WIDE[2]))[0]
    sys.stdout.write(
        f"{WIDE[0]:>9,} x {WIDE[1]} k = {WIDE[2]}: {shared:.2f} s on all cores, {alone:.2f} s on one\n"
    )


if __name__ == "__main__":
    main()
