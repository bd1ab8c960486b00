"""Best half: truncation, the choice that model-building algorithms make."""

from metasmith.arrays import Floats, Indices, Solutions, State
from metasmith.components.roles import OWN, choose
from metasmith.components.shared.ranking import best_of


@choose
class best_half:
    """The better half of the current solutions, each twice."""

    def room(population: int, variables: int) -> int:
        return population

    def any(
        pool: Solutions, population: Indices, fitness: Floats, shape: object, parents: Indices, memory: Floats,
        rng: State,
    ) -> None:  # fmt: skip
        size = len(population)
        half = (size + 1) // 2
        best_of(population, population[:0], fitness, half, parents, memory[OWN:])
        for i in range(half, size):
            parents[i] = parents[i - half]
