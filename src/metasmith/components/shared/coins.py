"""Coins for every bit of a solution: shared by the components that turn bits independently."""

from numba.extending import register_jitable

from metasmith.arrays import Floats, Indices, State, Words
from metasmith.chance import SPARSE, another, below, bernoulli_word, binomial_table, from_table
from metasmith.components.shared.resets import reset_bits
from metasmith.words import U, tail_mask


@register_jitable
def turn_each(pool: Words, moving: Indices, length: int, p: float, table: Floats, rng: State) -> None:
    """Turn each bit of the solutions `moving` with probability p. table: remembers the distribution of how many, zeros
    at first.
    """
    if p * length <= SPARSE and p < 1.0:  # first how many, then which
        if table[0] == 0.0:
            binomial_table(p, length, table)
        for i in moving:
            count = from_table(table, rng)
            if count > 2:
                reset_bits(pool[i], pool[len(pool) - 1], length, count, rng)
            else:  # no branch for the usual few
                a = below(length, rng)
                b = another(a, length, rng)
                pool[i, a >> 6] ^= U(count > 0) << U(a & 63)
                pool[i, b >> 6] ^= U(count > 1) << U(b & 63)
    else:
        for i in moving:
            for w in range(pool.shape[1]):
                pool[i, w] ^= bernoulli_word(p, rng)  # 64 coins at once
            pool[i, pool.shape[1] - 1] &= tail_mask(length)
