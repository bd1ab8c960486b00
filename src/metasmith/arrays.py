"""Names for the types of the arrays that are passed between packages, and the tables of built-in problems."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
"""Solutions of bits, 64 to a word: (solutions, words), or (words,) for one.

Bit i of a solution is bit i % 64 of word i // 64.
"""

Values = NDArray[np.int32]
"""Solutions of integers: (solutions, variables), or (variables,) for one."""

Solutions = NDArray[Any]
"""Solutions in any representation, such as Words or Values."""

Indices = NDArray[np.int64]
"""Whole numbers: indices of rows in a pool of solutions, positions in a row, counts."""

Floats = NDArray[np.float64]

State = NDArray[np.uint64]
"""The state of the random number generator of `chance`: one word."""


class Tables(NamedTuple):
    """The constants of an instance of a built-in problem, of one type, so that one compiled loop fits all problems."""

    numbers: Indices
    reals: Floats
    words: Words


def tables(
    numbers: NDArray[Any] | list[int] | None = None,
    reals: NDArray[Any] | list[float] | None = None,
    words: NDArray[Any] | None = None,
) -> Tables:
    """Tables of arrays or lists; parts left out are empty."""
    return Tables(
        np.ascontiguousarray(numbers if numbers is not None else [], dtype=np.int64),
        np.ascontiguousarray(reals if reals is not None else [], dtype=np.float64),
        np.ascontiguousarray(words if words is not None else np.empty((0, 0)), dtype=np.uint64),
    )
