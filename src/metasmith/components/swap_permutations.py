"""Swap on permutations: the move for assignments, where it matters which element is at which position."""

from metasmith.arrays import Floats, Indices, State, Values
from metasmith.chance import another, below
from metasmith.components.roles import Others, kernels_of


@kernels_of("swap")
class swap_permutations:
    def permutations(
        pool: Values, moving: Indices, length: int, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        for i in moving:
            j = below(length, rng)
            k = another(j, length, rng)
            pool[i, j], pool[i, k] = pool[i, k], pool[i, j]
