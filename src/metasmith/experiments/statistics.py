"""Whether two samples differ, and how much."""

from collections.abc import Sequence

SURE = 0.05
"""A difference is one if it came about by chance less often than this."""


def rank_sum(one: Sequence[float], other: Sequence[float]) -> float:
    """How often chance alone would set two samples so far apart (Wilcoxon's rank-sum test, two-sided)."""
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(one, other).pvalue) if len(set(one) | set(other)) > 1 else 1.0


def signed_rank(sample: Sequence[float], value: float) -> float:
    """How often chance alone would set a sample so far from a value (Wilcoxon's signed-rank test, two-sided)."""
    from scipy.stats import wilcoxon

    apart = [each - value for each in sample]
    return float(wilcoxon(apart).pvalue) if any(apart) else 1.0


def effect(one: Sequence[float], other: Sequence[float]) -> float:
    """How often a value of the one is larger than one of the other, ties counted half (Vargha and Delaney's A)."""
    pairs = [(a > b) + (a == b) / 2 for a in one for b in other]
    return sum(pairs) / len(pairs)


def verdict(ours: Sequence[float], theirs: Sequence[float] | float, *, maximise: bool) -> str:
    """Whether ours are better than theirs, which may be one number that is known of them."""
    chance = signed_rank(ours, theirs) if isinstance(theirs, int | float) else rank_sum(ours, theirs)
    if chance >= SURE:
        return "equal"
    mean = theirs if isinstance(theirs, int | float) else sum(theirs) / len(theirs)
    return "better" if (sum(ours) / len(ours) > mean) == maximise else "worse"
