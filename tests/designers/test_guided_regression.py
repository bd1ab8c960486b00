"""The regression within a task is the textbook's, and values are ranks."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, spearmanr

from metasmith.designers.contract import Member, Proposal
from metasmith.designers.guided.regression import Regression, normal_scores, values
from metasmith.program import named

PRIOR = {"mean": np.array([0.5, -1.0, 0.0]), "log_variance": np.log([1.0, 2.0, 0.5]), "log_noise": np.log([0.4, 0.1])}


def test_it_is_the_conditional_of_the_joint_normal_distribution():
    """Coefficients and values are jointly normal; what is left of the coefficients after values is known in closed
    form, from covariances instead of precisions.
    """
    rng = np.random.default_rng(0)
    features, worth = rng.standard_normal((7, 3)), rng.standard_normal(7)
    finished = np.array([True, False, True, True, False, False, True])
    covariance = np.diag(np.exp(PRIOR["log_variance"]))
    noise = np.diag(np.where(finished, 0.1, 0.4))
    gain = covariance @ features.T @ np.linalg.inv(features @ covariance @ features.T + noise)
    mean = PRIOR["mean"] + gain @ (worth - features @ PRIOR["mean"])
    left = covariance - gain @ features @ covariance
    regression = Regression.fitted(PRIOR, features, worth, finished)
    np.testing.assert_allclose(regression.mean, mean)
    np.testing.assert_allclose(np.linalg.inv(regression.root @ regression.root.T), left)


def test_draws_have_its_mean_and_its_spread():
    rng = np.random.default_rng(1)
    regression = Regression.fitted(PRIOR, rng.standard_normal((4, 3)), rng.standard_normal(4), np.ones(4, bool))
    new = rng.standard_normal((2, 3))
    drawn = regression.drawn(new, 40_000, rng)
    left = new @ np.linalg.inv(regression.root @ regression.root.T) @ new.T
    np.testing.assert_allclose(drawn.mean(0), new @ regression.mean, atol=4 * np.sqrt(left.max() / 40_000))
    np.testing.assert_allclose(np.cov(drawn.T), left, rtol=0.1, atol=0.01)
    assert np.isfinite(multivariate_normal(cov=left).logpdf(drawn[:5])).all()


def test_with_no_values_the_prior_is_left():
    regression = Regression.fitted(PRIOR, np.zeros((0, 3)), *values([]))
    np.testing.assert_allclose(regression.mean, PRIOR["mean"])


def member(first, score=None):
    return Member(Proposal(named("rls"), None, "mutant"), first, score)


def test_values_are_ranks_and_do_not_depend_on_the_scale():
    rng = np.random.default_rng(2)
    first = rng.standard_normal(30)
    members = [member(x) for x in first]
    worth, finished = values(members)
    assert spearmanr(worth, first).statistic == pytest.approx(1)
    assert not finished.any()
    np.testing.assert_array_equal(values([member(np.exp(x)) for x in first])[0], worth)


def test_those_that_finished_are_ranked_mostly_by_all_rungs():
    members = [member(0.1), member(0.2), member(0.5, 0.9), member(0.6, 0.8), member(0.7, 0.7)]
    worth, finished = values(members)
    assert finished.tolist() == [False, False, True, True, True]
    assert worth[2] > worth[3] > worth[4] > worth[1] > worth[0]


def test_normal_scores_are_symmetric_and_equals_are_alike():
    scores = normal_scores([3.0, 1.0, 2.0, 2.0])
    np.testing.assert_allclose(scores, -normal_scores([-3.0, -1.0, -2.0, -2.0]))
    assert scores[2] == scores[3]
