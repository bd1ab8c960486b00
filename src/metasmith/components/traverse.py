"""Traverse: the implicit choice of most local searches and swarms."""

from metasmith.arrays import Floats, Indices, Solutions, State
from metasmith.components.roles import choose


@choose
class traverse:
    """Every current solution, in order."""

    def any(
        pool: Solutions, population: Indices, fitness: Floats, shape: object, parents: Indices, memory: Floats,
        rng: State,
    ) -> None:  # fmt: skip
        for i in range(len(population)):
            parents[i] = population[i]
