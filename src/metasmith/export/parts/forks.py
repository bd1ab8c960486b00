"""Forks: children skip steps of a chain, each or not by a fair coin. Every child waits at the step it goes on with."""

from numba.extending import register_jitable

from metasmith.arrays import Indices, State
from metasmith.chance import heads


@register_jitable
def enter(at: Indices, target: int, rng: State) -> None:
    """Let every child enter the chain at its first step, or with probability 1/2 at `target`."""
    for i in range(len(at)):
        at[i] = target if heads(rng) else 0


@register_jitable
def leave(at: Indices, step: int, children: Indices, moving: Indices) -> int:
    """List the children waiting at `step` in `moving`, and send them on to the next; return how many they are."""
    count = 0
    for i in range(len(children)):
        if at[i] == step:
            moving[count] = children[i]
            count += 1
            at[i] = step + 1
    return count


@register_jitable
def leave_or_skip(at: Indices, step: int, target: int, children: Indices, moving: Indices, rng: State) -> int:
    """The same, but each child goes on at `target` with probability 1/2."""
    count = 0
    for i in range(len(children)):
        if at[i] == step:
            moving[count] = children[i]
            count += 1
            at[i] = target if heads(rng) else step + 1
    return count
