"""Roulette wheel: fitness-proportional choice, made independent of where zero is."""

from metasmith.arrays import Floats, Indices, Solutions, State
from metasmith.chance import below, uniform
from metasmith.components.roles import OWN, choose


@choose
class roulette_wheel:
    """N draws with probability proportional to how far a solution is above the worst; uniform if all are equal."""

    def room(population: int, variables: int) -> int:
        return population

    def any(
        pool: Solutions, population: Indices, fitness: Floats, shape: object, parents: Indices, memory: Floats,
        rng: State,
    ) -> None:  # fmt: skip
        size = len(population)
        worst = fitness[population[0]]
        for i in range(1, size):
            worst = min(worst, fitness[population[i]])
        wheel = memory[OWN : OWN + size]  # running sums
        total = 0.0
        for i in range(size):
            total += fitness[population[i]] - worst
            wheel[i] = total
        for i in range(size):
            if total > 0.0:
                ball = uniform(rng) * total
                low = 0
                high = size - 1
                while low < high:  # the first sum above the ball
                    middle = (low + high) >> 1
                    if wheel[middle] > ball:
                        high = middle
                    else:
                        low = middle + 1
                parents[i] = population[low]
            else:
                parents[i] = population[below(size, rng)]
