"""The sample: many short random walks, from independent uniform starts, one variable changed a step.

One long walk is a poor sample: it takes about as many steps as there are variables to forget where it was. The starts
of short walks are independent points, for what asks about the whole space, and their steps are neighbours, for what
asks about ruggedness.
"""

import numpy as np

from metasmith.arrays import Indices, Solutions, State, Values, Words
from metasmith.chance import another, below, seeded
from metasmith.landscapes.kernels import Kernel, kernel
from metasmith.representations import Variables
from metasmith.representations.bits import fresh_bits
from metasmith.representations.integers import fresh_integers
from metasmith.words import flip

TRIALS = 5
"""Samples; factors that are computed in each are averaged."""

STEPS = 5
"""Points of a walk, its start included."""

# departs: the paper's five trials of 100 evaluations per variable are 40 training runs; these are 100 per variable in
# all.
WALKS, FEWEST = 4, 400
"""Walks of a trial: so many per variable, but at least so many."""


def many(variables: Variables) -> int:
    """Walks of a trial."""
    return max(WALKS * variables.n, FEWEST)


def walks(variables: Variables, *seed: object) -> Solutions:
    """The sample of one trial, (walks * STEPS, width): walk after walk, each in the order it was walked."""
    count = many(variables)
    rows: Solutions = np.zeros((count * STEPS, variables.width), variables.dtype)
    kernel(KERNELS[variables.name])(rows, np.arange(0, len(rows), STEPS), variables.shape, seeded("landscape", *seed))
    return rows


def walk_bits(rows: Words, starts: Indices, length: int, rng: State) -> None:
    """Fill the rows from each of `starts` on with a walk."""
    fresh_bits(rows, starts, length, rng)
    for start in starts:
        for i in range(start + 1, start + STEPS):
            for w in range(rows.shape[1]):
                rows[i, w] = rows[i - 1, w]
            flip(rows[i], below(length, rng))


def walk_integers(rows: Values, starts: Indices, arity: Indices, rng: State) -> None:
    """Fill the rows from each of `starts` on with a walk. Variables with one value stay as they are."""
    fresh_integers(rows, starts, arity, rng)
    for start in starts:
        for i in range(start + 1, start + STEPS):
            for k in range(rows.shape[1]):
                rows[i, k] = rows[i - 1, k]
            j = below(len(arity), rng)
            while arity[j] < 2:
                j = below(len(arity), rng)
            rows[i, j] = another(rows[i, j], arity[j], rng)


KERNELS: dict[str, Kernel] = {"bits": walk_bits, "integers": walk_integers}
