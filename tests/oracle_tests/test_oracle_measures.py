"""Every measure of the oracle against numbers worked out by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.oracle_tests.hand_table import ALL, ILLNESS, KEPT, PERSONS, RECODING, ROWS
from tests.oracles import measures
from tests.oracles.classes import group, recoding_at
from tests.strategies import levels_of, tables

if TYPE_CHECKING:
    from tests.oracles.classes import Row, Value


def test_class_sizes() -> None:
    # Sizes 3, 2, 1 over 3 + 2 + 1 records: sum 9 + 4 + 1 = 14, mean 14/6.
    assert measures.k(ALL) == 1
    assert measures.spread_k(ALL) == 14
    assert measures.mean_k(ALL) == Fraction(14, 6)
    # Without row 5: 9 + 4 = 13 over 5 records.
    assert (measures.k(KEPT), measures.spread_k(KEPT), measures.mean_k(KEPT)) == (2, 13, Fraction(13, 5))


def test_class_sizes_count_persons_and_means_count_rows() -> None:
    # Persons {x, y}, {z}, {w}: sizes 2, 1, 1 for 3, 2, 1 rows: 6 + 2 + 1 = 9, mean 9/6.
    assert measures.k(ALL, PERSONS) == 1
    assert measures.k([[0, 1, 2]], PERSONS) == 2
    assert measures.spread_k(ALL, PERSONS) == 9
    assert measures.mean_k(ALL, PERSONS) == Fraction(3, 2)


def test_missing_and_unknown_are_no_distinct_values() -> None:
    # {flu, cold}, {flu, missing}, {cold}.
    assert measures.distinct_l(ALL, ILLNESS) == 1
    assert measures.distinct_l(KEPT, ILLNESS) == 1
    assert measures.distinct_l([[0, 1, 2]], ILLNESS) == 2
    assert measures.distinct_l([[0, 1, 2]], ILLNESS, {"cold"}) == 1
    # A class without a known value has ℓ = 1 in every form.
    assert measures.distinct_l([[4]], ILLNESS) == measures.share_l([[4]], ILLNESS) == 1
    assert measures.entropy_l([[4]], ILLNESS) == measures.recursive_l([[4]], ILLNESS, Fraction(1, 2)) == 1
    assert measures.entropy_at_least([[4]], ILLNESS, Fraction(1))
    assert not measures.entropy_at_least([[4]], ILLNESS, Fraction(11, 10))


def test_spread_l_sums_the_own_value_counts() -> None:
    # flu, flu, cold: 2 + 2 + 1; flu, missing: 1; cold: 1.
    assert measures.spread_l(ALL, ILLNESS) == 7
    assert measures.spread_l(KEPT, ILLNESS) == 6


def test_share_l_is_one_over_the_largest_share() -> None:
    # Largest shares of known values 2/3, 1, 1.
    assert measures.share_l(KEPT, ILLNESS) == 1
    assert measures.share_l([[0, 1, 2]], ILLNESS) == Fraction(3, 2)
    # flu, flu, flu, missing, cold: 3/4.
    assert measures.share_l([[0, 1, 3, 4, 5]], ILLNESS) == Fraction(4, 3)


def test_t_compares_with_all_input_rows() -> None:
    # Overall flu 3/6, cold 2/6, missing 1/6.
    # flu 2/3, cold 1/3:    (1/6 + 0 + 1/6) / 2   = 1/6
    # flu 1/2, missing 1/2: (0 + 1/3 + 1/3) / 2   = 1/3
    # cold 1:               (1/2 + 2/3 + 1/6) / 2 = 2/3
    assert measures.t([[0, 1, 2]], ILLNESS) == Fraction(1, 6)
    assert measures.t(KEPT, ILLNESS) == Fraction(1, 3)
    assert measures.t(ALL, ILLNESS) == Fraction(2, 3)


def test_entropy_l() -> None:
    # Equal shares of two values give 2; shares 2/3 and 1/3 give (27/4)^(1/3).
    assert measures.entropy_l([[2, 3, 4]], ILLNESS) == pytest.approx(2)
    assert measures.entropy_l([[0, 1, 2]], ILLNESS) == pytest.approx((27 / 4) ** (1 / 3))
    assert measures.entropy_l(ALL, ILLNESS) == pytest.approx(1)


def test_entropy_is_judged_without_rounding() -> None:
    assert measures.entropy_at_least([[2, 3, 4]], ILLNESS, Fraction(2))
    assert not measures.entropy_at_least([[2, 3, 4]], ILLNESS, Fraction(2) + Fraction(1, 10**30))
    assert not measures.entropy_at_least(KEPT, ILLNESS, Fraction(2))


def test_recursive_l() -> None:
    # Counts 2, 1. c = 3: 2 < 3·1, so 2. c = 2: 2 < 2·1 fails, 2 < 2·3 holds, so 1.
    assert measures.recursive_l([[0, 1, 2]], ILLNESS, Fraction(3)) == 2
    assert measures.recursive_l([[0, 1, 2]], ILLNESS, Fraction(2)) == 1
    # One value only: 1 < 3·1 holds for ℓ = 1; with c = 1 not even that.
    assert measures.recursive_l(ALL, ILLNESS, Fraction(3)) == 1
    assert measures.recursive_l(ALL, ILLNESS, Fraction(1)) == 0


def test_recursive_l_sums_the_tail() -> None:
    # Counts 4, 2, 1, 1, c = 3. ℓ = 2: 4 < 3·4. ℓ = 3: 4 < 3·2. ℓ = 4: 4 < 3·1 fails.
    values = ["a"] * 4 + ["b"] * 2 + ["c", "d"]
    assert measures.recursive_l([list(range(8))], values, Fraction(3)) == 3


def test_losses_without_suppression() -> None:
    # City in blocks of 2 of 4: 1/3 in each of 6 rows; sex untouched.
    assert measures.gl(ROWS, RECODING, ALL) == 2
    assert measures.sl(ROWS, RECODING, ALL) == 0
    assert measures.glm(ROWS, RECODING, ALL) == 2
    assert measures.loss(ROWS, RECODING, ALL) == Fraction(2, 12)


def test_losses_with_a_suppressed_row() -> None:
    # Five rows at 1/3, and 1 in both cells of row 5.
    assert measures.suppressed(ROWS, KEPT) == 1
    assert measures.gl(ROWS, RECODING, KEPT) == Fraction(5, 3)
    assert measures.sl(ROWS, RECODING, KEPT) == 2
    assert measures.glm(ROWS, RECODING, KEPT) == Fraction(11, 3)
    assert measures.loss(ROWS, RECODING, KEPT) == Fraction(11, 36)


def test_losses_with_weights() -> None:
    # City 3, sex 1: a kept row costs (3·1/3 + 1·0)/4 = 1/4, row 5 costs 1: (5/4 + 1)/6.
    weights = [Fraction(3), Fraction(1)]
    assert measures.loss(ROWS, RECODING, KEPT, weights) == Fraction(3, 8)
    assert measures.glm(ROWS, RECODING, KEPT, weights) == Fraction(3, 8) * 12
    assert measures.gl(ROWS, RECODING, KEPT, weights) == Fraction(5, 4) * 2


def test_losses_divide_by_the_domain_not_by_what_occurs() -> None:
    # One value occurs, in a block of 2 of a domain of 5.
    blocks: dict[Value, Value] = {"1": "1-2", "2": "1-2", "3": "3-5", "4": "3-5", "5": "3-5"}
    assert measures.loss([("1",), ("1",)], [blocks], [[0, 1]]) == Fraction(1, 4)


def test_a_domain_of_one_value_costs_nothing_unless_suppressed() -> None:
    rows: list[Row] = [("a", "f"), ("a", "m")]
    recoding: list[dict[Value, Value]] = [{"a": "*"}, {"f": "f", "m": "m"}]
    assert measures.loss(rows, recoding, [[0], [1]]) == 0
    assert measures.precision(rows, recoding, [[0], [1]], [(1, 1), (0, 1)]) == 1
    # Row 1 suppressed: 2 of 4 cells.
    assert measures.loss(rows, recoding, [[0]]) == Fraction(1, 2)
    assert measures.precision(rows, [{"a": "a"}, recoding[1]], [[0]], [(0, 0), (0, 1)]) == Fraction(1, 2)


def test_precision() -> None:
    # City at level 1 of 2, sex at 0 of 1: 1/2 in six of twelve cells.
    steps = [(1, 2), (0, 1)]
    assert measures.precision(ROWS, RECODING, ALL, steps) == Fraction(3, 4)
    # Row 5 suppressed: 5·1/2 + 2 = 9/2 of 12.
    assert measures.precision(ROWS, RECODING, KEPT, steps) == Fraction(5, 8)


def test_t_follows_an_order() -> None:
    # Overall flu 3/6, cold 2/6, missing 1/6, in the order cold, flu, fever; missing is 1 from each.
    # flu 2/3, cold 1/3:    1/6 of flu is missing instead:                       1/6
    # flu 1/2, missing 1/2: 1/3 of missing is cold instead:                      1/3
    # cold 1:               1/6 is missing instead, 1/2 goes over one gap of two: 5/12
    order: list[Value] = ["cold", "flu", "fever", None]
    found = [measures.t_ordered([members], ILLNESS, order) for members in ALL]
    assert found == [Fraction(1, 6), Fraction(1, 3), Fraction(5, 12)]
    assert measures.t_ordered(ALL, ILLNESS, order) == Fraction(5, 12)
    # A value in between that nobody has makes the way longer; one that is unknown does not.
    longer: list[Value] = ["cold", "cough", "flu", None]
    assert measures.t_ordered([[5]], ILLNESS, longer) == Fraction(1, 6) + Fraction(1, 2)
    assert measures.t_ordered([[5]], ILLNESS, ["cough", *order], {"cough"}) == Fraction(5, 12)
    # Two unknown values are 1 apart from each other, too: of cold and missing alike the half is elsewhere.
    assert measures.t_ordered([[2, 4]], ILLNESS, order, {"cold"}) == Fraction(1, 2)


def test_t_follows_a_tree() -> None:
    # flu and cold meet at level 1 of 2, missing only at the root.
    levels: list[dict[Value, Value]] = [
        {"flu": "flu", "cold": "cold", None: None},
        {"flu": "known", "cold": "known", None: None},
        {"flu": "*", "cold": "*", None: "*"},
    ]
    # Surplus flu 1/6, missing −1/6:            1/6 over the root:                      1/6
    # Surplus missing 1/3, cold −1/3:           1/3 over the root:                      1/3
    # Surplus cold 2/3, flu −1/2, missing −1/6: 1/2 at half the way, 1/6 over the root: 5/12
    found = [measures.t_hierarchical([members], ILLNESS, levels) for members in ALL]
    assert found == [Fraction(1, 6), Fraction(1, 3), Fraction(5, 12)]


def test_usefulness_and_protection() -> None:
    # City at level 1: any two of four count 1/3; sex as it is: 0. Equal weights: 1/6 a row.
    one = [Fraction(1), Fraction(1)]
    assert measures.usefulness(ROWS, RECODING, ALL, [None, None], one) == Fraction(5, 6)
    assert measures.protection(ROWS, RECODING, ALL, [None, None], one) == Fraction(1, 6)
    # On a line at 0, 1, 9, 10 both blocks are 1/10 long; city counts three times as much as sex.
    places = {"a": 0, "b": 1, "c": 9, "d": 10}
    weights = [Fraction(3), Fraction(1)]
    assert measures.usefulness(ROWS, RECODING, KEPT, [places, None], weights) == 1 - (
        5 * Fraction(3, 40) + 1
    ) / Fraction(6)
    assert measures.protection(ROWS, RECODING, KEPT, [places, None], weights) == Fraction(3, 40)


def test_discernibility_and_average_class() -> None:
    # 9 + 4 + 1; with row 5 suppressed 9 + 4 + 1·6.
    assert measures.dm(ROWS, ALL) == 14
    assert measures.dm(ROWS, KEPT) == 19
    assert measures.average_class(ALL) == 2
    assert measures.average_class(KEPT) == Fraction(5, 2)


@examples(60)
@given(data=st.data())
def test_identities_on_any_table(data: st.DataObject) -> None:
    table = data.draw(tables(min_sensitive=1, persons=False))
    recoding = recoding_at(table.ladders, data.draw(levels_of(table)))
    classes = list(group(table.rows, recoding).values())
    values = table.sensitive["s1"]
    assert 0 <= measures.loss(table.rows, recoding, classes) <= 1
    assert measures.dm(table.rows, classes) == measures.spread_k(classes)
    assert measures.spread_l(classes, values) <= measures.spread_k(classes)
    assert measures.k(classes) <= measures.average_class(classes) <= measures.mean_k(classes)
    assert 0 <= measures.t(classes, values) < 1
    # share ≤ entropy ≤ distinct: min-entropy, entropy and the logarithm of the support.
    assert measures.entropy_at_least(classes, values, measures.share_l(classes, values))
    assert measures.entropy_l(classes, values) <= measures.distinct_l(classes, values) + 1e-9


@examples(60)
@given(data=st.data())
def test_a_more_general_recoding_never_has_smaller_classes_or_less_loss(data: st.DataObject) -> None:
    table = data.draw(tables())
    lower = data.draw(levels_of(table))
    steps = zip(lower, table.ladders, strict=True)
    upper = tuple(data.draw(st.integers(level, ladder.height)) for level, ladder in steps)
    below, above = recoding_at(table.ladders, lower), recoding_at(table.ladders, upper)
    fine, coarse = (list(group(table.rows, recoding).values()) for recoding in (below, above))
    assert measures.k(coarse, table.persons) >= measures.k(fine, table.persons)
    assert measures.loss(table.rows, above, coarse) >= measures.loss(table.rows, below, fine)
    assert measures.dm(table.rows, coarse) >= measures.dm(table.rows, fine)
