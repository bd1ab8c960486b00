"""Ruggedness: the value of each count from 0 to n, (n + 1,), not always higher for a higher count."""

import numpy as np

from metasmith.arrays import Floats


def smooth(n: int) -> Floats:
    """No ruggedness: the value is the count."""
    return np.arange(n + 1.0)


def plateaus(n: int) -> Floats:
    """Ruggedness 1: every two successive counts have the same value."""
    counts = np.arange(n + 1)
    values = counts // 2 + 1 if n % 2 == 0 else (counts + 1) // 2 + 1
    values[n] = (n + 1) // 2 + 1
    return values.astype(np.float64)


def alternating(n: int) -> Floats:
    """Ruggedness 2: the values of every two successive counts are swapped, so that every second step is down."""
    counts = np.arange(n + 1)
    values = np.where(counts % 2 == n % 2, counts + 1, np.maximum(counts - 1, 0))
    values[n] = n
    return values.astype(np.float64)


def reversed_blocks(n: int) -> Floats:
    """Ruggedness 3: below n, the values of every five successive counts are reversed: four steps down, then one up."""
    values = np.arange(n + 1.0)
    for high in range(n, 0, -5):
        low = max(high - 5, 0)
        values[low:high] = values[low:high][::-1].copy()
    return values
