"""Dispersion equals flacco's, but for the median, which is interpolated."""

import numpy as np
import pytest
from golden_landscape import DISCRETE, SAMPLES, case

from metasmith.landscapes.dispersion import NAMES, SHARES, count_distances, dispersion, histogram, of_counts


@pytest.mark.parametrize("name", DISCRETE)
def test_means_are_those_of_pflacco(name):
    _, values, golden = sample = case(name)
    factors = dict(zip(NAMES, dispersion(sample.hamming, values), strict=True))
    for factor, value in golden["dispersion.hamming_count"].items():
        if factor in factors and "median" not in factor:
            assert factors[factor] == pytest.approx(value, rel=1e-12), factor


@pytest.mark.parametrize("name", DISCRETE)
def test_the_distances_counted_have_the_medians_of_pflacco(name):
    _, values, golden = sample = case(name)

    def median(chosen):
        counts = histogram(sample.hamming, chosen)
        return np.median(np.repeat(np.arange(1, len(counts)), counts[1:]))

    whole = median(np.arange(len(values)))
    for share in SHARES:
        ratio = median(np.flatnonzero(values <= np.quantile(values, share))) / whole
        assert ratio == pytest.approx(
            golden["dispersion.hamming_count"][f"disp.ratio_median_{round(100 * share):02}"], rel=1e-12
        )


@pytest.mark.parametrize("name", SAMPLES)
def test_medians_are_interpolated(name):
    _, values, golden = sample = case(name)
    factors = dict(zip(NAMES, dispersion(sample.hamming, values), strict=True))
    for factor, value in golden["grouped_median"].items():
        assert factors[factor] == pytest.approx(value, rel=1e-12)
        assert factors[factor] == pytest.approx(golden["dispersion.hamming_count"][factor], abs=0.07)


def test_a_median_by_hand():
    assert of_counts(np.array([9, 0, 4, 4, 0])) == (2.5, 2.5)
    assert of_counts(np.array([0, 1, 4, 1])) == (2.0, 2.0)
    assert of_counts(np.array([0, 2, 4, 0])) == (5 / 3, 1.75)


def test_the_best_all_in_one_place_have_no_distance():
    assert of_counts(np.array([9, 0, 0])) == (0.0, 0.0)


def test_plain_equals_compiled():
    sample = case("labs_d20_n1000")
    chosen, plain = np.arange(0, 1000, 9), np.zeros(21, np.int64)
    count_distances(sample.hamming, chosen, plain)
    counts = histogram(sample.hamming, chosen)
    np.testing.assert_array_equal(plain[: len(counts)], counts)
    assert not plain[len(counts) :].any()
    assert plain.sum() == len(chosen) * (len(chosen) - 1) // 2
