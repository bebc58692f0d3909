# SPDX-License-Identifier: GPL-2.0-or-later
"""The Universal Scalability Law: X(N) = g N / (1 + a (N - 1) + b N (N - 1)), where g is the rate of
one task, a the share of contention and b that of coherency (Gunther, Guerrilla Capacity Planning,
2007, chapter 4). Pure functions.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import optimize, stats

# How far the arithmetic may be off, in units of the coefficients: no interval is narrower.
PRECISION = 1e-12

# Coefficients, and so the degrees of freedom that a fit takes.
COEFFICIENTS = 3


@dataclass
class Fit:
    """rate, contention and coherency; r_squared of the rates. peak: the number of tasks with the
    highest rate, infinite where it only grows. intervals: (low, high) by name, of `peak` only where
    those of contention and coherency exclude that there is none.
    """

    rate: float
    contention: float
    coherency: float
    intervals: dict
    r_squared: float

    @property
    def peak(self):
        if self.contention >= 1:
            return 1.0
        if self.coherency <= 0:
            return math.inf
        return max(1.0, math.sqrt((1 - self.contention) / self.coherency))

    def throughput(self, tasks):
        return law(np.asarray(tasks, dtype=float), self.rate, self.contention, self.coherency)


def law(tasks, rate, contention, coherency):
    """X(N) for an array of task counts."""
    return rate * tasks / (1 + contention * (tasks - 1) + coherency * tasks * (tasks - 1))


def fit(tasks, rates, confidence):
    """The least-squares fit of total rates over task counts, contention and coherency not negative;
    intervals by Student's t with n - 3 degrees of freedom from the Jacobian (Bates and Watts,
    Nonlinear Regression Analysis, 1988, section 2.3). Raises ValueError with fewer than 4 counts,
    or where no fit is found.
    """
    tasks, rates = np.asarray(tasks, dtype=float), np.asarray(rates, dtype=float)
    count = len(np.unique(tasks))
    if count <= COEFFICIENTS:
        raise ValueError(f"{count} task counts, and {COEFFICIENTS + 1} are needed")
    # In units of the rates, so that the coefficients are all of the order of 1 or below.
    unit = np.median(rates / tasks)
    start = np.array([1.0, 0.01, 0.0001])
    found = optimize.least_squares(
        lambda values: (law(tasks, *values) - rates / unit), start, x_scale=start,
        bounds=([0, 0, 0], np.inf), xtol=1e-14, ftol=1e-14, gtol=1e-14, max_nfev=10000)
    if not found.success:
        raise ValueError(f"no fit was found: {found.message}")
    freedom = len(tasks) - COEFFICIENTS
    residual = 2 * found.cost
    covariance = np.linalg.pinv(found.jac.T @ found.jac) * residual / freedom
    quantile = stats.t.ppf((1 + confidence) / 2, freedom)
    reach = quantile * np.sqrt(np.diag(covariance)) + PRECISION
    scale = np.array([unit, 1, 1])
    low, high = np.maximum(0, found.x - reach) * scale, (found.x + reach) * scale
    names = ("rate", "contention", "coherency")
    total = float(np.sum((rates / unit - np.mean(rates / unit)) ** 2))
    made = Fit(*map(float, found.x * scale),
               {name: (float(one), float(other)) for name, one, other in zip(names, low, high)},
               1 - residual / total if total else 1.0)
    if high[1] < 1 and low[2] > 0:
        reach = quantile * _peak_deviation(made, covariance)
        made.intervals["peak"] = made.peak * math.exp(-reach), made.peak * math.exp(reach)
    return made


def _peak_deviation(made, covariance):
    """Standard deviation of the logarithm of the peak, by the delta method."""
    slope = np.array([0, -1 / (2 * (1 - made.contention)), -1 / (2 * made.coherency)])
    return math.sqrt(max(0.0, float(slope @ covariance @ slope)))
