"""Reset a number of entries: the neighbourhood of most local searches."""

from metasmith.arrays import Floats, Indices, State, Values, Words
from metasmith.components.roles import Others, search
from metasmith.components.settings import COUNTS
from metasmith.components.shared.resets import reset_bits, reset_values


@search(n=COUNTS)
class reset_n:
    """n different positions get another value."""

    def bits(
        pool: Words, moving: Indices, length: int, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        n = int(settings[0])
        mask = pool[len(pool) - 1]
        for i in moving:
            reset_bits(pool[i], mask, length, n, rng)

    def integers(
        pool: Values, moving: Indices, arity: Indices, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        n = int(settings[0])
        scratch = pool[len(pool) - 1]
        for i in moving:
            reset_values(pool[i], scratch, arity, n, rng)
