from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import HierarchyError
from sfumato.hierarchies import intervals
from sfumato.hierarchies.builders import Definition
from sfumato.hierarchies.intervals import MOST_INTEGERS, Grid, build_intervals, number_array
from tests.hierarchies.oracle import exact, interval, plain
from tests.hierarchies.shapes import check, make, shown


def test_labels_of_the_contract() -> None:
    ages = make([17, 90], {"intervals": [5, 10, 20, 40], "origin": 0, "bottom": 15, "top": 90})
    assert ages.height == 5
    # Bottom and top declare their range; what lies beyond belongs to the domain as far as the data reach.
    assert ages.values == tuple(range(15, 91))
    assert ages.labels[1][:3] == ("15-19", "20-24", "25-29")
    assert ages.labels[1][-2:] == ("85-89", "90+")
    assert ages.labels[4] == ("15-39", "40-79", "80-89", "90+")
    assert ages.labels[5] == ("*",)


def test_a_bottom_within_an_interval_cuts_it() -> None:
    ages = make([3, 12, 27], {"intervals": [10], "bottom": 15, "top": 22})
    assert ages.labels[1] == ("<15", "15-19", "20-21", "22+")


def test_blocks_beyond_the_values_are_there_only_if_the_range_is_declared() -> None:
    ages = make([18, 19], {"intervals": [10], "bottom": 15})
    assert ages.labels[1] == ("15-19",)
    assert not ages.is_declared
    declared = make([18, 19], {"intervals": [10], "bottom": 15, "top": 40})
    assert declared.labels[1] == ("15-19", "20-29", "30-39")
    assert declared.declared.all()
    beyond = make([12, 19, 45], {"intervals": [10], "bottom": 15, "top": 40})
    assert beyond.values == (12, *range(15, 40), 45)
    assert [value for value, known in zip(beyond.values, beyond.declared, strict=True) if known] == [
        *range(15, 40)
    ]
    assert not make([18.5, 19.0], {"intervals": [10], "bottom": 15, "top": 40}).is_declared


def test_a_block_of_one_integer_is_that_integer() -> None:
    ages = make([3, 6], {"intervals": [1, 2], "top": 5})
    assert ages.labels[1] == ("3", "4", "5+")
    assert ages.labels[2] == ("2-3", "4", "5+")


def test_floats_have_the_labels_of_floats() -> None:
    sizes = make([36.5, 40.0], {"intervals": [5], "top": 60})
    assert sizes.values == (36.5, 40.0)
    assert sizes.labels == (("36.5", "40"), ("[35.0, 40.0)", "[40.0, 45.0)"), ("*",))
    assert sizes.definition["integer"] is False


def test_whole_floats_are_integers() -> None:
    ages = make([35.0, 37.0], {"intervals": [5.0], "bottom": 10.0})
    assert ages.values == (35, 36, 37)
    assert ages.labels[1] == ("35-39",)
    low = make([5.0, 12.0], {"intervals": [5.0], "bottom": 10.0})
    assert low.labels[1] == ("<10", "10-14")


def test_integers_with_a_fractional_width_have_the_labels_of_floats() -> None:
    ages = make([4, 6], {"intervals": [2.5]})
    assert ages.values == (4, 5, 6)
    assert ages.labels[1] == ("[2.5, 5.0)", "[5.0, 7.5)")


def test_negative_numbers_and_another_origin() -> None:
    degrees = make([-6, 3], {"intervals": [5], "origin": 2})
    assert degrees.labels[1] == ("-8--4", "-3-1", "2-6")


def test_decimals_fall_where_they_do_on_paper() -> None:
    # In binary 0.3 / 0.1 is 2.9999999999999996, and 0.7 / 0.1 is 6.999999999999999.
    tenths = make([0.1, 0.3, 0.6, 0.7, 1.05], {"intervals": [0.1, 0.2]})
    assert shown(tenths, 1) == ["[0.1, 0.2)", "[0.3, 0.4)", "[0.6, 0.7)", "[0.7, 0.8)", "[1.0, 1.1)"]
    assert shown(tenths, 2) == ["[0.0, 0.2)", "[0.2, 0.4)", "[0.6, 0.8)", "[0.6, 0.8)", "[1.0, 1.2)"]


