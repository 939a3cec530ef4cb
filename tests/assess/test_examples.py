"""Small functions of this room, each by an example."""

from __future__ import annotations

import numpy as np

from sfumato.assess.distributions import total_variation
from sfumato.assess.exposure import guess
from sfumato.assess.gather import file_name
from sfumato.assess.linkage import knowledge_levels, wilson
from sfumato.assess.recoded import count_rows, indicators
from sfumato.assess.reidentification import expected_chance


def test_total_variation() -> None:
    assert total_variation(np.array([0.5, 0.5]), np.array([1.0, 0.0])) == 0.5


def test_guess() -> None:
    assert guess(np.array([0, 0, 1, 1]), np.array([5, 6, 5, 6]), np.array([4, 1, 1, 1])) == 0.5714285714285714


def test_file_name() -> None:
    assert (
        file_name("/data/people/adult.csv"),
        file_name(r"C:\people\adult.csv"),
        file_name("adult.csv"),
    ) == ("adult.csv", "adult.csv", "adult.csv")


def test_wilson() -> None:
    assert tuple(round(end, 4) for end in wilson(3, 20)) == (0.0524, 0.3604)


def test_knowledge_levels() -> None:
    assert (knowledge_levels(8), knowledge_levels(3), knowledge_levels(1)) == ([8, 4, 3], [3, 2], [1])


def test_count_rows() -> None:
    assert count_rows(np.array([0, 2, 2]), np.array([1, 2, 3]), 4).tolist() == [1.0, 0.0, 5.0, 0.0]


def test_indicators() -> None:
    assert indicators(np.array([0, 1, 1])).tolist() == [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]


def test_expected_chance() -> None:
    assert expected_chance(np.array([1, 2, 10]), 0.1).round(4).tolist() == [0.2558, 0.0827, 0.011]
