"""The sample: many short random walks, from independent uniform starts, to a random neighbour a step.

One long walk is a poor sample: it takes about as many steps as there are variables to forget where it was. The starts
of short walks are independent points, for what asks about the whole space, and their steps are neighbours, for what
asks about ruggedness.
"""

from functools import cache
from typing import Any

import numpy as np

from metasmith.arrays import Indices, Solutions, State
from metasmith.chance import seeded
from metasmith.landscapes.kernels import Kernel, kernel
from metasmith.representations import Kind, Variables

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
    rows: Solutions = np.zeros((count * STEPS, variables.width), variables.cell)
    starts = np.arange(0, len(rows), STEPS)
    kernel(walking(type(variables)))(rows, starts, variables.shape, seeded("landscape", *seed))
    return rows


@cache
def walking(kind: Kind) -> Kernel:
    """The kernel that fills the rows from each of `starts` on with a walk."""
    fresh, step = kind.fresh, kind.step

    def walk(rows: Solutions, starts: Indices, shape: Any, rng: State) -> None:
        fresh(rows, starts, shape, rng)
        for start in starts:
            for i in range(start + 1, start + STEPS):
                for w in range(rows.shape[1]):
                    rows[i, w] = rows[i - 1, w]
                step(rows[i], shape, rng)

    return walk
