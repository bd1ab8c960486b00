"""Sweep: the greedy hill climber goes through the positions in order.

Each of several offspring has a position of its own. One position for all, as it was at first, resonates: in a
population of five and with a hundred variables, each solution would only ever see every fifth of its positions.
"""

from numba.extending import register_jitable

from metasmith.arrays import Floats, Indices, State, Values, Words
from metasmith.chance import another
from metasmith.components.roles import OWN, Others, search
from metasmith.words import flip

APART = 0.618
"""How far from each other offspring begin, as a share of all positions: those of one parent then differ."""


@register_jitable
def next_position(k: int, length: int, memory: Floats) -> int:
    """The position that offspring number k comes to now."""
    position = int(memory[OWN + k] + k * int(APART * length)) % length
    memory[OWN + k] += 1
    return position


@search()
class reset_sweep:
    """The next position in order gets another value, round and round; each offspring goes round by itself."""

    def room(population: int, variables: int) -> int:
        return population

    def bits(
        pool: Words, moving: Indices, length: int, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        for k in range(len(moving)):
            flip(pool[moving[k]], next_position(k, length, memory))

    def integers(
        pool: Values, moving: Indices, arity: Indices, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        for k in range(len(moving)):
            i, j = moving[k], next_position(k, len(arity), memory)
            pool[i, j] = another(pool[i, j], arity[j], rng)
