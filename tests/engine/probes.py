"""Components that only look: they show what kernels are told."""

from metasmith.arrays import Floats, Indices, Solutions, State
from metasmith.components.roles import OWN, RESTARTS, Others, search


@search()
class back_to_parent:
    """The solutions in hand become their parents again."""

    def any(
        pool: Solutions, moving: Indices, shape: object, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        for k in range(len(moving)):
            for w in range(pool.shape[1]):
                pool[moving[k], w] = pool[others.parents[k], w]


@search()
class like_the_best:
    """After an odd number of restarts, the solutions in hand become the best of the population."""

    def room(population: int, variables: int) -> int:
        return 1

    def any(
        pool: Solutions, moving: Indices, shape: object, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        best = others.population[0]
        for i in others.population:
            if others.fitness[i] > others.fitness[best]:
                best = i
        memory[OWN] += 1.0
        if int(memory[RESTARTS]) % 2 == 1 and int(memory[OWN]) % 3 == 0:
            for i in moving:
                for w in range(pool.shape[1]):
                    pool[i, w] = pool[best, w]
