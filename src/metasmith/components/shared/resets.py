"""Reset exactly so many entries of one solution: shared by the components that decide how many."""

from numba.extending import register_jitable

from metasmith.arrays import Indices, State, Values, Words
from metasmith.chance import another, below, positions, subset
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
def reset_values(row: Values, scratch: Values, arity: Indices, count: int, rng: State) -> None:
    """Give `count` different positions of `row` another value."""
    for k in range(positions(scratch, 0, len(arity), count, rng)):
        j = scratch[k]
        row[j] = another(row[j], arity[j], rng)
