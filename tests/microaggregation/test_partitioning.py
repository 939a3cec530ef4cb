"""Every way to partition gives the clusters of the definition."""

from __future__ import annotations

import csv
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sfumato.errors import ParameterError
from sfumato.kernels.mdav import mdav_plain
from sfumato.kernels.mdav_indexed import mdav_indexed
from sfumato.microaggregation import mdav, univariate, v_mdav
from sfumato.microaggregation import partitioning as partitioning_module
from sfumato.microaggregation.partitioning import Begun, finish
from tests.examples import examples
from tests.oracles import microaggregation as oracle

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

FINE = st.floats(-1000, 1000, allow_nan=False, width=32)
COARSE = st.integers(-2, 2).map(float)


@st.composite
def tables(draw: st.DrawFn, rows: int = 60) -> NDArray[np.float64]:
    """Tables of fine values (hardly a tie), coarse ones (many), and both."""
    shape = draw(st.tuples(st.integers(1, rows), st.integers(1, 5)))
    return draw(hnp.arrays(np.float64, shape, elements=draw(st.sampled_from([FINE, COARSE, FINE | COARSE]))))


@given(tables(), st.data())
def test_plain_is_the_definition(values: NDArray[np.float64], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(values)))
    assert mdav_plain(values, k).tolist() == oracle.mdav(values.tolist(), k)


@given(tables(), st.data())
def test_index_is_the_definition(values: NDArray[np.float64], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(values)))
    assert mdav_indexed(values, k, 0.0).tolist() == oracle.mdav(values.tolist(), k)


