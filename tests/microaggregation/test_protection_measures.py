"""Information loss and disclosure: by hand, against their definitions, and with ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import ParameterError
from sfumato.kernels.nearest_rows import settle_columns
from sfumato.microaggregation import protection
from sfumato.microaggregation.protection import (
    Scores,
    information_loss,
    interval_disclosure,
    link_records,
    measure_protection,
)
from tests.examples import examples
from tests.microaggregation import plain_grouping as plain


@st.composite
def tables(draw):
    """Draw two tables of whole numbers, so that ties are frequent and fractions short."""
    rows, columns = draw(st.integers(1, 40)), draw(st.integers(1, 4))
    numbers = st.integers(-draw(st.sampled_from([1, 3, 40])), 12)
    cells = st.lists(st.lists(numbers, min_size=columns, max_size=columns), min_size=rows, max_size=rows)
    return np.array(draw(cells), dtype=float), np.array(draw(cells), dtype=float)


@given(tables())
def test_measures_are_what_their_definitions_say(pair) -> None:
    original, protected = pair
    exact = plain.exact(original), plain.exact(protected)
    assert information_loss(*pair) == pytest.approx(float(plain.il(*exact)), rel=1e-12)
    assert interval_disclosure(*pair) == pytest.approx(float(plain.interval(*exact)), rel=1e-12)
    links = link_records(*pair)
    assert links.dld == pytest.approx(float(plain.dld(*exact)), rel=1e-12)
    assert links.dld_by_number == pytest.approx(float(plain.dld_by_number(*exact)), rel=1e-12)


@given(tables(), st.sampled_from([0.1, 1e-7, 3e8]), st.sampled_from([0.0, 0.3]))
def test_ties_stay_ties_when_values_are_not_whole(pair, scale, shift) -> None:
    """Scaled and shifted numbers round, yet whoever was tied is tied."""
    original, protected = pair
    links, moved = link_records(*pair), link_records(original * scale + shift, protected * scale + shift)
    assert (moved.by_number, moved.expected) == (links.by_number, pytest.approx(links.expected))


def test_ties_are_shared() -> None:
    """Two clusters of equal centroids: each record is one of four."""
    original = np.array([[0.0], [2.0], [0.5], [1.5]])
    links = link_records(original, np.ones((4, 1)))
    assert (links.expected, links.by_number) == (1.0, 1)
    assert (links.dld, links.dld_by_number) == (25.0, 25.0)


def test_equal_means_of_clusters_of_different_size_are_one_point() -> None:
    """0.1 summed three times over three, and seven times over seven, differ in the last bit."""
    centroids = np.array([[sum([0.1] * 3) / 3], [sum([0.1] * 7) / 7], [0.1], [0.3]])
    assert len(np.unique(centroids)) > 2
    settle_columns(centroids)
    assert len(np.unique(centroids)) == 2


def test_minus_zero_is_zero() -> None:
    values = np.array([[0.0], [-0.0]])
    settle_columns(values)
    assert not np.signbit(values).any()


def test_score_is_the_mean_of_loss_and_risk() -> None:
    """Equations 2 and 6, on a line of the paper's Table 2."""
    scores = Scores(8.01, 32.01, 14.56)
    assert scores.dr == pytest.approx(23.285)
    assert scores.score == pytest.approx(15.6475)


def test_nothing_changed_and_everything_equal() -> None:
    """The untouched table loses nothing and discloses all; without variation the loss is 0."""
    values = np.arange(12.0).reshape(6, 2) + 1
    assert measure_protection(values, values) == Scores(0.0, 100.0, 100.0)
    same = np.ones((5, 2))
    assert measure_protection(same, same) == Scores(0.0, 100.0, pytest.approx(20.0))


@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(100, 300))
@examples(25)
def test_tree_and_threads_change_nothing(seed, columns, rows) -> None:
    """More rows than a box and than a task have; each compared with all others by brute force."""
    random = np.random.default_rng(seed)
    original = random.integers(0, 30, (rows, columns)).astype(float)
    protected = original + random.integers(-2, 3, original.shape)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(protection, "PIECE", 64)
        one, two = (link_records(original, protected, threads=threads) for threads in (1, 3))
    assert one == two
    distances = ((original[:, None] - protected) ** 2).sum(axis=2)
    tied = distances == distances.min(axis=1)[:, None]
    assert one.expected == pytest.approx((np.diag(tied) / tied.sum(axis=1)).sum())
    assert one.by_number == (tied.argmax(axis=1) == np.arange(rows)).sum()


@pytest.mark.parametrize(
    ("original", "protected"),
    [
        (np.zeros((0, 2)), np.zeros((0, 2))),
        (np.zeros((3, 2)), np.zeros((2, 2))),
        (np.zeros(3), np.zeros(3)),
        (np.array([[np.nan]]), np.zeros((1, 1))),
        (np.zeros((1, 1)), np.array([[np.inf]])),
    ],
)
def test_what_cannot_be_measured_is_refused(original, protected) -> None:
    for measure in (information_loss, interval_disclosure, link_records):
        with pytest.raises(ParameterError):
            measure(original, protected)
