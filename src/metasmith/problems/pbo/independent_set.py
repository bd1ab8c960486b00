"""Maximum independent vertex set: choose as many vertices of a graph as possible, no two of them joined by an edge.

The graph has n' vertices, n' the even number at or below n, in two halves of h = n' / 2. Vertices that follow one
another within a half are joined, and vertex i of the first half with vertices i - 1 and i + 1 of the second.
"""

import numpy as np

from metasmith.arrays import Tables, Words
from metasmith.problems.pbo.function import Function
from metasmith.problems.pbo.instance import LENGTH, see
from metasmith.problems.pbo.shifts import moved
from metasmith.words import pack, popcount, words_for

VERTICES, NEXT, ACROSS_DOWN, ACROSS_UP = 0, 1, 2, 3
"""Rows of the masks that `edges` makes."""


def independent_set(x: Words, tables: Tables, work: Words) -> float:
    see(x, tables, work)
    vertices = tables.numbers[LENGTH] & ~1
    half = vertices >> 1
    masks = tables.words
    chosen = 0
    joined = 0
    for w in range(len(x)):
        word = work[w]
        chosen += popcount(word & masks[VERTICES, w])
        joined += popcount(word & moved(work, w, 1) & masks[NEXT, w])
        joined += popcount(word & moved(work, w, half - 1) & masks[ACROSS_DOWN, w])
        joined += popcount(word & moved(work, w, half + 1) & masks[ACROSS_UP, w])
    return float(tables.reals[0] * (chosen - vertices * joined) + tables.reals[1])


def edges(n: int) -> Words:
    """The masks, (4, words): all vertices, and those with an edge to the vertex 1, h - 1 and h + 1 after them."""
    vertices = n & ~1
    half = vertices // 2
    i = np.arange(n)
    return pack(np.array([i < vertices, (i < vertices - 1) & (i != half - 1), (i >= 1) & (i < half), i < half - 1]))


def zeros_after(n: int) -> int:
    """Scratch after the row: words of zeros that `moved` reads."""
    return words_for(n // 2 + 1) + 1


def largest(n: int) -> float:
    """The size of a largest set: a half, and one more vertex if a half has an odd number of them."""
    half = n // 2
    return half + half % 2


FUNCTIONS = [
    Function(
        "F22", "Maximum independent vertex set", "Chosen vertices, a heavy penalty for joined ones", independent_set,
        edges, best=largest, scratch=zeros_after,
    )
]  # fmt: skip
