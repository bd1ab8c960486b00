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

from metasmith.analysis.statistics import (
    Sample,
    effect,
    errors_apart,
    holm,
    mean_interval,
    median_interval,
    rank_biserial,
    rank_sum,
    said,
    sign_test,
    signed_rank,
    signs,
    verdict,
    welch,
)

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
        ours.mean, ours.std, ours.size, theirs.mean, theirs.std, theirs.size, equal_var=False
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


differences = st.lists(st.integers(-5, 5).map(float), max_size=7)
DARWIN = [49.0, -67.0, 8.0, 16.0, 6.0, 23.0, 28.0, 41.0, 14.0, 29.0, 56.0, 24.0, 75.0, 60.0, -48.0]
"""Darwin's maize, crossed less selfed, in eighths of an inch: Fisher (1935), The Design of Experiments, III."""


def test_paired_tests_on_darwins_maize():
    """Of the 32,768 ways to set the signs, 1,352 have rank sums as far apart as 24 and 96: p = 0.041."""
    ranks = stats.rankdata(np.abs(DARWIN))
    less = sum(rank for rank, each in zip(ranks, DARWIN, strict=True) if each < 0)
    assert (less, len(set(ranks))) == (24.0, 15)
    sums = [0]
    for rank in ranks:
        sums += [each + rank for each in sums]
    assert 2 * sum(each <= less for each in sums) == 1352
    assert signed_rank(DARWIN) == pytest.approx(1352 / 2**15)
    assert sign_test(DARWIN) == pytest.approx(2 * (1 + 15 + 105) / 2**15)
    assert signs(DARWIN) == (13, 0, 2)
    assert rank_biserial(DARWIN) == pytest.approx((96 - 24) / 120)


@given(differences)
def test_few_pairs_are_counted_with_all_their_signs(values):
    """Ties and all; pairs without a difference are left out."""
    apart = [each for each in values if each]
    if not apart:
        assert (signed_rank(values), sign_test(values), rank_biserial(values)) == (1.0, 1.0, 0.0)
        return
    ranks = stats.rankdata(np.abs(apart))
    sums = [float(ranks @ flips) for flips in itertools.product((0, 1), repeat=len(apart))]
    mine = float(ranks @ (np.array(apart) > 0))
    ends = (sum(each <= mine + 1e-9 for each in sums), sum(each >= mine - 1e-9 for each in sums))
    assert signed_rank(values) == pytest.approx(min(1.0, 2 * min(ends) / len(sums)))
    assert rank_biserial(values) == pytest.approx((2 * mine - ranks.sum()) / ranks.sum())
    assert signed_rank(values) == pytest.approx(signed_rank([-each for each in values]))


def test_many_pairs_agree_with_scipy():
    values = np.random.default_rng(3).normal(0.3, 1.0, 64)
    assert signed_rank(values.tolist()) == stats.wilcoxon(values).pvalue
    assert sign_test(values.tolist()) == stats.binomtest(int((values > 0).sum()), 64).pvalue


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_is_the_closed_test_of_bonferroni(p_values):
    """A hypothesis falls if every set of hypotheses that it is in falls by Bonferroni's rule."""
    for number, corrected in enumerate(holm(p_values)):
        sets = [
            chosen
            for size in range(1, len(p_values) + 1)
            for chosen in itertools.combinations(range(len(p_values)), size)
            if number in chosen
        ]
        expected = max(min(1.0, len(chosen) * min(p_values[i] for i in chosen)) for chosen in sets)
        assert corrected == pytest.approx(expected)


def test_of_nothing_there_is_nothing_to_correct():
    assert holm([]) == []


def test_an_interval_draws_groups_and_their_values():
    """Two groups far apart: by values alone the median would be sure to lie between them."""
    rng = np.random.default_rng(2)
    groups = [rng.normal(centre, 0.1, 20).tolist() for centre in (0.0, 10.0)]
    middle, low, high = median_interval(groups)
    assert middle == np.median(groups)
    assert (low < 1, high > 9) == (True, True)
    assert median_interval(groups) == (middle, low, high)
    _, low, high = median_interval(groups[:1])
    plain = stats.bootstrap((groups[0],), np.median, method="percentile", rng=np.random.default_rng(0))
    assert (low, high) == pytest.approx(plain.confidence_interval, abs=0.03)


def test_a_designer_has_a_sample_a_design():
    assert Sample.of_designs([[1.0, 3.0], [4.0, 8.0]]) == Sample.of([2.0, 6.0])
    assert Sample.of_designs([[1.0, 3.0]]) == Sample.of([1.0, 3.0])
