# SPDX-License-Identifier: GPL-2.0-or-later
"""What makes the runs of a point doubtful, as labelled remarks; nothing is ever left out for it."""

import numpy as np

import inference

# A trend is remarked on when it is this unlikely to be chance and this large.
TREND_P = 0.01
TREND_SHARE = 0.01

# Shares of the machine's time by which a run's idle and steal time may differ from the median.
IDLE_OUT_OF_LINE = 0.05
STEAL_OUT_OF_LINE = 0.01


def of_point(name, point):
    """Lines about one side of a point; name: of the side."""
    rates = np.array([run.rate for run in point.runs])
    found = [*_drift(rates), *_within(point.runs), *_groups(rates), *_outliers(rates),
             *_out_of_line(point.runs, "idle", IDLE_OUT_OF_LINE),
             *_out_of_line(point.runs, "steal", STEAL_OUT_OF_LINE), *_failures(point)]
    return [f"{name}: {line}" for line in found]


def of_pairs(evidence):
    """Whether what few turns do, and is left out of their ratios, makes a change of its own."""
    if not evidence.pairs or evidence.pairs < inference.LEAST_PAIRS:
        return []
    apart = evidence.totals / evidence.ratios
    share = inference.geometric_mean(apart) - 1
    if inference.pair_p(apart) > TREND_P or abs(share) < TREND_SHARE:
        return []
    total = inference.geometric_mean(evidence.totals) - 1
    return [f"some turns are unlike the others: by all operations in all time the change is "
            f"{100 * total:+.1f} %"]


def _drift(rates):
    p, share = inference.trend(rates)
    if p < TREND_P and abs(share) > TREND_SHARE:
        yield f"drift: {100 * share:+.1f} % from the first round to the last"


def _within(runs):
    """A trend that most runs share within their measurement: too short a warm-up, for one."""
    shares = [run.sample_rates[-1] / run.sample_rates[0] - 1 for run in runs
              if len(run.sample_rates) >= 4 and min(run.sample_rates) > 0]
    if len(shares) < 8:
        return
    same_sign = max(sum(share > 0 for share in shares), sum(share < 0 for share in shares))
    median = inference.median(shares)
    if inference.sign_p(same_sign, len(shares)) < TREND_P and abs(median) > TREND_SHARE:
        yield f"trend within runs: {100 * median:+.1f} % from the first sample to the last"


def _groups(rates):
    groups = inference.clusters(rates)
    if groups:
        low, high = groups
        low_rate, high_rate = map(inference.median, groups)
        yield (f"two groups of runs: {len(low)} around {low_rate:.0f} and {len(high)} around "
               f"{high_rate:.0f} operations per second")


def _outliers(rates):
    count = int(inference.outliers(rates).sum()) if len(rates) >= 4 else 0
    if count:
        yield f"outliers: {count} of {len(rates)} runs"


def _out_of_line(runs, what, limit):
    shares = [getattr(run, what) for run in runs if getattr(run, what) is not None]
    if not shares:
        return
    median = inference.median(shares)
    away = [share for share in shares if abs(share - median) > limit]
    if away:
        worst = max(away, key=lambda share: abs(share - median))
        yield (f"{what} time out of line in {len(away)} of {len(runs)} runs: {worst:.0%} of the "
               f"machine instead of {median:.0%}").replace("%", " %")


def _failures(point):
    if point.failures:
        yield f"{len(point.failures)} runs were not measured: {point.failures[0]}"
