"""Tabu: do not go where you have just been."""

import numpy as np

from metasmith.arrays import Floats, Indices, Solutions, State
from metasmith.chance import fingerprint
from metasmith.components.roles import OWN, select

NEXT, HELD, BEST, LIST = OWN, OWN + 1, OWN + 2, OWN + 3


@select
class tabu:
    """The child replaces its parent unless it is among the last d/10 accepted solutions and not a new best."""

    def room(population: int, variables: int) -> int:
        return 3 + max(1, variables // 10)

    def any(
        pool: Solutions, population: Indices, children: Indices, parents: Indices, fitness: Floats, kept: Indices,
        variables: int, progress: float, memory: Floats, rng: State,
    ) -> None:  # fmt: skip
        longest = max(1, variables // 10)
        best = memory[BEST]
        for i in range(len(population)):
            if (memory[HELD] == 0.0 and i == 0) or fitness[population[i]] > best:
                best = fitness[population[i]]
        for i in range(len(kept)):
            mark = fingerprint(pool[children[i]].view(np.uint64))
            listed = False
            for j in range(int(memory[HELD])):
                listed |= memory[LIST + j] == mark
            if listed and fitness[children[i]] <= best:
                kept[i] = parents[i]
                continue
            kept[i] = children[i]
            best = max(best, fitness[children[i]])
            memory[LIST + int(memory[NEXT])] = mark
            memory[NEXT] = (memory[NEXT] + 1) % longest
            memory[HELD] = min(memory[HELD] + 1, longest)
        memory[BEST] = best
