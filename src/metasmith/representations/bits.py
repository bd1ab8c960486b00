"""Bits: vectors of zeros and ones, packed into 64-bit words."""

import operator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Indices, State, Words
from metasmith.chance import below, draw
from metasmith.representations.contract import Entry
from metasmith.words import flip, hamming, pack, tail_mask, unpack, unpack_row, words_for


@register_jitable
def fresh_bits(pool: Words, moving: Indices, length: int, rng: State) -> None:
    """Make the rows `moving` uniformly random."""
    for i in moving:
        for w in range(pool.shape[1]):
            pool[i, w] = draw(rng)
        pool[i, pool.shape[1] - 1] &= tail_mask(length)


@register_jitable
def step_bits(row: Words, length: int, rng: State) -> None:
    """Turn a random bit."""
    flip(row, below(length, rng))


@dataclass(frozen=True)
class Bits:
    """`n` variables that are 0 or 1."""

    n: int
    name: ClassVar[str] = "bits"
    cell: ClassVar[type] = np.uint64
    vector: ClassVar[type] = np.int64
    references: ClassVar[tuple[str, str]] = ("random", "ea")
    entry: ClassVar[Entry] = Entry(
        parameters="dimension: int",
        variables="Bits(dimension)",
        meaning="the zeros and ones x with the best function(x), a number. x: an int64 vector of `dimension` bits.",
        call="100",
        objective="int(x.sum())",
        said="the most ones of 100 bits",
    )
    fresh = staticmethod(fresh_bits)
    unpack_row = staticmethod(unpack_row)
    step = staticmethod(step_bits)
    distance = staticmethod(hamming)

    @classmethod
    def sized(cls, n: int) -> Self:
        return cls(n)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", operator.index(self.n))
        if self.n < 1:
            raise ValueError(f"Bits needs at least one variable, got {self.n}")

    def __str__(self) -> str:
        return f"{self.n} bits"

    @property
    def cells(self) -> int:
        return words_for(self.n)

    @property
    def width(self) -> int:
        return self.cells

    @property
    def shape(self) -> int:
        return self.n

    @property
    def neighbours(self) -> int:
        return self.n

    @property
    def farthest(self) -> int:
        return self.n

    def to_rows(self, vectors: np.ndarray[Any, Any]) -> Words:
        return pack(vectors)

    def to_vectors(self, rows: Words) -> Indices:
        return unpack(rows, self.n)

    def check(self, vector: np.ndarray[Any, Any]) -> None:
        """Raise ValueError if `vector` is not a vector of these variables."""
        if vector.shape != (self.n,) or not np.isin(vector, (0, 1)).all():
            raise ValueError(f"expected a vector of {self.n} zeros and ones")


REPRESENTATION = Bits
