"""Creep: small steps, for variables whose order means something."""

from metasmith.arrays import Floats, Indices, State, Values, Words
from metasmith.chance import below, heads, skips
from metasmith.components.roles import OWN, Others, search
from metasmith.components.settings import SHARES
from metasmith.components.shared.coins import turn_each


@search(p=SHARES)
class reset_creep:
    """Each position moves by a small step up or down with probability p; a flip, on bits."""

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
            for j in skips(p, len(arity), rng):
                if arity[j] > 1:
                    step = 1 + below(max(1, arity[j] // 10), rng)
                    if heads(rng):
                        step = -step
                    if not 0 <= pool[i, j] + step < arity[j]:
                        step = -step
                    pool[i, j] += step
