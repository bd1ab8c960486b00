"""Simulated annealing: worse solutions pass, ever more rarely."""

import math

from numba.extending import register_jitable

from metasmith.arrays import Floats, Indices, Solutions, State
from metasmith.chance import uniform
from metasmith.components.roles import OWN, select

PASS = 0.8
"""Share of the first worsenings that pass."""

END = 0.995**1000
"""Last temperature over the first: what the paper's factor of 0.995 a generation makes of its 1,000 generations."""

FAR = 1e150
"""A worsening beyond this is none of the value: constraints were violated or the evaluation failed.

No temperature is meant for that.
"""


@select
class simulated_annealing_select:
    """Metropolis between parent and child; 80 % of the first worsenings pass, then geometric cooling over the run."""

    def room(population: int, variables: int) -> int:
        return 1

    def any(
        pool: Solutions, population: Indices, children: Indices, parents: Indices, fitness: Floats, kept: Indices,
        variables: int, progress: float, memory: Floats, rng: State,
    ) -> None:  # fmt: skip
        if memory[OWN] == 0.0:
            memory[OWN] = first_temperature(children, parents, fitness)
        temperature = memory[OWN] * END**progress
        for i in range(len(kept)):
            worse = fitness[parents[i]] - fitness[children[i]]
            passes = worse <= 0.0 or (temperature > 0.0 and uniform(rng) < math.exp(-worse / temperature))
            kept[i] = children[i] if passes else parents[i]


@register_jitable
def first_temperature(children: Indices, parents: Indices, fitness: Floats) -> float:
    """The temperature at which the mean worsening passes with probability PASS; 0 while no value got worse."""
    total = 0.0
    count = 0
    for i in range(len(children)):
        worse = fitness[parents[i]] - fitness[children[i]]
        if 0.0 < worse < FAR:
            total += worse
            count += 1
    return -total / count / math.log(PASS) if count > 0 else 0.0
