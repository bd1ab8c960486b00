"""Who is best: shared by the components that take the best of many."""

from numba.extending import register_jitable

from metasmith.arrays import Floats, Indices


@register_jitable
def kth_largest(values: Floats, k: int) -> tuple[float, int]:
    """The k-th largest of `values`, k from 1, and how many are at least as large. Overwrites `values`.

    Quickselect without branches on the values, which are as good as random and would be guessed wrong half of the time.
    """
    size = len(values)
    larger = 0  # values already known to be larger than those left
    while True:
        pivot = values[size >> 1]
        above = 0
        equal = 0
        for i in range(size):
            above += values[i] > pivot
            equal += values[i] == pivot
        if larger + above >= k:
            keep_from(values, size, pivot, 1.0)
            size = above
        elif larger + above + equal >= k:
            return pivot, larger + above + equal
        else:
            keep_from(values, size, pivot, -1.0)
            size -= above + equal
            larger += above + equal


@register_jitable
def keep_from(values: Floats, size: int, pivot: float, side: float) -> None:
    """Move the values larger than the pivot (side 1) or smaller (side -1) to the front."""
    filled = 0
    for i in range(size):
        value = values[i]
        values[filled] = value
        filled += side * value > side * pivot


@register_jitable
def best_of(slots: Indices, more: Indices, fitness: Floats, count: int, out: Indices, scratch: Floats) -> None:
    """Write the `count` best of `slots` and `more` into `out`, in their order; of equals the later ones. scratch: one
    number each.
    """
    size = len(slots)
    both = size + len(more)
    for i in range(size):
        scratch[i] = fitness[slots[i]]
    for i in range(size, both):
        scratch[i] = fitness[more[i - size]]
    bar, reaching = kth_largest(scratch[:both], count)
    spare = reaching - count  # of those at the bar, how many are too many
    filled = 0
    i = 0
    while filled < count:  # no branch to guess wrong: who does not stay is overwritten by the next
        slot = slots[i] if i < size else more[i - size]
        left_out = fitness[slot] < bar or (fitness[slot] == bar and spare > 0)
        spare -= fitness[slot] == bar
        out[filled] = slot
        filled += not left_out
        i += 1
