"""Random arrays that instances are made of, from the generator of `chance`.

The same parts give the same arrays on every machine and for ever: nothing here depends on the version of numpy.
"""

import math

import numpy as np

from metasmith.arrays import Floats, Indices
from metasmith.chance import STEP, mixed, seeded
from metasmith.words import U


class Draws:
    """Random arrays, one after the other, that are determined by `parts`, such as a name, a size and a number."""

    def __init__(self, *parts: object) -> None:
        self.state = seeded(*parts)

    def uniform(self, *shape: int) -> Floats:
        """Uniform numbers in [0, 1)."""
        states = self.state + STEP * np.arange(1, math.prod(shape) + 1, dtype=np.uint64)
        self.state = states[-1:]
        return ((mixed(states) >> U(11)) * (1.0 / 9007199254740992.0)).reshape(shape)

    def between(self, low: float, high: float) -> float:
        """One number, uniform in [low, high)."""
        return low + (high - low) * float(self.uniform(1)[0])

    def whole(self, low: int, high: int, *shape: int) -> Indices:
        """Whole numbers from low to high, both included."""
        return low + np.floor(self.uniform(*shape) * (high - low + 1)).astype(np.int64)

    def one(self, low: int, high: int) -> int:
        """One whole number from low to high, both included."""
        return int(self.whole(low, high, 1)[0])

    def order(self, count: int) -> Indices:
        """The numbers below `count` in random order."""
        return np.argsort(self.uniform(count), kind="stable")

    def different(self, rows: int, count: int, below: int) -> Indices:
        """Rows of `count` different numbers below `below`, in random order: (rows, count)."""
        drawn = np.empty((rows, count), np.int64)
        for k in range(count):
            fresh = self.whole(0, below - 1 - k, rows)
            for taken in np.sort(drawn[:, :k], axis=1).T:  # the k-th of those that are not taken
                fresh += fresh >= taken
            drawn[:, k] = fresh
        return drawn

    def edges(self, vertices: int, count: int) -> Indices:
        """Different edges of a graph, the ends of each: (at most count, 2)."""
        pairs = np.stack(np.triu_indices(vertices, 1), axis=1)
        return pairs[self.order(len(pairs))[:count]]
