"""Sampling from marginals: the univariate marginal distribution algorithm as a component.

On bits, the probability of a one at each position is turned into binary digits, one plane of words per digit, so that
64 positions
are sampled at once: every position compares a random binary fraction with its probability, digit by digit, until all
are decided.
"""

from numba.extending import register_jitable

from metasmith.arrays import Floats, Indices, State, Values, Words
from metasmith.chance import STEP, another, below, mixed, uniform
from metasmith.components.roles import OWN, SCRATCH, Others, search
from metasmith.words import ALL, ZERO, tail_mask

DIGITS = 20
COUNTERS = SCRATCH - DIGITS
UNCHECKED = 8
"""Digits drawn before asking whether all 64 comparisons are decided: they seldom are sooner."""


@search()
class sample_marginals:
    """Each position is drawn from how often its values occur among the chosen; where they agree, another value has
    probability 1/d.
    """

    def room(population: int, variables: int) -> int:
        return population + 1

    def bits(
        pool: Words, moving: Indices, length: int, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        planes = pool[len(pool) - SCRATCH :]
        write_planes(planes, pool, moving, length, memory[OWN:])
        state = rng[0]  # kept at hand, as in bernoulli_word
        for i in moving:
            for w in range(pool.shape[1]):
                ones = ZERO
                undecided = ALL
                digit = 0
                while digit < DIGITS and (digit < UNCHECKED or undecided != ZERO):
                    state += STEP
                    drawn = mixed(state)
                    ones |= undecided & planes[digit, w] & ~drawn
                    undecided &= ~(planes[digit, w] ^ drawn)
                    digit += 1
                pool[i, w] = ones
            pool[i, pool.shape[1] - 1] &= tail_mask(length)
        rng[0] = state

    def integers(
        pool: Values, moving: Indices, arity: Indices, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        column = memory[OWN : OWN + len(moving)]
        for j in range(len(arity)):
            for i in range(len(moving)):
                column[i] = pool[moving[i], j]
            agreed = True
            for i in range(1, len(moving)):
                agreed &= column[i] == column[0]
            for i in moving:  # the value of a random one of the chosen has the marginal distribution
                pool[i, j] = int(column[below(len(moving), rng)])
                if agreed and uniform(rng) * max(2, len(arity)) < 1.0:
                    pool[i, j] = another(pool[i, j], arity[j], rng)


@register_jitable
def write_planes(planes: Words, pool: Words, moving: Indices, length: int, share: Floats) -> None:
    """planes[digit]: the binary digit, 0 the highest, of each position's share of ones, kept within 1/d and 1 - 1/d.

    The ones of 64 positions are counted at once, the counts standing upright: bit b of all of them in plane DIGITS + b.
    Then the positions with the same count get the digits of their share together. share: scratch, one number per chosen
    solution and one more.
    """
    chosen = min(len(moving), (1 << COUNTERS) - 1)
    margin = 1.0 / max(2, length)
    for count in range(chosen + 1):
        share[count] = float(int(min(max(count / chosen, margin), 1.0 - margin) * (1 << DIGITS)))
    for w in range(pool.shape[1]):
        for plane in range(DIGITS):
            planes[plane, w] = ZERO
        b = 0
        while (chosen >> b) > 0:
            planes[DIGITS + b, w] = ZERO
            b += 1
        for i in range(chosen):
            carry = pool[moving[i], w]
            b = DIGITS
            while carry != ZERO:
                planes[b, w], carry = planes[b, w] ^ carry, planes[b, w] & carry
                b += 1
        for count in range(chosen + 1):
            equal = ALL
            b = 0
            while (chosen >> b) > 0:
                equal &= planes[DIGITS + b, w] if (count >> b) & 1 else ~planes[DIGITS + b, w]
                b += 1
            if equal != ZERO:
                digits = int(share[count])
                for digit in range(DIGITS):
                    if (digits >> (DIGITS - 1 - digit)) & 1:
                        planes[digit, w] |= equal
