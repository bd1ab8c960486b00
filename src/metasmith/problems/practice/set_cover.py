"""Weighted set cover: choose sets, as cheap as possible, that together have every element."""

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Tables, Words, tables
from metasmith.problems.draws import Draws
from metasmith.problems.practice.kind import Kind
from metasmith.problems.problem import Native, Problem
from metasmith.representations import Bits
from metasmith.words import ZERO, count_ones, has, pack


@register_jitable
def uncovered(x: Words, tables: Tables, work: Words) -> float:
    """How many elements no chosen set has. tables.words: the elements of each set. work: those of all chosen sets."""
    for w in range(len(work)):
        work[w] = ZERO
    for i in range(len(tables.words)):
        if has(x, i):
            for w in range(len(work)):
                work[w] |= tables.words[i, w]
    return float(tables.numbers[0] - count_ones(work))


def cost(x: Words, tables: Tables, work: Words) -> float:
    """The cost of all chosen sets. tables.numbers: how many elements there are, then the cost of each set.

    tables.reals: the cost of all sets, to which uncovered elements are added.
    """
    missing = uncovered(x, tables, work)
    if missing > 0.0:
        return float(tables.reals[0] + missing)
    total = 0
    for i in range(len(tables.words)):
        if has(x, i):
            total += tables.numbers[1 + i]
    return float(total)


def make(n: int, draws: Draws, name: str) -> Problem:
    """Every element is in three to eight sets; larger sets cost more."""
    elements = round(n * draws.between(0.8, 1.6))
    owners = draws.different(elements, draws.one(3, 8), n)
    members = np.zeros((n, elements), np.int64)
    members[owners, np.arange(elements)[:, None]] = 1
    costs = draws.whole(20, 100, n) + draws.one(0, 10) * members.sum(axis=1)
    data = tables(np.concatenate([[elements], costs]), [float(costs.sum())], pack(members))
    work = data.words.shape[1]
    return Problem.native(
        cost,
        Bits(n),
        name=name,
        tables=data,
        work=work,
        direction="min",
        violation=Native(uncovered, data, work),
    )


KIND = Kind(
    "set-cover",
    "Set cover",
    "Cost of chosen sets that must have every element",
    "elements; sets of an element; costs by size",
    "tuning",
    make,
)
