"""Sampling from marginals: the univariate marginal distribution algorithm as a component.

On bits, the probability of a one at each position is turned into binary digits, one plane of words per digit, so that 64 positions
are sampled at once: every position compares a random binary fraction with its probability, digit by digit, until all are decided.
"""

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Floats, Indices, State, Values, Words
from metasmith.chance import another, below, draw, uniform
from metasmith.components.roles import OWN, SCRATCH, search
from metasmith.words import ALL, ONE, ZERO, U, tail_mask

DIGITS = 20


@search()
class sample_marginals:
    """Each position is drawn from how often its values occur among the chosen (at least 1/d for each way out)."""

    def bits(pool: Words, moving: Indices, length: int, setting: float, memory: Floats, rng: State) -> None:
        planes = pool[len(pool) - SCRATCH :]
        write_planes(planes, pool, moving, length, memory[OWN : OWN + 64])
        for i in moving:
            for w in range(pool.shape[1]):
                ones = ZERO
                undecided = ALL
                for digit in range(DIGITS):
                    drawn = draw(rng)
                    plane = planes[digit, w]
                    ones |= undecided & plane & ~drawn
                    undecided &= ~(plane ^ drawn)
                    if undecided == ZERO:
                        break
                pool[i, w] = ones
            pool[i, pool.shape[1] - 1] &= tail_mask(length)

    def integers(pool: Values, moving: Indices, arity: Indices, setting: float, memory: Floats, rng: State) -> None:
        column = memory[OWN : OWN + len(moving)]
        for j in range(len(arity)):
            for i in range(len(moving)):
                column[i] = pool[moving[i], j]
            for i in moving:  # the value of a random one of the chosen has the marginal distribution
                pool[i, j] = int(column[below(len(moving), rng)])
                if uniform(rng) * len(arity) < 1.0:
                    pool[i, j] = another(pool[i, j], arity[j], rng)


@register_jitable
def write_planes(planes: Words, pool: Words, moving: Indices, length: int, counts: Floats) -> None:
    """planes[digit]: the binary digit, 0 the highest, of each position's share of ones, kept within 1/d and 1 - 1/d. counts: scratch."""
    for digit in range(DIGITS):
        for w in range(pool.shape[1]):
            planes[digit, w] = ZERO
    scale = 1.0 / len(moving)
    margin = 1.0 / length
    for w in range(pool.shape[1]):
        counts[:] = 0.0
        for i in moving:
            word = pool[i, w]
            for b in range(64):
                counts[b] += np.int64((word >> U(b)) & ONE)
        for b in range(64):
            share = min(max(counts[b] * scale, margin), 1.0 - margin)
            digits = U(share * (1 << DIGITS))
            for digit in range(DIGITS):
                planes[digit, w] |= ((digits >> U(DIGITS - 1 - digit)) & ONE) << U(b)
