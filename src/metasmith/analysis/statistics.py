"""Whether two samples differ, and how much."""

import math
from collections.abc import Sequence

SURE = 0.05
"""A difference is one if it came about by chance less often than this."""

ORDERS = 10_000
"""Up to so many ways to deal the values into the two samples are counted one by one."""


def rank_sum(one: Sequence[float], other: Sequence[float]) -> float:
    """How often chance alone would set two samples so far apart (Wilcoxon's rank-sum test, two-sided)."""
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
    pairs = [(a > b) + (a == b) / 2 for a in one for b in other]
    return sum(pairs) / len(pairs)


def verdict(ours: Sequence[float], theirs: Sequence[float], *, maximise: bool) -> str:
    """Whether ours are better than theirs, by ranks alone: how far off a few runs are changes nothing."""
    return said(rank_sum(ours, theirs), better=(effect(ours, theirs) > 0.5) == maximise)


def said(chance: float, *, better: bool) -> str:
    """What a difference is called. chance: how often it comes about by chance alone. better: which way it goes."""
    return "equal" if chance >= SURE else "better" if better else "worse"
