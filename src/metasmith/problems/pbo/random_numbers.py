"""The random numbers that the suite's own instances and subsets are made of."""

import numpy as np

from metasmith.arrays import Floats

MODULUS = 2147483647
SLOTS = 32


def uniforms(count: int, seed: int, low: float = 0.0, high: float = 1.0) -> Floats:
    """`count` numbers between low and high: the minimal-standard generator, shuffled through a table of 32 slots."""
    state = max(1, abs(seed))
    slots = [0] * SLOTS
    for i in reversed(range(SLOTS + 8)):
        state = _next(state)
        if i < SLOTS:
            slots[i] = state
    drawn = []
    for _ in range(count):
        slot = state // 67108865
        state, slots[slot] = slots[slot], _next(state)
        drawn.append(state / MODULUS)
    return low + (high - low) * np.where(np.array(drawn) == 0.0, 1e-99, drawn)


def _next(state: int) -> int:
    return 16807 * state % MODULUS
