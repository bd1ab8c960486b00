"""Greedy: the plus of evolution strategies."""

from metasmith.arrays import Floats, Indices, Solutions, State
from metasmith.components.roles import OWN, select
from metasmith.components.shared.ranking import best_of


@select
class greedy_select:
    """The best N of population and children, ties to the children."""

    def room(population: int, variables: int) -> int:
        return 2 * population

    def any(
        pool: Solutions, population: Indices, children: Indices, parents: Indices, fitness: Floats, kept: Indices,
        variables: int, progress: float, memory: Floats, rng: State,
    ) -> None:  # fmt: skip
        size = len(kept)
        if size == 1:
            kept[0] = children[0] if fitness[children[0]] >= fitness[population[0]] else population[0]
            return
        best_of(population, children, fitness, size, kept, memory[OWN:])
