"""A time limit counts the time of the search alone, and nothing that takes long overlooks it."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from sfumato.classes import Rule, Suppression
from sfumato.domains import Cube, Ladder, Lattice
from sfumato.kernels import expanding
from sfumato.kernels._options import _known
from sfumato.measures import Setting, make_measure
from sfumato.monitor import Monitor
from sfumato.schemes import Ordered
from sfumato.search import METHODS, Problem, Requirement, Run, SearchSettings, compile_method
from sfumato.search.branch_and_bound import search_branch_and_bound
from sfumato.search.printed import TopDown

ONE = ("optimal", "descent", "bottom-up", "top-down")
LEVELS = ("exhaustive", "optimal", "descent", "lattice", "pbg-ea", "granulation-ga", "nsga2")
PARTITIONS = ("exhaustive", "optimal", "bottom-up", "top-down", "lattice", "nsga2")


def small(method: str) -> Problem:
    """Three attributes of six values in forty rows, with as many objectives as a method takes."""
    codes = np.random.default_rng(3).integers(0, 6, (40, 3)).astype(np.int32)
    levels = np.stack([np.arange(6) // width for width in (1, 2, 6)]).astype(np.int32)
    names = ("a", "b", "c")
    setting = Setting(names, (), np.ones(3))
    minimized = ("loss",) if method in ONE else ("loss", "dm")
    return Problem(
        Cube.sorted(names, (6, 6, 6), codes, rows=np.ones(40, dtype=np.int64)),
        Lattice((Ladder.whole(levels),) * 3),
        tuple(make_measure(name, setting) for name in minimized),
        (Requirement(make_measure("k", setting), 3.0),),
        Suppression(Rule.FAILING, 8),
    )


@pytest.mark.parametrize(
    ("method", "schemes"),
    [(name, None) for name in LEVELS] + [(name, (Ordered(6),) * 3) for name in PARTITIONS],
)
def test_no_search_waits_for_a_kernel(
    method: str, schemes: tuple[Ordered, ...] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every kernel that a search calls is ready before its clock begins."""
    problem = replace(small(method), schemes=schemes)
    for made in _known:
        monkeypatch.delitem(vars(made), "ready", raising=False)
    batch = problem.batch(1)
    compile_method(method, problem, batch)
    before = [made for made in _known if "ready" in vars(made)]
    METHODS[method](problem, batch, Monitor(), SearchSettings(threads=1))
    late = [
        made.function.__name__
        for made in _known
        if made.from_python and "ready" in vars(made) and made not in before
    ]
    assert not late


def test_the_clock_is_watched_while_first_prices_are_sought(monkeypatch: pytest.MonkeyPatch) -> None:
    """On wide tables this takes longer than most time limits."""
    problem = replace(small("optimal"), schemes=(Ordered(6),) * 3)
    stopped = []

    def wait(*given: object) -> float:
        works = given[-1]
        end = time.perf_counter() + 20.0
        while not works[0].control[0] and time.perf_counter() < end:
            pass
        stopped.append(bool(works[0].control[0]))
        return -np.inf

    monkeypatch.setattr(expanding, "price_first", wait)
    found = search_branch_and_bound(problem, Run(Monitor(0.3), threads=1))
    assert stopped == [True]
    assert found.stopped == "time limit"


def test_first_prices_end_where_somebody_stops_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """No box is added any more."""
    problem = replace(small("optimal"), schemes=(Ordered(6),) * 3)
    boxes, price = [], expanding.price_first

    def stop_first(*given: object) -> object:
        works = given[-1]
        for stop in (1, 0):
            works[0].control[0] = stop
            found = price(*given)
            boxes.append(int(works[0].prices.amount[0]))
        return found

    monkeypatch.setattr(expanding, "price_first", stop_first)
    assert search_branch_and_bound(problem, Run(threads=1)).complete
    assert boxes[0] == 0 < boxes[1]


def test_the_way_back_from_many_cuts_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the search is stopped nobody looks any more which cuts are useful."""
    problem = replace(small("top-down"), schemes=(Ordered(6),) * 3)
    search = TopDown(problem, Run(threads=1))
    monitor, useful, looks = search.run.monitor, TopDown._useful, []

    def look(self: TopDown, *given: object) -> object:
        looks.append(monitor.stopped)
        if len(looks) == 4:
            monitor.halt[0] = 1
        return useful(self, *given)

    monkeypatch.setattr(TopDown, "_useful", look)
    assert not search.search().complete
    assert len(looks) >= 4
    assert not any(looks)
