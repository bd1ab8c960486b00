"""Information content factors: the entropy of the ups and downs along random walks (Munoz et al. 2015).

Along the tour of all walks, r_t is the change of the value per unit of distance. For a sensitivity eps each r_t becomes
a symbol: 0 if |r_t| < eps, else its sign. H(eps) is the entropy of pairs of unequal neighbouring symbols, M(eps) the
rate at which the sign changes when zeros are left out.
"""

import math

import numpy as np
from numpy.typing import NDArray

from metasmith.arrays import Floats, Indices
from metasmith.landscapes.distance import Distances
from metasmith.landscapes.kernels import kernel

NAMES = ("ic.h_max", "ic.eps_s", "ic.eps_max", "ic.eps_ratio", "ic.m0")
"""Flacco's names of these factors, in the order in which `information` returns them."""

SENSITIVITIES = np.insert(10.0 ** np.linspace(-5, 15, 1000), 0, 0.0)
"""The values of eps at which H and M are computed: zero, then 1000 on a logarithmic scale, as in flacco."""

LEAST, MOST = -5.0, 15.0
"""Logarithms of the smallest sensitivity above zero and of the largest."""

SETTLED = 0.05
"""Entropy below which the walk counts as flat: `ic.eps_s` is the first sensitivity where H is lower."""

DOWN_LEVEL, LEVEL_DOWN, UP_LEVEL, LEVEL_UP, DOWN_UP, UP_DOWN = range(6)
"""Numbers of the six pairs of unequal neighbouring symbols, whose shares are the probabilities in H."""

Levels = NDArray[np.int64]


def information(values: Floats, distances: Distances | Floats) -> Floats:
    """The factors of NAMES. distances: of each point of the tour to the next; steps of length zero are left out."""
    moved = distances > 0
    entropy, changes = curves(np.diff(values)[moved] / distances[moved])
    settled = np.flatnonzero(entropy < SETTLED)
    lively = np.flatnonzero(changes > changes[0] / 2)
    most = entropy.max()
    return np.array([
        most,
        logarithm(SENSITIVITIES[settled[0]]) if len(settled) else MOST,
        np.median(SENSITIVITIES[entropy >= most - 1e-13]),
        logarithm(SENSITIVITIES[lively[-1]]) if len(lively) else LEAST,
        changes[0],
    ])  # fmt: skip


def logarithm(sensitivity: float) -> float:
    """The decimal logarithm of a sensitivity, LEAST for zero."""
    return max(math.log10(sensitivity), LEAST) if sensitivity > 0 else LEAST


def curves(ratios: Floats) -> tuple[Floats, Floats]:
    """H and M at all SENSITIVITIES at once: (sensitivities,) each.

    From some sensitivity on, its level, a symbol is zero; the levels therefore say everything.
    """
    grid, symbols = len(SENSITIVITIES), len(ratios)
    levels = np.where(ratios == 0.0, 0, np.searchsorted(SENSITIVITIES, np.abs(ratios), side="right"))
    up = ratios > 0
    pairs, changes = np.zeros((6, grid + 1), np.int64), np.zeros(grid, np.int64)
    kernel(count_pairs)(up, levels, pairs)
    links = np.arange(-1, symbols + 1), np.arange(1, symbols + 3)
    kernel(count_changes)(up, levels, np.argsort(levels, kind="stable"), *links, changes)
    shares = np.cumsum(pairs, axis=1)[:, :grid] / (symbols - 1)
    logarithms = np.log(shares, out=np.zeros_like(shares), where=shares > 0) / math.log(6)
    return -np.sum(shares * logarithms, axis=0), changes / (symbols - 1)


def count_pairs(up: NDArray[np.bool_], levels: Levels, pairs: Indices) -> None:
    """Write how the count of each pair of symbols changes at each sensitivity; the cumulative sums are the counts."""
    for t in range(len(levels) - 1):
        first, second = levels[t], levels[t + 1]
        both = min(first, second)
        if up[t] != up[t + 1]:
            kind = UP_DOWN if up[t] else DOWN_UP
            pairs[kind, 0] += 1
            pairs[kind, both] -= 1
        if first > second:
            kind = UP_LEVEL if up[t] else DOWN_LEVEL
            pairs[kind, second] += 1
            pairs[kind, first] -= 1
        if second > first:
            kind = LEVEL_UP if up[t + 1] else LEVEL_DOWN
            pairs[kind, first] += 1
            pairs[kind, second] -= 1


def count_changes(
    up: NDArray[np.bool_], levels: Levels, order: Indices, before: Indices, after: Indices, changes: Indices
) -> None:
    """Write how often the sign changes at each sensitivity, while symbols that turn zero leave a linked list.

    order: the symbols by level, which is the order in which they leave.
    before, after: the neighbours of each symbol in the list, symbol t at index t + 1; 0 and symbols + 1 are the ends.
    """
    symbols = len(levels)
    count = 0
    for t in range(symbols - 1):
        count += up[t] != up[t + 1]
    left = 0
    for e in range(len(changes)):
        while left < symbols and levels[order[left]] <= e:
            i = order[left] + 1
            a, b = before[i], after[i]
            if a > 0:
                count -= up[a - 1] != up[i - 1]
            if b <= symbols:
                count -= up[b - 1] != up[i - 1]
            if a > 0 and b <= symbols:
                count += up[a - 1] != up[b - 1]
            after[a] = b
            before[b] = a
            left += 1
        changes[e] = count
