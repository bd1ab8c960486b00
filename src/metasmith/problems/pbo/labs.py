"""LABS, low autocorrelation binary sequences: the merit factor n^2 / 2E, where E sums the squared autocorrelations.

The autocorrelation at lag k is twice the agreements, the i with x_i = x_(i+k), less the n - k pairs. All lags are
counted at once:

1. For each of the sixteen patterns of four bits, a row says at every position how many of the four bits from there on
   agree with the pattern. Counts are 0 to 4, a field of four bits each, sixteen to a word. Bits beyond the end agree
   with nothing, so no lag needs a mask.
2. Cut x into patterns of four. The agreements at lag k of the pattern at position 4g stand in its row at position
   4g + k. The sum of these rows, each read from its own position on, is therefore the count of agreements of all lags,
   64 to an addition of 256 bits.
3. These positions are whole words only for every fourth pattern, so the patterns at 16j, 16j + 4, 16j + 8 and 16j + 12
   are added up separately.

At 625 bits this takes 0.75 microseconds; xor and popcount lag by lag takes 20.
"""

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from metasmith.arrays import Tables, Words
from metasmith.problems.pbo.function import Function
from metasmith.problems.pbo.instance import LENGTH, SCRATCH, see
from metasmith.problems.pbo.wide import WIDE, add_moved, sum_fields, sum_squares
from metasmith.words import U

BIT, PAIR, FOUR, STARTS, SUMS = 0, 2, 6, 22, 26
"""First rows, in the scratch, of the agreements with one bit, two bits and four bits, of where rows start, and of sums.

Sums are four rows of even lags and four of odd ones.
"""

TOGETHER = 63
"""Rows whose fields, 4 at most, can be added up in bytes: a set, with eight rows of sums. It is a multiple of three."""


def labs(x: Words, tables: Tables, work: Words) -> float:
    see(x, tables, work)
    n = tables.numbers[LENGTH]
    words = words_of_fields(n)
    stride = stride_for(n)
    scratch = work[tables.numbers[SCRATCH] :]
    fill_patterns(work.view(np.uint16), n, words, stride, scratch)
    even = SUMS * stride
    for first in range(0, words, TOGETHER):
        beyond = min(first + TOGETHER, words)
        for ahead in range(0, words - first, WIDE):
            triples = (min(words - ahead, beyond) - first + 2) // 3
            for i in range(4):
                out = even + i * stride + ahead
                sum_fields(scratch, out, out + 4 * stride, (STARTS + i) * stride + first, triples, ahead)
        even += 8 * stride
    energy = sum_squares(scratch, SUMS * stride, sets_for(n), stride, -n, (words + 3) // 4)
    energy += sum_squares(scratch, (SUMS + 4) * stride, sets_for(n), stride, 1 - n, (words + 3) // 4)
    energy -= n * n  # lag 0 does not count
    return float(tables.reals[0] * (n * n / (2.0 * energy)) + tables.reals[1])


@register_jitable
def words_of_fields(n: int) -> int:
    return (n + 15) >> 4


@register_jitable
def stride_for(n: int) -> int:
    """Words of a row: its fields, and as many zeros after them as may be read."""
    return words_of_fields(n) + WIDE + 3


@register_jitable
def sets_for(n: int) -> int:
    return (words_of_fields(n) + TOGETHER - 1) // TOGETHER


@register_jitable
def fill_patterns(sixteens: NDArray[np.uint16], n: int, words: int, stride: int, scratch: Words) -> None:
    """Write rows of agreement with each pattern of one, two and four bits, and where the rows of x's patterns start.

    sixteens: the bits of x, 16 to a number.
    """
    zeros = scratch[BIT * stride : BIT * stride + words]
    ones = scratch[(BIT + 1) * stride : (BIT + 1) * stride + words]
    for j in range(words):
        fields = U(sixteens[j])
        fields = (fields | (fields << U(24))) & U(0x000000FF000000FF)
        fields = (fields | (fields << U(12))) & U(0x000F000F000F000F)
        fields = (fields | (fields << U(6))) & U(0x0303030303030303)
        fields = (fields | (fields << U(3))) & U(0x1111111111111111)
        ones[j] = fields
        zeros[j] = fields ^ U(0x1111111111111111)
    if n & 15:
        zeros[words - 1] &= U(0xFFFFFFFFFFFFFFFF) >> U(64 - 4 * (n & 15))
    for i in range(4):
        starts = scratch[(STARTS + i) * stride : (STARTS + i) * stride + words + 2]
        for j in range(words):
            starts[j] = U(FOUR * stride + j) + ((U(sixteens[j]) >> U(4 * i)) & U(15)) * U(stride)
        for j in range(words, words + 2):  # to fill up a triple: zeros
            starts[j] = U(FOUR * stride + j)
    for v in range(4):
        for j in range(0, words, WIDE):
            add_moved(scratch, (PAIR + v) * stride + j, (BIT + (v & 1)) * stride + j, (BIT + (v >> 1)) * stride + j, 4)
    for v in range(16):
        for j in range(0, words, WIDE):
            add_moved(
                scratch, (FOUR + v) * stride + j, (PAIR + (v & 3)) * stride + j, (PAIR + (v >> 2)) * stride + j, 8
            )


def scratch(n: int) -> int:
    return (SUMS + 8 * sets_for(n)) * stride_for(n)


FUNCTIONS = [
    Function(
        "F18",
        "LABS",
        "Merit factor: low autocorrelation of a sequence of signs",
        labs,
        scratch=scratch,
        smallest=2,
        largest=32767,
    )
]
