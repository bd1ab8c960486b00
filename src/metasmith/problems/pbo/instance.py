"""Instances of a function: the same function with bits inverted or permuted and values scaled.

Instance 1 is the function itself; 2 to 50 invert some bits; 51 to 100 permute them; all but 1 scale and shift values.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Indices, Tables, Words
from metasmith.problems.pbo.network import permute
from metasmith.problems.pbo.random_numbers import uniforms
from metasmith.words import ZERO, pack, words_for

LENGTH, SIDE, TURNED, SCRATCH = 0, 1, 2, 3
"""Positions in `tables.numbers` of every function.

LENGTH: the number of bits. SIDE: of the square that they fill. TURNED: the row of `tables.words` with the mask of the
inverted bits, after which come the layers of the permuting network, if the instance permutes. SCRATCH: the first word
of the function's own scratch in `work`.
"""


@dataclass(frozen=True, eq=False)
class Instance:
    """How an instance changes a function.

    turned: the mask of the inverted bits, (1, words). order: position i sees bit order[i]. scale: factor and shift of
    the value.
    """

    turned: Words
    order: Indices | None
    scale: tuple[float, float]


@lru_cache(maxsize=256)
def instance(number: int, length: int) -> Instance:
    """Instance `number`, 1 to 100, of a function of `length` bits."""
    if not 1 <= number <= 100:
        raise ValueError(f"instances of the PBO suite are 1 to 100, got #{number}")
    unturned = np.zeros((1, words_for(length)), np.uint64)
    if number == 1:
        return Instance(unturned, None, (1.0, 0.0))
    scale = (float(uniforms(1, number, 0.2, 5.0)[0]), float(uniforms(1, number, -1000.0, 1000.0)[0]))
    drawn = uniforms(length, number)
    if number <= 50:
        turned = np.floor(2 * np.floor(1e4 * drawn) / 1e4).astype(np.int64)
        return Instance(pack(turned[None]), None, scale)
    order = np.arange(length)
    for other in (drawn * length).astype(np.int64):
        order[[0, other]] = order[[other, 0]]
    return Instance(unturned, order, scale)


@register_jitable
def in_order(x: Words, tables: Tables, work: Words) -> Words:
    """The bits of solution `x` in the instance's order, in `x` itself or in the first words of `work`.

    The caller inverts the bits that the instance inverts.
    """
    first = tables.numbers[TURNED] + 1
    if first == len(tables.words):
        return x
    width = tables.numbers[SCRATCH]
    for w in range(width):
        work[w] = x[w] if w < len(x) else ZERO
    permute(work, width, tables.words, first)
    return work


@register_jitable
def see(x: Words, tables: Tables, work: Words) -> None:
    """Write the bits of solution `x` as the function sees them, permuted and inverted, to the first words of `work`."""
    row = in_order(x, tables, work)
    turned = tables.numbers[TURNED]
    for w in range(len(x)):
        work[w] = row[w] ^ tables.words[turned, w]
