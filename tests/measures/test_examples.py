"""Small functions of this room, each by an example."""

from __future__ import annotations

import numpy as np

from sfumato.measures.custom import Step, mean, spread, worst
from sfumato.measures.facts import measure_facts


def test_worst() -> None:
    assert worst(np.array([3.0, 2.0]), np.array([3, 2])) == 2.0


def test_spread() -> None:
    assert spread(np.array([3.0, 2.0]), np.array([3, 2])) == 13.0


def test_mean() -> None:
    assert mean(np.array([3.0, 2.0]), np.array([3, 2])) == 2.6


def test_measure_facts() -> None:
    assert measure_facts("distinct_l(occupation)").takes == "attribute"


def test_step() -> None:
    assert (Step(gain=0.5, loss=4).ratio, Step(gain=0.5, loss=0).ratio) == (0.125, 0.5)
