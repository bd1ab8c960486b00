"""Dispersion factors: distances among the best solutions of a sample, compared with those among all of them.

A ratio below one speaks for a funnel (Lunacek and Whitley 2006).
"""

import numpy as np
from numpy.typing import NDArray

from metasmith.arrays import Floats, Indices
from metasmith.landscapes.distance import Distances
from metasmith.landscapes.kernels import kernel

NAMES = (
    "disp.ratio_mean_02", "disp.ratio_mean_05", "disp.ratio_mean_10", "disp.ratio_mean_25",
    "disp.ratio_median_02", "disp.ratio_median_05", "disp.ratio_median_10", "disp.ratio_median_25",
    "disp.diff_mean_02", "disp.diff_mean_05",
)  # fmt: skip
"""Flacco's names of these factors, in the order in which `dispersion` returns them."""

SHARES = (0.02, 0.05, 0.10, 0.25)
"""Quantiles of the values that define the best solutions: those as good as the quantile or better."""

POINTS = 2000
"""Sample size: starts of walks, evenly spaced. Steps of one walk depend on one another and would add noise."""


def dispersion(distances: Distances, values: Floats) -> Floats:
    """The factors of NAMES. distances: of every two points. values: less is better."""
    whole = mean_and_median(distances, np.arange(len(values)))
    best = [np.flatnonzero(values <= np.quantile(values, share)) for share in SHARES]
    among = np.array([mean_and_median(distances, chosen) for chosen in best])
    return np.concatenate([among[:, 0] / whole[0], among[:, 1] / whole[1], among[:2, 0] - whole[0]])


def mean_and_median(distances: Distances, chosen: Indices) -> tuple[float, float]:
    """The mean and the median distance of points; those of zero are left out, as in flacco, and no others are zero."""
    if distances.dtype.kind == "i":
        return of_counts(histogram(distances, chosen))
    among = distances[np.ix_(chosen, chosen)][np.tril_indices(len(chosen), -1)]
    apart = among[among > 0]
    return (float(apart.mean()), float(np.median(apart))) if len(apart) else (0.0, 0.0)


def histogram(distances: Distances, chosen: Indices) -> Indices:
    """How often each whole distance occurs among the points `chosen`."""
    counts = np.zeros(int(distances.max(initial=0)) + 1, np.int64)
    kernel(count_distances)(distances, chosen, counts)
    return counts


def of_counts(counts: NDArray[np.int64]) -> tuple[float, float]:
    """The mean and the median of whole distances, of which `counts[d]` equal d.

    The median is interpolated within the unit around the middle distance: a whole number would hardly ever differ
    between problems.
    """
    counts = counts.copy()
    counts[0] = 0
    pairs = int(counts.sum())
    if pairs == 0:
        return 0.0, 0.0
    up_to = np.cumsum(counts)
    middle = int(np.searchsorted(up_to, pairs / 2))
    below = int(up_to[middle] - counts[middle])
    return float(counts @ np.arange(len(counts))) / pairs, middle - 0.5 + (pairs / 2 - below) / int(counts[middle])


def count_distances(distances: Distances, chosen: Indices, counts: Indices) -> None:
    """Add to `counts` how often each distance occurs among the points `chosen`."""
    for a in range(len(chosen)):
        for b in range(a):
            counts[distances[chosen[a], chosen[b]]] += 1
