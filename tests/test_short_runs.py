"""What a short run leaves out of a test with many cases, and which tests share a process."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.conftest import gather_started


@pytest.mark.some(3)
@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("letter", ["a", "b", "c"])
def test_the_few_cases_have_values_of_every_parameter(
    letter: str, number: int, request: pytest.FixtureRequest
) -> None:
    """One as often as the other; whoever asks for a single case, or for all, gets it."""
    name = request.node.originalname
    alone = sum(getattr(item, "originalname", "") == name for item in request.session.items) == 1
    is_thorough = request.config.getoption("thorough")
    assert (letter, number) in {("a", 1), ("b", 2), ("c", 1)} or alone or is_thorough


@pytest.mark.parametrize("processes", [2, 3, 4])
def test_what_starts_slowly_starts_in_one_process(processes: int) -> None:
    """Each begins with its share of the list, and those that have no more take from the ends of these."""
    kinds = [(), ("tmp_path",), ("spark", "tmp_path"), ("browser", "served"), ("postgres",), ("served",), ()]
    items = [SimpleNamespace(name=n, fixturenames=kinds[n % 7]) for n in range(84)]
    before = [*items]
    gather_started(items, processes)
    assert sorted(items, key=lambda item: item.name) == before
    place = {item.name: number for number, item in enumerate(items)}
    app = [item.name for item in before if item.name % 7 in (3, 5)]
    served = [item.name for item in before if item.name % 7 in (2, 4)]
    second = max(84 // processes, len(app))
    assert [place[name] for name in app] == [*range(len(app))]
    assert [place[name] for name in served] == [*range(second, second + len(served))]
