"""Sweep: the greedy hill climber goes through the positions in order."""

from metasmith.arrays import Floats, Indices, State, Values, Words
from metasmith.chance import another
from metasmith.components.roles import OWN, Others, search
from metasmith.words import flip


@search()
class reset_sweep:
    """The next position in order gets another value, round and round."""

    def room(population: int, variables: int) -> int:
        return 1

    def bits(
        pool: Words, moving: Indices, length: int, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        for i in moving:
            flip(pool[i], int(memory[OWN]))
            memory[OWN] = (memory[OWN] + 1) % length

    def integers(
        pool: Values, moving: Indices, arity: Indices, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        for i in moving:
            j = int(memory[OWN])
            pool[i, j] = another(pool[i, j], arity[j], rng)
            memory[OWN] = (memory[OWN] + 1) % len(arity)
