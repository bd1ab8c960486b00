"""Shifts of whole rows by any number of bits, with which kernels compare neighbours on a ring, a lattice or a graph."""

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Words
from metasmith.words import ONE, ZERO, U, words_for


@register_jitable
def moved(row: Words, w: int, distance: int) -> np.uint64:
    """Word w of the row whose bit i is bit i + distance of `row`; `row` must have a word more than that."""
    at = w + (distance >> 6)
    within = distance & 63
    return U((row[at] >> U(within)) | ((row[at + 1] << ONE) << U(63 - within)))


@register_jitable
def moved_back(row: Words, w: int, distance: int) -> np.uint64:
    """Word w of the row whose bit i is bit i - distance of `row`; zeros before its first bit."""
    at = w - (distance >> 6)
    within = distance & 63
    here = row[at] if at >= 0 else ZERO
    before = row[at - 1] if at >= 1 else ZERO
    return U((here << U(within)) | ((before >> ONE) >> U(63 - within)))


@register_jitable
def close(row: Words, length: int, distance: int) -> None:
    """Append the first `distance` of `length` bits to a row, in place, so that neighbours across the end follow too."""
    target, within = length >> 6, length & 63
    for w in range(words_for(length), words_for(length + distance) + 1):
        row[w] = ZERO
    for w in range(words_for(distance)):
        word = row[w]
        row[target + w] |= word << U(within)
        row[target + w + 1] |= (word >> ONE) >> U(63 - within)
