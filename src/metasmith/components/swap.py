"""Swap: for assignments, in which how often each value occurs is nearly right already."""

from metasmith.arrays import Floats, Indices, State, Values
from metasmith.chance import below
from metasmith.components.roles import Others, search


@search()
class swap:
    """Two positions exchange their values, which differ and fit; integers only, as on bits it brought nothing."""

    def integers(
        pool: Values, moving: Indices, arity: Indices, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        length = len(arity)
        for i in moving:
            for _ in range(length):  # draws; where hardly any values differ, it may change nothing
                j, k = below(length, rng), below(length, rng)
                a, b = pool[i, j], pool[i, k]
                if a != b and a < arity[k] and b < arity[j]:
                    pool[i, j], pool[i, k] = b, a
                    break
