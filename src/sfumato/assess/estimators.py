"""How many people are unique in the population, estimated from the class sizes of a sample.

Throughout, s_i is the number of classes of size i in the sample, J = Σ s_i, n = Σ i s_i, π the sampling
fraction and N = n / π the size of the population.

References
----------
Hoshino, N. (2001). Applying Pitman's sampling formula to microdata disclosure risk assessment. Journal of
Official Statistics 17(4), 499–520.

Zayatz, L. (1991). Estimation of the percent of unique population elements on a microdata file using the
sample. Statistical Research Division Report RR-91/08, US Bureau of the Census.

Chen, G. and Keller-McNulty, S. (1998). Estimation of identification disclosure risk in microdata. Journal of
Official Statistics 14(1), 79–95: the slide negative binomial model.

Haas, P. J. and Stokes, L. (1998). Estimating the number of classes in a finite population. Journal of the
American Statistical Association 93, 1475–1487: Shlosser's estimator. https://doi.org/10.2307/2670061

Dankar, F. K., El Emam, K., Neisa, A. and Roffey, T. (2012). Estimating the re-identification risk of clinical
data sets. BMC Medical Informatics and Decision Making 12, 66: which estimator to take.
https://doi.org/10.1186/1472-6947-12-66
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

import numpy as np

from sfumato._typing import FloatArray, LongArray
from sfumato.assess.risk_results import Estimate
from sfumato.errors import SfumatoError

_SMALL_FRACTION = 0.1
_ALPHAS = (1e-4, 1.0 - 1e-4)
_FAR = 1e15
_NO_MAXIMUM = "the likelihood of Pitman's model has no maximum: nearly all are unique"


class NoEstimateError(SfumatoError, ArithmeticError):
    """Why an estimator has no answer."""


def estimate_uniques(sizes: LongArray, fraction: float) -> tuple[tuple[Estimate, ...], str | None]:
    """Estimate the population uniques by Pitman's, Zayatz's and the slide negative binomial estimator."""
    uniques, population, found = int((sizes == 1).sum()), float(sizes.sum() / fraction), []
    for name, estimate in _BY_NAME.items():
        try:
            if not uniques:
                raise NoEstimateError("the table has no uniques to estimate from")
            number, parameters = (float(uniques), {}) if fraction == 1.0 else estimate(sizes, fraction)
        except NoEstimateError as reason:
            found.append(Estimate(name, None, None, None, reason.message, {}))
            continue
        of_sample = min(1.0, number * fraction / uniques)
        found.append(Estimate(name, number, number / population, of_sample, None, parameters))
    pitman, zayatz, snb = (item.population_uniques for item in found)
    if zayatz is None:
        return tuple(found), None
    if fraction <= _SMALL_FRACTION:
        return tuple(found), "zayatz" if pitman is None else "pitman"
    return tuple(found), "zayatz" if snb is None or zayatz < snb else "snb"


def zayatz(sizes: LongArray, fraction: float) -> tuple[float, Mapping[str, float]]:
    """Return s_1 · p / π, where p = P(F = 1 | f = 1) is the chance of a sample unique to be unique at all."""
    # The shares s_i / J stand for those of class sizes in the population, and sampling is hypergeometric:
    # p = (s_1 / J) (n / N) / Σ_i (s_i / J) P(f = 1 | F = i), P(f = 1 | F = i) = i C(N−i, n−1) / C(N, n).
    from scipy.special import gammaln

    size, count = np.unique(sizes, return_counts=True)
    n = float(sizes.sum())
    population = n / fraction
    rest = population - size - n + 1  # of C(N−i, n−1); no such sample where it is negative
    possible = rest >= 0
    logs = (
        np.log(size[possible])
        + gammaln(population - size[possible] + 1)
        - gammaln(n)
        - gammaln(rest[possible] + 1)
        - gammaln(population + 1)
        + gammaln(n + 1)
        + gammaln(population - n + 1)
    )
    once = float((count[possible] * np.exp(logs)).sum())
    p = float((sizes == 1).sum()) * fraction / once
    return float((sizes == 1).sum()) * p / fraction, {"p": p}


def shlosser(sizes: LongArray, fraction: float) -> float:
    """Return Shlosser's estimate of the number of classes in the population."""
    # K = J + s_1 Σ_i (1−π)^i s_i / Σ_i i π (1−π)^(i−1) s_i.
    size, count = np.unique(sizes, return_counts=True)
    rest = 1.0 - fraction
    missed = float((rest**size * count).sum())
    once = float((size * fraction * rest ** (size - 1.0) * count).sum())
    return len(sizes) + float((sizes == 1).sum()) * missed / once


