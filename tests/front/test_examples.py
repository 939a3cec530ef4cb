"""Small functions of this room, each by an example."""

from __future__ import annotations

import numpy as np

from sfumato.front.front_files import number_text, whole_text
from sfumato.front.indicators import box_of, non_dominated
from sfumato.front.picks import parse_pick
from sfumato.front.questions import read_amount


def test_number_text() -> None:
    assert (number_text(5.0), number_text(0.25)) == ("5", "0.25")


def test_whole_text() -> None:
    assert (whole_text(17920), len(whole_text(1 << 20_000))) == ("17920", 6021)


def test_non_dominated() -> None:
    assert non_dominated(np.array([[2.0, 1.0], [1.0, 2.0], [2.0, 2.0], [1.0, 2.0]])).tolist() == [1, 0]


def test_box_of() -> None:
    assert box_of(np.array([[7.0, 250.0]]), np.array([5.0, 100.0])).tolist() == [[1.0, 2.0]]


def test_parse_pick() -> None:
    assert [str(item) for item in parse_pick("k >= 10 and loss < 0.5")] == ["k >= 10", "loss < 0.5"]


def test_read_amount() -> None:
    assert (read_amount(0.5), read_amount("2 %"), read_amount("0.5")) == (
        (0.5, False),
        (0.02, True),
        (0.5, False),
    )
