"""Reverse: the move for tours, where it matters who is next to whom."""

from metasmith.arrays import Floats, Indices, State, Values
from metasmith.chance import another, below
from metasmith.components.roles import Others, search


@search()
class reverse:
    """The elements from one random position to another are turned round."""

    def permutations(
        pool: Values, moving: Indices, length: int, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        for i in moving:
            j = below(length, rng)
            k = another(j, length, rng)
            first, last = min(j, k), max(j, k)
            while first < last:
                pool[i, first], pool[i, last] = pool[i, last], pool[i, first]
                first += 1
                last -= 1