def slide_negative_binomial(sizes: LongArray, fraction: float) -> tuple[float, Mapping[str, float]]:
    """Return K (1−β)^α, where a population class has 1 + a negative binomial number of members."""
    # P(F = h) = Γ(α+h−1) / (Γ(h) Γ(α)) · β^(h−1) (1−β)^α. Everyone is sampled with probability π; with
    # r = (1−β) / (1−β(1−π)), P(f = 0) = (1−π) r^α and P(f = 1) = π r^α (1 + (1−π) α β / (1−β(1−π))). K is
    # Shlosser's estimate, and α and β solve J = K (1 − P(f = 0)) and s_1 = K P(f = 1).
    from scipy.optimize import brentq

    classes = shlosser(sizes, fraction)
    unseen = 1.0 - len(sizes) / classes
    power = unseen / (1.0 - fraction)  # r^α, by the first equation
    once = float((sizes == 1).sum()) / classes / (fraction * power) - 1.0 if power > 0 else np.inf
    # The second equation: (1−π) α β / (1−β(1−π)) = once. Towards β = 0 the model becomes Poisson, where the
    # left side is largest; towards 1 it vanishes.
    largest = -(1.0 - fraction) * np.log(power) / fraction if 0 < power < 1 else 0.0
    if not 0.0 < once < largest:
        raise NoEstimateError("no slide negative binomial distribution has these class sizes")

    def alpha_of(beta: float) -> float:
        ratio = np.log1p(-beta) - np.log1p(-beta * (1.0 - fraction))
        return float(np.log(power) / ratio)

    def excess(logit: float) -> float:
        beta = 1.0 / (1.0 + np.exp(-logit))
        return float((1.0 - fraction) * alpha_of(beta) * beta / (1.0 - beta * (1.0 - fraction)) - once)

    low, high = -18.0, 34.0
    if excess(low) < 0.0 or excess(high) > 0.0:
        raise NoEstimateError("the fit of the slide negative binomial distribution did not converge")
    beta = 1.0 / (1.0 + np.exp(-brentq(excess, low, high, xtol=1e-12, rtol=1e-14)))
    alpha = alpha_of(beta)
    number = float(classes * np.exp(alpha * np.log1p(-beta)))
    return number, {"alpha": alpha, "beta": float(beta), "classes": classes}


def pitman(sizes: LongArray, fraction: float) -> tuple[float, Mapping[str, float]]:
    """Return the expected population uniques under Pitman's sampling formula, by maximum likelihood."""
    # With 0 < α < 1 and θ > −α the sample has the log-likelihood, but for a constant,
    # Σ_{i=1}^{J−1} ln(θ + iα) − Σ_{i=1}^{n−1} ln(θ + i) + Σ_j s_j Σ_{i=1}^{j−1} ln(i − α), and a population
    # of N has on average N Γ(θ+1) Γ(N+θ+α−1) / (Γ(θ+α) Γ(N+θ)) uniques, which Hoshino writes as its limit
    # Γ(θ+1) / Γ(θ+α) · N^α.
    from scipy.optimize import minimize_scalar
    from scipy.special import gammaln

    size, count = np.unique(sizes, return_counts=True)
    n = int(sizes.sum())
    if not 1 < len(sizes) < n:
        raise NoEstimateError("Pitman's model needs several classes, some with more than one record")
    profile = partial(_profile, size.astype(np.float64), count, (len(sizes), n))
    grid = np.linspace(*_ALPHAS, 41)
    likelihood = [profile(alpha)[0] for alpha in grid]
    best = int(np.argmax(likelihood))
    if best == len(grid) - 1:
        raise NoEstimateError(_NO_MAXIMUM)
    bounds = (grid[max(best - 1, 0)], grid[best + 1])
    settings = {"bounds": bounds, "method": "bounded", "options": {"xatol": 1e-10}}
    fit = minimize_scalar(lambda alpha: -profile(alpha)[0], **settings)
    if not fit.success:
        raise NoEstimateError("the fit of Pitman's model did not converge")
    alpha = float(fit.x)
    theta = profile(alpha)[1]
    population = n / fraction
    logs = gammaln(theta + 1) + gammaln(population + theta + alpha - 1)
    logs -= gammaln(theta + alpha) + gammaln(population + theta)
    return float(population * np.exp(logs)), {"alpha": alpha, "theta": theta}


def _profile(size: FloatArray, count: LongArray, total: tuple[int, int], alpha: float) -> tuple[float, float]:
    """Return the largest log-likelihood of Pitman's sampling formula for one α, and the θ that has it."""
    from scipy.optimize import brentq
    from scipy.special import gammaln, psi

    classes, n = total

    def slope(logarithm: float) -> float:
        """Return the derivative of the log-likelihood by θ, from the logarithm of θ + α."""
        theta = float(np.exp(logarithm)) - alpha
        rises = (psi(theta / alpha + classes) - psi(theta / alpha + 1)) / alpha
        return float(rises - psi(theta + n) + psi(theta + 1))

    # It falls from infinity at θ = −α to below zero, and is zero at the largest likelihood.
    low, high = -30.0, 1.0
    while slope(high) > 0.0:
        high += 2.0
        if high > np.log(_FAR):
            raise NoEstimateError(_NO_MAXIMUM)
    best = low if slope(low) < 0.0 else brentq(slope, low, high, xtol=1e-13, rtol=1e-14)
    theta = float(np.exp(best)) - alpha
    likelihood = (classes - 1) * np.log(alpha)
    likelihood += gammaln(theta / alpha + classes) - gammaln(theta / alpha + 1)
    likelihood -= gammaln(theta + n) - gammaln(theta + 1)
    inner = count * (gammaln(size - alpha) - gammaln(1 - alpha))
    return float(likelihood + inner.sum()), theta


_BY_NAME: dict[Literal["pitman", "zayatz", "snb"], Callable[..., tuple[float, Mapping[str, float]]]] = {
    "pitman": pitman,
    "zayatz": zayatz,
    "snb": slide_negative_binomial,
}
