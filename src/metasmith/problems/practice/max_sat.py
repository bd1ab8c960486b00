"""Weighted MAX-3-SAT: satisfy clauses of three literals, the heavy ones first."""

import numpy as np

from metasmith.arrays import Tables, Words, tables
from metasmith.problems.draws import Draws
from metasmith.problems.practice.kind import Kind
from metasmith.problems.problem import Problem
from metasmith.representations import Bits
from metasmith.words import has


def satisfied(x: Words, tables: Tables, work: Words) -> float:
    """The weight of all satisfied clauses.

    tables.numbers: for each clause three literals, twice the variable, plus one if it is negated, then its weight.
    """
    clauses = tables.numbers
    total = 0
    for k in range(0, len(clauses), 4):
        a, b, c = clauses[k], clauses[k + 1], clauses[k + 2]
        true = (has(x, a >> 1) != (a & 1)) | (has(x, b >> 1) != (b & 1)) | (has(x, c >> 1) != (c & 1))
        total += clauses[k + 3] * true  # branches would be mispredicted
    return float(total)


def make(n: int, draws: Draws, name: str) -> Problem:
    """Four to seven clauses for every variable: from just satisfiable to far from it."""
    clauses = round(n * draws.between(4, 7))
    literals = 2 * draws.different(clauses, 3, n) + draws.whole(0, 1, clauses, 3)
    weights = draws.whole(1, draws.one(1, 50), clauses, 1)
    return Problem.native(satisfied, Bits(n), name=name, tables=tables(np.hstack([literals, weights]).ravel()))


KIND = Kind(
    "max-sat",
    "MAX-SAT",
    "Weight of satisfied clauses of three literals",
    "clauses per variable; weights",
    "tuning",
    make,
)
