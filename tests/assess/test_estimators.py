"""Estimators of population uniques, against plain formulas, brute force and simulated populations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sfumato.assess.estimators import (
    NoEstimateError,
    estimate_uniques,
    pitman,
    shlosser,
    slide_negative_binomial,
    zayatz,
)
from tests.examples import examples
from tests.oracles import risk as oracle

SIZES = st.lists(st.integers(1, 9), min_size=2, max_size=30).filter(lambda sizes: 1 in sizes)


@given(SIZES, st.integers(1, 6))
def test_zayatz_is_the_hypergeometric_formula(sizes: list[int], times: int) -> None:
    population = sum(sizes) * (times + 1)
    number, parameters = zayatz(np.array(sizes), 1 / (times + 1))
    share, uniques = oracle.zayatz(sizes, population)
    assert parameters["p"] == pytest.approx(float(share), rel=1e-8)
    assert number == pytest.approx(float(uniques), rel=1e-8)


@examples(30)
@given(SIZES, st.sampled_from([0.02, 0.1, 0.5]))
def test_no_other_parameters_of_pitmans_model_are_likelier(sizes: list[int], fraction: float) -> None:
    try:
        number, found = pitman(np.array(sizes), fraction)
    except NoEstimateError:
        assume(False)
    alpha, theta = found["alpha"], found["theta"]
    best = oracle.pitman_likelihood(sizes, alpha, theta)
    for other in np.linspace(0.005, 0.995, 34):
        for distance in np.geomspace(1e-3, 1e4, 40):
            assert oracle.pitman_likelihood(sizes, other, distance - other) <= best + 1e-7
    population = round(sum(sizes) / fraction)
    if population == sum(sizes) / fraction:
        assert number == pytest.approx(oracle.pitman_uniques(population, alpha, theta), rel=1e-7)


def test_pitmans_fit_is_that_of_a_general_optimizer() -> None:
    from scipy.optimize import minimize

    sizes = [1] * 40 + [2] * 15 + [3] * 6 + [5] * 4 + [20, 31]
    _, found = pitman(np.array(sizes), 0.1)

    def cost(point: list[float]) -> float:
        alpha = 1 / (1 + np.exp(-point[0]))
        return -oracle.pitman_likelihood(sizes, alpha, np.exp(point[1]) - alpha)

    fit = minimize(cost, [0.0, 1.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-10})
    alpha = 1 / (1 + np.exp(-fit.x[0]))
    assert found["alpha"] == pytest.approx(alpha, abs=1e-5)
    assert found["theta"] == pytest.approx(np.exp(fit.x[1]) - alpha, rel=1e-4)


@examples(40)
@given(SIZES, st.sampled_from([0.05, 0.1, 0.3, 0.7]))
def test_the_slide_negative_binomial_fits_both_moments(sizes: list[int], fraction: float) -> None:
    try:
        number, found = slide_negative_binomial(np.array(sizes), fraction)
    except NoEstimateError:
        assume(False)
    assume(found["beta"] < 0.999)  # beyond, the plain sums do not end
    never, once, first = oracle.slide_negative_binomial(found["alpha"], found["beta"], fraction)
    classes = found["classes"]
    assert classes * (1 - never) == pytest.approx(len(sizes), rel=1e-5)
    assert classes * once == pytest.approx(sizes.count(1), rel=1e-5)
    assert number == pytest.approx(classes * first, rel=1e-6)


def test_shlosser_by_hand() -> None:
    # J = 3, s_1 = 2, s_2 = 1, π = 1/2: 3 + 2 (2/2 + 1/4) / (2/2 + 2 · 1/2 · 1/2) = 3 + 2 · 1.25 / 1.5
    assert shlosser(np.array([1, 1, 2]), 0.5) == pytest.approx(3 + 2 * 1.25 / 1.5)


def test_what_cannot_be_estimated_is_said() -> None:
    found, chosen = estimate_uniques(np.array([2, 2, 5]), 0.1)
    assert chosen is None
    assert all(item.population_uniques is None and "no uniques" in (item.why_not or "") for item in found)
    found, chosen = estimate_uniques(np.array([1, 1, 1]), 0.1)
    assert [item.estimator for item in found if item.population_uniques is None] == ["pitman", "snb"]
    assert chosen == "zayatz"


def test_a_fraction_of_one_has_nothing_to_estimate() -> None:
    found, _ = estimate_uniques(np.array([1, 1, 4]), 1.0)
    assert [item.population_uniques for item in found] == [2.0, 2.0, 2.0]
    assert [item.share_of_sample_uniques for item in found] == [1.0, 1.0, 1.0]


def _sample(seed: int, fraction: float) -> tuple[int, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Draw a population of 60,000 with a long tail; return its uniques, and class sizes of a sample."""
    random = np.random.default_rng(seed)
    weights = 1 / np.arange(1, 40_001) ** 1.1
    population = random.choice(40_000, size=60_000, p=weights / weights.sum())
    uniques = int((np.bincount(population) == 1).sum())
    sizes = np.bincount(population[random.random(60_000) < fraction])
    return uniques, sizes[sizes > 0]


@pytest.mark.parametrize("fraction", [0.3, 0.7])
def test_estimates_come_near_a_simulated_population(fraction: float) -> None:
    uniques, sizes = _sample(1, fraction)
    found, _ = estimate_uniques(sizes, fraction)
    for item in found:
        assert item.population_uniques is not None
        assert 0.8 * uniques < item.population_uniques < 1.6 * uniques
        assert item.share_of_population is not None
        assert 0 < item.share_of_population < 1


def test_more_of_the_population_means_a_better_estimate() -> None:
    errors = []
    for fraction in (0.1, 0.3, 0.7):
        uniques, sizes = _sample(2, fraction)
        found, chosen = estimate_uniques(sizes, fraction)
        taken = next(item.population_uniques for item in found if item.estimator == chosen)
        assert taken is not None
        errors.append(abs(taken - uniques) / uniques)
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.05


def test_the_rule_takes_pitman_for_small_fractions_and_the_smaller_one_above() -> None:
    _, sizes = _sample(3, 0.1)
    assert estimate_uniques(sizes, 0.1)[1] == "pitman"
    found, chosen = estimate_uniques(sizes, 0.2)
    numbers = {item.estimator: item.population_uniques for item in found}
    assert chosen == min(("zayatz", "snb"), key=lambda name: numbers[name] or 0)
