"""Best: everybody starts from the best solution, as in a (1, lambda) strategy."""

from metasmith.arrays import Floats, Indices, Solutions, State
from metasmith.components.roles import choose


@choose
class best:
    """The best current solution, N times."""

    def any(
        pool: Solutions, population: Indices, fitness: Floats, shape: object, parents: Indices, memory: Floats,
        rng: State,
    ) -> None:  # fmt: skip
        top = population[0]
        for i in range(1, len(population)):
            if fitness[population[i]] > fitness[top]:
                top = population[i]
        for i in range(len(parents)):
            parents[i] = top
