"""Maximum cut: divide the vertices of a graph in two, so that heavy edges run between the parts."""

import numpy as np

from metasmith.arrays import Tables, Words, tables
from metasmith.problems.draws import Draws
from metasmith.problems.practice.kind import Kind
from metasmith.problems.problem import Problem
from metasmith.representations import Bits
from metasmith.words import has


def cut(x: Words, tables: Tables, work: Words) -> float:
    """The weight of all edges between ones and zeros. tables.numbers: for each edge its ends and its weight."""
    edges = tables.numbers
    total = 0
    for k in range(0, len(edges), 3):
        total += edges[k + 2] * (has(x, edges[k]) != has(x, edges[k + 1]))  # a branch would be mispredicted
    return float(total)


def make(n: int, draws: Draws, name: str) -> Problem:
    """Edges to four to twenty others from each vertex, up to half of them with negative weights, as in a spin glass."""
    edges = draws.edges(n, round(n * draws.between(4, 20) / 2))
    negative = draws.uniform(len(edges)) < draws.between(0, 0.5)
    weights = draws.whole(1, draws.one(1, 20), len(edges)) * np.where(negative, -1, 1)
    return Problem.native(cut, Bits(n), name=name, tables=tables(np.column_stack([edges, weights]).ravel()))


KIND = Kind(
    "max-cut",
    "Maximum cut",
    "Weight of the edges between two parts of a graph",
    "degree; weights; share of negative ones",
    "reported",
    make,
)
