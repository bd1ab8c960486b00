"""Sensor placement: at which places to put sensors, so that what they see is worth more than they cost.

A target counts once if a sensor sees it, and half as much again if a second one does.
"""

import numpy as np

from metasmith.arrays import Tables, Words, tables
from metasmith.problems.draws import Draws
from metasmith.problems.practice.kind import Kind
from metasmith.problems.problem import Problem
from metasmith.representations import Bits
from metasmith.words import ZERO, has, pack

SIDE = 1000
"""Of the square that places and targets are in."""


def seen_less_cost(x: Words, tables: Tables, work: Words) -> float:
    """What the seen targets are worth, less the cost of the sensors.

    tables.numbers: the cost at each place, then twice the worth of each target. tables.words: what is seen from each
    place. work: the targets that are seen, then those that are seen twice.
    """
    places, width = tables.words.shape
    for w in range(2 * width):
        work[w] = ZERO
    total = 0
    for i in range(places):
        if has(x, i):
            total -= 2 * tables.numbers[i]
            for w in range(width):
                work[width + w] |= work[w] & tables.words[i, w]
                work[w] |= tables.words[i, w]
    once, twice = work[:width], work[width:]
    for t in range(len(tables.numbers) - places):
        if has(once, t):
            total += tables.numbers[places + t]
            if has(twice, t):
                total += tables.numbers[places + t] >> 1
    return total / 2.0


def make(n: int, draws: Draws, name: str) -> Problem:
    """Twice as many targets as places; four to twelve targets are seen from a place, on average."""
    targets, seen = 2 * n, draws.one(4, 12)
    where, what = draws.whole(0, SIDE, n, 2), draws.whole(0, SIDE, targets, 2)
    square_of_distance = ((where[:, None] - what[None]) ** 2).sum(axis=2)
    within = square_of_distance * targets * 314 <= seen * SIDE * SIDE * 100  # the area of a circle
    worth = draws.whole(1, 20, targets)
    costs = draws.whole(5, 15, n) * seen * draws.one(2, 8) // 10
    return Problem.native(
        seen_less_cost,
        Bits(n),
        name=name,
        tables=tables(np.concatenate([costs, 2 * worth]), words=(masks := pack(within))),
        work=2 * masks.shape[1],
    )


KIND = Kind(
    "sensors",
    "Sensor placement",
    "Worth of targets that sensors see, once or twice, less their cost",
    "reach; costs",
    "reported",
    make,
)
