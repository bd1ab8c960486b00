"""Permutations: each of the numbers 0 to n - 1 once, in some order."""

import operator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Indices, State, Values
from metasmith.chance import another, below
from metasmith.representations.contract import Entry, padded
from metasmith.representations.integers import copy_values, unequal

MOST_ELEMENTS = 2**24
"""The most elements: beyond, random orders would be noticeably uneven."""


@register_jitable
def fresh_permutations(pool: Values, moving: Indices, length: int, rng: State) -> None:
    """Make the rows `moving` uniformly random orders (Fisher and Yates)."""
    for i in moving:
        for j in range(length):
            k = below(j + 1, rng)
            pool[i, j] = pool[i, k]
            pool[i, k] = j


@register_jitable
def step_permutation(row: Values, length: int, rng: State) -> None:
    """Exchange the elements at two random positions."""
    j = below(length, rng)
    k = another(j, length, rng)
    row[j], row[k] = row[k], row[j]


@dataclass(frozen=True)
class Permutation:
    """The order of `n` elements, 0 to n - 1: x[i] is the element at position i."""

    n: int
    name: ClassVar[str] = "permutations"
    cell: ClassVar[type] = np.int32
    vector: ClassVar[type] = np.int64
    references: ClassVar[tuple[str, str]] = ("random", "rls-swap")
    entry: ClassVar[Entry] = Entry(
        parameters="n: int",
        variables="Permutation(n)",
        meaning="the order x of the elements 0 to n - 1 with the best function(x), a number. x: an int64 vector.",
        call='30, direction="min"',
        objective="int(abs(x[1:] - x[:-1]).sum())",
        said="the least sum of differences between neighbours in an order of 30 numbers",
    )
    fresh = staticmethod(fresh_permutations)
    unpack_row = staticmethod(copy_values)
    step = staticmethod(step_permutation)
    distance = staticmethod(unequal)

    @classmethod
    def sized(cls, n: int) -> Self:
        return cls(n)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", operator.index(self.n))
        if not 1 <= self.n <= MOST_ELEMENTS:
            raise ValueError(f"Permutation takes from 1 to {MOST_ELEMENTS} elements, got {self.n}")

    def __str__(self) -> str:
        return f"an order of {self.n} elements"

    @property
    def cells(self) -> int:
        return self.n

    @property
    def width(self) -> int:
        return padded(self.cells, self.cell)

    @property
    def shape(self) -> int:
        return self.n

    @property
    def neighbours(self) -> int:
        """As many as there are pairs of positions."""
        return max(1, self.n * (self.n - 1) // 2)

    @property
    def farthest(self) -> int:
        return self.n

    def to_rows(self, vectors: np.ndarray[Any, Any]) -> Values:
        rows = np.zeros((len(vectors), self.width), np.int32)
        rows[:, : self.n] = vectors
        return rows

    def to_vectors(self, rows: Values) -> Indices:
        return rows[:, : self.n].astype(np.int64)

    def check(self, vector: np.ndarray[Any, Any]) -> None:
        """Raise ValueError if `vector` is not an order of these elements."""
        if vector.shape != (self.n,) or not np.array_equal(np.sort(vector), np.arange(self.n)):
            raise ValueError(f"expected {self}, each of 0 to {self.n - 1} once")


REPRESENTATION = Permutation
