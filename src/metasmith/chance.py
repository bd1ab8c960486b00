"""Random numbers: one word of state, passed to whoever draws, the same in compiled and in plain Python.

The generator is SplitMix64 (Steele, Lea and Flood 2014): the state grows by a constant, the draw is the state well
mixed.
"""

import hashlib
import math
from collections.abc import Iterator

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Floats, State, Values, Words
from metasmith.words import ALL, ONE, ZERO, U, count_ones, flip, has, lowest, tail_mask, words_for

STEP = U(0x9E3779B97F4A7C15)
MIX_A = U(0xBF58476D1CE4E5B9)
MIX_B = U(0x94D049BB133111EB)
SPARSE = 12
"""From this expected number of ones in a row, whole random words are cheaper than one position after the other."""

SURE = 8
"""Digits of 64 coins drawn before asking whether all are decided: they seldom are sooner, and every wrong guess costs."""


def seeded(*parts: object) -> State:
    """The state that belongs to `parts`: equal parts, equal numbers, on every machine."""
    digest = hashlib.blake2b("\x1f".join(str(part) for part in parts).encode(), digest_size=8).digest()
    return np.array([int.from_bytes(digest, "little")], dtype=np.uint64)


@register_jitable
def draw(rng: State) -> np.uint64:
    """64 random bits."""
    rng[0] += STEP
    return mixed(rng[0])


@register_jitable
def mixed(z: np.uint64) -> np.uint64:
    """A state of the generator, well mixed."""
    z = (z ^ (z >> U(30))) * MIX_A
    z = (z ^ (z >> U(27))) * MIX_B
    return z ^ (z >> U(31))


@register_jitable
def uniform(rng: State) -> float:
    """A number in [0, 1)."""
    return np.float64(np.int64(draw(rng) >> U(11))) * (1.0 / 9007199254740992.0)


@register_jitable
def below(bound: int, rng: State) -> int:
    """A whole number from 0 to bound - 1, for bounds below 2^32 (the bias is below bound / 2^32)."""
    return int(np.int64(((draw(rng) >> U(32)) * U(bound)) >> U(32)))


@register_jitable
def bernoulli_word(p: float, rng: State) -> np.uint64:
    """64 coins at once, each a one with probability p.

    Each bit compares a random binary fraction with p, digit by digit, all 64 in step, until every comparison is
    decided.
    """
    if p >= 1.0:
        return ALL
    digits = U(p * 9007199254740992.0) << U(11)  # p in binary, the first digit highest
    ones = ZERO
    undecided = ALL
    step = 0
    state = rng[0]  # kept at hand: through memory it would be the slowest part
    while digits != ZERO and (step < SURE or undecided != ZERO):
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
    """table[k]: the probability that at most k of `trials` coins succeed; p < 1."""
    chance = (1.0 - p) ** float(
        trials
    )  # a whole exponent would be multiplied out by numba, and differ in the last digit
    total = chance
    for k in range(len(table)):
        table[k] = total
        chance *= p / (1.0 - p) * (trials - k) / (k + 1)
        total += chance


@register_jitable
def from_table(table: Floats, rng: State) -> int:
    """A number k with the cumulated probabilities table[k], of at least three entries."""
    u = uniform(rng)
    k = int(u >= table[0]) + int(u >= table[1]) + int(u >= table[2])  # no branch for the usual few
    if k < 3:
        return k
    while k < len(table) and u >= table[k]:
        k += 1
    return k


@register_jitable
def subset(mask: Words, first: int, length: int, count: int, rng: State) -> None:
    """Make `mask` a uniformly random set of `count` of the positions first..length-1.

    Sparse sets are drawn one by one; dense ones start from independent coins and are then corrected: given its size,
    either is uniform.
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
def positions(found: Values, first: int, length: int, count: int, rng: State) -> int:
    """Write a uniformly random set of `count` of the positions first..length-1 into `found`, in order; return how many
    they are.
    """
    count = min(count, length - first)
    if count > SPARSE:  # every position in turn, with the probability that it is among those still wanted
        filled = 0
        for j in range(first, length):
            found[filled] = j
            filled += uniform(rng) * (length - j) < count - filled
            if filled == count:
                break
        return count
    for size in range(count):  # one by one, put where it belongs
        fresh = False
        j = 0
        while not fresh:
            j = first + below(length - first, rng)
            fresh = True
            for k in range(size):
                fresh &= found[k] != j
        k = size
        while k > 0 and found[k - 1] > j:
            found[k] = found[k - 1]
            k -= 1
        found[k] = j
    return count


@register_jitable
def skips(p: float, length: int, rng: State) -> Iterator[int]:
    """The positions below `length` where a coin with probability p succeeds, in order."""
    if p * length <= SPARSE and p < 1.0:  # from one success to the next
        log_miss = math.log1p(-p)
        j = skip(log_miss, rng)
        while j < length:
            yield j
            j += 1 + skip(log_miss, rng)
    else:  # 64 coins at once
        for start in range(0, length, 64):
            coins = bernoulli_word(p, rng)
            if length - start < 64:
                coins &= tail_mask(length)
            while coins != ZERO:
                yield start + lowest(coins)
                coins &= coins - ONE


@register_jitable
def skip(log_miss: float, rng: State) -> int:
    """How many coins fail before the next success; log_miss = log(1 - p)."""
    return int(min(math.log(1.0 - uniform(rng)) / log_miss, 1e12))


@register_jitable
def another(value: int, values: int, rng: State) -> int:
    """A random value from 0..values-1 other than `value`, where there is one."""
    if values < 2:
        return value
    other = below(values - 1, rng)
    return other + int(other >= value)


@register_jitable
def heads(rng: State) -> bool:
    """A fair coin."""
    return bool(draw(rng) & ONE)


@register_jitable
def fingerprint(row: Words) -> float:
    """A number that tells rows apart: 53 well-mixed bits of all their words."""
    state = ZERO
    for w in range(len(row)):
        state = mixed(state ^ row[w])
    return np.float64(np.int64(state >> U(11)))
