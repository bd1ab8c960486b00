"""Knapsack with several constraints (Chu and Beasley 1998): choose items of high profit that keep every capacity."""

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Tables, Words, tables
from metasmith.problems.draws import Draws
from metasmith.problems.practice.kind import Kind
from metasmith.problems.problem import Native, Problem
from metasmith.representations import Bits
from metasmith.words import has


@register_jitable
def overload(x: Words, tables: Tables, work: Words) -> float:
    """By how much the chosen items exceed the capacities, as a sum of shares of each.

    tables.numbers: n, the profits, then for each constraint its capacity and the weight of each item.
    """
    numbers, n = tables.numbers, tables.numbers[0]
    total = 0.0
    for first in range(1 + n, len(numbers), 1 + n):
        left = numbers[first]
        for i in range(n):
            if has(x, i):
                left -= numbers[first + 1 + i]
        if left < 0:
            total -= left / numbers[first]
    return total


def profit(x: Words, tables: Tables, work: Words) -> float:
    """The profit of the chosen items, or minus the overload."""
    above = overload(x, tables, work)
    if above > 0.0:
        return -above
    total = 0
    for i in range(tables.numbers[0]):
        if has(x, i):
            total += tables.numbers[1 + i]
    return float(total)


def make(n: int, draws: Draws, name: str) -> Problem:
    """One to ten constraints with room for a quarter to three quarters of all items; heavy items pay more."""
    constraints = draws.one(1, 10)
    weights = draws.whole(1, 1000, constraints, n)
    capacities = (draws.between(0.25, 0.75) * weights.sum(axis=1)).astype(np.int64)
    profits = weights.sum(axis=0) // constraints + draws.whole(1, draws.one(50, 500), n)
    data = tables(np.concatenate([[n], profits, np.column_stack([capacities, weights]).ravel()]))
    return Problem.native(profit, Bits(n), name=name, tables=data, violation=Native(overload, data, 0))


KIND = Kind(
    "knapsack",
    "Knapsack with several constraints",
    "Profit of chosen items that must keep every capacity",
    "constraints; tightness; how much profits follow weights",
    "reported",
    make,
)
