"""The lattice oracle: a lattice of six nodes by hand, and properties of the front."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given

from tests.examples import examples
from tests.oracle_tests.hand_table import PERSONS_TABLE, TABLE
from tests.oracles.classes import Ladder, Table
from tests.oracles.lattice import (
    Problem,
    Solution,
    costs,
    dominates,
    evaluate,
    front,
    nodes,
    optimum,
    parse,
    rule_of,
    whole_lattice,
)
from tests.strategies import Case, cases, problems, tables

# The hand table's nodes (city, sex), class sizes, losses without suppression:
#   (0,0)  af:2 bf:1 cm:1 dm:1 cf:1   0
#   (0,1)  a:2 b:1 c:2 d:1            6/12
#   (1,0)  abf:3 cdm:2 cdf:1          2/12
#   (1,1)  ab:3 cd:3                  8/12
#   (2,0)  f:4 m:2                    6/12
#   (2,1)  6                          1


def shown(solutions: list[Solution], *names: str) -> list[tuple[object, ...]]:
    """Return levels, the named measures and suppressed rows."""
    return [(s.levels, *(s.measures[name] for name in names), s.suppressed) for s in solutions]


def test_front_without_suppression() -> None:
    # k is 1, 1, 1, 3, 2, 6 at losses 0, 1/2, 1/6, 2/3, 1/2, 1; best k first.
    problem = Problem(TABLE, maximize=("k",), minimize=("loss",), rule="none")
    assert shown(front(problem), "k", "loss") == [
        ((2, 1), 6, 1, 0),
        ((1, 1), 3, Fraction(2, 3), 0),
        ((2, 0), 2, Fraction(1, 2), 0),
        ((0, 0), 1, 0, 0),
    ]


def test_front_is_sorted_by_the_objectives_in_order_maximize_first() -> None:
    problem = Problem(TABLE, maximize=("precision", "k"), rule="none")
    # Precisions 1, 1/2, 3/4, 1/4, 1/2, 0 in the order above.
    found = shown(front(problem), "precision", "k")
    assert found == [
        ((0, 0), 1, 1, 0),
        ((2, 0), Fraction(1, 2), 2, 0),
        ((1, 1), Fraction(1, 4), 3, 0),
        ((2, 1), 0, 6, 0),
    ]


def test_front_with_a_budget_of_one_row() -> None:
    # floor(0.2 × 6) = 1. At (1,0) size 1 goes: k = 2, loss 11/36. At (0,0) four single rows stay,
    # at (0,1) two. (2,0) with k = 2 and loss 1/2 is then dominated.
    problem = Problem(TABLE, maximize=("k",), minimize=("loss",), limit=0.2)
    assert rule_of(problem) == "smallest"
    assert shown(front(problem), "k", "loss") == [
        ((2, 1), 6, 1, 0),
        ((1, 1), 3, Fraction(2, 3), 0),
        ((1, 0), 2, Fraction(11, 36), 1),
        ((0, 0), 1, 0, 0),
    ]


def test_ties_of_equal_vectors_go_to_fewest_suppressed_then_smallest_text() -> None:
    # k ≥ 2 with two rows to spare; suppressed rows and distinct_l of what remains:
    #   (0,0) infeasible   (0,1) 2 rows, 2   (1,0) 1 row, 2   (1,1) none, 2   (2,0) none, 2   (2,1) none, 3
    name = "distinct_l(illness)"
    problem = Problem(TABLE, maximize=(name,), require={"k": 2}, limit="0.34", rule="failing")
    assert shown(whole_lattice(problem), name) == [
        ((0, 1), 2, 2),
        ((1, 0), 2, 1),
        ((1, 1), 2, 0),
        ((2, 0), 2, 0),
        ((2, 1), 3, 0),
    ]
    assert shown(front(problem), name) == [((2, 1), 3, 0)]
    # With sex untouched (1,0) and (2,0) tie, and the second suppresses less.
    assert shown(front(replace(problem, bounds={"sex": (0, 0)})), name) == [((2, 0), 2, 0)]
    [best] = front(replace(problem, bounds={"city": (0, 1)}))
    assert (best.levels, best.suppressed, best.recoding) == ((1, 1), 0, '{"city": 1, "sex": 1}')


def test_smallest_text_decides_between_equal_levels() -> None:
    same = Ladder("q", ("a", "b"), ({"a": "a", "b": "b"}, {"a": "A", "b": "B"}, {"a": "*", "b": "*"}))
    problem = Problem(Table((same,), [("a",), ("b",)]), minimize=("loss",))
    assert [s.recoding for s in front(problem)] == ['{"q": 0}']
    best = optimum(problem)
    assert best is not None
    assert best.recoding == '{"q": 0}'


def test_the_smallest_text_is_not_the_smallest_number() -> None:
    # Levels 0 to 10 are equal; among 2 to 10 the text with 10 comes first.
    identity = {"a": "a", "b": "b", None: None}
    ladder = Ladder("q", ("a", "b", None), (*[identity] * 11, {"a": "*", "b": "*", None: "*"}))
    table = Table((ladder,), [("a",), ("b",), (None,)])
    problem = Problem(table, minimize=("loss",), bounds={"q": (2, 11)})
    best = optimum(problem)
    assert best is not None
    assert best.recoding == '{"q": 10}'
    assert front(problem) == [best]


def test_optimum_under_requirements() -> None:
    # k ≥ 2 with 2 rows: (1,0) loses 1 row at 11/36; (0,0) would lose 4.
    problem = Problem(TABLE, minimize=("loss",), require={"k": 2}, limit="0.34")
    assert rule_of(problem) == "failing"
    best = optimum(problem)
    assert best is not None
    assert (best.levels, best.measures["loss"], best.suppressed, best.classes) == (
        (1, 0),
        Fraction(11, 36),
        1,
        2,
    )
    # Without a budget (2,0) is the cheapest with k ≥ 2; for k ≥ 7 there is none.
    best = optimum(replace(problem, limit=0))
    assert best is not None
    assert (best.levels, best.measures["loss"]) == ((2, 0), Fraction(1, 2))
    assert optimum(replace(problem, require={"k": 7})) is None


def test_requirements_on_the_table_make_a_recoding_infeasible() -> None:
    problem = Problem(TABLE, maximize=("k",), require={"loss": 0.5}, rule="none")
    # Exactly 1/2 is allowed; best k among losses 0, 1/2, 1/6, 1/2 is 2 at (2,0).
    assert shown(front(problem), "k", "loss") == [((2, 0), 2, Fraction(1, 2), 0)]
    # Of the precisions 1, 1/2, 3/4, 1/4, 1/2, 0 only the first is above 0.76.
    assert shown(front(replace(problem, require={"precision": 0.76})), "k") == [((0, 0), 1, 0)]


def test_class_requirements_judge_each_class_exactly() -> None:
    # t of the classes at (1,0): 1/6, 1/3, 2/3. A bound of 0.3333 suppresses two of them.
    problem = Problem(TABLE, minimize=("loss",), require={"t(illness)": 0.3333}, limit=0.5)
    solution = evaluate(problem, (1, 0))
    assert solution is not None
    assert (solution.measures["t(illness)"], solution.suppressed) == (Fraction(1, 6), 3)
    solution = evaluate(replace(problem, require={"t(illness)": 0.4}), (1, 0))
    assert solution is not None
    assert (solution.measures["t(illness)"], solution.suppressed) == (Fraction(1, 3), 1)
    solution = evaluate(replace(problem, require={"entropy_l(illness)": 2}), (1, 0))
    assert solution is None  # only (cd, m) has two equal shares; four rows go, three may
    solution = evaluate(replace(problem, require={"entropy_l(illness)": 2}, limit=0.67), (1, 0))
    assert solution is not None
    assert solution.suppressed == 4


def test_persons_are_counted_in_requirements() -> None:
    # (ab, f) holds x, x, y: size 2; (cd, m) z, z: 1; (cd, f) w: 1.
    problem = Problem(PERSONS_TABLE, minimize=("dm",), require={"k": 2}, limit=0.5)
    solution = evaluate(problem, (1, 0))
    assert solution is not None
    assert solution.measures == {"dm": 9 + 3 * 6, "k": 2, "suppressed": 3}
    assert evaluate(replace(problem, limit=0.4), (1, 0)) is None


def test_mean_k_before_suppression_where_it_decides_it() -> None:
    problem = Problem(TABLE, maximize=("mean_k", "k"), minimize=("gl", "sl"), rule="below-mean")
    solution = evaluate(problem, (1, 0))
    assert solution is not None
    # mean_k = 14/6 = 2.33: only the class of 3 stays; gl 3·1/3, sl 2·3.
    assert solution.measures == {"mean_k": Fraction(7, 3), "k": 3, "gl": 1, "sl": 6, "suppressed": 3}
    solution = evaluate(replace(problem, rule="smallest", limit=0.5), (1, 0))
    assert solution is not None
    # Three rows may go: sizes 1 and 2; mean_k is then of what remains.
    assert solution.measures["mean_k"] == 3


def test_auto_does_both_for_a_class_size_objective() -> None:
    problem = Problem(TABLE, maximize=("k",), require={"distinct_l(illness)": 2}, limit=0.5)
    assert rule_of(problem) == "failing then smallest"
    solution = evaluate(problem, (1, 0))
    assert solution is not None
    # (cd, f) fails and takes 1 of 3; (cd, m) of size 2 takes the other two.
    assert (solution.measures["k"], solution.suppressed) == (3, 3)


def test_table_measures_do_not_count_as_class_requirements() -> None:
    problem = Problem(TABLE, maximize=("k",), require={"mean_k": 1, "spread_l(illness)": 1}, limit=0.5)
    assert rule_of(problem) == "smallest"


def test_nodes_follow_the_bounds() -> None:
    problem = Problem(TABLE, bounds={"city": (1, 2)})
    assert list(nodes(problem)) == [(1, 0), (1, 1), (2, 0), (2, 1)]


def test_names_are_split_into_word_and_arguments() -> None:
    assert parse("k") == ("k", [])
    assert parse("recursive_l(marital status, 3)") == ("recursive_l", ["marital status", "3"])


def test_unknown_forms_are_refused() -> None:
    with pytest.raises(ValueError, match="not among the measures"):
        evaluate(Problem(TABLE, minimize=("t(illness, cosine)",)), (2, 1))


def test_dominance() -> None:
    assert dominates((1, 2), (1, 3))
    assert not dominates((1, 2), (1, 2))
    assert not dominates((1, 3), (2, 2))


@examples(40)
@given(drawn=problems(cases(tables(max_attributes=3, max_levels=4)), weights=True, bounds=True))
def test_front_is_exactly_the_minimal_set(drawn: tuple[Case, Problem]) -> None:
    problem = drawn[1]
    found = front(problem)
    vectors = [costs(problem, solution) for solution in found]
    assert vectors == sorted(set(vectors))
    assert not any(dominates(a, b) for a in vectors for b in vectors)
    for solution in whole_lattice(problem):
        vector = costs(problem, solution)
        if vector in vectors:
            best = found[vectors.index(vector)]
            assert (best.suppressed, best.recoding) <= (solution.suppressed, solution.recoding)
        else:
            assert any(dominates(other, vector) for other in vectors)


@examples(40)
@given(drawn=problems(cases(tables(max_attributes=2))))
def test_no_node_is_better_than_the_optimum(drawn: tuple[Case, Problem]) -> None:
    problem = replace(drawn[1], minimize=("loss",))
    best = optimum(problem)
    everything = whole_lattice(problem)
    assert (best is None) == (not everything)
    if best is not None:
        assert all(best.measures["loss"] <= solution.measures["loss"] for solution in everything)
