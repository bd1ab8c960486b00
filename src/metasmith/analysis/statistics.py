"""Whether two samples differ, and how much."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Self

import numpy as np

from metasmith.arrays import Floats

SIGNIFICANCE = 0.05
"""Significance level: two samples differ if the p-value is below it."""

ORDERS = 10_000
"""Up to so many ways to deal the values into the two samples are counted one by one."""

RESAMPLES = 2_000
"""Of the bootstrap: runs that all reach the optimum are far from normal, and it needs no table of quantiles."""


def rank_sum(one: Sequence[float], other: Sequence[float]) -> float:
    """The p-value of Wilcoxon's rank-sum test, two-sided."""
    from scipy.stats import PermutationMethod, mannwhitneyu

    if len(set(one) | set(other)) == 1:
        return 1.0
    orders = math.comb(len(one) + len(other), len(one))
    # With ties the normal approximation calls too much a difference if there are few runs; scipy counts all orders only
    # if told to.
    method = PermutationMethod(n_resamples=ORDERS) if orders <= ORDERS else "auto"
    return float(mannwhitneyu(one, other, method=method).pvalue)


def effect(one: Sequence[float], other: Sequence[float]) -> float:
    """How often a value of the one is larger than one of the other, ties counted half (Vargha and Delaney's A)."""
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(one, other, method="asymptotic").statistic) / (len(one) * len(other))


def verdict(ours: Sequence[float], theirs: Sequence[float], *, maximise: bool) -> str:
    """Whether ours are better than theirs, by ranks alone: how far off a few runs are changes nothing."""
    return said(rank_sum(ours, theirs), better=(effect(ours, theirs) > 0.5) == maximise)


def said(p_value: float, *, better: bool) -> str:
    """What a difference is called. better: which way it goes."""
    return "equal" if p_value >= SIGNIFICANCE else "better" if better else "worse"


def mean_interval(values: Floats) -> tuple[float, float, float]:
    """The mean, and its 95 % confidence interval by bootstrap; the same values, the same interval."""
    from scipy.stats import bootstrap

    drawn = bootstrap((values,), np.mean, n_resamples=RESAMPLES, method="percentile", rng=np.random.default_rng(0))
    return float(values.mean()), float(drawn.confidence_interval.low), float(drawn.confidence_interval.high)


@dataclass(frozen=True)
class Sample:
    """What is published of some runs: their mean, their standard deviation, and how many there are."""

    mean: float
    std: float
    runs: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        """Of runs whose values are there one by one, at least two."""
        return cls(fmean(values), stdev(values), len(values))


def errors_apart(ours: Sample, theirs: Sample) -> float:
    """The difference of the means in standard errors of that difference, Welch's t; without spread, 0 if they are equal
    and infinite if not.
    """
    difference = ours.mean - theirs.mean
    error = math.sqrt(ours.std**2 / ours.runs + theirs.std**2 / theirs.runs)
    if error == 0.0:
        return 0.0 if difference == 0.0 else math.copysign(math.inf, difference)
    return difference / error


def welch(ours: Sample, theirs: Sample) -> float:
    """The p-value of Welch's test: a standard deviation from five runs is itself uncertain. Without spread, 1 if the
    means are equal and 0 if not.
    """
    from scipy.stats import ttest_ind_from_stats

    if ours.std == theirs.std == 0.0:
        return float(ours.mean == theirs.mean)
    return float(
        ttest_ind_from_stats(
            ours.mean, ours.std, ours.runs, theirs.mean, theirs.std, theirs.runs, equal_var=False
        ).pvalue
    )
