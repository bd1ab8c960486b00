"""Integers: every variable has its own number of values, 0 to values - 1."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, SupportsIndex

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Indices, State, Values
from metasmith.chance import below

MOST_VALUES = 2**24
"""Of one variable: beyond, random values would be noticeably uneven."""


@register_jitable
def fresh_integers(pool: Values, moving: Indices, arity: Indices, rng: State) -> None:
    """Make the rows `moving` uniformly random."""
    for i in moving:
        for j in range(len(arity)):
            pool[i, j] = below(arity[j], rng)


@register_jitable
def copy_values(row: Values, vector: Indices) -> None:
    """Write the values of a row into `vector`."""
    for j in range(len(vector)):
        vector[j] = row[j]


@dataclass(frozen=True, init=False)
class Integers:
    """`n` variables with values 0..values-1 each:

    `Integers(4, 120)`, or one count per variable: `Integers([4, 4, 9])`.
    """

    arity: tuple[int, ...]
    name: ClassVar[str] = "integers"
    dtype: ClassVar[type] = np.int32
    example: ClassVar["Integers"]
    fresh = staticmethod(fresh_integers)
    unpack_row = staticmethod(copy_values)

    def __init__(self, values: int | Sequence[int], n: int | None = None) -> None:
        if isinstance(values, SupportsIndex):
            if n is None:
                raise ValueError("Integers needs the number of variables too: Integers(4, 120)")
            values = [operator.index(values)] * operator.index(n)
        elif n is not None and n != len(values):
            raise ValueError(f"Integers got {len(values)} counts of values for {n} variables")
        object.__setattr__(self, "arity", tuple(operator.index(count) for count in values))
        if not self.arity or min(self.arity) < 1 or max(self.arity) < 2:
            raise ValueError("Integers needs at least one variable with two values")
        if max(self.arity) > MOST_VALUES:
            raise ValueError(f"Integers takes up to {MOST_VALUES} values per variable, got {max(self.arity)}")

    def __str__(self) -> str:
        low, high = min(self.arity), max(self.arity)
        return f"{self.n} integers of {low} values" if low == high else f"{self.n} integers of {low} to {high} values"

    @property
    def n(self) -> int:
        return len(self.arity)

    @property
    def width(self) -> int:
        return self.n

    @property
    def shape(self) -> Indices:
        return np.array(self.arity, dtype=np.int64)

    def to_rows(self, vectors: np.ndarray[Any, Any]) -> Values:
        return np.ascontiguousarray(vectors, dtype=np.int32)

    def to_vectors(self, rows: Values) -> Indices:
        return rows.astype(np.int64)

    def check(self, vector: np.ndarray[Any, Any]) -> None:
        """Raise ValueError if `vector` is not a vector of these variables."""
        if (
            vector.shape != (self.n,)
            or (vector != vector.astype(np.int64)).any()
            or (vector < 0).any()
            or (vector >= self.shape).any()
        ):
            raise ValueError(f"expected a vector of {self}")


Integers.example = Integers(2, 1)
