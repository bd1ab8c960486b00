"""Sequential beamforming, a baseline of the paper: every element in turn gets its best phase, the others keep theirs.

It cannot be written as a program of our language, in which no component tries all values of a variable.
"""

from typing import Any, NamedTuple

import numpy as np

from metasmith.arrays import Indices, Tables, Values, Words
from metasmith.chance import seeded
from metasmith.problems.compiled import compiled
from metasmith.problems.problem import Native, Problem
from metasmith.representations import Integers


class Outcome(NamedTuple):
    """The result of a run, with scipy's names."""

    x: Indices
    fun: float
    nfev: int


def sequential(problem: Problem, *, evaluations: int, seed: int) -> Outcome:
    """Sweep over the elements from random phases, until the evaluations are spent or a sweep changes nothing."""
    how, variables = problem.how, problem.variables
    assert isinstance(how, Native)
    assert isinstance(variables, Integers)
    assert not problem.maximise
    pool, rng = np.zeros((1, variables.n), np.int32), seeded("sequential", problem.name, seed)
    compiled(variables.fresh)(pool, np.zeros(1, np.int64), variables.shape, rng)
    fun, nfev = compiled(sweep)(
        compiled(how.kernel), pool[0], variables.shape, how.tables, np.zeros(how.work, np.uint64), evaluations
    )
    return Outcome(pool[0].astype(np.int64), fun, nfev)


def sweep(kernel: Any, x: Values, arity: Indices, tables: Tables, work: Words, evaluations: int) -> tuple[float, int]:
    """Improve `x` in place; return its value and the evaluations spent."""
    best, spent, unchanged, n = kernel(x, tables, work), 1, 0, 0
    while unchanged < len(x) and spent < evaluations:
        before = kept = x[n]
        for value in range(arity[n]):
            if value == before or spent == evaluations:
                continue
            x[n] = value
            candidate = kernel(x, tables, work)
            spent += 1
            if candidate < best:
                best, kept = candidate, value
        x[n] = kept
        unchanged = 0 if kept != before else unchanged + 1
        n = (n + 1) % len(x)
    return best, spent
