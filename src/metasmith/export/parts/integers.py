"""The way in, for integers."""

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from metasmith.arrays import Indices
from metasmith.components.roles import SCRATCH
from metasmith.export.parts.algorithm import POPULATION
from metasmith.export.parts.run import Result, Run, at_least_one
from metasmith.representations.integers import MOST_VALUES


def optimize(
    function: Callable[..., Any],
    dimension: int,
    *,
    values: int | Sequence[int],
    evaluations: int,
    seed: int,
    direction: str = "max",
) -> Result:
    """Search for the whole numbers x with the best function(x), a number. x: an int64 vector. direction:

    "max" or "min".

    values: how many values each position has, one number for all or one for each; x[i] is 0 to values - 1.
    """
    arity = arity_of(values, at_least_one("dimension", dimension))
    evaluations = at_least_one("evaluations", evaluations)
    pool = np.zeros((2 * POPULATION + SCRATCH, len(arity)), np.int32)
    return Run(
        function, "integers", arity, pool, lambda rows: rows.astype(np.int64), evaluations, seed, direction
    ).result()


def arity_of(values: int | Sequence[int], dimension: int) -> Indices:
    """How many values each position has."""
    try:
        counts = [operator.index(values)] * dimension  # type: ignore[arg-type]
    except TypeError:
        counts = [operator.index(count) for count in values]  # type: ignore[union-attr]
    if len(counts) != dimension:
        raise ValueError(f"values must be one number or {dimension}, one for each position, got {len(counts)}")
    if min(counts) < 1 or not 2 <= max(counts) <= MOST_VALUES:
        raise ValueError(
            f"values must be from 1 to {MOST_VALUES}, above 1 for at least one position, got {min(counts)} to {max(counts)}"
        )
    return np.array(counts, np.int64)


def example() -> None:
    """Find the largest sum of 30 numbers from 0 to 9."""

    def total(x: Indices) -> int:
        return int(x.sum())

    result = optimize(total, 30, values=10, evaluations=5000, seed=1)
    print(f"the largest sum of 30 numbers from 0 to 9: fun = {result.fun:g}, nfev = {result.nfev}")
