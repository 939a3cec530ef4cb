"""Everything registered keeps what it declares; and the checks notice when something does not."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.classes import PropertyKind
from sfumato.conformance import SETTING, ConformanceError, check_measure, check_search
from sfumato.measures import ClassMeasure, Direction, Measure, Monotone, Union, make_measure, measure_names
from sfumato.search import METHODS, Run, search_exhaustive


@pytest.mark.parametrize("name", measure_names(SETTING))
def test_every_measure(name: str) -> None:
    """Registered means conforming."""
    check_measure(lambda setting: make_measure(name, setting))


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if not method.partitions_alone])
def test_every_search(name: str) -> None:
    """Registered means conforming; `optimal` is for one objective. Those of partitions have own tests."""
    objectives = ("loss",) if name == "optimal" else ("k", "loss")
    is_exact = name in ("exhaustive", "optimal")
    check_search(METHODS[name], exact=is_exact, objectives=objectives, lists=name == "lattice")


@pytest.mark.some(7)
@pytest.mark.parametrize(
    "pair",
    [
        *[("t(s)", "dm"), ("spread_l(s)", "cm(s)"), ("precision", "average_class")],
        *[("entropy_l(s)", "t(s, ordered)"), ("share_l(s)", "t(s, hierarchical)")],
        *[("recursive_l(s, 3)", "usefulness"), ("protection", "hdm")],
    ],
)
@pytest.mark.parametrize("name", ["exhaustive", "pbg-ea"])
def test_any_measures_in_every_front_search(name: str, pair: tuple[str, str]) -> None:
    """Objectives of every kind."""
    check_search(METHODS[name], exact=name == "exhaustive", objectives=pair)


class _Lying(Measure):
    """Says that it improves along generalization; it is the number of classes."""

    direction = Direction.MAXIMIZE
    monotone = Monotone.IMPROVES

    def value(self, statistics):
        return statistics.classes.astype(np.float64)


class _WrongUnion(ClassMeasure):
    """t says that any union keeps it."""

    kind = PropertyKind.T_EQUAL
    direction = Direction.MINIMIZE
    union = Union.ANY


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda _: _Lying("lying"), "lying gets worse along generalization"),
        (lambda _: _WrongUnion("wrong", 0), "fails in more rows of a generalization"),
    ],
)
def test_a_measure_that_lies_is_found(make, message: str) -> None:
    """The checks can fail."""
    with pytest.raises(ConformanceError, match=message):
        check_measure(make)


def test_a_search_that_lies_is_found() -> None:
    """One that forgets a solution, and one that never stops."""
    from dataclasses import replace

    def forgetful(problem, batch, monitor, settings):
        result = search_exhaustive(problem, Run(monitor, batch=batch))
        return replace(result, nodes=result.nodes[1:])

    with pytest.raises(ConformanceError, match="misses the front"):
        check_search(forgetful, exact=True)

    def deaf(problem, batch, monitor, settings):
        return search_exhaustive(problem, Run(batch=batch))

    with pytest.raises(ConformanceError, match="does not stop it"):
        check_search(deaf, exact=True)
