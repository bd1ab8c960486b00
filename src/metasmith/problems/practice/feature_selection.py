"""Feature selection: which few features of a data set explain the outcome best, by ridge regression.

Features come in groups that are alike, and the outcome depends on some of them, so that the best alone are not the best
together.
"""

import math

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Floats, Tables, Words, tables
from metasmith.problems.draws import Draws
from metasmith.problems.practice.kind import Kind
from metasmith.problems.problem import Native, Problem
from metasmith.representations import Bits
from metasmith.words import count_ones, has


@register_jitable
def excess(x: Words, tables: Tables, work: Words) -> float:
    """How many features more than allowed are chosen. tables.numbers: n, and how many features are allowed."""
    return float(max(0, count_ones(x) - tables.numbers[1]))


def unexplained(x: Words, tables: Tables, work: Words) -> float:
    """The share of the outcome's variation that the chosen features do not explain, or one plus the excess.

    tables.reals: the outcome's product with itself and with each feature, then those of features with one another, with
    the ridge. work: the rows of the Cholesky factor L, each followed by its entry of the solution z of L z = b, where b
    are the outcome's products with the chosen features; z'z is explained.
    """
    above = excess(x, tables, work)
    if above > 0.0:
        return 1.0 + above
    n, allowed, reals, rows = tables.numbers[0], tables.numbers[1], tables.reals, work.view(np.float64)
    explained, row, start = 0.0, 0, 0
    chosen = work.view(np.int64)[allowed * (allowed + 3) // 2 :]
    for i in range(n):
        if has(x, i):
            other = 0
            for k in range(row):
                rows[start + k] = (reals[1 + n + i * n + chosen[k]] - product(rows, start, other, k)) / rows[other + k]
                other += k + 2
            rows[start + row] = math.sqrt(reals[1 + n + i * n + i] - product(rows, start, start, row))
            z = reals[1 + i]
            other = 0
            for k in range(row):
                z -= rows[start + k] * rows[other + k + 1]
                other += k + 2
            z /= rows[start + row]
            rows[start + row + 1] = z
            explained += z * z
            chosen[row] = i
            row += 1
            start += row + 1
    return float(1.0 - explained / reals[0])


@register_jitable
def product(rows: Floats, one: int, other: int, count: int) -> float:
    """The inner product of the first `count` entries of two rows that start at `one` and at `other`."""
    total = 0.0
    for k in range(count):
        total += rows[one + k] * rows[other + k]
    return total


def make(n: int, draws: Draws, name: str) -> Problem:
    """Groups of two to eight features, 60 to 150 samples; a twentieth to a tenth of the features may be chosen."""
    samples, allowed = draws.one(60, 150), min(25, max(2, round(n * draws.between(0.05, 0.1))))
    group = np.arange(n) // draws.one(2, 8)
    common = draws.whole(-50, 50, samples, int(group[-1]) + 1)[:, group]
    features = draws.whole(1, 4, n) * common + draws.whole(-60, 60, samples, n)
    features = features[:, draws.order(n)]
    weights = np.where(draws.order(n) < allowed, draws.whole(1, 9, n) * (2 * draws.whole(0, 1, n) - 1), 0)
    noise = draws.one(1, 20)
    outcome = features @ weights + noise * draws.whole(-50, 50, samples)
    products = features.T @ features
    ridge = int(np.trace(products)) // (100 * n)
    ridged = products + ridge * np.eye(n, dtype=np.int64)
    data = tables([n, allowed], np.concatenate([[outcome @ outcome], features.T @ outcome, ridged.ravel()]))
    return Problem.native(
        unexplained,
        Bits(n),
        name=name,
        tables=data,
        work=allowed * (allowed + 3) // 2 + allowed,
        direction="min",
        violation=Native(excess, data, 0),
    )


KIND = Kind(
    "feature-selection",
    "Feature selection",
    "Share of an outcome that few chosen features do not explain",
    "samples; groups of alike features; noise; features allowed",
    "reported",
    make,
)
