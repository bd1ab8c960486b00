"""Reset exactly so many entries of one solution: shared by the components that decide how many."""

from numba.extending import register_jitable

from metasmith.arrays import Indices, State, Values, Words
from metasmith.chance import another, below, marked, subset
from metasmith.words import flip


@register_jitable
def reset_bits(row: Words, mask: Words, length: int, count: int, rng: State) -> None:
    """Turn `count` different bits of `row`; `mask` is scratch."""
    if count == 1:
        flip(row, below(length, rng))
    elif count > 1:
        subset(mask, 0, length, count, rng)
        for w in range(len(row)):
            row[w] ^= mask[w]


@register_jitable
def reset_values(row: Values, marks: Values, arity: Indices, count: int, rng: State) -> None:
    """Give `count` different positions of `row` another value; `marks` is scratch."""
    if count == 1:
        j = below(len(arity), rng)
        row[j] = another(row[j], arity[j], rng)
    elif count > 1:
        marked(marks, 0, len(arity), count, rng)
        for j in range(len(arity)):
            if marks[j] == 1:
                row[j] = another(row[j], arity[j], rng)
