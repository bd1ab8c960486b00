"""Reset a number of entries: the neighbourhood of most local searches."""

from metasmith.arrays import Floats, Indices, State, Values, Words
from metasmith.components.roles import search
from metasmith.components.settings import COUNTS
from metasmith.components.shared.resets import reset_bits, reset_values


@search(n=COUNTS)
class reset_n:
    """n different positions get another value."""

    def bits(pool: Words, moving: Indices, length: int, n: float, memory: Floats, rng: State) -> None:
        mask = pool[len(pool) - 1]
        for i in moving:
            reset_bits(pool[i], mask, length, int(n), rng)

    def integers(pool: Values, moving: Indices, arity: Indices, n: float, memory: Floats, rng: State) -> None:
        scratch = pool[len(pool) - 1]
        for i in moving:
            reset_values(pool[i], scratch, arity, int(n), rng)
