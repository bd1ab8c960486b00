"""Integers: every variable has its own number of values, 0 to values - 1."""

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Indices, State, Values
from metasmith.chance import another, below
from metasmith.representations.contract import Entry, padded

MOST_VALUES = 2**24
"""The most values of one variable: beyond, random values would be noticeably uneven."""


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


@register_jitable
def step_integers(row: Values, arity: Indices, rng: State) -> None:
    """Give a random position another value; positions with one value stay as they are."""
    j = below(len(arity), rng)
    while arity[j] < 2:
        j = below(len(arity), rng)
    row[j] = another(row[j], arity[j], rng)


@register_jitable
def unequal(one: Values, other: Values) -> int:
    """Number of positions in which two rows differ."""
    different = 0
    for j in range(len(one)):
        different += one[j] != other[j]
    return different


@dataclass(frozen=True, init=False)
class Integers:
    """`n` variables with values 0..values-1 each: `Integers(4, 120)`, or one count per variable: `Integers([4, 9])`."""

    arity: tuple[int, ...]
    name: ClassVar[str] = "integers"
    cell: ClassVar[type] = np.int32
    vector: ClassVar[type] = np.int64
    references: ClassVar[tuple[str, str]] = ("random", "ea")
    entry: ClassVar[Entry] = Entry(
        parameters="dimension: int, *, values: int | Sequence[int]",
        variables="Integers(values, dimension)",
        meaning="the whole numbers x with the best function(x), a number. x: an int64 vector, 0 to values - 1 each.\n"
        "values: how many values each position has, one number for all or one for each.",
        call="30, values=10",
        objective="int(x.sum())",
        said="the largest sum of 30 numbers from 0 to 9",
    )
    fresh = staticmethod(fresh_integers)
    unpack_row = staticmethod(copy_values)
    step = staticmethod(step_integers)
    distance = staticmethod(unequal)

    @classmethod
    def sized(cls, n: int) -> Self:
        """From the fewest values to many, and some positions with no choice at all."""
        return cls([(2, 3, 40, 7, 1)[i % 5] for i in range(n)])

    def __init__(self, values: int | Sequence[int], n: int | None = None) -> None:
        if isinstance(values, Iterable):
            counts = tuple(operator.index(count) for count in values)
        elif n is None:
            raise ValueError("Integers needs the number of variables too: Integers(4, 120)")
        else:
            counts = (operator.index(values),) * operator.index(n)
        if n is not None and n != len(counts):
            raise ValueError(f"Integers got {len(counts)} counts of values for {n} variables")
        object.__setattr__(self, "arity", counts)
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
    def cells(self) -> int:
        return self.n

    @property
    def width(self) -> int:
        return padded(self.cells, self.cell)

    @property
    def shape(self) -> Indices:
        return np.array(self.arity, dtype=np.int64)

    @property
    def neighbours(self) -> int:
        """As many as there are variables, though each has several other values: loops are meant to end in time."""
        return self.n

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
        """Raise ValueError if `vector` is not a vector of these variables."""
        whole = vector.shape == (self.n,) and bool((vector == np.floor(vector)).all())
        if not whole or (vector < 0).any() or (vector >= self.shape).any():
            raise ValueError(f"expected a vector of {self}")


REPRESENTATION = Integers
