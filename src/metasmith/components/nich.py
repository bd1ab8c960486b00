"""Niching: mates come from the same region of the search space.

Regions come from nearest-better clustering (Preuss 2010): every solution hangs on its nearest better one, links much
longer than the average are cut, and what still hangs together is a niche. No radius has to be given, so it adapts to
the population.
"""

from collections.abc import Callable

from numba.extending import register_jitable

from metasmith.arrays import Floats, Indices, Solutions, State
from metasmith.chance import below
from metasmith.components.roles import OWN, choose

CUT = 2.0
"""A link longer than this many times the average separates two niches."""


@choose
class nich:
    """Adaptive niching: mates (i and i + N/2) are drawn from one cluster of the population."""

    def room(population: int, variables: int) -> int:
        return 4 * population

    def any(
        pool: Solutions, population: Indices, fitness: Floats, shape: object, parents: Indices, memory: Floats,
        rng: State, distance: Callable[..., float],
    ) -> None:  # fmt: skip
        size = len(population)
        order, above, reach = memory[OWN:], memory[OWN + size :], memory[OWN + 2 * size :]
        best_first(population, fitness, order)
        for k in range(size):
            i = int(order[k])
            above[i] = i
            for better in range(k):
                j = int(order[better])
                apart = distance(pool[population[i]], pool[population[j]])
                if above[i] == i or apart < reach[i]:
                    above[i] = j
                    reach[i] = apart
        mate(order, above, reach, memory[OWN + 3 * size :], population, parents, rng)


@register_jitable
def best_first(population: Indices, fitness: Floats, order: Floats) -> None:
    """Write the positions in the population into `order`, the best solution first, of equals the earlier."""
    for i in range(len(population)):
        k = i
        while k > 0 and fitness[population[int(order[k - 1])]] < fitness[population[i]]:
            order[k] = order[k - 1]
            k -= 1
        order[k] = i


@register_jitable
def mate(
    order: Floats, above: Floats, reach: Floats, niche: Floats, population: Indices, parents: Indices, rng: State
) -> None:
    """Draw pairs: a random solution and a random other one of its niche; an odd one takes a random solution.

    above: the nearest better solution of each, itself for the best; reach: how far that is; niche: written, the best of
    each one's niche.
    """
    size = len(population)
    total = 0.0
    for k in range(1, size):
        total += reach[int(order[k])]
    for k in range(size):  # the better are settled first
        i = int(order[k])
        linked = k > 0 and reach[i] * (size - 1) <= CUT * total
        niche[i] = niche[int(above[i])] if linked else i
    for i in range(size // 2):
        a = below(size, rng)
        others = -1
        for j in range(size):
            others += niche[j] == niche[a]
        b = a
        if others > 0:
            left = below(others, rng)
            b = -1
            while left >= 0:
                b += 1
                left -= niche[b] == niche[a] and b != a
        parents[i] = population[a]
        parents[i + size // 2] = population[b]
    if size % 2:
        parents[size - 1] = population[below(size, rng)]