def test_missing_is_a_leaf_of_its_own_below_the_root() -> None:
    ages = make([17, 19], {"intervals": [5]}, has_missing=True)
    assert ages.values == (17, 18, 19, None)
    assert ages.labels == (("17", "18", "19", None), ("15-19", None), ("*",))
    assert ages.levels.tolist() == [[0, 1, 2, 3], [0, 0, 0, 1], [0, 0, 0, 0]]


def test_nothing_but_missing() -> None:
    ages = make([], {"intervals": [5]}, has_missing=True)
    assert ages.labels == ((None,), (None,), ("*",))


def test_one_value_has_level_0_and_the_root() -> None:
    ages = make([17], {"intervals": [5]})
    assert ages.labels == (("17",), ("15-19",), ("*",))


numbers = st.one_of(
    st.lists(st.integers(-200, 200), min_size=1, max_size=20),
    st.lists(st.integers(-2000, 2000).map(lambda n: n / 10), min_size=1, max_size=20),
    st.lists(st.floats(-1000, 1000).map(lambda x: x + 0.0), min_size=1, max_size=20),
)
scales = st.sampled_from([1, 1, 10, 100])


@given(numbers, st.lists(st.integers(2, 4), min_size=1, max_size=3), st.data())
def test_intervals_agree_with_the_oracle(
    values: list[int | float], factors: list[int], data: st.DataObject
) -> None:
    scale = data.draw(scales)
    small = st.integers(-50, 50).map(lambda n: n if scale == 1 else n / scale)
    width = data.draw(st.integers(1, 12))
    widths = []
    for factor in (1, *factors[1:]):
        width *= factor
        widths.append(width if scale == 1 else width / scale)
    origin, bottom, top = data.draw(small), data.draw(st.none() | small), data.draw(st.none() | small)
    if bottom is not None and top is not None and bottom >= top:
        bottom, top = None, None
    rule = Definition(intervals=widths, origin=origin, bottom=bottom, top=top)
    made = build_intervals("a", values, rule, has_missing=data.draw(st.booleans()))
    check(made)
    whole = all(value == int(value) for value in values)
    parameters = [*widths, origin, *(number for number in (bottom, top) if number is not None)]
    integer = whole and all(exact(number).denominator == 1 for number in parameters)
    known = sorted(set(values))
    # Bottom and top together declare a range, whatever the data hold; beyond them there is only what occurs.
    first = min(known) if bottom is None else math.ceil(bottom)
    last = max(known) if top is None else math.ceil(top) - 1
    if bottom is None or top is None:
        first, last = max(first, min(known)), min(last, max(known))
    domain = sorted({*known, *range(int(first), int(last) + 1)}) if whole else known
    assert list(made.values)[: len(domain)] == domain
    assert shown(made, 0)[: len(domain)] == [plain(value) for value in domain]
    for level, step in enumerate(widths, start=1):
        expected = [
            interval(value, step, origin=origin, bottom=bottom, top=top, integer=integer) for value in domain
        ]
        assert shown(made, level)[: len(domain)] == expected


