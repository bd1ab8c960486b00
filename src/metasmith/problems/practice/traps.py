"""Concatenated traps (Ackley 1987; Deb and Goldberg 1993): blocks of bits that lead away from their best value."""

import numpy as np

from metasmith.arrays import Tables, Words, tables
from metasmith.problems.draws import Draws
from metasmith.problems.practice.kind import Kind
from metasmith.problems.problem import Problem
from metasmith.representations import Bits
from metasmith.words import has, pack


def traps(x: Words, tables: Tables, work: Words) -> float:
    """The sum over all blocks of the bits that are right, or in a trap: all bits if all are right, else one less than
    the bits that are wrong.

    tables.numbers: n, the length of a block, the positions of the bits block after block, then whether each block is a
    trap. tables.words: the right bits.
    """
    n, length = tables.numbers[0], tables.numbers[1]
    wanted, block, total = tables.words[0], 2 + n, 0
    for start in range(0, n, length):
        stop = min(start + length, n)
        right = 0
        for i in range(start, stop):
            position = tables.numbers[2 + i]
            right += has(x, position) == has(wanted, position)
        if tables.numbers[block] and right < stop - start:
            total += stop - start - 1 - right
        else:
            total += right
        block += 1
    return float(total)


def make(n: int, draws: Draws, name: str) -> Problem:
    """Blocks of three to five bits anywhere; half of the blocks to all of them are traps."""
    length = draws.one(3, 5)
    trapped = draws.uniform(-(-n // length)) < draws.between(0.5, 1)
    numbers = np.concatenate([[n, length], draws.order(n), trapped])
    right = pack(draws.whole(0, 1, 1, n))
    return Problem.native(traps, Bits(n), name=name, tables=tables(numbers, words=right), optimum=n)


KIND = Kind(
    "traps",
    "Concatenated traps",
    "Right bits in blocks, most of which lead away from the best",
    "length of blocks; share of traps",
    "reported",
    make,
    optimum=float,
)
