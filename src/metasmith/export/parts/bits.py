"""The way in, for bits."""

from collections.abc import Callable
from typing import Any

import numpy as np

from metasmith.arrays import Indices
from metasmith.components.roles import SCRATCH
from metasmith.export.parts.algorithm import POPULATION
from metasmith.export.parts.run import Result, Run, at_least_one
from metasmith.words import unpack, words_for


def optimize(
    function: Callable[..., Any], dimension: int, *, evaluations: int, seed: int, direction: str = "max"
) -> Result:
    """Search for the zeros and ones x with the best function(x), a number. x: an int64 vector. direction:

    "max" or "min".

    Random numbers depend on the seed and on the name of the function: its attribute `name`, if it has one, or
    `__name__`.
    """
    length = at_least_one("dimension", dimension)
    evaluations = at_least_one("evaluations", evaluations)
    pool = np.zeros((2 * POPULATION + SCRATCH, words_for(length)), np.uint64)
    return Run(function, "bits", length, pool, lambda rows: unpack(rows, length), evaluations, seed, direction).result()


def example() -> None:
    """Find the most ones of 100 bits."""

    def onemax(x: Indices) -> int:
        return int(x.sum())

    result = optimize(onemax, 100, evaluations=5000, seed=1)
    print(f"the most ones of 100 bits: fun = {result.fun:g}, nfev = {result.nfev}")
