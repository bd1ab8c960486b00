"""Tests of whether samples differ."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import mannwhitneyu

from metasmith.analysis.statistics import Sample, effect, errors_apart, mean_interval, rank_sum, said, verdict, welch

LOW, HIGH = [1.0, 1.1, 1.2, 1.05, 1.15], [2.0, 2.1, 2.2, 1.9, 2.3]
samples = st.lists(st.integers(0, 6).map(float), min_size=2, max_size=12)
larger = st.lists(st.integers(0, 6).map(float), min_size=9, max_size=12)


def test_the_rank_sum_test_counts_orders():
    """Of the 252 ways to deal ten different values into two fives, two set them so far apart."""
    assert rank_sum(LOW, HIGH) == pytest.approx(2 / 252)
    orders = list(itertools.combinations(range(10), 5))
    assert sum(sum(each) in (10, 35) for each in orders) == 2
    assert rank_sum([1.0, 1.0], [1.0]) == 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([1, 2, 2, 3, 3, 5, 1], [2, 3, 4, 4, 4, 5, 5]),
        ([5, 5, 5, 5, 4, 5], [5, 4, 3, 4, 4, 2]),
        ([1, 1, 2, 3], [3, 1, 2, 1, 2, 3, 3]),
    ],
)
def test_with_ties_the_rank_sum_test_counts_orders(one, other):
    """Every way to deal the values into the two samples: wins are counted, ties half, in place of ranks; the rarer end
    counts twice.
    """

    def wins(mine: Sequence[float], theirs: Sequence[float]) -> float:
        return sum(1.0 if a > b else 0.5 if a == b else 0.0 for a in mine for b in theirs)

    together = [*one, *other]
    found = [
        wins([together[i] for i in mine], [together[i] for i in range(len(together)) if i not in mine])
        for mine in itertools.combinations(range(len(together)), len(one))
    ]
    ends = [sum(each >= wins(one, other) for each in found), sum(each <= wins(one, other) for each in found)]
    assert rank_sum(one, other) == pytest.approx(min(1.0, 2 * min(ends) / len(found)))
    assert effect(one, other) == wins(one, other) / len(one) / len(other)


@given(larger, larger)
def test_they_agree_with_scipy(one, other):
    if len(set(one) | set(other)) > 1:
        found = mannwhitneyu(one, other)
        assert rank_sum(one, other) == found.pvalue
        assert effect(one, other) == pytest.approx(found.statistic / len(one) / len(other))


@given(samples, samples)
def test_effects_are_shares_and_mirror_each_other(one, other):
    assert 0 <= effect(one, other) <= 1
    assert effect(one, other) + effect(other, one) == pytest.approx(1)
    assert effect(one, one) == 0.5


def test_the_verdict_knows_which_way_is_better():
    assert verdict(HIGH, LOW, maximise=True) == verdict(LOW, HIGH, maximise=False) == "better"
    assert verdict(HIGH, LOW, maximise=False) == verdict(LOW, HIGH, maximise=True) == "worse"
    assert verdict(LOW, LOW, maximise=True) == "equal"


def test_the_verdict_goes_the_way_of_the_ranks():
    """Nine in ten runs are better; three are so far off that the mean is worse."""
    ours, theirs = [100.0] * 27 + [-1000.0] * 3, [90.0] * 30
    assert effect(ours, theirs) == 0.9
    assert verdict(ours, theirs, maximise=True) == verdict(theirs, ours, maximise=False) == "better"
    assert verdict(ours, theirs, maximise=False) == verdict(theirs, ours, maximise=True) == "worse"


def test_what_chance_does_often_is_no_difference():
    assert [said(p_value, better=better) for p_value in (0.049, 0.05) for better in (True, False)] == [
        "better",
        "worse",
        "equal",
        "equal",
    ]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (Sample(90.6, 17.1, 30), Sample(117.8, 17.4, 5)),
        (Sample(3.0, 0.4, 30), Sample(2.9, 0.1, 5)),
        (Sample(207.4, 3.1, 30), Sample(208.0, 0.0, 5)),
        (Sample(-4.0, 2.0, 2), Sample(4.0, 1.0, 2)),
    ],
)
def test_the_statistics_are_welchs(ours, theirs):
    expected = stats.ttest_ind_from_stats(
        ours.mean, ours.std, ours.runs, theirs.mean, theirs.std, theirs.runs, equal_var=False
    )
    assert errors_apart(ours, theirs) == pytest.approx(expected.statistic)
    assert welch(ours, theirs) == pytest.approx(expected.pvalue)


def test_without_spread_means_are_equal_or_not():
    same, other = Sample(625.0, 0.0, 30), Sample(624.8, 0.0, 5)
    assert (welch(same, Sample(625.0, 0.0, 5)), welch(same, other)) == (1.0, 0.0)
    assert (errors_apart(same, other), errors_apart(other, same)) == (math.inf, -math.inf)


def test_welch_by_hand():
    """Two and two runs with equal spread have two degrees of freedom, where Student's distribution is algebraic."""
    t = 3.0
    ours, theirs = Sample(t, 1.0, 2), Sample(0.0, 1.0, 2)  # a standard error of 1
    assert errors_apart(ours, theirs) == pytest.approx(t)
    assert welch(ours, theirs) == pytest.approx(1 - t / math.sqrt(2 + t**2))


def test_intervals_are_those_of_a_bootstrap():
    values = np.random.default_rng(5).exponential(size=25)
    picks = np.random.default_rng(1).integers(len(values), size=(20_000, len(values)))
    low, high = np.quantile(values[picks].mean(axis=1), [0.025, 0.975])
    assert mean_interval(values) == pytest.approx((values.mean(), low, high), abs=0.03)
    assert mean_interval(values) == mean_interval(values)
    assert mean_interval(np.array([3.0, 3.0])) == (3.0, 3.0, 3.0)
