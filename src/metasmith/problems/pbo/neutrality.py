"""Neutrality: every three bits are replaced by their majority; fewer than three bits at the end are ignored."""

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Words
from metasmith.words import U, pack


def blocks(n: int) -> Words:
    """The mask of the first bit of every whole block, where `majority` puts the block's majority: (1, words)."""
    first = np.zeros((1, n), np.int64)
    first[0, : n - n % 3 : 3] = 1
    return pack(first)


def word_after(n: int) -> int:
    """Scratch after the row: the one word of zeros that `majority` reads."""
    return 1


@register_jitable
def majority(row: Words, w: int) -> np.uint64:
    """Word w of the row whose bit i is the majority of bits i, i+1, i+2. A word of zeros follows the row."""
    this = row[w]
    after = row[w + 1]
    second = (this >> U(1)) | (after << U(63))
    third = (this >> U(2)) | (after << U(62))
    return U((this & second) | (third & (this | second)))
