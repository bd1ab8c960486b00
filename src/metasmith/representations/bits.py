"""Bits: vectors of zeros and ones, packed into 64-bit words."""

import operator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Indices, State, Words
from metasmith.chance import draw
from metasmith.words import pack, tail_mask, unpack, unpack_row, words_for


@register_jitable
def fresh_bits(pool: Words, moving: Indices, length: int, rng: State) -> None:
    """Make the rows `moving` uniformly random."""
    for i in moving:
        for w in range(pool.shape[1]):
            pool[i, w] = draw(rng)
        pool[i, pool.shape[1] - 1] &= tail_mask(length)


@dataclass(frozen=True)
class Bits:
    """`n` variables that are 0 or 1."""

    n: int
    name: ClassVar[str] = "bits"
    dtype: ClassVar[type] = np.uint64
    example: ClassVar["Bits"]
    fresh = staticmethod(fresh_bits)
    unpack_row = staticmethod(unpack_row)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", operator.index(self.n))
        if self.n < 1:
            raise ValueError(f"Bits needs at least one variable, got {self.n}")

    def __str__(self) -> str:
        return f"{self.n} bits"

    @property
    def width(self) -> int:
        return words_for(self.n)

    @property
    def shape(self) -> int:
        return self.n

    def to_rows(self, vectors: np.ndarray[Any, Any]) -> Words:
        return pack(vectors)

    def to_vectors(self, rows: Words) -> Indices:
        return unpack(rows, self.n)

    def check(self, vector: np.ndarray[Any, Any]) -> None:
        """Raise ValueError if `vector` is not a vector of these variables."""
        if vector.shape != (self.n,) or not np.isin(vector, (0, 1)).all():
            raise ValueError(f"expected a vector of {self.n} zeros and ones")


Bits.example = Bits(1)
