"""What a representation is: all that the other rooms ask of a kind of variables, in one protocol.

A module of this folder whose `REPRESENTATION` is such a class is found; so is one of another package that registers it
as an entry point of the group `metasmith.representations`. Nothing else needs to change.
"""

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from metasmith.arrays import Solutions

WORD = 8
"""Bytes of the words that rows are compared, copied and fingerprinted by."""


class Entry(NamedTuple):
    """How the exported `optimize` takes these variables, as pieces of Python source.

    parameters: of `optimize`, after the function. variables: the expression that makes the variables from them.
    meaning: what x is, and what the parameters mean. call: arguments of an example, and `objective` its function of x;
    both are run by the exported file itself, which prints `said` before the value that it reaches.
    """

    parameters: str
    variables: str
    meaning: str
    call: str
    objective: str
    said: str


@runtime_checkable
class Representation(Protocol):
    """A kind of variables, and a value of it: `Bits(100)`.

    name: components have a kernel called so, or one called `any`. cell: of a row of the pool. vector: of what a user's
    function is given. n: number of variables.
    cells: those of a row that hold a solution. width: cells of a row, padded with zeros to whole words of 64 bits.
    shape: what kernels are told of the variables.
    neighbours: solutions around one, which the condition `local_optimum` waits for.
    references: two algorithms of the library that scores are scaled by, random search and a simple one that works here.

    Kernels, plain functions that numba can compile:
    fresh(pool, moving, shape, rng): make the rows `moving` uniformly random.
    unpack_row(row, vector): write a row as a vector.
    step(row, shape, rng): go to a random neighbour.
    distance(one, other): how far apart two rows are, up to `farthest`; whole numbers if that is an int.
    """

    name: ClassVar[str]
    cell: ClassVar[type[Any]]
    vector: ClassVar[type[Any]]
    references: ClassVar[tuple[str, str]]
    entry: ClassVar[Entry]
    fresh: Callable[..., None]
    unpack_row: Callable[..., None]
    step: Callable[..., None]
    distance: Callable[..., float]

    @classmethod
    def sized(cls, n: int) -> Self:
        """Variables of that number, as awkward as they may be: what types of kernels are taken from, and what is tested
        on.
        """
        ...

    @property
    def n(self) -> int: ...

    @property
    def cells(self) -> int: ...

    @property
    def width(self) -> int: ...

    @property
    def shape(self) -> Any: ...

    @property
    def neighbours(self) -> int: ...

    @property
    def farthest(self) -> float: ...

    def to_rows(self, vectors: NDArray[Any]) -> Solutions:
        """Rows, (solutions, width), of vectors that `check` has passed, (solutions, n)."""
        ...

    def to_vectors(self, rows: Solutions) -> NDArray[Any]:
        """Vectors, (solutions, n) of `vector`, of rows, (solutions, width)."""
        ...

    def check(self, vector: NDArray[Any]) -> None:
        """Raise ValueError, saying what was expected, if `vector` is not a vector of these variables."""
        ...

    def __hash__(self) -> int: ...

    def __eq__(self, other: object, /) -> bool: ...


Variables = Representation
"""A value of a representation: the variables of a problem."""

Kind = type[Representation]


def padded(cells: int, cell: type[Any]) -> int:
    """The least number of cells, from `cells` on, that fills whole words."""
    per_word = WORD // np.dtype(cell).itemsize
    return -(-cells // per_word) * per_word
