# SPDX-License-Identifier: GPL-2.0-or-later
"""The statistics of comparisons: pure functions of numbers, each with its source.

Runs are the independent repetitions. `base` and `candidate` are rates of runs (1-D arrays,
operations per second, above 0); `ratios` are those of pairs of runs, candidate to base, that were
made against each other; a confidence is a probability as 0.95; changes are ratios, 1 for none.
"""

import functools
import math
import statistics

import numpy as np
from scipy import special, stats

_normal_quantile = statistics.NormalDist().inv_cdf

# What depends on counts alone is worked out once: a comparison has thousands of points.
_once = functools.lru_cache(maxsize=None)


# --- One side. ---

def median(values):
    """The median as a float; numpy's costs ten times as much for so few values."""
    return float(statistics.median(np.asarray(values).tolist()))


@_once
def order_statistic_rank(count, confidence):
    """Rank k, from 1, so that the k-th least and k-th greatest of `count` values enclose the median
    of their distribution with at least the confidence, whatever its shape; 0 where there are too
    few. Binomial: David and Nagaraja, Order Statistics, 2003, section 7.1.
    """
    return int(stats.binom.ppf((1 - confidence) / 2, count, 0.5))


def median_interval(values, confidence):
    """The order statistics that enclose the median, (low, high), or None with too few values."""
    rank = order_statistic_rank(len(values), confidence)
    if not rank:
        return None
    ordered = np.sort(values)
    return float(ordered[rank - 1]), float(ordered[-rank])


def spread(values):
    """Standard deviation in percent of the mean; None for a single value."""
    if len(values) < 2:
        return None
    return float(100 * np.std(values, ddof=1) / np.mean(values))


# --- Two sides: Mann and Whitney's test, and Hodges and Lehmann's estimate that belongs to it. ---

@_once
def _u_tail(base_count, candidate_count):
    """P(U <= u) for u = 0, 1, ... of Mann and Whitney's U where both sides are alike: from the
    coefficients of the Gaussian binomial (Mann and Whitney, Ann. Math. Statist. 18, 1947).
    """
    ways = np.ones(1)
    for factor in range(1, base_count + 1):
        upper = np.zeros(candidate_count + factor + 1)
        upper[0], upper[-1] = 1, -1
        ways = np.convolve(ways, upper)
        # Exact division by 1 - x^factor.
        for at in range(factor, len(ways)):
            ways[at] += ways[at - factor]
        ways = np.rint(ways[:factor * candidate_count + 1])
    return np.cumsum(ways) / math.comb(base_count + candidate_count, base_count)


# Above this many runs a side the normal approximation is as good, and cheaper.
EXACT_UP_TO = 20


@_once
def _interval_rank(base_count, candidate_count, confidence):
    """How many of the sorted pairwise differences lie outside of the interval at each end, less
    one; -1 where there are too few runs.
    """
    tail = (1 - confidence) / 2
    if max(base_count, candidate_count) <= EXACT_UP_TO:
        return int(np.searchsorted(_u_tail(base_count, candidate_count), tail, side="right")) - 1
    pairs = base_count * candidate_count
    deviation = math.sqrt(pairs * (base_count + candidate_count + 1) / 12)
    return int(math.floor(pairs / 2 + _normal_quantile(tail) * deviation - 0.5))


def change(base, candidate, confidence):
    """The ratio candidate/base and its interval: (ratio, low, high), the last two None with too few
    runs. The ratio is the median of all ratios of a candidate's run to a base's, the interval holds
    those ratios that Mann and Whitney's test does not reject (Hodges and Lehmann, Ann. Math.
    Statist. 34, 1963; Lehmann, Nonparametrics, 1975, section 2.5), on logarithms.
    """
    ratios = np.sort(np.subtract.outer(np.log(candidate), np.log(base)), axis=None)
    estimate = math.exp(median(ratios))
    rank = _interval_rank(len(base), len(candidate), confidence)
    if rank < 0:
        return estimate, None, None
    return estimate, math.exp(ratios[rank]), math.exp(ratios[-1 - rank])


