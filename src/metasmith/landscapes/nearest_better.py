"""Nearest-better factors: distances to the nearest solution, compared with those to the nearest better one.

On a landscape of many peaks the nearest better solution is far away (Preuss 2012).
"""

import numpy as np

from metasmith.arrays import Floats, Indices
from metasmith.landscapes.distance import Distances
from metasmith.landscapes.kernels import kernel

NAMES = (
    "nbc.nn_nb.sd_ratio",
    "nbc.nn_nb.mean_ratio",
    "nbc.nn_nb.cor",
    "nbc.dist_ratio.coeff_var",
    "nbc.nb_fitness.cor",
)
"""Flacco's names of these factors, in the order in which `nearest_better` returns them."""

WHOLE, ALONE = 150, 250
"""Walks of a trial of which all points are used, and walks of which only the start is.

The two kinds give near and far neighbours, in the same mix in every dimension.
"""

NONE = 1e-12
"""Standard deviation, as a share of the largest absolute number, below which all numbers count as equal."""


def mixed_points(steps: int) -> Indices:
    """The indices of the points of a trial that the factors are computed from. steps: points of a walk."""
    return np.concatenate([np.arange(WHOLE * steps), np.arange(WHOLE, WHOLE + ALONE) * steps])


def nearest_better(distances: Distances | Floats, values: Floats) -> Floats:
    """The factors of NAMES. distances: of every two points. values: less is better."""
    near, better, followers = (np.zeros(len(values)) for _ in range(3))
    kernel(link)(distances, values, near, better, followers)
    apart = better > 0
    shares = near[apart] / better[apart]
    return np.array([
        near.std(ddof=1) / better.std(ddof=1) if varies(better) else 1.0,
        near.mean() / better.mean() if apart.any() else 1.0,
        correlation(near, better),
        shares.std(ddof=1) / shares.mean() if len(shares) > 1 and shares.any() else 0.0,
        correlation(followers, values),
    ])  # fmt: skip


def correlation(a: Floats, b: Floats) -> float:
    """Pearson's correlation; zero if one of the two is constant."""
    if not varies(a) or not varies(b):
        return 0.0
    return float(np.mean((a - a.mean()) * (b - b.mean())) / (a.std() * b.std()))


def varies(a: Floats) -> bool:
    """Whether the numbers are not all equal, but for rounding."""
    return bool(a.std() > NONE * np.abs(a).max())


def link(distances: Distances | Floats, values: Floats, near: Floats, better: Floats, followers: Floats) -> None:
    """Write for each point the distances to its nearest and to its nearest better point, and its number of followers.

    A follower is a point of which it is the nearest better one; several nearest better points share a follower, so that
    the order of the points does not matter. For the best, which have no better point, the nearest stands for it.
    """
    for i in range(len(values)):
        nearest = nearest_better = np.inf
        equally_near = 0
        for j in range(len(values)):
            distance = distances[i, j]
            if j != i and distance < nearest:
                nearest = distance
            if values[j] < values[i]:
                if distance < nearest_better:
                    nearest_better = distance
                    equally_near = 1
                elif distance == nearest_better:
                    equally_near += 1
        near[i] = nearest
        better[i] = nearest_better if equally_near > 0 else nearest
        for j in range(len(values)):
            if values[j] < values[i] and distances[i, j] == nearest_better:
                followers[j] += 1.0 / equally_near
