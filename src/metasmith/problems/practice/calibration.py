"""Calibration: find the right setting of every knob of a device, where knobs act on one another and ripples mislead.

An ill-conditioned ellipsoid on whole numbers, with ripples as in Rastrigin's function.
"""

import numpy as np

from metasmith.arrays import Tables, Values, Words, tables
from metasmith.problems.draws import Draws
from metasmith.problems.practice.kind import Kind
from metasmith.problems.problem import Problem
from metasmith.representations import Integers


def error(x: Values, tables: Tables, work: Words) -> float:
    """The sum over all knobs of the squared error of its effect, by weight, and of a ripple; 0 if all are right.

    tables.numbers: the length and the height of ripples, then for each knob its right setting, a weight, another knob,
    and how much that adds to its effect, in halves.
    """
    numbers = tables.numbers
    length, height = numbers[0], numbers[1]
    total = 0
    for i in range(len(x)):
        first = 2 + 4 * i
        other = numbers[first + 2]
        off = x[i] - numbers[first]
        effect = 2 * off + numbers[first + 3] * (x[other] - numbers[2 + 4 * other])
        phase = abs(off) % length
        total += numbers[first + 1] * effect * effect + height * min(phase, length - phase)
    return float(total)


def make(n: int, draws: Draws, name: str) -> Problem:
    """Sixteen to sixty-four settings a knob; weights from 1 to 100, most of them small; ripples from none to high."""
    settings = draws.whole(16, draws.one(16, 64), n)
    right = np.floor(settings * draws.uniform(n)).astype(np.int64)
    weights = 1 + np.floor(99 * draws.uniform(n) ** 3).astype(np.int64)
    others = (np.arange(n) + 1 + draws.whole(0, n - 2, n)) % n
    coupling = draws.one(0, 1) * draws.whole(-1, 1, n)
    knobs = np.column_stack([right, weights, others, coupling])
    numbers = np.concatenate([[draws.one(3, 8), draws.one(0, 400)], knobs.ravel()])
    return Problem.native(
        error, Integers(settings.tolist()), name=name, tables=tables(numbers), direction="min", optimum=0
    )


KIND = Kind(
    "calibration",
    "Calibration",
    "Squared error of knobs that act on one another, with ripples",
    "settings; whether knobs act on one another; ripples",
    "reported",
    make,
    optimum=lambda n: 0.0,
)
