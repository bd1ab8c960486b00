"""Whether two samples differ, and how much: of runs, of the means of designs, or of pairs of designs."""

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


def signed_rank(differences: Sequence[float]) -> float:
    """The p-value of Wilcoxon's signed-rank test of paired differences, two-sided; pairs without any are left out."""
    from scipy.stats import PermutationMethod, wilcoxon

    apart = [each for each in differences if each != 0.0]
    if len(apart) < 2:
        return 1.0
    # as for rank_sum: with ties and few pairs all signs are counted
    method = PermutationMethod(n_resamples=ORDERS) if 2 ** len(apart) <= ORDERS else "auto"
    return float(wilcoxon(apart, method=method).pvalue)


def sign_test(differences: Sequence[float]) -> float:
    """The p-value of the sign test of paired differences, two-sided: how often one is ahead, however far."""
    from scipy.stats import binomtest

    ahead, _, behind = signs(differences)
    return float(binomtest(ahead, ahead + behind).pvalue) if ahead + behind else 1.0


def signs(differences: Sequence[float]) -> tuple[int, int, int]:
    """How many differences are above zero, zero, and below."""
    ahead, behind = (sum(sign * each > 0.0 for each in differences) for sign in (1, -1))
    return ahead, len(differences) - ahead - behind, behind


def rank_biserial(differences: Sequence[float]) -> float:
    """The matched-pairs rank-biserial correlation (Kerby 2014), the effect size of the signed-rank test: the share of
    the ranks that is above zero without the share below. 0 if no pair differs.
    """
    from scipy.stats import rankdata

    apart = np.array([each for each in differences if each != 0.0])
    ranks = rankdata(np.abs(apart))
    return float((ranks * np.sign(apart)).sum() / ranks.sum()) if len(apart) else 0.0


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values corrected for their number by Holm's method: any of them may be the one that is small by chance."""
    corrected, least = [0.0] * len(p_values), 0.0
    for rank, number in enumerate(sorted(range(len(p_values)), key=lambda number: p_values[number])):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[number]))
        corrected[number] = least
    return corrected


def median_interval(groups: Sequence[Sequence[float]]) -> tuple[float, float, float]:
    """The median of all values, and its 95 % confidence interval by a bootstrap that draws groups, and from each of
    them its values: values of a group are alike. The same values, the same interval.
    """
    rng = np.random.default_rng(0)
    medians = []
    for _ in range(RESAMPLES):
        drawn = [np.asarray(groups[number]) for number in rng.integers(len(groups), size=len(groups))]
        medians.append(np.median(np.concatenate([rng.choice(group, len(group)) for group in drawn])))
    low, high = np.quantile(medians, (0.025, 0.975))
    return float(np.median(np.concatenate([np.asarray(group) for group in groups]))), float(low), float(high)


@dataclass(frozen=True)
class Sample:
    """Some values: their mean, their standard deviation, and how many there are. Of runs, as it is published; or of
    designs, each of which counts once.
    """

    mean: float
    std: float
    size: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        """Of values that are there one by one, at least two."""
        return cls(fmean(values), stdev(values), len(values))

    @classmethod
    def of_designs(cls, designs: Sequence[Sequence[float]]) -> Self:
        """Of the means of designs, whose runs are no independent samples of the designer; of one design alone, its
        runs. designs: the runs of each.
        """
        return cls.of([fmean(runs) for runs in designs] if len(designs) > 1 else designs[0])


def errors_apart(ours: Sample, theirs: Sample) -> float:
    """The difference of the means in standard errors of that difference, Welch's t; without spread, 0 if they are equal
    and infinite if not.
    """
    difference = ours.mean - theirs.mean
    error = math.sqrt(ours.std**2 / ours.size + theirs.std**2 / theirs.size)
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
            ours.mean, ours.std, ours.size, theirs.mean, theirs.std, theirs.size, equal_var=False
        ).pvalue
    )
