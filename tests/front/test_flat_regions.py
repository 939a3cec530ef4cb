"""Flat regions hold what they say."""

from __future__ import annotations

import itertools
import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import ParameterError
from sfumato.front import FlatRegion, PlainFront, PlainSolution, find_flat_regions
from sfumato.words import number_words, pair_words, percent_words
from tests.front.drawn_fronts import front_of, fronts


def scaled(front: PlainFront, name: str) -> list[float]:
    """Return an objective from 0 (worst) to 1 (best), by the definition."""
    (objective,) = [item for item in front.objectives if item.name == name]
    raw = [item.value(name) for item in front]
    if not raw:
        return []
    if min(raw) > 0 and max(raw) > 100 * min(raw):
        raw = [math.log(value) for value in raw]
    low, high = min(raw), max(raw)
    shares = [(value - low) / (high - low) if high > low else 0.0 for value in raw]
    return shares if objective.maximize else [1 - share if high > low else 0.0 for share in shares]


def test_the_longest_cheap_stretch_comes_first() -> None:
    rows = [(80, 1.0), (31, 0.404), (20, 0.403), (12, 0.4024), (5, 0.2), (1, 0.0)]
    (region,) = find_flat_regions(front_of(rows, (True, False)))[:1]
    assert (region.start.number, region.end.number, region.numbers) == (4, 2, (4, 3, 2))
    assert region.relative_cost == pytest.approx(0.0016 / 0.4024)


def test_text_is_a_sentence_of_the_numbers() -> None:
    objectives = (True, True, False, False)
    rows = [(100, 14, 0.9, 900), (31, 8, 0.404, 100), (12, 9, 0.4024, 0), (1, 1, 0.0, 5000)]
    front = front_of(rows, objectives)
    (region,) = find_flat_regions(front, "k", gain=0.15, cost=0.1)
    assert region.text == (
        "k from 12 to 31 costs 0.4 % more loss, takes distinct_l(a) from 9 to 8 and takes dm from 0 to 100"
    )
    assert str(region) == region.text


@pytest.mark.parametrize("rows", [[], [(5, 0.5)], [(5, 0.5), (2, 0.1)]])
def test_small_fronts_are_nowhere_flat(rows: list[tuple[float, float]]) -> None:
    assert find_flat_regions(front_of(rows, (True, False))) == []


def test_a_straight_front_is_nowhere_flat() -> None:
    rows = [(100.0 - i, 1 - i / 100) for i in range(100)]
    assert find_flat_regions(front_of(rows, (True, False))) == []


def test_equal_values_and_values_that_are_no_numbers_do_not_matter() -> None:
    rows = [(50, 0.5, 7, 1), (40, 0.4, 7, math.nan), (20, 0.399, 7, 1), (5, 0.1, 7, 1), (1, 0.0, 7, 1)]
    front = front_of(rows, (True, False, True, False))
    regions = find_flat_regions(front, "k", gain=0.1, cost=0.6)
    assert regions
    assert all(2 not in region.numbers for region in regions)
    infinite = front_of([(math.inf, 0.5), (2, 0.2), (1, 0.1)], (True, False))
    assert isinstance(find_flat_regions(infinite), list)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"of": "kk"}, "no objective 'kk'. Did you mean 'k'"),
        ({"gain": 0.0}, "gain must be"),
        ({"gain": math.nan}, "gain must be"),
        ({"cost": -0.1}, "cost must be"),
    ],
)
def test_wrong_parameters_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        find_flat_regions(front_of([(5, 0.5), (2, 0.1)], (True, False)), **options)  # type: ignore[arg-type]


shares = st.sampled_from([0.02, 0.05, 0.2, 0.5])


