"""What `popcount` and `lowest` of packed words are where numba compiles them and there are no intrinsics of our own."""

import numpy as np
from numba.extending import register_jitable

from metasmith.words import ONE, U


@register_jitable
def popcount(word: np.uint64) -> int:
    """Number of ones in a word: of every two bits, then four, then eight, then all bytes summed up in the highest."""
    word = word - ((word >> U(1)) & U(0x5555555555555555))
    word = (word & U(0x3333333333333333)) + ((word >> U(2)) & U(0x3333333333333333))
    word = (word + (word >> U(4))) & U(0x0F0F0F0F0F0F0F0F)
    return int(np.int64((word * U(0x0101010101010101)) >> U(56)))


@register_jitable
def lowest(word: np.uint64) -> int:
    """Position of the lowest one of a word that is not zero: as many zeros are below it."""
    return popcount(~word & (word - ONE))
