"""The declaration of a function of the suite, and the problem that it is at a dimension and an instance."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt

import numpy as np

from metasmith.arrays import Floats, Indices, Words, tables
from metasmith.problems.pbo.instance import instance
from metasmith.problems.pbo.network import network
from metasmith.problems.problem import Kernel, Problem
from metasmith.representations import Bits
from metasmith.words import count_ones, pack, unpack, words_for


def no_masks(n: int) -> Words:
    return np.zeros((0, words_for(n)), np.uint64)


def no_scratch(n: int) -> int:
    return 0


@dataclass(frozen=True)
class Function:
    """One function of the suite. What depends on the dimension n is a function of n.

    kernel: (row, tables, work) -> value. `tables.reals` holds the value of each count if there are `levels`, else the
    scale and the shift.
    masks: the function's own rows of `tables.words`, which come first.
    levels: for functions that depend on a count alone, the value of each count from 0 to m, as a function of m, the
    number of ones in the first mask.
    best: the optimum; by default the best level.
    scratch: the kernel's own words in `work`, after the row that it sees; zeros at first.
    ordered: whether the order of the bits matters. If not, an instance permutes the masks instead of every solution.
    """

    name: str
    title: str
    meaning: str
    kernel: Kernel
    masks: Callable[[int], Words] = no_masks
    levels: Callable[[int], Floats] | None = None
    best: Callable[[int], float | None] | None = None
    scratch: Callable[[int], int] = no_scratch
    smallest: int = 1
    largest: int = 10**6
    square: bool = False
    ordered: bool = True

    def optimum(self, n: int) -> float | None:
        """The best value on instance 1, None if it is unknown."""
        if self.best is not None:
            return self.best(n)
        return None if self.levels is None else float(self.levels(count_ones(self.masks(n)[0])).max())

    def at(self, n: int, number: int) -> Problem:
        """The problem of the function at dimension n, instance `number`."""
        if not self.smallest <= n <= self.largest or (self.square and isqrt(n) ** 2 != n):
            allowed = "a square number such as 100 or 625" if self.square else f"from {self.smallest} to {self.largest}"
            raise ValueError(f"pbo:{self.name} needs a dimension that is {allowed}, got {n}; write pbo:{self.name}@100")
        transformed = instance(number, n)
        masks, layers = self.masks(n), np.zeros((0, words_for(n)), np.uint64)
        if transformed.order is not None and self.ordered:
            layers = network(transformed.order.tolist())
        elif transformed.order is not None:
            masks = _reordered(masks, transformed.order)
        a, b = transformed.scale
        best = self.optimum(n)
        return Problem.native(
            self.kernel,
            Bits(n),
            name=f"pbo:{self.name}@{n}#{number}",
            tables=tables(
                numbers=[n, isqrt(n), len(masks), layers.shape[1]],
                reals=np.array([a, b]) if self.levels is None else a * self.levels(count_ones(masks[0])) + b,
                words=_stacked(masks, transformed.turned, layers),
            ),
            work=layers.shape[1] + self.scratch(n),
            optimum=None if best is None else a * best + b,
            scale=transformed.scale,
        )


def _reordered(masks: Words, order: Indices) -> Words:
    """Masks of a solution's bits, from masks of the permuted bits that the function sees."""
    bits = np.zeros((len(masks), len(order)), np.int64)
    bits[:, order] = unpack(masks, len(order))
    return pack(bits)


def _stacked(*parts: Words) -> Words:
    """The rows of all parts below one another, padded with zeros to the widest."""
    stack = np.zeros((sum(len(part) for part in parts), max(part.shape[1] for part in parts)), np.uint64)
    first = 0
    for part in parts:
        stack[first : first + len(part), : part.shape[1]] = part
        first += len(part)
    return stack