@given(
    st.lists(st.integers(-500, 500), min_size=1, max_size=20),
    st.sampled_from([1, 2, 5, 10]),
    st.lists(st.integers(2, 3), max_size=2),
    st.booleans(),
)
def test_granules_agree_with_the_oracle(
    values: list[int], granularity: int, factors: list[int], has_missing: bool
) -> None:
    widths, width = [], granularity
    for factor in factors:
        width *= factor
        widths.append(width)
    rule = Definition(intervals=widths or None, granularity=granularity)
    made = build_intervals("a", values, rule, has_missing=has_missing)
    check(made)
    starts = sorted({value // granularity * granularity for value in values})
    domain = list(range(starts[0], starts[-1] + 1, granularity)) if widths else starts
    assert list(made.values)[: len(domain)] == domain
    for level, step in enumerate([granularity, *widths]):
        assert shown(made, level)[: len(domain)] == [interval(value, step) for value in domain]
    assert made.definition["granularity"] == granularity


def test_granules_of_floats() -> None:
    sizes = make([171.3, 174.9, 180.0], granularity=2.5)
    assert sizes.values == (170.0, 172.5, 180.0)
    assert sizes.labels[0] == ("[170.0, 172.5)", "[172.5, 175.0)", "[180.0, 182.5)")


def test_a_range_at_the_limit_is_a_domain_and_one_more_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(intervals, "MOST_INTEGERS", 100)
        assert build_intervals("a", [1, 100], Definition(intervals=[10]), has_missing=False).size == 100
        with pytest.raises(HierarchyError, match="more than 100 values"):
            build_intervals("a", [1, 101], Definition(intervals=[10]), has_missing=False)
    with pytest.raises(HierarchyError) as caught:
        build_intervals("a", [1, MOST_INTEGERS + 1], Definition(intervals=[10]), has_missing=False)
    assert str(caught.value) == (
        "a: the integers span a range of more than 5,000,000 values, all of which would belong to the "
        "domain of the intervals. Set granularity (or a larger one) to group them first."
    )


def test_granularity_shortens_a_long_range() -> None:
    incomes = make([0, 10**9], {"intervals": [10**7]}, granularity=10**6)
    assert incomes.size == 1001
    assert incomes.labels[0][1] == "1000000-1999999"


def test_large_integers_keep_their_last_digit() -> None:
    large = 2**60 + 1
    made = make([large, large + 2], {"intervals": [2]})
    assert made.values == (large, large + 1, large + 2)
    assert made.labels[1] == (f"{large - 1}-{large}", f"{large + 1}-{large + 2}")


@pytest.mark.parametrize("values", [[1e300, 1.5], [2**63 - 1, 2**63 - 2]])
def test_numbers_too_large_for_the_intervals(values: list[int | float]) -> None:
    with pytest.raises(HierarchyError) as caught:
        make(values, {"intervals": [2]})
    assert str(caught.value) == "a: the numbers are too large for intervals this fine. Use larger ones."


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (
            Definition(intervals=[12], granularity=5),
            "With granularity = 5, intervals must be a multiple of it; got 12.",
        ),
        (
            Definition(intervals=[10], origin=3, granularity=5),
            "With granularity = 5, origin must be a multiple of it; got 3.",
        ),
        (
            Definition(intervals=[10], bottom=12, granularity=5),
            "With granularity = 5, bottom must be a multiple of it; got 12.",
        ),
        (
            Definition(intervals=[10], top=12, granularity=5),
            "With granularity = 5, top must be a multiple of it; got 12.",
        ),
    ],
)
def test_rules_that_contradict_themselves(rule: Definition, message: str) -> None:
    with pytest.raises(HierarchyError) as caught:
        build_intervals("age", [1, 2], rule, has_missing=False)
    assert str(caught.value) == f"age: {message}"


def test_texts_are_no_numbers() -> None:
    with pytest.raises(HierarchyError) as caught:
        make([1, "x", "y"], {"intervals": [5]})
    assert caught.value.message == (
        "2 of 3 distinct values are not finite numbers. Use another hierarchy, or list them as missing."
    )
    assert caught.value.values == ("x", "y")


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.sampled_from([0.1, 0.3, 0.07, 2.5, 7]))
def test_grid_finds_the_interval(values: list[float], width: float) -> None:
    grid = Grid.of(0, width)
    index = grid.index(number_array(values))
    low, high = grid.start(index), grid.start(index + 1)
    assert ((low <= values) & (values < high)).all()


@given(
    st.integers(-10_000, 10_000),
    st.sampled_from([0.1, 0.3, 0.07, 0.001, 2.5]),
    st.sampled_from([0, 0.05, -3]),
)
def test_boundaries_belong_to_the_interval_above(place: int, width: float, origin: float) -> None:
    start = float(exact(origin) + place * exact(width))
    index = Grid.of(origin, width).index(number_array([start, math.nextafter(start, -math.inf)]))
    assert index.tolist() == [place, place - 1]
