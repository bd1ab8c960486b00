"""Heavy-tailed reset: the mutation of fast genetic algorithms (Doerr, Le, Makhmara and Nguyen 2017)."""

from metasmith.arrays import Floats, Indices, State, Values, Words
from metasmith.components.roles import Others, search
from metasmith.components.settings import EXPONENTS
from metasmith.components.shared.power_law import power_law
from metasmith.components.shared.resets import reset_bits, reset_values


@search(beta=EXPONENTS)
class reset_heavy:
    """k different positions get another value, k from a power law with exponent beta on 1..d/2."""

    def bits(
        pool: Words, moving: Indices, length: int, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        beta = settings[0]
        mask = pool[len(pool) - 1]
        for i in moving:
            reset_bits(pool[i], mask, length, power_law(beta, max(1, length // 2), rng), rng)

    def integers(
        pool: Values, moving: Indices, arity: Indices, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        beta = settings[0]
        scratch = pool[len(pool) - 1]
        for i in moving:
            reset_values(pool[i], scratch, arity, power_law(beta, max(1, len(arity) // 2), rng), rng)