@_once
def least_runs(confidence):
    """Runs of each side from which on change() has an interval."""
    return next(count for count in range(2, 1000) if _interval_rank(count, count, confidence) >= 0)


def welch_p(base, candidate):
    """Welch's two-sided p of two sides' means being alike (Biometrika 34, 1947); 1 where neither
    side varies and they are, 0 where they are not.
    """
    if not np.ptp(base) and not np.ptp(candidate):
        return float(base[0] == candidate[0])
    return float(stats.ttest_ind(base, candidate, equal_var=False).pvalue)


def p_values(pairs):
    """Mann and Whitney's two-sided p for each (base, candidate): exact up to 20 runs a side without
    ties, else the normal approximation with the correction for ties.
    """
    found = np.ones(len(pairs))
    alike = {}
    for number, (base, candidate) in enumerate(pairs):
        exact = (max(len(base), len(candidate)) <= EXACT_UP_TO and
                 len(set(base) | set(candidate)) == len(base) + len(candidate))
        alike.setdefault((len(base), len(candidate), exact), []).append(number)
    for (_, _, exact), numbers in alike.items():
        found[numbers] = stats.mannwhitneyu(
            np.array([pairs[number][0] for number in numbers]),
            np.array([pairs[number][1] for number in numbers]),
            axis=1, method="exact" if exact else "asymptotic").pvalue
    # Where all runs of both sides are equal there is nothing to tell them apart by.
    return np.nan_to_num(found, nan=1.0)


# --- Two sides in pairs: Student's test on the logarithms of the ratios. ---

# Of the turns of a pair of runs, this part is left out at either end: what disturbs some of them.
TURNS_LEFT_OUT = 0.25


def turns_ratio(first, second):
    """The ratio second/first of two runs in turns, of which the first has the first and the last
    turn; arguments: rates of their turns. Each turn of the second is compared with the geometric
    mean of those before and after it, which a steady drift leaves alone; the ratio is the trimmed
    mean of these (Tukey and McLaughlin, Sankhya A 25, 1963), on logarithms.
    """
    first, second = np.log(first), np.log(second)
    return math.exp(stats.trim_mean(second - (first[:-1] + first[1:]) / 2, TURNS_LEFT_OUT))


# With fewer, an outlier decides; and nothing tells of one.
LEAST_PAIRS = 4


@_once
def _t_quantile(freedom, confidence):
    return float(stats.t.ppf((1 + confidence) / 2, freedom))


def pair_change(ratios, confidence):
    """The geometric mean of the ratios and its interval: (ratio, low, high), the last two None with
    too few pairs. What disturbs both runs of a pair alike is not in their ratio (Student,
    Biometrika 6, 1908).
    """
    logarithms = np.log(ratios)
    count, middle = len(logarithms), float(np.mean(logarithms))
    if count < LEAST_PAIRS:
        return math.exp(middle), None, None
    reach = (_t_quantile(count - 1, confidence) * float(np.std(logarithms, ddof=1)) /
             math.sqrt(count))
    return math.exp(middle), math.exp(middle - reach), math.exp(middle + reach)


def pair_p(ratios):
    """Student's two-sided p of the ratios being 1 on average."""
    logarithms = np.log(ratios)
    deviation = float(np.std(logarithms, ddof=1))
    middle = abs(float(np.mean(logarithms)))
    if not deviation:
        return 0.0 if middle else 1.0
    freedom = len(logarithms) - 1
    return float(2 * special.stdtr(freedom, -middle / deviation * math.sqrt(freedom + 1)))


# --- Many comparisons, and larger ones. ---

def adjusted(p):
    """p-values corrected for their number, so that of the changes that are called at most the given
    share is false (Benjamini and Hochberg, J. R. Statist. Soc. B 57, 1995).
    """
    p = np.asarray(p, dtype=float)
    order = np.argsort(p)
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    result = np.empty(len(p))
    result[order] = np.minimum(1, np.minimum.accumulate(scaled[::-1])[::-1])
    return result


