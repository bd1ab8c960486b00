"""Nearest better: how much further than the nearest solution the nearest better one is.

Far away where there are peaks (Preuss 2012).
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

WHOLE, ALONE = 150, 250
"""Walks of a trial that are looked at whole, and of which only the start: near and far neighbours, in the same mix in
every dimension.
"""

NONE = 1e-12
"""A standard deviation below this share of the largest number is none."""


def mixed_points(steps: int) -> Indices:
    """The points of a trial that are looked at. steps: points of a walk."""
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
    """Pearson's; zero where there is nothing to compare."""
    if not varies(a) or not varies(b):
        return 0.0
    return float(np.mean((a - a.mean()) * (b - b.mean())) / (a.std() * b.std()))


def varies(a: Floats) -> bool:
    return bool(a.std() > NONE * np.abs(a).max())


def link(distances: Distances | Floats, values: Floats, near: Floats, better: Floats, followers: Floats) -> None:
    """Write of each point how far the nearest point is, how far the nearest better point, and of how many it is the
    nearest better itself.

    The best have no better point: their nearest stands for it. Several nearest better points share the follower, so
    that the order of the points does not matter.
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
