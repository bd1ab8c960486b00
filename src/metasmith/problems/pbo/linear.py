"""Linear: the sum of the positions of the ones, counted from 1."""

from metasmith.arrays import Tables, Words
from metasmith.problems.pbo.function import Function
from metasmith.problems.pbo.instance import TURNED, in_order
from metasmith.words import U, popcount

# Positions of a word whose number has a one in binary digit 0, 1, ..., 5: the sum of positions is a sum of popcounts.
DIGIT_0 = U(0xAAAAAAAAAAAAAAAA)
DIGIT_1 = U(0xCCCCCCCCCCCCCCCC)
DIGIT_2 = U(0xF0F0F0F0F0F0F0F0)
DIGIT_3 = U(0xFF00FF00FF00FF00)
DIGIT_4 = U(0xFFFF0000FFFF0000)
DIGIT_5 = U(0xFFFFFFFF00000000)


def linear(x: Words, tables: Tables, work: Words) -> float:
    row = in_order(x, tables, work)
    turned = tables.numbers[TURNED]
    total = 0
    for w in range(len(x)):
        word = row[w] ^ tables.words[turned, w]
        total += (
            (64 * w + 1) * popcount(word)
            + popcount(word & DIGIT_0)
            + 2 * popcount(word & DIGIT_1)
            + 4 * popcount(word & DIGIT_2)
            + 8 * popcount(word & DIGIT_3)
            + 16 * popcount(word & DIGIT_4)
            + 32 * popcount(word & DIGIT_5)
        )
    return float(tables.reals[0] * total + tables.reals[1])


FUNCTIONS = [Function("F3", "Linear", "Sum of the positions of the ones", linear, best=lambda n: n * (n + 1) / 2)]
