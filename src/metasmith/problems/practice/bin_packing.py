"""Bin packing: put items into bins that hold so much, and fill the bins that are used (Falkenauer 1996).

The items are cut from full bins, so some packing leaves no room at all.
"""

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Tables, Values, Words, tables
from metasmith.problems.draws import Draws
from metasmith.problems.practice.kind import Kind
from metasmith.problems.problem import Native, Problem
from metasmith.representations import Integers

CAPACITY = 1000


@register_jitable
def overflow(x: Values, tables: Tables, work: Words) -> float:
    """How much the bins would have to hold beyond their capacity, in bins. tables.numbers: the size of each item.

    work: what is in each bin.
    """
    filled = work.view(np.int64)
    for b in range(len(filled)):
        filled[b] = 0
    for i in range(len(x)):
        filled[x[i]] += tables.numbers[i]
    total = 0
    for b in range(len(filled)):
        total += max(0, filled[b] - CAPACITY)
    return total / CAPACITY


def fullness(x: Values, tables: Tables, work: Words) -> float:
    """The mean square of the share of each used bin that is full, or minus the overflow."""
    above = overflow(x, tables, work)
    if above > 0.0:
        return -above
    filled = work.view(np.int64)
    squares, used = 0, 0
    for b in range(len(filled)):
        squares += filled[b] * filled[b]
        used += filled[b] > 0
    return squares / (used * float(CAPACITY * CAPACITY))


def make(n: int, draws: Draws, name: str) -> Problem:
    """Full bins cut into two to five items; there are a tenth to a half more bins than are needed."""
    most, full = draws.one(2, 5), 0
    sizes: list[int] = []
    while len(sizes) < n:
        pieces = min(draws.one(2, most), n - len(sizes))
        cuts = 1 + draws.different(1, pieces - 1, CAPACITY - 1)[0]
        sizes += np.diff([0, *np.sort(cuts), CAPACITY]).tolist()
        full += 1
    bins = full + max(1, round(full * draws.between(0.1, 0.5)))
    data = tables(np.array(sizes)[draws.order(n)])
    return Problem.native(
        fullness,
        Integers(bins, n),
        name=name,
        tables=data,
        work=bins,
        optimum=1,
        violation=Native(overflow, data, bins),
    )


KIND = Kind(
    "bin-packing",
    "Bin packing",
    "How full the bins are that hold all items",
    "items of a bin; spare bins",
    "reported",
    make,
    optimum=lambda n: 1.0,
)