@settings(deadline=None)
@given(fronts(), shares, shares)
def test_regions_are_what_the_definition_says(front: PlainFront, gain: float, cost: float) -> None:
    """Enough gain, little cost, no overlap, and none that is longer was passed over."""
    for region in (regions := find_flat_regions(front, gain=gain, cost=cost)):
        mine = scaled(front, region.objective.name)
        start, end = region.start.number - 1, region.end.number - 1
        assert mine[end] - mine[start] == pytest.approx(region.gain)
        assert region.gain >= gain - 1e-9
        assert cost_of(front, region, start, end) == pytest.approx(region.cost)
        assert region.cost <= cost + 1e-9
        assert (region.numbers[0], region.numbers[-1]) == (start + 1, end + 1)
        heights = [mine[number - 1] for number in region.numbers]
        assert heights == sorted(heights)
    for first, second in itertools.combinations(regions, 2):
        if first.objective == second.objective:
            a, b = sorted([ends(front, first), ends(front, second)])
            assert a[1] <= b[0] + 1e-9
    for objective in front.objectives:
        longest = [region.gain for region in regions if region.objective == objective]
        wanted = find_flat_regions(front, objective.name, gain=gain, cost=cost)
        best = max(gains(front, objective.name, cost), default=0.0)
        assert bool(wanted) == (best >= gain - 1e-12)
        if longest:
            assert longest[0] == pytest.approx(best)


def ends(front: PlainFront, region: FlatRegion[PlainSolution]) -> tuple[float, float]:
    mine = scaled(front, region.objective.name)
    return mine[region.start.number - 1], mine[region.end.number - 1]


def cost_of(front: PlainFront, region: FlatRegion[PlainSolution], start: int, end: int) -> float:
    others = [item.name for item in front.objectives if item != region.objective]
    return max([0.0, *(scaled(front, name)[start] - scaled(front, name)[end] for name in others)])


def gains(front: PlainFront, name: str, cost: float) -> list[float]:
    """Return what every affordable step gains."""
    mine = scaled(front, name)
    others = [scaled(front, item.name) for item in front.objectives if item.name != name]
    return [
        mine[end] - mine[start]
        for start, end in itertools.permutations(range(len(front)), 2)
        if all(other[start] - other[end] <= cost + 1e-12 for other in others)
    ]


@settings(deadline=None)
@given(fronts(least=2))
def test_text_is_true_of_the_numbers(front: PlainFront) -> None:
    """Read back what a text says, and hold it against the solutions."""
    for region in find_flat_regions(front, gain=0.02, cost=0.5):
        name = region.objective.name
        head = re.fullmatch(rf"{re.escape(name)} from (\S+) to (\S+) (.*)", region.text)
        assert head is not None
        assert (head[1], head[2]) == pair_words(region.start.value(name), region.end.value(name))
        said = dict[str, tuple[str, str]]()
        for share, way, what in re.findall(r"((?:less than )?[\d.,]+) % (less|more) ([\w()]+)", head[3]):
            said[what] = (share, way)
        moves = re.findall(r"takes (\S+) from (\S+) to (\S+)", head[3])
        moved = {what: (old, new.rstrip(",")) for what, old, new in moves}
        for item in front.objectives:
            old, new = region.start.value(item.name), region.end.value(item.name)
            is_worse = new < old if item.maximize else new > old
            assert (item.name in said or item.name in moved) == is_worse
            if item.name in said:
                share, way = said[item.name]
                assert way == ("less" if item.maximize else "more")
                assert f"{share} %" == percent_words(abs(new - old) / abs(old), "rough")
            if item.name in moved:
                assert moved[item.name] == pair_words(old, new)
        assert ("costs nothing" in region.text) == (not said and not moved)


@given(st.floats(0, 1e6))
def test_percentages_are_right_to_two_digits(share: float) -> None:
    text = percent_words(share, "rough")
    if text == "less than 0.01 %":
        assert 0 < share < 0.0001
    else:
        assert float(text.removesuffix(" %").replace(",", "")) == pytest.approx(100 * share, rel=0.06)


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_different_numbers_have_different_words(first: float, second: float) -> None:
    words = pair_words(first, second)
    assert (words[0] == words[1]) == (first == second)
    if number_words(first) != number_words(second):
        assert words == (number_words(first), number_words(second))
