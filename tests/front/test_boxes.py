"""The updator, its two theorems, and the indicators."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import ParameterError
from sfumato.front import (
    BoxArchive,
    convergence_error,
    hypervolume,
    representation_ratio,
    scaled_fronts,
)


def dominates(first, second) -> bool:
    """As good in everything and better in something; larger is better."""
    return all(a >= b for a, b in zip(first, second, strict=True)) and tuple(first) != tuple(second)


def size_bound(largest, epsilon) -> int:
    """How many solutions an archive can hold at most."""
    boxes = sorted(int(np.floor(k / e)) + 1 for k, e in zip(largest, epsilon, strict=True))
    return math.prod(boxes[1:])


def box(vector, epsilon) -> tuple[int, ...]:
    """Floor of each index over its width."""
    return tuple(int(v // e) for v, e in zip(vector, epsilon, strict=True))


def box_dominates(first, second, epsilon) -> bool:
    """By boxes where they differ, by values within one box."""
    one, two = box(first, epsilon), box(second, epsilon)
    return dominates(one, two) if one != two else dominates(first, second)


def plain_updator(stream, epsilon):
    """Algorithm 1, step by step, on lists."""
    archive: list[int] = []
    for number, candidate in enumerate(stream):
        archive = [i for i in archive if not box_dominates(candidate, stream[i], epsilon)]
        dominated = any(box_dominates(stream[i], candidate, epsilon) for i in archive)
        same = any(box(stream[i], epsilon) == box(candidate, epsilon) for i in archive)
        if not dominated and not same:
            archive.append(number)
    return archive


@st.composite
def streams(draw):
    """A sequence of index vectors, with widths and bounds."""
    r = draw(st.integers(1, 4))
    largest = draw(st.lists(st.integers(1, 20), min_size=r, max_size=r))
    epsilon = draw(st.lists(st.sampled_from([1, 2, 3, 5, 0.5]), min_size=r, max_size=r))
    vector = st.tuples(*(st.integers(0, 2 * k).map(lambda v: v / 2) for k in largest))
    return (
        draw(st.lists(vector, min_size=1, max_size=40)),
        [float(k) for k in largest],
        [float(e) for e in epsilon],
    )


@given(streams(), st.integers(1, 7))
def test_the_archive_is_that_of_algorithm_1(drawn, piece) -> None:
    """The same members, however the stream is cut into pieces."""
    stream, _, epsilon = drawn
    archive = BoxArchive(np.array(epsilon))
    for start in range(0, len(stream), piece):
        archive.offer(np.array(stream[start : start + piece]))
    assert archive.members.tolist() == sorted(plain_updator(stream, epsilon))


@given(streams())
def test_theorem_1_only_minimal_solutions(drawn) -> None:
    """Whatever the sequence, nothing that was offered dominates a member."""
    stream, _, epsilon = drawn
    archive = BoxArchive(np.array(epsilon))
    archive.offer(np.array(stream))
    for member in archive.members:
        assert not any(dominates(other, stream[member]) for other in stream)


@given(streams())
def test_theorem_2_bounded_size(drawn) -> None:
    """At most one solution for each choice of all but the smallest number of boxes."""
    stream, largest, epsilon = drawn
    archive = BoxArchive(np.array(epsilon))
    archive.offer(np.array(stream))
    assert len(archive.members) <= size_bound(np.array(largest), np.array(epsilon))


@given(streams())
def test_one_solution_in_every_non_dominated_box(drawn) -> None:
    """No two members share a box, no member's box dominates another's, and every such box is held."""
    stream, _, epsilon = drawn
    archive = BoxArchive(np.array(epsilon))
    archive.offer(np.array(stream))
    held = [box(stream[member], epsilon) for member in archive.members]
    assert len(set(held)) == len(held)
    boxes = {box(vector, epsilon) for vector in stream}
    assert set(held) == {one for one in boxes if not any(dominates(other, one) for other in boxes)}


def test_a_hundred_thousand_candidates_in_seconds() -> None:
    """Vectorized enough for large searches; seconds of the processor, whoever else uses it."""
    random = np.random.default_rng(1)
    archive = BoxArchive(np.full(3, 0.02))
    archive.offer(random.random((10, 3)))
    begin = time.process_time()
    points = np.abs(random.normal(size=(100_000, 3)))
    archive.offer(points / np.linalg.norm(points, axis=1)[:, None])
    assert time.process_time() - begin < 10
    assert len(archive.members) > 500


def test_widths_must_be_above_zero() -> None:
    """A box without width holds nothing."""
    with pytest.raises(ParameterError, match="above 0"):
        BoxArchive(np.array([1.0, 0.0]))


def test_indicators_by_hand() -> None:
    """CE is a sum of distances after scaling; RR counts boxes."""
    minimal = np.array([[10.0, 1.0], [5.0, 2.0], [1.0, 4.0]])
    assert convergence_error(minimal, minimal) == 0
    # (5, 1) scaled is (0.5, 0.25); the nearest minimal ones are (1, 0.25) at 0.5 and (0.5, 0.5) at 0.25.
    assert convergence_error(np.array([[5.0, 1.0], [10.0, 1.0]]), minimal) == pytest.approx(0.25)
    assert representation_ratio(minimal[:2], minimal, np.ones(2)) == pytest.approx(2 / 3)
    # With wide boxes (0, 0), (0, 0), (0, 1) only the last is not dominated.
    assert representation_ratio(minimal[:2], minimal, np.array([20.0, 4.0])) == 0
    assert representation_ratio(minimal[2:], minimal, np.array([20.0, 4.0])) == 1


def test_hypervolume_by_hand() -> None:
    """Two points below (1.1, 1.1)."""
    assert hypervolume(np.array([[0.0, 1.0], [1.0, 0.0]])) == pytest.approx(2 * 1.1 * 0.1 - 0.01)
    assert hypervolume(np.zeros((0, 2))) == 0
    first, second = scaled_fronts([np.array([[-100.0, 5.0]]), np.array([[-1.0, 3.0]])], [True, False])
    assert first.tolist() == [[0.0, 1.0]]
    assert second.tolist() == [[1.0, 0.0]]
