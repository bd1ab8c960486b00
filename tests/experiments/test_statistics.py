"""Tests of whether samples differ."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, wilcoxon

from metasmith.experiments.statistics import effect, rank_sum, signed_rank, verdict

LOW, HIGH = [1.0, 1.1, 1.2, 1.05, 1.15], [2.0, 2.1, 2.2, 1.9, 2.3]
samples = st.lists(st.integers(0, 6).map(float), min_size=2, max_size=12)


def test_the_rank_sum_test_counts_orders():
    """Of the 252 ways to deal ten different values into two fives, two set them so far apart."""
    assert rank_sum(LOW, HIGH) == pytest.approx(2 / 252)
    orders = list(itertools.combinations(range(10), 5))
    assert sum(sum(each) in (10, 35) for each in orders) == 2
    assert rank_sum([1.0, 1.0], [1.0]) == 1.0


def test_the_signed_rank_test_counts_signs():
    """Of the 32 ways to give five differences signs, two give all the same."""
    assert signed_rank(LOW, 0.5) == pytest.approx(2 / 32)
    assert signed_rank([3.0, 3.0], 3.0) == 1.0


@settings(deadline=None)
@given(samples, samples)
def test_they_agree_with_scipy(one, other):
    if len(set(one) | set(other)) > 1:
        found = mannwhitneyu(one, other)
        assert rank_sum(one, other) == found.pvalue
        assert effect(one, other) == pytest.approx(found.statistic / len(one) / len(other))
    if any(one):
        assert signed_rank(one, 0.0) == pytest.approx(wilcoxon(one).pvalue)


@settings(deadline=None)
@given(samples, samples)
def test_effects_are_shares_and_mirror_each_other(one, other):
    assert 0 <= effect(one, other) <= 1
    assert effect(one, other) + effect(other, one) == pytest.approx(1)
    assert effect(one, one) == 0.5


def test_the_verdict_knows_which_way_is_better():
    assert verdict(HIGH, LOW, maximise=True) == verdict(LOW, HIGH, maximise=False) == "better"
    assert verdict(HIGH, LOW, maximise=False) == verdict(LOW, HIGH, maximise=True) == "worse"
    assert verdict(LOW, LOW, maximise=True) == "equal"
    assert verdict(HIGH * 2, 1.0, maximise=True) == "better"
    assert verdict(HIGH * 2, 3, maximise=True) == "worse"
    assert verdict([5.0] * 30, 5.0, maximise=True) == "equal"
