"""Operations on bits packed into 64-bit words.

Every function is plain Python that numba can also compile; `popcount` and `lowest` become one machine instruction each.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload, register_jitable

from metasmith.arrays import Indices, Words

U = np.uint64
"""Short for the type of a word: an operation of a word and a Python integer would give a float."""

ZERO = U(0)
ONE = U(1)
ALL = U(0xFFFFFFFFFFFFFFFF)


def popcount(word: np.uint64) -> int:
    """Number of ones in a word."""
    return int(word).bit_count()


def lowest(word: np.uint64) -> int:
    """Position of the lowest one of a word that is not zero."""
    return (int(word) & -int(word)).bit_length() - 1


@register_jitable
def words_for(length: int) -> int:
    """The number of words that hold `length` bits."""
    return (length + 63) >> 6


@register_jitable
def tail_mask(length: int) -> np.uint64:
    """A mask for the last word of a row of `length` bits: ones where it holds bits, zeros where it is padding."""
    rest = length & 63
    return ALL if rest == 0 else ALL >> U(64 - rest)


@register_jitable
def has(row: Words, i: int) -> bool:
    """Whether bit i of a row is one."""
    return bool((row[i >> 6] >> U(i & 63)) & ONE)


@register_jitable
def flip(row: Words, i: int) -> None:
    """Flip bit i of a row."""
    row[i >> 6] ^= ONE << U(i & 63)


@register_jitable
def count_ones(row: Words) -> int:
    """Number of ones in a row."""
    ones = 0
    for w in range(len(row)):
        ones += popcount(row[w])
    return ones


@register_jitable
def hamming(a: Words, b: Words) -> int:
    """Number of bits in which two rows differ."""
    different = 0
    for w in range(len(a)):
        different += popcount(a[w] ^ b[w])
    return different


@register_jitable
def unpack_row(row: Words, vector: Indices) -> None:
    """Write the bits of a row as zeros and ones into `vector`."""
    for i in range(len(vector)):
        vector[i] = np.int64((row[i >> 6] >> U(i & 63)) & ONE)


@register_jitable
def exchange(a: Words, b: Words, mask: Words) -> None:
    """Swap the bits of two rows where `mask` has ones."""
    for w in range(len(mask)):
        swapped = (a[w] ^ b[w]) & mask[w]
        a[w] ^= swapped
        b[w] ^= swapped


@register_jitable
def running_parity(word: np.uint64) -> np.uint64:
    """A word whose bit i is the parity of bits 0..i of `word`."""
    word ^= word << U(1)
    word ^= word << U(2)
    word ^= word << U(4)
    word ^= word << U(8)
    word ^= word << U(16)
    return word ^ (word << U(32))


def pack(vectors: np.ndarray[Any, Any]) -> Words:
    """Pack vectors of zeros and ones, (solutions, bits), into words, (solutions, words)."""
    solutions, length = vectors.shape
    padded = np.zeros((solutions, words_for(length) * 64), np.uint8)
    padded[:, :length] = vectors
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def unpack(rows: Words, length: int) -> Indices:
    """Unpack words, (solutions, words), into vectors of zeros and ones, (solutions, bits)."""
    octets = np.ascontiguousarray(rows).astype("<u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little", count=length).astype(np.int64)


# popcount and lowest when compiled: one instruction of the processor each.


@intrinsic
def _ctpop(typingctx: Any, word: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), emit


@intrinsic
def _cttz(typingctx: Any, word: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), emit


@overload(popcount)
def _popcount(word: Any) -> Any:
    def compiled(word: Any) -> Any:
        return _ctpop(word)

    return compiled


@overload(lowest)
def _lowest(word: Any) -> Any:
    def compiled(word: Any) -> Any:
        return _cttz(word)

    return compiled
