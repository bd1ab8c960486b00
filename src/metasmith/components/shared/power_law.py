"""Numbers with a heavy tail: mostly small, now and then large."""

from numba.extending import register_jitable

from metasmith.arrays import State
from metasmith.chance import uniform


@register_jitable
def power_law(beta: float, largest: int, rng: State) -> int:
    """k in 1..largest with probability proportional to k^-beta, beta > 1 (rejection, Devroye 1986, X.6.1)."""
    scale = 2.0 ** (beta - 1.0)
    while True:
        draw = (1.0 - uniform(rng)) ** (-1.0 / (beta - 1.0))
        if draw < largest + 1.0:
            k = float(int(draw))
            ratio = (1.0 + 1.0 / k) ** (beta - 1.0)
            if uniform(rng) * k * (ratio - 1.0) / (scale - 1.0) <= ratio / scale:
                return int(k)
