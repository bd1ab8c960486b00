"""The suite's own random number generator, from which its instances and subsets are drawn."""

import numpy as np

from metasmith.arrays import Floats

MODULUS = 2147483647
"""Modulus of the minimal-standard generator, 2^31 - 1."""

SLOTS = 32
"""Size of the table through which its numbers are shuffled."""


def uniforms(count: int, seed: int, low: float = 0.0, high: float = 1.0) -> Floats:
    """`count` uniform numbers between low and high, from the minimal-standard generator with a shuffle table."""
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