@examples(60)
@given(tables(), st.data())
def test_shared_passes_are_the_definition(values: NDArray[np.float64], data: st.DataObject) -> None:
    """However many threads share them, and wherever one goes on alone."""
    k, threads = data.draw(st.integers(2, max(2, len(values)))), data.draw(st.integers(2, 5))
    if k > len(values):
        return
    cells = data.draw(st.sampled_from([0, values.size // 2]))
    found = finish(values, k, Begun.of(values), threads, cells)
    assert found.tolist() == oracle.mdav(values.tolist(), k)


@given(tables(), st.data())
def test_v_mdav_is_the_definition(values: NDArray[np.float64], data: st.DataObject) -> None:
    k, gain = data.draw(st.integers(1, len(values))), data.draw(st.sampled_from([0.0, 0.2, 0.7, 1.1, 3.0]))
    assert v_mdav(values, k, gain=gain).tolist() == oracle.v_mdav(values.tolist(), k, gain)


@examples(60)
@given(st.lists(FINE | COARSE, min_size=1, max_size=11), st.data())
def test_univariate_is_the_best_of_all(values: list[float], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(values)))
    clusters = univariate(np.array(values), k)
    assert np.bincount(clusters).min() >= k
    found = oracle.squared_error([(value,) for value in values], clusters.tolist())
    assert found == pytest.approx(oracle.best_univariate(values, k), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("rows", [130, 3_000])
@pytest.mark.parametrize("kind", ["normal", "skewed", "whole", "few", "constant", "clumps", "far"])
@pytest.mark.parametrize(("width", "k"), [(1, 2), (2, 5), (3, 3), (5, 11)])
def test_index_gives_the_clusters_of_plain_passes(kind: str, rows: int, width: int, k: int) -> None:
    values = table(kind, rows, width)
    expected = mdav_plain(values, k)
    for weight in (0.0, 1.0):  # through the index to the end, and as far as it pays
        assert np.array_equal(mdav_indexed(values, k, weight), expected)


@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(1, 6), st.sampled_from([2, 3, 7, 40]))
@examples(25)
def test_index_breaks_ties_as_plain_passes_do(seed: int, width: int, values: int, k: int) -> None:
    random = np.random.default_rng(seed)
    table = random.integers(0, values, (2_500, width)).astype(np.float64)
    assert np.array_equal(mdav_indexed(table, k, 0.0), mdav_plain(table, k))


def table(kind: str, rows: int, width: int) -> NDArray[np.float64]:
    random, shape = np.random.default_rng([rows, width]), (rows, width)
    tables = {
        "normal": random.standard_normal(shape),
        "skewed": random.pareto(1.2, shape),
        "whole": random.integers(0, 50, shape).astype(np.float64),
        "few": random.integers(0, 2, shape).astype(np.float64),
        "constant": np.full(shape, 0.1),
        "clumps": random.integers(0, 3, shape) * 100 + random.standard_normal(shape),
        # So small beside where they lie that rounding makes ties.
        "far": 1e6 + 1e-9 * random.standard_normal(shape),
    }
    return tables[kind]


@pytest.mark.parametrize("threads", [None, 1, 2, 5])
def test_path_and_threads_change_nothing(threads: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    values = table("whole", 2_000, 2)
    expected = mdav_plain(values, 5)
    for indexed, shared in ((0, 10**9), (10**9, 10**9), (10**9, 0)):
        monkeypatch.setattr(partitioning_module, "INDEXED", indexed)
        monkeypatch.setattr(partitioning_module, "SHARED_CELLS", shared)
        assert np.array_equal(mdav(values, 5, threads=threads), expected)


def test_several_tables_at_once() -> None:
    many = [table("normal", 4_000, 2) + number for number in range(8)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda values: mdav(values, 3), many))
    for values, clusters in zip(many, found, strict=True):
        assert np.array_equal(clusters, mdav(values, 3))


@given(tables(), st.data())
def test_sizes(values: NDArray[np.float64], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(values)))
    sizes = np.bincount(mdav(values, k))
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1
    assert (sizes == k).sum() >= len(sizes) - 1


def test_layout_and_type_of_the_array_do_not_matter() -> None:
    values = table("whole", 200, 3)
    expected = mdav(values, 4)
    assert np.array_equal(mdav(np.asfortranarray(values), 4), expected)
    assert np.array_equal(mdav(values.astype(np.int16), 4), expected)
    assert np.array_equal(mdav(np.repeat(values, 2, axis=1)[:, ::2], 4), expected)


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "k", "expected"),
    [
        ("casc_census.csv", 3, 5.6922),
        ("casc_census.csv", 5, 9.0884),
        ("casc_census.csv", 10, 14.1559),
        ("casc_tarragona.csv", 3, 16.9326),
        ("casc_tarragona.csv", 5, 22.4619),
        ("casc_tarragona.csv", 10, 33.1929),
    ],
)
def test_losses_known_from_the_literature(data_folder: Path, file: str, k: int, expected: float) -> None:
    """All 13 columns, standardized; to all four digits that are published."""
    with (data_folder / file).open(encoding="utf-8") as lines:
        rows = [[float(cell) for cell in row] for row in list(csv.reader(lines))[1:]]
    values = np.array(rows)
    scores = (values - values.mean(axis=0)) / values.std(axis=0)
    for clusters in (mdav_plain(scores, k), mdav_indexed(scores, k)):
        assert oracle.loss(scores.tolist(), clusters.tolist()) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("partition", [mdav, v_mdav, univariate])
@pytest.mark.parametrize(
    ("values", "k"),
    [
        (np.zeros((0, 1)), 1),
        (np.zeros((3, 0)), 1),
        (np.zeros((3, 1, 1)), 1),
        (np.zeros((3, 1)), 0),
        (np.zeros((3, 1)), 4),
        (np.array([[0.0], [np.nan], [1.0]]), 1),
        (np.array([[0.0], [np.inf], [1.0]]), 1),
        (np.array([[0.0], [1e200], [1.0]]), 1),
    ],
)
def test_what_cannot_be_partitioned_is_refused(partition: object, values: object, k: int) -> None:
    with pytest.raises(ParameterError):
        partition(values, k)  # type: ignore[operator]


def test_univariate_takes_one_column() -> None:
    with pytest.raises(ParameterError, match="one column"):
        univariate(np.zeros((4, 2)), 2)


@pytest.mark.parametrize("gain", [-0.1, np.nan, np.inf])
def test_gain_is_a_number_from_0_on(gain: float) -> None:
    with pytest.raises(ParameterError, match="gain"):
        v_mdav(np.zeros((4, 2)), 2, gain=gain)


def test_one_row_and_one_cluster() -> None:
    assert mdav(np.zeros((1, 2)), 1).tolist() == [0]
    assert mdav(np.zeros((3, 2)), 3).tolist() == [0, 0, 0]
    assert mdav(np.arange(3.0)[:, None], 1).tolist() == [0, 1, 2]
