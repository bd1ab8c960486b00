"""N-Queens: place as many queens on a board of N x N as fit without attacking one another."""

from math import isqrt

from numba.extending import register_jitable

from metasmith.arrays import Tables, Words
from metasmith.problems.pbo.function import Function
from metasmith.problems.pbo.instance import SCRATCH, SIDE, see
from metasmith.problems.pbo.shifts import moved
from metasmith.words import ALL, ONE, ZERO, U, lowest, popcount, words_for

FITS = 32
"""Largest side N of a board whose 2N - 1 diagonals fit into one word."""


def queens(x: Words, tables: Tables, work: Words) -> float:
    """The number of queens, less N for every queen too many on a row, column or diagonal.

    A line with q > 0 queens has q - 1 too many, and every queen is on four lines, so the queens too many are
    4 * queens - the number of lines with a queen.
    """
    see(x, tables, work)
    side = tables.numbers[SIDE]
    placed = 0
    for w in range(len(x)):
        placed += popcount(work[w])
    taken = (
        lines_of_small_board(work, side)
        if side <= FITS
        else lines_of_large_board(work, len(x), side, tables.numbers[SCRATCH])
    )
    return float(tables.reals[0] * (placed - side * (4 * placed - taken)) + tables.reals[1])


@register_jitable
def lines_of_small_board(board: Words, side: int) -> int:
    """The number of lines with a queen, on a board of which a row fits into a word; a word of zeros follows the board.

    Shifted by its number, a row of the board lies on its diagonals.
    """
    rank_mask = ALL >> U(64 - side)
    ranks = 0
    files = rising = falling = ZERO
    for r in range(side):
        rank = moved(board, 0, r * side) & rank_mask
        ranks += rank != ZERO
        files |= rank
        rising |= rank << U(r)
        falling |= rank << U(side - 1 - r)
    return ranks + popcount(files) + popcount(rising) + popcount(falling)


@register_jitable
def lines_of_large_board(board: Words, words: int, side: int, scratch: int) -> int:
    """The number of lines with a queen, on a board of any size; each queen marks her four lines in the scratch.

    The marks are 2N bits each for ranks, files, rising and falling diagonals.
    """
    beyond = scratch + words_for(8 * side)
    for w in range(scratch, beyond):
        board[w] = ZERO
    for w in range(words):
        word = board[w]
        while word != ZERO:
            position = 64 * w + lowest(word)
            word &= word - ONE
            r = position // side
            c = position % side
            mark(board, 64 * scratch + r)
            mark(board, 64 * scratch + 2 * side + c)
            mark(board, 64 * scratch + 4 * side + r + c)
            mark(board, 64 * scratch + 6 * side + side - 1 - r + c)
    lines = 0
    for w in range(scratch, beyond):
        lines += popcount(board[w])
    return lines


@register_jitable
def mark(row: Words, i: int) -> None:
    row[i >> 6] |= ONE << U(i & 63)


def scratch(n: int) -> int:
    side = isqrt(n)
    return 1 if side <= FITS else words_for(8 * side)


def most(n: int) -> float | None:
    """The most queens that fit: N, but one less on boards of 2 x 2 and 3 x 3."""
    side = isqrt(n)
    return side - (side in (2, 3))


FUNCTIONS = [
    Function(
        "F23",
        "N-Queens",
        "Queens, a heavy penalty for queens on one line",
        queens,
        best=most,
        scratch=scratch,
        square=True,
    )
]
