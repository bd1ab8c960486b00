"""Information content equals flacco's, when the walk is the tour."""

from itertools import pairwise

import numpy as np
import pytest
from golden_landscape import CONTINUOUS, WALKS, case

from metasmith.landscapes.information import NAMES, SENSITIVITIES, count_changes, count_pairs, curves, information
from metasmith.landscapes.kernels import kernel


@pytest.mark.parametrize("name", WALKS)
def test_along_a_walk_it_is_that_of_pflacco(name):
    _, values, golden = case(name)
    factors = information(values, np.ones(len(values) - 1))
    for factor, value in zip(NAMES, factors, strict=True):
        assert value == pytest.approx(golden["information_content_walk_order"][factor], rel=1e-12, abs=1e-12), factor


@pytest.mark.parametrize("name", CONTINUOUS)
def test_along_a_tour_of_nearest_neighbours_it_is_that_of_pflacco(name):
    points, values, golden = case(name)
    distances = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    tour, left = [0], distances.copy()
    left[:, 0] = np.inf
    while len(tour) < len(points):
        tour.append(int(left[tour[-1]].argmin()))
        left[:, tour[-1]] = np.inf
    factors = information(values[tour], distances[tour[:-1], tour[1:]])
    for factor, value in zip(NAMES, factors, strict=True):
        assert value == pytest.approx(golden["information_content"][factor], rel=1e-12, abs=1e-12), factor


def test_the_curves_are_as_defined():
    ratios = np.round(np.random.default_rng(0).normal(size=80), 1)
    entropy, changes = curves(ratios)
    for e in range(0, len(SENSITIVITIES), 37):
        symbols = np.where(np.abs(ratios) < SENSITIVITIES[e], 0, np.sign(ratios))
        pairs = list(pairwise(symbols))
        shares = np.array([pairs.count((a, b)) / len(pairs) for a in (-1, 0, 1) for b in (-1, 0, 1) if a != b])
        shares = shares[shares > 0]
        assert entropy[e] == pytest.approx(-(shares * np.log(shares) / np.log(6)).sum())
        signs = symbols[symbols != 0]
        assert changes[e] == pytest.approx((signs[1:] != signs[:-1]).sum() / len(pairs))


def test_where_nothing_changes_there_is_no_information():
    assert information(np.full(9, 3.0), np.ones(8)).tolist() == [0.0, -5.0, SENSITIVITIES[500], -5.0, 0.0]


def test_values_may_be_moved_and_stretched():
    values = np.random.default_rng(1).normal(size=500)
    before = information(values, np.ones(499))
    after = information(10.0 ** (20 / 999 * 30) * values - 5, np.ones(499))  # thirty sensitivities further
    np.testing.assert_allclose(after[[0, 4]], before[[0, 4]], rtol=1e-9)
    np.testing.assert_allclose(after[[1, 3]], before[[1, 3]] + 20 / 999 * 30, rtol=1e-9)
    assert after[2] == pytest.approx(before[2] * 10.0 ** (20 / 999 * 30))


def test_steps_of_length_zero_are_left_out():
    values, distances = np.array([1.0, 3.0, 3.0, 2.0, 5.0, 4.0]), np.array([1, 0, 2, 1, 1])
    np.testing.assert_array_equal(
        information(values, distances), information(values[[0, 2, 3, 4, 5]], distances[[0, 2, 3, 4]])
    )


def test_plain_equals_compiled():
    ratios = np.random.default_rng(2).normal(size=300).round(1)
    up, levels = ratios > 0, np.searchsorted(SENSITIVITIES, np.abs(ratios), side="right") * (ratios != 0)
    counts = []
    for pairs_kernel, changes_kernel in ((count_pairs, count_changes), (kernel(count_pairs), kernel(count_changes))):
        pairs, changes = np.zeros((6, 1002), np.int64), np.zeros(1001, np.int64)
        pairs_kernel(up, levels, pairs)
        changes_kernel(up, levels, np.argsort(levels, kind="stable"), np.arange(-1, 301), np.arange(1, 303), changes)
        counts.append((pairs.tolist(), changes.tolist()))
    assert counts[0] == counts[1]
