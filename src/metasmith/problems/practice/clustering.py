"""Clustering: give every point to a cluster, so that the points of a cluster are near their centre (k-means)."""

import numpy as np

from metasmith.arrays import Tables, Values, Words, tables
from metasmith.problems.draws import Draws
from metasmith.problems.practice.kind import Kind
from metasmith.problems.problem import Problem
from metasmith.representations import Integers


def spread(x: Values, tables: Tables, work: Words) -> float:
    """The sum of squared distances of points to the centres of their clusters: that of their squares, less for each
    cluster the square of their sum, divided by their number.

    tables.numbers: clusters, coordinates of a point, the sum of their squares, then the points. work: the number of
    points in each cluster, then the sums of their coordinates.
    """
    numbers, sums = tables.numbers, work.view(np.int64)
    clusters, coordinates = numbers[0], numbers[1]
    for k in range(clusters * (1 + coordinates)):
        sums[k] = 0
    for i in range(len(x)):
        sums[x[i]] += 1
        first = clusters + x[i] * coordinates
        for c in range(coordinates):
            sums[first + c] += numbers[3 + i * coordinates + c]
    total = float(numbers[2])
    for k in range(clusters):
        squares = 0
        for c in range(coordinates):
            squares += sums[clusters + k * coordinates + c] * sums[clusters + k * coordinates + c]
        if sums[k] > 0:
            total -= squares / sums[k]
    return total


def make(n: int, draws: Draws, name: str) -> Problem:
    """Three to eight groups of points in two to four coordinates, from far apart to mixed."""
    clusters, coordinates, width = draws.one(3, 8), draws.one(2, 4), draws.one(100, 600)
    centres = draws.whole(-1000, 1000, clusters, coordinates)[draws.whole(0, clusters - 1, n)]
    points = centres + draws.whole(-width, width, n, coordinates) + draws.whole(-width, width, n, coordinates)
    numbers = np.concatenate([[clusters, coordinates, int((points**2).sum())], points.ravel()])
    work = clusters * (1 + coordinates)
    return Problem.native(spread, Integers(clusters, n), name=name, tables=tables(numbers), work=work, direction="min")


KIND = Kind(
    "clustering",
    "Clustering",
    "Squared distances of points to the centres of their clusters",
    "clusters; coordinates; how far apart groups are",
    "tuning",
    make,
)
