"""Scheduling on unrelated machines: give every job to a machine, so that little is late, and little that matters.

A machine does its jobs in the order in which they are due.
"""

import numpy as np

from metasmith.arrays import Tables, Values, Words, tables
from metasmith.problems.draws import Draws
from metasmith.problems.practice.kind import Kind
from metasmith.problems.problem import Problem
from metasmith.representations import Integers


def tardiness(x: Values, tables: Tables, work: Words) -> float:
    """The time by which jobs are late, times their weights.

    tables.numbers: how many machines there are, then for each job, in the order in which they are due, when it is due,
    its weight, and the time it takes on each machine. work: when each machine is free.
    """
    numbers, free = tables.numbers, work.view(np.int64)
    machines = numbers[0]
    for m in range(machines):
        free[m] = 0
    total = 0
    for i in range(len(x)):
        first = 1 + i * (2 + machines)
        free[x[i]] += numbers[first + 2 + x[i]]
        total += numbers[first + 1] * max(0, free[x[i]] - numbers[first])
    return float(total)


def make(n: int, draws: Draws, name: str) -> Problem:
    """Three to ten machines, of which each suits some jobs; due dates from comfortable to hopeless."""
    machines, unlike = draws.one(3, 10), draws.one(0, 90)
    takes = draws.whole(10, 100, n, 1) * draws.whole(100 - unlike, 100 + unlike, n, machines) // 100 + 1
    end = float(takes.mean(axis=1).sum()) / machines * draws.between(0.3, 0.9)
    due = np.sort((end * draws.uniform(n)).astype(np.int64))
    weights = draws.whole(1, draws.one(1, 10), n)
    numbers = np.concatenate([[machines], np.column_stack([due, weights, takes]).ravel()])
    return Problem.native(
        tardiness,
        Integers(machines, n),
        name=name,
        tables=tables(numbers),
        work=machines,
        direction="min",
    )


KIND = Kind(
    "scheduling",
    "Machine scheduling",
    "Weighted tardiness of jobs on unrelated machines",
    "machines, and how unlike they are; due dates; weights",
    "reported",
    make,
)
