"""Dummy variables: masks of the fixed subset of positions that a function depends on."""

import numpy as np

from metasmith.arrays import Words
from metasmith.problems.pbo.random_numbers import uniforms
from metasmith.words import pack

SEED = 10000
"""Seed with which the suite draws the subset."""


def every(n: int) -> Words:
    """The mask of all positions: (1, words)."""
    return pack(np.ones((1, n), np.int64))


def half(n: int) -> Words:
    """The mask of a fixed 50 % of the positions: (1, words)."""
    return _subset(n, n // 2)


def nine_tenths(n: int) -> Words:
    """The mask of a fixed 90 % of the positions: (1, words)."""
    return _subset(n, int(n * 0.9))


def _subset(n: int, size: int) -> Words:
    positions = np.arange(n)
    for i, other in enumerate((uniforms(size, SEED) * n).astype(np.int64)):
        positions[[i, other]] = positions[[other, i]]
    chosen = np.zeros((1, n), np.int64)
    chosen[0, positions[:size]] = 1
    return pack(chosen)
