"""NK landscape (Kauffman 1993): the contribution of every bit depends on K others, by a random table."""

import numpy as np

from metasmith.arrays import Tables, Words, tables
from metasmith.problems.draws import Draws
from metasmith.problems.practice.kind import Kind
from metasmith.problems.problem import Problem
from metasmith.representations import Bits
from metasmith.words import has


def contributions(x: Words, tables: Tables, work: Words) -> float:
    """The sum of all contributions.

    tables.numbers: n and k, the k others of each bit, then 2 ** (k + 1) contributions of each bit.
    """
    n, k = tables.numbers[0], tables.numbers[1]
    first = 2 + n * k
    total = 0
    for i in range(n):
        entry = int(has(x, i))
        for j in range(k):
            entry = 2 * entry + int(has(x, tables.numbers[2 + i * k + j]))
        total += tables.numbers[first + (i << (k + 1)) + entry]
    return float(total)


def make(n: int, draws: Draws, name: str) -> Problem:
    """K from 1, nearly smooth, to 6, rugged; the others are neighbours on a ring, or any."""
    k, ring = draws.one(1, 6), draws.one(0, 1)
    others = draws.different(n, k, n - 1)
    if ring:
        others = np.tile(np.arange(k), (n, 1))
    others = (np.arange(n)[:, None] + 1 + others) % n
    values = draws.whole(0, 999, n, 2 ** (k + 1))
    numbers = np.concatenate([[n, k], others.ravel(), values.ravel()])
    return Problem.native(contributions, Bits(n), name=name, tables=tables(numbers))


KIND = Kind(
    "nk-landscape",
    "NK landscape",
    "Contributions of bits that depend on K others",
    "K; neighbours on a ring or anywhere",
    "tuning",
    make,
)
