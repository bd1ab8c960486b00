"""LeadingOnes, the number of ones before the first zero, and variants: dummies, neutrality, epistasis, ruggedness."""

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Tables, Words
from metasmith.problems.pbo.dummy import every, half, nine_tenths
from metasmith.problems.pbo.epistasis import entangled
from metasmith.problems.pbo.function import Function
from metasmith.problems.pbo.instance import TURNED, in_order, see
from metasmith.problems.pbo.neutrality import blocks, majority, word_after
from metasmith.problems.pbo.ruggedness import alternating, plateaus, reversed_blocks, smooth
from metasmith.words import ONE, ZERO, popcount


def leading_ones(x: Words, tables: Tables, work: Words) -> float:
    row = in_order(x, tables, work)
    turned = tables.numbers[TURNED]
    ones = 0
    for w in range(len(x)):
        mask = tables.words[0, w]
        zeros = ~(row[w] ^ tables.words[turned, w]) & mask
        if zeros != ZERO:
            return float(tables.reals[ones + before(zeros, mask)])
        ones += popcount(mask)
    return float(tables.reals[ones])


def leading_ones_neutrality(x: Words, tables: Tables, work: Words) -> float:
    see(x, tables, work)
    ones = 0
    for w in range(len(x)):
        mask = tables.words[0, w]
        zeros = ~majority(work, w) & mask
        if zeros != ZERO:
            return float(tables.reals[ones + before(zeros, mask)])
        ones += popcount(mask)
    return float(tables.reals[ones])


def leading_ones_epistasis(x: Words, tables: Tables, work: Words) -> float:
    row = in_order(x, tables, work)
    turned = tables.numbers[TURNED]
    ones = 0
    for w in range(len(x)):
        mask = tables.words[0, w]
        zeros = ~entangled(row[w] ^ tables.words[turned, w]) & mask
        if zeros != ZERO:
            return float(tables.reals[ones + before(zeros, mask)])
        ones += popcount(mask)
    return float(tables.reals[ones])


@register_jitable
def before(zeros: np.uint64, mask: np.uint64) -> int:
    """The number of positions of the mask before the first one in `zeros`, which is not empty."""
    first = zeros & (~zeros + ONE)
    return popcount(mask & (first - ONE))


FUNCTIONS = [
    Function("F2", "LeadingOnes", "Number of ones before the first zero", leading_ones, every, smooth),
    Function("F11", "LeadingOnes dummy 1", "Leading ones of a fixed half of the bits", leading_ones, half, smooth),
    Function(
        "F12", "LeadingOnes dummy 2", "Leading ones of a fixed 90 % of the bits", leading_ones, nine_tenths, smooth
    ),
    Function(
        "F13",
        "LeadingOnes neutrality",
        "Leading threes with mostly ones",
        leading_ones_neutrality,
        blocks,
        smooth,
        scratch=word_after,
    ),
    Function(
        "F14",
        "LeadingOnes epistasis",
        "Leading ones after mixing every four bits",
        leading_ones_epistasis,
        every,
        smooth,
    ),
    Function("F15", "LeadingOnes ruggedness 1", "Leading ones, with plateaus", leading_ones, every, plateaus),
    Function(
        "F16", "LeadingOnes ruggedness 2", "Leading ones, every second step down", leading_ones, every, alternating
    ),
    Function(
        "F17", "LeadingOnes ruggedness 3", "Leading ones, four steps of five down", leading_ones, every, reversed_blocks
    ),
]
