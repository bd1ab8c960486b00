"""Cool annealing: simulated annealing that begins where most worsenings are refused already.

The paper's schedule begins so hot that most of a run is a random walk. This one has the range that was right for tours,
assignments and schedules alike, and it measures a worsening by many of them, not by the first.
"""

import math

from metasmith.arrays import Floats, Indices, Solutions, State
from metasmith.chance import uniform
from metasmith.components.roles import OWN, select
from metasmith.components.simulated_annealing_select import FAR

FIRST, LAST = 0.3, 0.01
"""Temperatures at the beginning and at the end of the run, in mean worsenings."""

ENOUGH = 100
"""Worsenings that the mean is taken of: the first so many."""

TOTAL, COUNT = OWN, OWN + 1


@select
class cool_annealing_select:
    """Metropolis between parent and child, from 0.3 to 0.01 times the mean of the first worsenings over the run."""

    def room(population: int, variables: int) -> int:
        return 2

    def any(
        pool: Solutions, population: Indices, children: Indices, parents: Indices, fitness: Floats, kept: Indices,
        variables: int, progress: float, memory: Floats, rng: State,
    ) -> None:  # fmt: skip
        for i in range(len(kept)):
            worse = fitness[parents[i]] - fitness[children[i]]
            if memory[COUNT] < ENOUGH and 0.0 < worse < FAR:
                memory[TOTAL] += worse
                memory[COUNT] += 1
            temperature = 0.0
            if memory[COUNT] > 0:
                temperature = memory[TOTAL] / memory[COUNT] * FIRST * (LAST / FIRST) ** progress
            passes = worse <= 0.0 or (temperature > 0.0 and uniform(rng) < math.exp(-worse / temperature))
            kept[i] = children[i] if passes else parents[i]
