"""Distances of solutions, as their representation measures them."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metasmith.arrays import Solutions
from metasmith.landscapes.kernels import Kernel, kernel
from metasmith.representations import Kind, Variables

Distances = NDArray[Any]
"""int32 where distances are whole numbers, else float64."""


def between_pairs(variables: Variables, rows: Solutions) -> Distances:
    """Of every two solutions, (solutions, solutions)."""
    distances = np.zeros((len(rows), len(rows)), cell_of(variables))
    kernel(pairs(type(variables)))(rows, distances)
    return distances


def between_neighbours(variables: Variables, rows: Solutions) -> Distances:
    """Of each solution and the next, (solutions - 1,)."""
    distances = np.zeros(len(rows) - 1, cell_of(variables))
    kernel(neighbours(type(variables)))(rows, distances)
    return distances


def cell_of(variables: Variables) -> type[np.generic]:
    """What distances are kept in: whole numbers take half the room."""
    return np.int32 if isinstance(variables.farthest, int) else np.float64


@cache
def pairs(kind: Kind) -> Kernel:
    """The kernel for every two rows."""
    distance = kind.distance

    def between(rows: Solutions, distances: Distances) -> None:
        for i in range(len(rows)):
            for j in range(i):
                distances[i, j] = distances[j, i] = distance(rows[i], rows[j])

    return between


@cache
def neighbours(kind: Kind) -> Kernel:
    """The kernel for each row and the next."""
    distance = kind.distance

    def between(rows: Solutions, distances: Distances) -> None:
        for i in range(len(distances)):
            distances[i] = distance(rows[i], rows[i + 1])

    return between
