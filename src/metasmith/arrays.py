"""Names of the arrays that cross borders between rooms, and of what travels together."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
"""Solutions of bits, 64 to a word:

(solutions, words), or (words,) for one. Bit i of a solution is bit i % 64 of word i // 64.
"""

Values = NDArray[np.int32]
"""Solutions of integers: (solutions, variables), or (variables,) for one."""

Solutions = NDArray[Any]
"""Solutions in whatever representation: Words or Values."""

Indices = NDArray[np.int64]
"""Rows of a pool of solutions, or positions."""

Floats = NDArray[np.float64]

State = NDArray[np.uint64]
"""The state of the random numbers: one word, see `chance`."""


class Tables(NamedTuple):
    """What a compiled problem knows of its instance, in one shape for all problems."""

    numbers: Indices
    reals: Floats
    words: Words


def tables(
    numbers: NDArray[Any] | list[int] | None = None,
    reals: NDArray[Any] | list[float] | None = None,
    words: NDArray[Any] | None = None,
) -> Tables:
    """Tables with the parts given; the others are empty."""
    return Tables(
        np.ascontiguousarray(numbers if numbers is not None else [], dtype=np.int64),
        np.ascontiguousarray(reals if reals is not None else [], dtype=np.float64),
        np.ascontiguousarray(words if words is not None else np.empty((0, 0)), dtype=np.uint64),
    )
