"""Self-adjusting reset: as strong as has paid off lately."""

from metasmith.arrays import Floats, Indices, State, Values, Words
from metasmith.components.roles import Others, search
from metasmith.components.shared.resets import reset_bits, reset_values
from metasmith.components.shared.strength import adapted, rounded


@search()
class reset_adaptive:
    """k different positions get another value; k grows with success and shrinks with failure."""

    def room(population: int, variables: int) -> int:
        return 1

    def bits(
        pool: Words, moving: Indices, length: int, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        mask = pool[len(pool) - 1]
        strength = adapted(length, memory)
        for i in moving:
            reset_bits(pool[i], mask, length, rounded(strength, rng), rng)

    def integers(
        pool: Values, moving: Indices, arity: Indices, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        scratch = pool[len(pool) - 1]
        strength = adapted(len(arity), memory)
        for i in moving:
            reset_values(pool[i], scratch, arity, rounded(strength, rng), rng)
