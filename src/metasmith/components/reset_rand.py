"""Random reset: the usual mutation of a discrete genetic algorithm."""

from metasmith.arrays import Floats, Indices, State, Values, Words
from metasmith.chance import another, skips
from metasmith.components.roles import OWN, Others, search
from metasmith.components.settings import SHARES
from metasmith.components.shared.coins import turn_each


@search(p=SHARES)
class reset_rand:
    """Each position gets another value with probability p."""

    def room(population: int, variables: int) -> int:
        return 64

    def bits(
        pool: Words, moving: Indices, length: int, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        p = settings[0]
        turn_each(pool, moving, length, p, memory[OWN : OWN + 64], rng)

    def integers(
        pool: Values, moving: Indices, arity: Indices, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        p = settings[0]
        for i in moving:
            for j in skips(p, len(arity), rng):  # only the positions that change
                pool[i, j] = another(pool[i, j], arity[j], rng)
