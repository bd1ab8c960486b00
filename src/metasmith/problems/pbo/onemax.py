"""OneMax, the number of ones, and its variants with dummies, neutrality, epistasis and ruggedness."""

from metasmith.arrays import Tables, Words
from metasmith.problems.pbo.dummy import every, half, nine_tenths
from metasmith.problems.pbo.epistasis import entangled
from metasmith.problems.pbo.function import Function
from metasmith.problems.pbo.instance import TURNED, in_order, see
from metasmith.problems.pbo.neutrality import blocks, majority, word_after
from metasmith.problems.pbo.ruggedness import alternating, plateaus, reversed_blocks, smooth
from metasmith.words import popcount


def onemax(x: Words, tables: Tables, work: Words) -> float:
    row = in_order(x, tables, work)
    turned = tables.numbers[TURNED]
    ones = 0
    for w in range(len(x)):
        ones += popcount((row[w] ^ tables.words[turned, w]) & tables.words[0, w])
    return float(tables.reals[ones])


def onemax_neutrality(x: Words, tables: Tables, work: Words) -> float:
    see(x, tables, work)
    ones = 0
    for w in range(len(x)):
        ones += popcount(majority(work, w) & tables.words[0, w])
    return float(tables.reals[ones])


def onemax_epistasis(x: Words, tables: Tables, work: Words) -> float:
    row = in_order(x, tables, work)
    turned = tables.numbers[TURNED]
    ones = 0
    for w in range(len(x)):
        ones += popcount(entangled(row[w] ^ tables.words[turned, w]) & tables.words[0, w])
    return float(tables.reals[ones])


FUNCTIONS = [
    Function("F1", "OneMax", "Number of ones", onemax, every, smooth, ordered=False),
    Function("F4", "OneMax dummy 1", "Number of ones in a fixed half of the bits", onemax, half, smooth, ordered=False),
    Function(
        "F5", "OneMax dummy 2", "Number of ones in a fixed 90 % of the bits", onemax, nine_tenths, smooth, ordered=False
    ),
    Function(
        "F6",
        "OneMax neutrality",
        "Number of threes with a majority of ones",
        onemax_neutrality,
        blocks,
        smooth,
        scratch=word_after,
    ),
    Function("F7", "OneMax epistasis", "Number of ones after mixing every four bits", onemax_epistasis, every, smooth),
    Function("F8", "OneMax ruggedness 1", "Number of ones, with plateaus", onemax, every, plateaus, ordered=False),
    Function(
        "F9", "OneMax ruggedness 2", "Number of ones, every second step down", onemax, every, alternating, ordered=False
    ),
    Function(
        "F10",
        "OneMax ruggedness 3",
        "Number of ones, four steps of five down",
        onemax,
        every,
        reversed_blocks,
        ordered=False,
    ),
]
