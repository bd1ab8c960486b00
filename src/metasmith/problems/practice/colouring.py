"""Sum colouring, as in timetables: give every event a slot, early ones first, so that no two that clash share one."""

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Tables, Values, Words, tables
from metasmith.problems.draws import Draws
from metasmith.problems.practice.kind import Kind
from metasmith.problems.problem import Native, Problem
from metasmith.representations import Integers


@register_jitable
def clashes(x: Values, tables: Tables, work: Words) -> float:
    """How many pairs that clash share a slot. tables.numbers: a weight for each event, then the pairs that clash."""
    pairs = tables.numbers
    total = 0
    for k in range(len(x), len(pairs), 2):
        total += x[pairs[k]] == x[pairs[k + 1]]
    return float(total)


def lateness(x: Values, tables: Tables, work: Words) -> float:
    """The sum of the slots by weight, or the worst of these, tables.reals, plus the clashes."""
    violated = clashes(x, tables, work)
    if violated > 0.0:
        return float(tables.reals[0] + violated)
    total = 0
    for i in range(len(x)):
        total += tables.numbers[i] * x[i]
    return float(total)


def make(n: int, draws: Draws, name: str) -> Problem:
    """Events are first put into four to ten slots, and only some that are apart clash; there are one to three more."""
    enough = draws.one(4, min(10, n))
    slots = enough + draws.one(1, 3)
    hidden = draws.whole(0, enough - 1, n)
    pairs = draws.edges(n, round(n * enough * draws.between(0.4, 0.9)))
    pairs = pairs[hidden[pairs[:, 0]] != hidden[pairs[:, 1]]]
    weights = draws.whole(1, draws.one(1, 10), n)
    worst = float((slots - 1) * weights.sum())
    data = tables(np.concatenate([weights, pairs.ravel()]), [worst])
    return Problem.native(
        lateness,
        Integers(slots, n),
        name=name,
        tables=data,
        direction="min",
        violation=Native(clashes, data, 0),
    )


KIND = Kind(
    "colouring",
    "Timetable (sum colouring)",
    "Early slots for events, none shared by two that clash",
    "slots; clashes; weights",
    "tuning",
    make,
)
