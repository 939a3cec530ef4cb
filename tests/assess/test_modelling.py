"""Models of the release and of the original: the same test, and nothing of it in training."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression, Ridge

from sfumato.assess.modelling import (
    MOST_TEST_ROWS,
    MOST_TRAIN_ROWS,
    classification_scores,
    compare_model,
    learn_classes,
    learn_numbers,
    regression_scores,
    split_rows,
)
from sfumato.assess.recoded import encode_attribute, number_patterns
from tests.assess.cases import coded, dependent
from tests.oracles import utility as oracle

SAME = [range(8), range(3), range(4)]


@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(0, 5)), min_size=1, max_size=30),
    st.booleans(),
    st.integers(0, 50),
)
def test_no_row_and_no_person_is_in_both_parts(
    cells: list[tuple[int, int]], by_person: bool, seed: int
) -> None:
    rows = np.array([count for count, _ in cells], dtype=np.int64)
    persons = np.array([person for _, person in cells], dtype=np.int32) if by_person else None
    train, test = split_rows(rows, persons, np.random.default_rng(seed))
    assert test.sum() > 0
    assert (train + test == rows).all()
    if persons is not None:
        tested, trained = persons[test > 0], persons[train > 0]
        assert not set(tested.tolist()) & set(trained.tolist())
    else:
        assert test.sum() == max(1, int(0.3 * rows.sum()))


def test_parts_of_a_large_table_are_bounded() -> None:
    train, test = split_rows(np.full(1000, 100, dtype=np.int64), None, np.random.default_rng(1))
    assert test.sum() == MOST_TEST_ROWS
    assert train.sum() == MOST_TRAIN_ROWS
    assert (train + test <= 100).all()


@pytest.mark.parametrize("kind", ["category", "number"])
def test_a_release_that_is_the_original_scores_as_the_original(kind: str) -> None:
    found = compare_model(dependent(400, SAME, kind=kind), 2, np.random.default_rng(1))
    assert found is not None
    assert found.task == ("regression" if kind == "number" else "classification")
    assert found.release == found.original
    assert found.release_rows == found.train_rows == 280
    assert found.test_rows == 120
    score = "r2" if kind == "number" else "accuracy"
    assert found.original[score] > found.baseline[score] + 0.2


@pytest.mark.parametrize("kind", ["category", "number"])
def test_a_release_without_rows_or_without_features_scores_as_the_baseline(kind: str) -> None:
    table = dependent(400, SAME, kind=kind)
    nothing = compare_model(replace(table, kept=np.zeros(400, dtype=np.bool_)), 2, np.random.default_rng(1))
    assert nothing is not None
    assert nothing.release == nothing.baseline
    assert nothing.release_rows == 0
    blocks = [[0] * 8, [0] * 3, range(4)]
    blurred = compare_model(dependent(400, blocks, kind=kind), 2, np.random.default_rng(1))
    assert blurred is not None
    assert blurred.original == nothing.original
    assert blurred.release == pytest.approx(blurred.baseline)


def test_a_release_of_one_class_always_predicts_it() -> None:
    table = dependent(400, SAME)
    found = compare_model(replace(table, kept=table.codes[:, 2] == 3), 2, np.random.default_rng(1))
    assert found is not None
    assert found.release["balanced_accuracy"] == 0.25
    assert found.release["auc"] == 0.5


def test_what_the_release_makes_of_rows_of_the_test_does_not_matter() -> None:
    table = dependent(400, SAME)
    _, test = split_rows(table.rows, None, np.random.default_rng(1))
    without = replace(table, kept=test == 0)
    assert compare_model(table, 2, np.random.default_rng(1)) == compare_model(
        without, 2, np.random.default_rng(1)
    )


def test_rows_of_the_test_teach_nothing() -> None:
    """With targets of the test turned round, predictions stay and every score changes with the truth."""
    table = dependent(400, SAME)
    _, test = split_rows(table.rows, None, np.random.default_rng(1))
    turned = table.codes.copy()
    turned[test > 0, 2] = 3 - turned[test > 0, 2]
    plain = compare_model(table, 2, np.random.default_rng(1))
    other = compare_model(replace(table, codes=turned), 2, np.random.default_rng(1))
    assert plain is not None
    assert other is not None
    assert plain.original["accuracy"] > 0.7
    assert other.original["accuracy"] < 0.3
    assert other.release["accuracy"] < 0.3


def test_a_recoded_target_is_learned_in_parts() -> None:
    fine = compare_model(dependent(600, SAME), 2, np.random.default_rng(1))
    halves = compare_model(dependent(600, [range(8), range(3), [0, 0, 1, 1]]), 2, np.random.default_rng(1))
    whole = compare_model(dependent(600, [range(8), range(3), [0] * 4]), 2, np.random.default_rng(1))
    assert fine is not None
    assert halves is not None
    assert whole is not None
    assert fine.original == halves.original == whole.original
    assert fine.release["auc"] > halves.release["auc"] > whole.release["auc"] == pytest.approx(0.5, abs=0.03)


def test_missing_targets_are_in_no_part_and_a_lone_attribute_has_no_model() -> None:
    cells = [((code % 4, code % 3), 1, True) for code in range(60)]
    table = coded([4, 3], [range(4), range(3)], cells, has_missing=[False, True])
    found = compare_model(table, 1, np.random.default_rng(1))
    assert found is not None
    assert found.train_rows + found.test_rows == 40
    assert found.classes == 2
    assert compare_model(coded([2], [[0, 1]], [((0,), 9, True)]), 0, np.random.default_rng(1)) is None
    one = coded([2, 2], [[0, 1]] * 2, [((0, 0), 1, True)])
    assert compare_model(one, 1, np.random.default_rng(1)) is None


def test_a_block_is_the_mean_of_its_values_and_a_statistic_is_what_is_shown() -> None:
    cells = [((code,), 2, True) for code in range(4)]
    attribute = coded([4], [[0, 0, 1, 1]], cells, kinds=["number"]).attributes[0]
    codes, blocks = encode_attribute(attribute, np.full(4, 2.0))
    assert blocks == pytest.approx(np.array([codes[:2].mean(axis=0), codes[2:].mean(axis=0)]))
    shown = replace(attribute, shown=np.array([1.0, np.nan]))
    _, stated = encode_attribute(shown, np.full(4, 2.0))
    assert stated[0, -1] == pytest.approx(codes[1, -1])
    assert stated[1] == pytest.approx(blocks[1])


@given(
    st.lists(
        st.tuples(st.integers(0, 2), *[st.sampled_from([0.0, 0.2, 0.5, 0.7])] * 3), min_size=1, max_size=25
    )
)
def test_classes_are_scored_by_their_definitions(rows: list[tuple[int, float, float, float]]) -> None:
    truth, likely = [row[0] for row in rows], [row[1:] for row in rows]
    predicted = [max(range(3), key=lambda number: row[number]) for row in likely]
    found = classification_scores(np.array(truth), np.array(likely))
    assert found == pytest.approx(
        {
            "accuracy": oracle.accuracy(truth, predicted),
            "balanced_accuracy": oracle.balanced_accuracy(truth, predicted),
            "auc": oracle.area(truth, likely),
        }
    )


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=20))
def test_numbers_are_scored_by_their_definitions(rows: list[tuple[int, int]]) -> None:
    truth, predicted = [row[0] for row in rows], [row[1] for row in rows]
    found = regression_scores(np.array(truth, dtype=float), np.array(predicted, dtype=float))
    mean = sum(truth) / len(truth)
    errors = sum((t - p) ** 2 for t, p in rows)
    if len(set(truth)) > 1:
        assert found["r2"] == pytest.approx(1 - errors / sum((t - mean) ** 2 for t in truth))
    assert found["mae"] == pytest.approx(sum(abs(t - p) for t, p in rows) / len(rows))


def test_classes_without_rows_are_impossible_and_no_rows_tell_nothing() -> None:
    points, asked = np.array([[0.0], [1.0]]), np.array([[0.5]])
    likely = learn_classes(points, np.array([[3.0, 0.0, 1.0], [0.0, 0.0, 4.0]]), asked)
    assert likely[0, 1] == 0
    assert likely.sum() == pytest.approx(1)
    assert learn_classes(points, np.zeros((2, 4)), asked).tolist() == [[0.25] * 4]


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_logistic_regression_is_that_of_scikit_learn(classes: int) -> None:
    rng = np.random.default_rng(classes)
    points, asked = rng.normal(size=(200, 4)), rng.normal(size=(30, 4))
    weights = rng.integers(0, 4, size=(200, classes)).astype(float) * (points[:, :1] > -1)
    place, number = np.nonzero(weights)
    model = LogisticRegression(C=1.0, max_iter=1000, tol=1e-10)
    model.fit(points[place], number, sample_weight=weights[place, number])
    assert learn_classes(points, weights, asked) == pytest.approx(model.predict_proba(asked), abs=1e-4)


def test_ridge_regression_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    points, asked, means = rng.normal(size=(50, 3)), rng.normal(size=(9, 3)), rng.normal(size=50)
    weights = rng.integers(0, 3, size=50).astype(float)
    model = Ridge(alpha=1.0).fit(points, means, sample_weight=weights)
    found = learn_numbers(points, np.where(weights > 0, means, np.nan), weights, asked)
    assert found == pytest.approx(model.predict(asked))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=20))
def test_patterns_are_distinct_rows(rows: list[tuple[int, int]]) -> None:
    columns = [np.array([row[place] for row in rows], dtype=np.int64) for place in range(2)]
    numbers, first = number_patterns(columns, len(rows))
    assert len(first) == len(set(rows))
    assert [rows[first[number]] for number in numbers.tolist()] == rows
