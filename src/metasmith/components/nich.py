"""Niching: mates come from the same region of the search space.

Regions are found by nearest-better clustering (Preuss 2010): every solution hangs on its nearest better one, links much longer than the
average are cut, and what still hangs together is a niche. No radius has to be given, so it adapts to the population.
"""

from numba.extending import register_jitable

from metasmith.arrays import Floats, Indices, State, Values, Words
from metasmith.chance import below
from metasmith.components.roles import OWN, choose
from metasmith.words import hamming

CUT = 2.0
"""A link longer than this many times the average separates two niches."""


@choose
class nich:
    """Adaptive niching: mates (i and i + N/2) are drawn from one cluster of the population."""

    def bits(pool: Words, population: Indices, fitness: Floats, length: int, parents: Indices, memory: Floats, rng: State) -> None:
        size = len(population)
        above, reach = memory[OWN : OWN + size], memory[OWN + size : OWN + 2 * size]
        for i in range(size):
            above[i] = i
            for j in range(size):
                if is_better(j, i, population, fitness):
                    distance = hamming(pool[population[i]], pool[population[j]])
                    if above[i] == i or distance < reach[i]:
                        above[i] = j
                        reach[i] = distance
        mate(above, reach, memory[OWN + 2 * size : OWN + 3 * size], population, parents, rng)

    def integers(pool: Values, population: Indices, fitness: Floats, arity: Indices, parents: Indices, memory: Floats, rng: State) -> None:
        size = len(population)
        above, reach = memory[OWN : OWN + size], memory[OWN + size : OWN + 2 * size]
        for i in range(size):
            above[i] = i
            for j in range(size):
                if is_better(j, i, population, fitness):
                    distance = 0
                    for k in range(len(arity)):
                        distance += pool[population[i], k] != pool[population[j], k]
                    if above[i] == i or distance < reach[i]:
                        above[i] = j
                        reach[i] = distance
        mate(above, reach, memory[OWN + 2 * size : OWN + 3 * size], population, parents, rng)


@register_jitable
def is_better(j: int, i: int, population: Indices, fitness: Floats) -> bool:
    """Whether the j-th solution is better than the i-th; of equals the earlier one."""
    gain = fitness[population[j]] - fitness[population[i]]
    return gain > 0.0 or (gain == 0.0 and j < i)


@register_jitable
def mate(above: Floats, reach: Floats, niche: Floats, population: Indices, parents: Indices, rng: State) -> None:
    """Draw pairs: a random solution and a random one of its niche; an odd place takes a random solution.

    above: the nearest better solution of each, itself for the best; reach: how far that is; niche: written, the best of each one's niche.
    """
    size = len(population)
    total = 0.0
    for i in range(size):
        if above[i] != i:
            total += reach[i]
    for i in range(size):
        j = i
        while above[j] != j and reach[j] * (size - 1) <= CUT * total:
            j = int(above[j])
        niche[i] = j
    for i in range(size // 2):
        a = below(size, rng)
        b = a
        members = 0
        for j in range(size):  # one pass: the k-th member replaces the choice with probability 1/k
            if niche[j] == niche[a] and j != a:
                members += 1
                if below(members, rng) == 0:
                    b = j
        parents[i] = population[a]
        parents[i + size // 2] = population[b]
    if size % 2:
        parents[size - 1] = population[below(size, rng)]
