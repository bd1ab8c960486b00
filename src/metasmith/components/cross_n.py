"""Crossover at points: neighbours stay together."""

from metasmith.arrays import Floats, Indices, State, Values, Words
from metasmith.chance import positions, subset
from metasmith.components.roles import Others, search
from metasmith.components.settings import COUNTS
from metasmith.words import ALL, ZERO, U, exchange, running_parity


@search(n=COUNTS)
class cross_n:
    """n-point crossover of each pair, offspring i with offspring i + N/2."""

    def bits(
        pool: Words, moving: Indices, length: int, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        n = int(settings[0])
        half = len(moving) // 2
        mask = pool[len(pool) - 1]
        for i in range(half):
            subset(mask, 1, length, n, rng)  # a one where a cut is
            carry = ZERO
            for w in range(len(mask)):  # ones from every odd cut to the next
                mask[w] = running_parity(mask[w]) ^ carry
                carry = ALL if mask[w] >> U(63) else ZERO
            exchange(pool[moving[i]], pool[moving[i + half]], mask)

    def integers(
        pool: Values, moving: Indices, arity: Indices, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        n = int(settings[0])
        half = len(moving) // 2
        cuts = pool[len(pool) - 1]
        for i in range(half):
            count = positions(cuts, 1, len(arity), n, rng)
            a = pool[moving[i]]
            b = pool[moving[i + half]]
            for k in range(0, count, 2):  # from every odd cut to the next, or to the end
                for j in range(cuts[k], cuts[k + 1] if k + 1 < count else len(arity)):
                    a[j], b[j] = b[j], a[j]
