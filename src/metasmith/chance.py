"""The random number generator, and what is drawn with it, bit for bit the same compiled and in plain Python.

SplitMix64 (Steele, Lea and Flood 2014) adds a constant to its state, one 64-bit word, and hashes the state to get 64
random bits. The state is an argument of every function that draws; there is no global generator.
"""

import hashlib
import math
from collections.abc import Iterator

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Floats, State, Values, Words
from metasmith.words import ALL, ONE, ZERO, U, count_ones, flip, has, lowest, tail_mask, words_for

STEP = U(0x9E3779B97F4A7C15)
"""The constant that SplitMix64 adds to its state with every draw."""

MIX_A = U(0xBF58476D1CE4E5B9)
MIX_B = U(0x94D049BB133111EB)
"""The two multipliers of SplitMix64's hash."""

SPARSE = 12
"""Expected number of ones up to which positions are drawn one by one; beyond, random words of 64 bits are faster."""

UNCHECKED = 8
"""Binary digits that `bernoulli_word` compares before it first tests whether all 64 coins are decided.

With fewer digits they seldom are, and every test that fails costs a mispredicted branch.
"""


def seeded(*parts: object) -> State:
    """A generator's state, derived from `parts` by a hash: equal parts give equal numbers on every machine."""
    digest = hashlib.blake2b("\x1f".join(str(part) for part in parts).encode(), digest_size=8).digest()
    return np.array([int.from_bytes(digest, "little")], dtype=np.uint64)


@register_jitable
def draw(rng: State) -> np.uint64:
    """64 random bits."""
    rng[0] += STEP
    return mixed(rng[0])


@register_jitable
def mixed(z: np.uint64) -> np.uint64:
    """The hash that turns a state into 64 random bits."""
    z = (z ^ (z >> U(30))) * MIX_A
    z = (z ^ (z >> U(27))) * MIX_B
    return z ^ (z >> U(31))


@register_jitable
def uniform(rng: State) -> float:
    """A uniform random number in [0, 1), with 53 random bits."""
    return np.float64(np.int64(draw(rng) >> U(11))) * (1.0 / 9007199254740992.0)


@register_jitable
def below(bound: int, rng: State) -> int:
    """A uniform random integer from 0 to bound - 1, for bounds below 2^32; the bias is below bound / 2^32."""
    return int(np.int64(((draw(rng) >> U(32)) * U(bound)) >> U(32)))


@register_jitable
def bernoulli_word(p: float, rng: State) -> np.uint64:
    """A word of 64 independent bits, each a one with probability p.

    For each bit a random binary fraction is compared with p, digit by digit, for all 64 at once, until every comparison
    is decided.
    """
    if p >= 1.0:
        return ALL
    digits = U(p * 9007199254740992.0) << U(11)  # p in binary, the first digit highest
    ones = ZERO
    undecided = ALL
    step = 0
    state = rng[0]  # in a local variable, as reading and writing memory would be the slowest part
    while digits != ZERO and (step < UNCHECKED or undecided != ZERO):
        digit = ZERO - (digits >> U(63))  # all ones or all zeros
        state += STEP
        drawn = mixed(state)
        ones |= undecided & digit & ~drawn
        undecided &= ~(digit ^ drawn)
        digits <<= ONE
        step += 1
    rng[0] = state
    return ones


@register_jitable
def binomial_table(p: float, trials: int, table: Floats) -> None:
    """Fill `table` with the binomial distribution: table[k] is the probability of at most k successes; p < 1."""
    # A float exponent, as numba multiplies a whole one out, and the last digit would differ from plain Python's.
    probability = (1.0 - p) ** float(trials)
    total = probability
    for k in range(len(table)):
        table[k] = total
        probability *= p / (1.0 - p) * (trials - k) / (k + 1)
        total += probability


@register_jitable
def from_table(table: Floats, rng: State) -> int:
    """A random k whose cumulative distribution is `table`, of at least three entries."""
    u = uniform(rng)
    k = int(u >= table[0]) + int(u >= table[1]) + int(u >= table[2])  # most draws are below 3, and need no branch
    if k < 3:
        return k
    while k < len(table) and u >= table[k]:
        k += 1
    return k


@register_jitable
def subset(mask: Words, first: int, length: int, count: int, rng: State) -> None:
    """Make `mask` a uniformly random set of `count` of the positions first..length-1.

    Sparse sets are drawn position by position. Dense ones start from independent bits, and random positions are then
    added or removed until the size is right; all sets of that size are equally likely either way.
    """
    for w in range(len(mask)):
        mask[w] = ZERO
    span = length - first
    count = min(count, span)
    size = 0
    if count > SPARSE:
        p = count / span
        for w in range(words_for(length)):
            mask[w] = bernoulli_word(p, rng)
        mask[words_for(length) - 1] &= tail_mask(length)
        for i in range(first):
            if has(mask, i):
                flip(mask, i)
        size = count_ones(mask)
    while size < count:
        i = first + below(span, rng)
        if not has(mask, i):
            flip(mask, i)
            size += 1
    while size > count:
        i = first + below(span, rng)
        if has(mask, i):
            flip(mask, i)
            size -= 1


@register_jitable
def positions(chosen: Values, first: int, length: int, count: int, rng: State) -> int:
    """Write a uniformly random set of `count` of the positions first..length-1 to `chosen`, sorted; return its size."""
    count = min(count, length - first)
    if count > SPARSE:  # go through all positions; each is taken with the probability that it is among those missing
        filled = 0
        for j in range(first, length):
            chosen[filled] = j
            filled += uniform(rng) * (length - j) < count - filled
            if filled == count:
                break
        return count
    for size in range(count):  # draw until the position is new, then insert it in order
        fresh = False
        j = 0
        while not fresh:
            j = first + below(length - first, rng)
            fresh = True
            for k in range(size):
                fresh &= chosen[k] != j
        k = size
        while k > 0 and chosen[k - 1] > j:
            chosen[k] = chosen[k - 1]
            k -= 1
        chosen[k] = j
    return count


@register_jitable
def skips(p: float, length: int, rng: State) -> Iterator[int]:
    """The positions below `length` at which independent trials with probability p succeed, in order."""
    if p * length <= SPARSE and p < 1.0:  # jump from one success to the next
        log_miss = math.log1p(-p)
        j = skip(log_miss, rng)
        while j < length:
            yield j
            j += 1 + skip(log_miss, rng)
    else:  # draw 64 trials at once
        for start in range(0, length, 64):
            coins = bernoulli_word(p, rng)
            if length - start < 64:
                coins &= tail_mask(length)
            while coins != ZERO:
                yield start + lowest(coins)
                coins &= coins - ONE


@register_jitable
def skip(log_miss: float, rng: State) -> int:
    """The number of failures before the next success, geometrically distributed; log_miss = log(1 - p)."""
    return int(min(math.log(1.0 - uniform(rng)) / log_miss, 1e12))


@register_jitable
def another(value: int, values: int, rng: State) -> int:
    """A uniform random value from 0..values-1 other than `value`; `value` itself if there is no other."""
    if values < 2:
        return value
    other = below(values - 1, rng)
    return other + int(other >= value)


@register_jitable
def heads(rng: State) -> bool:
    """True with probability 1/2."""
    return bool(draw(rng) & ONE)


@register_jitable
def fingerprint(row: Words) -> float:
    """A hash of a row, 53 bits as a float: equal rows have equal fingerprints, unequal ones practically never."""
    state = ZERO
    for w in range(len(row)):
        state = mixed(state ^ row[w])
    return np.float64(np.int64(state >> U(11)))
