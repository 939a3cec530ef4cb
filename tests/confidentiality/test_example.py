"""The running example of attribute-oriented granulation, against brute force and the published numbers."""

from __future__ import annotations

import datetime as dt
import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest

import sfumato as sf
from sfumato.preparing import load, make_problem
from tests.confidentiality.example import PEOPLE, columns, specification
from tests.oracles import confidentiality as oracle

if TYPE_CHECKING:
    from sfumato.search import Problem

LEVELS = list(itertools.product(range(4), range(6), range(5)))


def _label(person: tuple[str, str, int, int, int], levels: tuple[int, int, int]) -> tuple[object, ...]:
    born, code, height = person[:3]
    when = (born, born[:7], born[:4], "*")[levels[0]]
    where = code[: 5 - levels[1]]
    tall = "*" if levels[2] == 4 else height // (1, 5, 10, 20)[levels[2]]
    return when, where, tall


def _classes(levels: tuple[int, int, int]) -> list[list[int]]:
    found: dict[tuple[object, ...], list[int]] = {}
    for number, person in enumerate(PEOPLE):
        found.setdefault(_label(person, levels), []).append(number)
    return list(found.values())


def _problem(*confidential: dict[str, object]) -> Problem:
    pandas = pytest.importorskip("pandas")
    spec = sf.Spec.from_dict(specification(*confidential))
    return make_problem(load(pandas.DataFrame(columns()), spec), ("secure", "sf", "ql"), ("exposed",))


def test_the_classes_of_the_example() -> None:
    """Month, two digits, tens: {u1, u2, u3}, {u4, u5, u6}, {u7, …, u11}."""
    assert _classes((1, 3, 2)) == [[0, 1, 2], [3, 4, 5], [6, 7, 8, 9, 10]]
    problem = _problem({"sentence": "health == 2"})
    classes = problem.batch(1).classes(np.array([1, 3, 2]))
    assert sorted(classes.rows.tolist()) == [3, 3, 5]


@pytest.mark.parametrize(
    ("confidential", "secure", "exposed"),
    [
        ({"sentence": "health == 2"}, 1, 0),
        ({"sentence": "health == 1", "record": 1}, 0, 1),
        ({"sentence": "health == 1", "record": 4}, 1, 0),
        ({"sentence": "health == 1"}, 0, 3),
        ({"sentence": "health == 1", "for": "income >= 300 and not zip == '24126'"}, 0, 2),
        ({"sentence": "health in {1, 2} or income > 300"}, 0, 3),
    ],
)
def test_security_of_the_example(confidential: dict[str, object], secure: int, exposed: int) -> None:
    """Nobody is known to be seriously ill; u1, u2 and u3 are known to be slightly ill."""
    problem = _problem(confidential)
    statistics = problem.batch(1).evaluate(np.array([[1, 3, 2]]))
    values = {item.name: float(item.value(statistics)[0]) for item in problem.measures}
    assert (values["secure"], values["exposed"]) == (secure, exposed)


def test_38_of_120_recodings_are_secure() -> None:
    """And the most specific of them are (month, three digits, tens) and (year, nothing, fives)."""
    truth = [{0} if person[4] == 2 else set() for person in PEOPLE]
    kept = [{0}] * len(PEOPLE)
    expected = {levels for levels in LEVELS if oracle.secure(_classes(levels), truth, kept)}
    problem = _problem({"sentence": "health == 2"})
    nodes = problem.lattice.nodes(0, problem.lattice.size)
    statistics = problem.batch(1).evaluate(nodes)
    values = dict(zip(map(tuple, nodes.tolist()), problem.measures[0].value(statistics), strict=True))
    found = {levels for levels, value in values.items() if value == 1}
    assert len(nodes) == 120
    assert found == expected
    assert len(found) == 38
    specific = {
        levels
        for levels in found
        if not any(other != levels and all(map(int.__le__, other, levels)) for other in found)
    }
    assert specific == {(1, 2, 2), (2, 5, 1)}


def test_sf_and_ql_of_every_recoding() -> None:
    """Over the whole lattice, with two sentences of different damage, one for the tall alone."""
    confidential = (
        {"sentence": "health == 2 or income == 400", "damage": 3},
        {"sentence": "not health == 0", "for": "height >= 165"},
    )
    problem = _problem(*confidential)
    nodes = problem.lattice.nodes(0, problem.lattice.size)
    statistics = problem.batch(1).evaluate(nodes)
    truth = [
        {i for i, holds in enumerate((health == 2 or income == 400, health != 0)) if holds}
        for *_, income, health in PEOPLE
    ]
    kept = [{0, 1} if person[2] >= 165 else {0} for person in PEOPLE]
    heights = {height: height for height in range(160, 177)}
    domains = [
        {p[0]: p for p in PEOPLE},
        {p[1]: p for p in PEOPLE},
        {h: (None, None, h, 0, 0) for h in heights},
    ]
    for place, levels in enumerate(map(tuple, nodes.tolist())):
        groups = _classes(levels)
        sf_value, ql_value = (float(item.value(statistics)[place]) for item in problem.measures[1:3])
        assert sf_value == pytest.approx(oracle.sf(groups, truth, kept, [3.0, 1.0]), abs=1e-12)
        recoding = [
            {value: _part(a, value, levels[a]) for value in domain} for a, domain in enumerate(domains)
        ]
        assert ql_value == pytest.approx(oracle.ql(recoding), abs=1e-12)


def _part(attribute: int, value: object, level: int) -> object:
    person = ["1955-01-01", "00000", 160, 0, 0]
    person[attribute] = value
    levels = [0, 0, 0]
    levels[attribute] = level
    return _label(tuple(person), tuple(levels))[attribute]


def test_sf_times_ql_is_largest_for_the_untouched_table() -> None:
    """So one number is a poor guide: both are objectives, with `secure` as a requirement."""
    problem = _problem({"sentence": "health == 2"})
    nodes = problem.lattice.nodes(0, problem.lattice.size)
    statistics = problem.batch(1).evaluate(nodes)
    product = problem.measures[1].value(statistics) * problem.measures[2].value(statistics)
    assert nodes[int(product.argmax())].tolist() == [0, 0, 0]


def test_the_example_has_real_dates() -> None:
    """The fixture is what it says."""
    assert all(dt.date.fromisoformat(person[0]) for person in PEOPLE)
    assert len(set(PEOPLE)) == 11
