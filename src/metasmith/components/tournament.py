"""Tournament: the better of two, as often as there are solutions."""

from metasmith.arrays import Floats, Indices, Solutions, State
from metasmith.chance import below
from metasmith.components.roles import choose


@choose
class tournament:
    """N draws, each the better of two random solutions."""

    def any(
        pool: Solutions, population: Indices, fitness: Floats, shape: object, parents: Indices, memory: Floats,
        rng: State,
    ) -> None:  # fmt: skip
        size = len(population)
        for i in range(size):
            a = population[below(size, rng)]
            b = population[below(size, rng)]
            parents[i] = a if fitness[a] >= fitness[b] else b
