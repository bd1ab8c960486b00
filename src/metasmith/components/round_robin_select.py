"""Round robin: the stochastic tournament of evolutionary programming."""

from metasmith.arrays import Floats, Indices, Solutions, State
from metasmith.chance import below
from metasmith.components.roles import OWN, select
from metasmith.components.shared.ranking import kth_largest

MEETINGS = 10


@select
class round_robin_select:
    """Each of population and children meets 10 random others; the N with most wins, then best fitness."""

    def room(population: int, variables: int) -> int:
        return 4 * population

    def any(
        pool: Solutions, population: Indices, children: Indices, parents: Indices, fitness: Floats, kept: Indices,
        variables: int, progress: float, memory: Floats, rng: State,
    ) -> None:  # fmt: skip
        size = len(kept)
        wins, scratch = memory[OWN : OWN + 2 * size], memory[OWN + 2 * size :]
        for i in range(size):
            scratch[i] = fitness[population[i]]
            scratch[i + size] = fitness[children[i]]
        for i in range(2 * size):
            wins[i] = 0.0
            for _ in range(MEETINGS):
                j = below(2 * size - 1, rng)
                j += j >= i
                wins[i] += scratch[i] >= scratch[j]
        for i in range(2 * size):
            scratch[i] = wins[i]
        bar, _ = kth_largest(scratch[: 2 * size], size)
        filled = 0
        level = 0
        for i in range(2 * size):
            slot = population[i] if i < size else children[i - size]
            if wins[i] > bar:
                kept[filled] = slot
                filled += 1
            elif wins[i] == bar:
                scratch[level] = fitness[slot]
                level += 1
        worst, reaching = kth_largest(scratch[:level], size - filled)  # among those at the bar, fitness decides
        spare = reaching - (size - filled)
        for i in range(2 * size):
            slot = population[i] if i < size else children[i - size]
            if wins[i] == bar and fitness[slot] == worst and spare > 0:
                spare -= 1
            elif wins[i] == bar and fitness[slot] >= worst:
                kept[filled] = slot
                filled += 1
