"""Uniform crossover: every position for itself."""

from metasmith.arrays import Floats, Indices, State, Values, Words
from metasmith.chance import bernoulli_word, skips
from metasmith.components.roles import Others, search
from metasmith.components.settings import SHARES
from metasmith.words import ZERO


@search(p=SHARES)
class cross_uniform:
    """The pair exchanges each position with probability p, offspring i with offspring i + N/2."""

    def bits(
        pool: Words, moving: Indices, length: int, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        p = settings[0]
        half = len(moving) // 2
        for i in range(half):
            a = pool[moving[i]]
            b = pool[moving[i + half]]
            for w in range(len(a)):
                different = a[w] ^ b[w]
                if different != ZERO:
                    swapped = different & bernoulli_word(p, rng)
                    a[w] ^= swapped
                    b[w] ^= swapped

    def integers(
        pool: Values, moving: Indices, arity: Indices, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        p = settings[0]
        half = len(moving) // 2
        for i in range(half):
            a = pool[moving[i]]
            b = pool[moving[i + half]]
            for j in skips(p, len(arity), rng):
                a[j], b[j] = b[j], a[j]
