"""Epistasis: in every block of four bits, each output is the parity of all bits but one, so that one change turns three
outputs or four.
"""

import numpy as np
from numba.extending import register_jitable

from metasmith.words import U

FIRST_OF_FOUR = U(0x1111111111111111)
BUT_LAST_OF_FOUR = U(0x7777777777777777)


@register_jitable
def entangled(word: np.uint64) -> np.uint64:
    """The 16 blocks of a word: output i is the parity of its block but for bit i+1; the last leaves none out.

    A shorter block at the end needs no care: the bits that it lacks are zeros. Its missing outputs are for the caller
    to mask.
    """
    pairs = word ^ (word >> U(1))
    parity = (pairs ^ (pairs >> U(2))) & FIRST_OF_FOUR
    parity |= parity << U(1)
    parity |= parity << U(2)
    return parity ^ ((word >> U(1)) & BUT_LAST_OF_FOUR)