def _repetitions(variance, effect, confidence, power):
    """Values of this variance, of logarithms, whose mean shows a change by `effect` with this power
    (Cohen, 1988).
    """
    quantiles = _normal_quantile((1 + confidence) / 2) + _normal_quantile(power)
    return variance * (quantiles / math.log1p(effect)) ** 2


def runs_to_detect(base, candidate, effect, confidence, power=0.8):
    """Runs of each side that would show a change by `effect` (0.01 for 1 %) with this power, from
    the spread of the runs that there are: as for means, divided by the test's efficiency for normal
    values, 3/pi.
    """
    variance = np.var(np.log(base), ddof=1) + np.var(np.log(candidate), ddof=1)
    needed = _repetitions(variance, effect, confidence, power) * math.pi / 3
    return max(least_runs(confidence), math.ceil(needed))


def pairs_to_detect(ratios, effect, confidence, power=0.8):
    """The same of pairs. Two more than the formula's, for the variance is estimated."""
    needed = _repetitions(np.var(np.log(ratios), ddof=1), effect, confidence, power)
    return max(LEAST_PAIRS, math.ceil(needed) + 2)


def geometric_mean(ratios):
    """Of ratios above 0."""
    return float(np.exp(np.mean(np.log(ratios))))


# --- What makes runs doubtful. ---

_pairs = _once(functools.partial(np.triu_indices, k=1))


def trend(values):
    """A drift in the order of the values: (p, share), where p is that of Mann and Kendall's test
    (Mann, Econometrica 13, 1945; normal approximation, no ties expected) and share is the change
    from first to last along Theil and Sen's line (Sen, J. Am. Statist. Assoc. 63, 1968), 0.01 for
    1 %. (1, 0) for fewer than 8 values, where the approximation does not hold.
    """
    values = np.asarray(values, dtype=float)
    count = len(values)
    if count < 8:
        return 1.0, 0.0
    first, second = _pairs(count)
    differences = values[second] - values[first]
    score = np.sign(differences).sum()
    deviation = math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    z = max(0, abs(score) - 1) / deviation
    slope = median(differences / (second - first))
    return math.erfc(z / math.sqrt(2)), float(slope * (count - 1) / median(values))


@_once
def sign_p(most, count):
    """Two-sided p of `most` of `count` values having the same sign, at least half of them: the sign
    test (Dixon and Mood, J. Am. Statist. Assoc. 41, 1946).
    """
    return min(1.0, 2 * float(stats.binom.sf(most - 1, count, 0.5)))


# Two groups are told apart when the gap between them is this many standard deviations within the
# groups, and each has its share of the runs. Of normal samples of 10, 0.8 % look so (simulated);
# of fewer, more do.
CLUSTER_GAP = 4
CLUSTER_SHARE = 0.2


def clusters(values):
    """The runs as two groups, (low, high) arrays, where they clearly are two; else None. The split
    with the least squares within the groups (Fisher, J. Am. Statist. Assoc. 53, 1958); 10 runs at
    least.
    """
    ordered = np.sort(values)
    count = len(ordered)
    if count < 10:
        return None
    least = math.ceil(CLUSTER_SHARE * count)
    sums, squares = np.cumsum(ordered), np.cumsum(ordered ** 2)
    sizes = np.arange(least, count - least + 1)
    low, high = sums[sizes - 1], sums[-1] - sums[sizes - 1]
    within = squares[-1] - low ** 2 / sizes - high ** 2 / (count - sizes)
    at = sizes[np.argmin(within)]
    deviation = math.sqrt(max(0, np.min(within)) / (count - 2))
    if ordered[at] - ordered[at - 1] <= CLUSTER_GAP * deviation:
        return None
    return ordered[:at], ordered[at:]


def outliers(values, factor=5):
    """Which values lie further from the median than `factor` scaled median absolute deviations
    (Iglewicz and Hoaglin, 1993): a boolean array.
    """
    values = np.asarray(values, dtype=float)
    distance = np.abs(values - median(values))
    return distance > factor * 1.4826 * median(distance)
