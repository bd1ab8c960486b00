"""Reinitialize: leave everything behind."""

from metasmith.arrays import Floats, Indices, State, Values, Words
from metasmith.components.roles import search
from metasmith.representations.bits import fresh_bits
from metasmith.representations.integers import fresh_integers


@search()
class reinitialize:
    """Fresh random solutions; alone in its stage it replaces the whole population."""

    def bits(pool: Words, moving: Indices, length: int, setting: float, memory: Floats, rng: State) -> None:
        fresh_bits(pool, moving, length, rng)

    def integers(pool: Values, moving: Indices, arity: Indices, setting: float, memory: Floats, rng: State) -> None:
        fresh_integers(pool, moving, arity, rng)
