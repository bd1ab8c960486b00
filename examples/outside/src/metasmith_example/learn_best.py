"""Learning from the best: part of the best solution is copied, as in teaching-learning and harmony algorithms."""

from numba.extending import register_jitable

from metasmith.arrays import Floats, Indices, State, Values, Words
from metasmith.chance import bernoulli_word, skips
from metasmith.components.roles import Others, search
from metasmith.components.settings import SHARES


@search(p=SHARES)
class learn_best:
    """Each position becomes that of the best current solution with probability p."""

    def bits(
        pool: Words, moving: Indices, length: int, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        teacher = best_of(others)
        for i in moving:
            for w in range(pool.shape[1]):
                different = pool[i, w] ^ pool[teacher, w]
                pool[i, w] ^= different & bernoulli_word(settings[0], rng)

    def integers(
        pool: Values, moving: Indices, arity: Indices, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        teacher = best_of(others)
        for i in moving:
            for j in skips(settings[0], len(arity), rng):
                pool[i, j] = pool[teacher, j]


@register_jitable
def best_of(others: Others) -> int:
    """The slot of the best current solution; of equals the first."""
    best = others.population[0]
    for i in others.population:
        if others.fitness[i] > others.fitness[best]:
            best = i
    return best
