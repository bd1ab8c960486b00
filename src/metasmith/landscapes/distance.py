"""Hamming distances: in how many variables solutions differ."""

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from metasmith.arrays import Solutions, Values, Words
from metasmith.landscapes.kernels import Kernel, kernel
from metasmith.representations import Variables
from metasmith.words import hamming

Distances = NDArray[np.int32]


def between_pairs(variables: Variables, rows: Solutions) -> Distances:
    """Of every two solutions, (solutions, solutions)."""
    found = np.zeros((len(rows), len(rows)), np.int32)
    kernel(PAIRS[variables.name])(rows, found)
    return found


def between_neighbours(variables: Variables, rows: Solutions) -> Distances:
    """Of each solution and the next, (solutions - 1,)."""
    found = np.zeros(len(rows) - 1, np.int32)
    kernel(NEIGHBOURS[variables.name])(rows, found)
    return found


def pairs_of_bits(rows: Words, found: Distances) -> None:
    for i in range(len(rows)):
        for j in range(i):
            found[i, j] = found[j, i] = hamming(rows[i], rows[j])


def neighbours_of_bits(rows: Words, found: Distances) -> None:
    for i in range(len(found)):
        found[i] = hamming(rows[i], rows[i + 1])


def pairs_of_integers(rows: Values, found: Distances) -> None:
    for i in range(len(rows)):
        for j in range(i):
            found[i, j] = found[j, i] = unequal(rows[i], rows[j])


def neighbours_of_integers(rows: Values, found: Distances) -> None:
    for i in range(len(found)):
        found[i] = unequal(rows[i], rows[i + 1])


@register_jitable
def unequal(a: Values, b: Values) -> int:
    """Number of positions in which two rows differ."""
    different = 0
    for k in range(len(a)):
        different += a[k] != b[k]
    return different


PAIRS: dict[str, Kernel] = {"bits": pairs_of_bits, "integers": pairs_of_integers}
NEIGHBOURS: dict[str, Kernel] = {"bits": neighbours_of_bits, "integers": neighbours_of_integers}
