"""t under its three distances is the optimum of a transport problem, solved as a linear programme."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from sfumato.classes import Levels, Rule, Suppression
from sfumato.domains import Cube, Ladder, Lattice
from sfumato.errors import ParameterError
from sfumato.measures import Setting, make_measure
from sfumato.search import Problem
from tests.examples import examples
from tests.oracles import measures as oracle
from tests.strategies import coarser

if TYPE_CHECKING:
    from collections.abc import Collection

NAMES = ("t(s)", "t(s, ordered)", "t(s, hierarchical)")


def distances(levels: np.ndarray, unknown: Collection[int]) -> dict[str, np.ndarray]:
    """Return how far any two values are apart; those that are unknown are 1 apart from every other."""
    m, height = levels.shape[1], len(levels) - 1
    line = [value for value in range(m) if value not in unknown]
    equal, ordered, tree = (np.ones((m, m)) - np.eye(m) for _ in range(3))
    for i, j in itertools.permutations(line, 2):
        ordered[i, j] = abs(line.index(i) - line.index(j)) / (len(line) - 1)
        tree[i, j] = next(h for h in range(height + 1) if levels[h, i] == levels[h, j]) / height
    return dict(zip(NAMES, (equal, ordered, tree), strict=True))


def work(source: np.ndarray, target: np.ndarray, distance: np.ndarray) -> float:
    """Return the least work that turns one distribution into another: Σ distance·flow."""
    m = len(source)
    leaves = np.kron(np.eye(m), np.ones(m))
    arrives = np.kron(np.ones(m), np.eye(m))
    found = linprog(
        distance.reshape(-1),
        A_eq=np.vstack([leaves, arrives]),
        b_eq=np.concatenate([source, target]),
        method="highs",
    )
    assert found.status == 0
    return float(found.fun)


def found_by_kernels(
    histograms: np.ndarray, levels: np.ndarray, unknown: tuple[int, ...] = ()
) -> dict[str, np.ndarray]:
    """Return the distance of each class, classes being the values of one quasi-identifier."""
    classes, m = histograms.shape
    owner, value = np.nonzero(histograms)
    cube = Cube.sorted(
        ("q",),
        (classes,),
        owner[:, None].astype(np.int32),
        rows=histograms[owner, value].astype(np.int64),
        sensitive=("s",),
        sensitive_sizes=(m,),
        sensitive_codes=value[:, None].astype(np.int32),
    )
    cube = replace(cube, unknown=(unknown,))
    trees = {"s": Levels(levels.astype(np.int32)).apart(unknown)}
    setting = Setting(("q",), ("s",), np.ones(1), ordered=frozenset({"s"}), trees=trees)
    lattice = Lattice((Ladder.whole(np.arange(classes, dtype=np.int32)[None]),))
    measures = tuple(make_measure(name, setting) for name in NAMES)
    batch = Problem(cube, lattice, measures, (), Suppression(Rule.NONE, 0)).batch(threads=1)
    found = batch.classes(np.zeros(1, dtype=np.int64))
    kept = [found.properties.index(item.judged) for item in measures]
    return dict(zip(NAMES, found.values[kept], strict=True))


@st.composite
def histograms_and_levels(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, tuple[int, ...]]:
    """Draw up to four classes over up to six values, a tree over the values, and which are unknown."""
    m = draw(st.integers(2, 6))
    rows = st.lists(st.integers(0, 5), min_size=m, max_size=m).filter(any)
    histograms = np.array(draw(st.lists(rows, min_size=1, max_size=4)))
    levels = [list(range(m))]
    for _ in range(draw(st.integers(0, 3))):
        levels.append(draw(coarser(levels[-1])))
    unknown = draw(st.sets(st.integers(0, m - 1), max_size=draw(st.integers(0, 3))))
    return histograms, np.array([*levels, [0] * m]), tuple(sorted(unknown))


@given(histograms_and_levels())
@examples(120)
def test_the_work_is_the_least_possible(drawn: tuple[np.ndarray, np.ndarray, tuple[int, ...]]) -> None:
    """Kernel and oracle both find what a linear programme does."""
    histograms, levels, unknown = drawn
    overall = histograms.sum(axis=0) / histograms.sum()
    found = found_by_kernels(histograms, levels, unknown)
    silent = {str(value) for value in unknown}
    values = [str(v) for histogram in histograms for v in np.repeat(np.arange(len(histogram)), histogram)]
    order = [str(v) for v in range(histograms.shape[1])]
    tree = [dict(zip(order, map(str, level), strict=True)) for level in levels]
    begin = np.cumsum([0, *histograms.sum(axis=1)])
    for number, histogram in enumerate(histograms):
        expected = {
            name: work(histogram / histogram.sum(), overall, distance)
            for name, distance in distances(levels, unknown).items()
        }
        members = [list(range(begin[number], begin[number + 1]))]
        plain = (
            oracle.t(members, values),
            oracle.t_ordered(members, values, order, silent),
            oracle.t_hierarchical(members, values, tree, silent),
        )
        for name, by_hand in zip(NAMES, plain, strict=True):
            assert found[name][number] == pytest.approx(expected[name], abs=1e-9), name
            assert float(by_hand) == pytest.approx(expected[name], abs=1e-9), name


def test_the_salaries_of_the_paper() -> None:
    """Section 5.1 of the t-closeness paper: of nine salaries {3, 4, 5} is 0.375 away, {6, 8, 11} 0.167."""
    rest = np.array([0, 0, 0, 0, 1, 0, 1, 1, 0])
    histograms = np.array([[1, 1, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 1, 0, 0, 1], rest])
    levels = np.array([np.arange(9), np.zeros(9, dtype=int)])
    found = found_by_kernels(histograms, levels)["t(s, ordered)"]
    assert found[:2] == pytest.approx([0.375, 1 / 6])


def test_a_tree_of_one_level_is_the_equal_distance() -> None:
    """Under the root alone all values are 1 apart."""
    histograms = np.array([[3, 0, 1], [0, 2, 2]])
    found = found_by_kernels(histograms, np.array([[0, 1, 2], [0, 0, 0]]))
    assert found["t(s, hierarchical)"].tolist() == found["t(s)"].tolist()


def test_long_domains_are_exact() -> None:
    """A million rows over 5,000 values: the ordered distance equals the sum over all values."""
    random = np.random.default_rng(3)
    histograms = random.poisson(random.gamma(0.1, 400, (6, 5000)))
    found = found_by_kernels(histograms, np.array([np.arange(5000), np.zeros(5000, dtype=int)]))
    overall = histograms.sum(axis=0).cumsum() / histograms.sum()
    for number, histogram in enumerate(histograms):
        crossing = np.abs(histogram.cumsum() / histogram.sum() - overall)
        assert found["t(s, ordered)"][number] == pytest.approx(crossing.sum() / 4999, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t(s, ordered)", "needs an order of the values of 's'"),
        ("t(s, hierarchical)", "needs a hierarchy of 's', but there is none"),
        ("t(s, orderd)", "t knows no distance 'orderd'. Did you mean 'ordered'"),
        ("recursive_l(s)", "takes a sensitive attribute and c"),
        ("recursive_l(s, much)", "needs a number c from 0.001 to 1000"),
        ("recursive_l(s, 0)", "needs a number c"),
        ("recursive_l(s, 0.0001)", "with at most 3 decimals"),
        ("entropy_l", "takes one sensitive attribute"),
        ("share_l(a)", "'a' is not sensitive"),
    ],
)
def test_wrong_names(text: str, message: str) -> None:
    """One line that says what to write."""
    with pytest.raises(ParameterError, match=message):
        make_measure(text, Setting(("a",), ("s",), np.ones(1)))
