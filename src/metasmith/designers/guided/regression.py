"""Bayesian linear regression within a task, on the features of a network, from a prior that other tasks taught."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from metasmith.arrays import Floats
from metasmith.designers.contract import Arrays, Member

ENTRY_SHARE = 2 / 7
"""How much the entry rung counts in the value of a program that reached the last: as its weight among the rungs."""


class Regression(NamedTuple):
    """Coefficients that are normally distributed. root: the lower Cholesky factor of their precision."""

    mean: Floats
    root: Floats

    @classmethod
    def fitted(cls, prior: Arrays, features: Floats, values: Floats, finished: Floats) -> Self:
        """What values of some programs say. prior: the mean and the logarithms of variances of coefficients, and of
        the noise of values: of programs that did not reach the last rung, and of those that did. finished: which did.
        """
        precision = np.exp(-prior["log_variance"])
        noise = np.exp(prior["log_noise"])[finished.astype(int)]
        weighted = features / noise[:, None]
        total = np.diag(precision) + weighted.T @ features
        mean = np.linalg.solve(total, precision * prior["mean"] + weighted.T @ values)
        return cls(mean, np.linalg.cholesky(total))

    def drawn(self, features: Floats, count: int, draw: np.random.Generator) -> Floats:
        """What programs may be worth, drawn so many times: (count, programs)."""
        normal = draw.standard_normal((len(self.mean), count))
        return (features @ (self.mean[:, None] + np.linalg.solve(self.root.T, normal))).T


def values(members: Sequence[Member]) -> tuple[Floats, Floats]:
    """What programs are worth in their task, as normal scores, and whether each reached the last rung.

    Programs that did are ranked among themselves by their scores on all rungs, and take for that the normal scores
    which they have together on the entry rung.
    """
    first = normal_scores([member.first for member in members])
    finished = np.array([member.score is not None for member in members], dtype=bool)
    if finished.sum() > 1:
        entry = first[finished]
        ranks = rankdata([member.score for member in members if member.score is not None])
        last = np.interp(ranks, np.arange(1, len(entry) + 1), np.sort(entry))
        first[finished] = ENTRY_SHARE * entry + (1 - ENTRY_SHARE) * last
    return first, finished


def normal_scores(numbers: Sequence[float]) -> Floats:
    """Quantiles of the normal distribution by rank; equals alike."""
    return ndtri((rankdata(numbers) - 0.5) / len(numbers)) if numbers else np.zeros(0)
