"""Insert: the move for schedules, where it matters what comes before what."""

from metasmith.arrays import Floats, Indices, State, Values
from metasmith.chance import another, below
from metasmith.components.roles import Others, search


@search()
class insert:
    """The element at a random position goes to another one; those between move up by one."""

    def permutations(
        pool: Values, moving: Indices, length: int, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        for i in moving:
            j = below(length, rng)
            k = another(j, length, rng)
            element = pool[i, j]
            while j < k:
                pool[i, j] = pool[i, j + 1]
                j += 1
            while j > k:
                pool[i, j] = pool[i, j - 1]
                j -= 1
            pool[i, k] = element
