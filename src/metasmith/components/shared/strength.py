"""How strongly to change solutions, learned from how the last changes did: shared by the self-adjusting components."""

from numba.extending import register_jitable

from metasmith.arrays import Floats, State
from metasmith.chance import uniform
from metasmith.components.roles import OWN, SUCCEEDED, TRIED

UP = 1.2
DOWN = UP**-0.58
"""Balance where a share 1/e of the children is at least as good as their parents, which is best on LeadingOnes."""


@register_jitable
def adapted(variables: int, memory: Floats) -> float:
    """The strength to use now, 1 to half of the variables: up after success, down after failure."""
    strength = max(1.0, memory[OWN])
    if memory[TRIED] > 0.0:
        successes = memory[SUCCEEDED] / memory[TRIED]
        strength *= UP if successes > 0.367879441171442321 else DOWN
        memory[TRIED] = 0.0  # counts once, also if the next children come out unchanged
    memory[OWN] = min(max(1.0, strength), max(1.0, 0.5 * variables))
    return memory[OWN]


@register_jitable
def rounded(strength: float, rng: State) -> int:
    """One of the two whole numbers around `strength`, so that the mean is `strength`."""
    return int(strength + uniform(rng))
