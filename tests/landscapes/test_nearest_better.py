"""Nearest better equals flacco's, but that ties are shared."""

import numpy as np
import pytest
from golden_landscape import CONTINUOUS, SAMPLES, case

from metasmith.landscapes.kernels import kernel
from metasmith.landscapes.nearest_better import ALONE, NAMES, WHOLE, link, mixed_points, nearest_better


@pytest.mark.parametrize("name", CONTINUOUS)
def test_without_ties_all_is_as_pflacco_says(name):
    points, values, golden = case(name)
    factors = nearest_better(np.sqrt(((points[:, None] - points) ** 2).sum(axis=2)), values)
    np.testing.assert_allclose(factors, [golden["nbc"][factor] for factor in NAMES], rtol=1e-9)


@pytest.mark.parametrize("name", [name for name in SAMPLES if not name.startswith("onemax")])
def test_distances_are_those_of_pflacco(name):
    _, values, golden = sample = case(name)
    factors = nearest_better(np.sqrt(sample.hamming), values)
    expected = golden.get("nbc") or golden["nbc.onehot"]  # the factors do not depend on the unit of distance
    np.testing.assert_allclose(factors[:4], [expected[factor] for factor in NAMES[:4]], rtol=1e-9)
    assert factors[4] == pytest.approx(
        expected[NAMES[4]], abs=0.08
    )  # ties are shared, which makes it a little stronger


def test_where_the_best_are_tied_it_is_near_pflacco():
    _, values, golden = sample = case("onemax_d20_n400")
    factors = nearest_better(np.sqrt(sample.hamming), values)
    np.testing.assert_allclose(factors[:4], [golden["nbc"][factor] for factor in NAMES[:4]], atol=0.02)


def test_the_order_of_points_does_not_matter():
    _, values, _ = sample = case("leadingones_d20_n400")
    order = np.random.default_rng(0).permutation(len(values))
    shuffled = nearest_better(sample.hamming[np.ix_(order, order)], values[order])
    np.testing.assert_allclose(shuffled, nearest_better(sample.hamming, values), rtol=1e-12)


def test_by_hand():
    distances = np.array([[0, 1, 2, 4], [1, 0, 2, 3], [2, 2, 0, 5], [4, 3, 5, 0]])
    near, better, followers = (np.zeros(4) for _ in range(3))
    link(distances, np.array([1.0, 1.0, 2.0, 0.0]), near, better, followers)
    assert near.tolist() == [1, 1, 2, 3]
    assert better.tolist() == [4, 3, 2, 3]
    assert followers.tolist() == [0.5, 0.5, 0, 2]


def test_where_nothing_is_better_the_nearest_stands_for_it():
    distances = case("quaternary_d12_n300").hamming
    assert nearest_better(distances, np.zeros(300)).tolist()[:2] == [1.0, 1.0]
    assert nearest_better(distances, np.zeros(300))[4] == 0.0


def test_points_that_are_all_one_have_no_distances():
    assert nearest_better(np.zeros((5, 5), np.int32), np.arange(5.0)).tolist()[:4] == [1.0, 1.0, 0.0, 0.0]


def test_near_and_far_points_are_mixed():
    points = mixed_points(5)
    assert len(points) == len(set(points.tolist())) == WHOLE * 5 + ALONE == 1000
    assert points.max() < 400 * 5


def test_plain_equals_compiled():
    _, values, _ = sample = case("labs_d20_n1000")
    distances, values = sample.hamming[:150, :150].copy(), values[:150].round(1)
    plain, fast = ([np.zeros(150) for _ in range(3)] for _ in range(2))
    link(distances, values, *plain)
    kernel(link)(distances, values, *fast)
    assert [a.tolist() for a in plain] == [a.tolist() for a in fast]
