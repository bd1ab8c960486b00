"""Benes networks: a permutation of the bits of a row as layers of swaps at distance 1, 2, 4, ... and back.

Any permutation of 2^k positions takes 2k - 1 layers. A layer takes a few operations a word, whereas moving bit by bit
takes a few a bit: on 625 bits the network is five times as fast, and nearly four times as fast as a table of four bits
at a time.
"""

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Words
from metasmith.words import U, flip, words_for


def layers_for(length: int) -> int:
    """The number of layers of the network that permutes `length` bits."""
    return 2 * max(6, (length - 1).bit_length()) - 1


def width_for(length: int) -> int:
    """The number of words of a row of `length` bits inside the network, a power of two."""
    return int(1 << (words_for(length) - 1).bit_length())


def network(index: list[int]) -> Words:
    """The layers that bring bit index[i] to position i: (layers, words).

    A one in a layer swaps the bit at its position with the bit a distance above.
    """
    width = width_for(len(index))
    layers = np.zeros((layers_for(len(index)), width), np.uint64)
    _route(index + list(range(len(index), 64 * width)), 0, 0, layers)
    return layers


def _route(index: list[int], level: int, first: int, layers: Words) -> None:
    """Set the outer layers of a network over the positions first + i * 2^level, then those of its two halves."""
    if len(index) == 2:
        if index[0] == 1:
            flip(layers[level], first)
        return
    source = [0] * len(index)
    for i, j in enumerate(index):
        source[j] = i
    half = [-1] * len(index)  # which half the bit that arrives at a position goes through
    for start in range(len(index)):
        i = start
        while half[i] < 0:  # neighbours, at the entry as at the exit, go through different halves
            half[i] = 0
            i = source[index[i] ^ 1]
            half[i] = 1
            i ^= 1
    halves: tuple[list[int], list[int]] = ([], [])
    for i in range(0, len(index), 2):
        if half[source[i]] == 1:
            flip(layers[level], first + (i << level))
        if half[i] == 1:
            flip(layers[len(layers) - 1 - level], first + (i << level))
        halves[half[i]].append(index[i] >> 1)
        halves[half[i + 1]].append(index[i + 1] >> 1)
    _route(halves[0], level + 1, first, layers)
    _route(halves[1], level + 1, first + (1 << level), layers)


@register_jitable
def permute(row: Words, width: int, table: Words, first: int) -> None:
    """Permute the first `width` words of a row in place by the network whose layers are the rows of `table[first:]`."""
    layers = len(table) - first
    for layer in range(layers):
        level = min(layer, layers - 1 - layer)
        if level < 6:
            distance = U(1 << level)
            for w in range(width):
                swap = ((row[w] >> distance) ^ row[w]) & table[first + layer, w]
                row[w] ^= swap ^ (swap << distance)
        else:
            stride = 1 << (level - 6)
            for w in range(width):
                if w & stride == 0:
                    swap = (row[w] ^ row[w + stride]) & table[first + layer, w]
                    row[w] ^= swap
                    row[w + stride] ^= swap
