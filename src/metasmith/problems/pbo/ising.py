"""Ising models: the number of equal neighbouring spins on a ring, on a torus and on a triangular torus."""

from math import isqrt

import numpy as np

from metasmith.arrays import Tables, Words
from metasmith.problems.pbo.dummy import every
from metasmith.problems.pbo.function import Function
from metasmith.problems.pbo.instance import LENGTH, SIDE, see
from metasmith.problems.pbo.shifts import close, moved, moved_back
from metasmith.words import pack, popcount, words_for

ALL_BUT_LAST_COLUMN, FIRST_COLUMN, LAST_COLUMN, SPINS = 0, 1, 2, 3
"""Rows of the masks that `columns` makes."""


def ising_ring(x: Words, tables: Tables, work: Words) -> float:
    n = tables.numbers[LENGTH]
    see(x, tables, work)
    close(work, n, 1)
    different = 0
    for w in range(len(x)):
        different += popcount((work[w] ^ moved(work, w, 1)) & tables.words[0, w])
    return float(tables.reals[0] * (n - different) + tables.reals[1])


def ising_torus(x: Words, tables: Tables, work: Words) -> float:
    n = tables.numbers[LENGTH]
    side = tables.numbers[SIDE]
    see(x, tables, work)
    close(work, n, side + 1)
    masks = tables.words
    different = 0
    for w in range(len(x)):
        spins = work[w]
        across = (spins ^ moved(work, w, 1)) & masks[ALL_BUT_LAST_COLUMN, w]
        across |= (spins ^ moved_back(work, w, side - 1)) & masks[LAST_COLUMN, w]  # the first spin of the row
        different += popcount(across) + popcount((spins ^ moved(work, w, side)) & masks[SPINS, w])
    return float(tables.reals[0] * (2 * n - different) + tables.reals[1])


def ising_triangular(x: Words, tables: Tables, work: Words) -> float:
    n = tables.numbers[LENGTH]
    side = tables.numbers[SIDE]
    see(x, tables, work)
    close(work, n, side + 1)
    masks = tables.words
    different = 0
    for w in range(len(x)):
        spins = work[w]
        next_one = spins ^ moved(work, w, 1)
        different += popcount(next_one & masks[ALL_BUT_LAST_COLUMN, w])
        different += popcount((spins ^ moved(work, w, side - 1)) & masks[FIRST_COLUMN, w])
        different += popcount((spins ^ moved(work, w, side)) & masks[SPINS, w])
        different += popcount((spins ^ moved(work, w, side + 1)) & masks[ALL_BUT_LAST_COLUMN, w])
        different += popcount(next_one & masks[LAST_COLUMN, w])  # right of the last column and one down is the next bit
    return float(tables.reals[0] * (3 * n - different) + tables.reals[1])


def columns(n: int) -> Words:
    """The masks of a square lattice, (4, words)."""
    column = np.arange(n) % isqrt(n)
    last = isqrt(n) - 1
    return pack(np.array([column != last, column == 0, column == last, column >= 0]))


def across_the_end(n: int) -> int:
    """Scratch after the spins: words for the first spins again, as many as the farthest neighbour is away."""
    return words_for(isqrt(n) + 1) + 2


FUNCTIONS = [
    Function(
        "F19", "Ising ring", "Equal neighbours on a ring", ising_ring, every, best=lambda n: n, scratch=across_the_end,
    ),
    Function(
        "F20", "Ising torus", "Equal neighbours on a square lattice", ising_torus, columns,
        best=lambda n: 2 * n, scratch=across_the_end, square=True,
    ),
    Function(
        "F21", "Ising triangular", "Equal neighbours on a triangular lattice", ising_triangular, columns,
        best=lambda n: 3 * n, scratch=across_the_end, square=True,
    ),
]  # fmt: skip
