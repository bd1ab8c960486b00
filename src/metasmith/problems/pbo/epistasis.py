"""Epistasis: bits are mixed in blocks of four, so that flipping one input flips three or four outputs."""

import numpy as np
from numba.extending import register_jitable

from metasmith.words import U

FIRST_OF_FOUR = U(0x1111111111111111)
BUT_LAST_OF_FOUR = U(0x7777777777777777)


@register_jitable
def entangled(word: np.uint64) -> np.uint64:
    """The outputs of the 16 blocks of a word: output i is the parity of its block without bit i + 1, the last of all.

    In a shorter block at the end the missing bits are zeros; the caller masks its missing outputs.
    """
    pairs = word ^ (word >> U(1))
    parity = (pairs ^ (pairs >> U(2))) & FIRST_OF_FOUR
    parity |= parity << U(1)
    parity |= parity << U(2)
    return parity ^ ((word >> U(1)) & BUT_LAST_OF_FOUR)
